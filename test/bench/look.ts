/** What one look at an agent costs: a screen of 200×50, read by its pack, as often as a hearing looks. */
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import { recordedScreens } from '../screen/recorded.ts';
import { figure, type Figure } from './figure.ts';
import { median } from './town.ts';

const WARM_UP = 20;
const ROUNDS = 51;

/** The dearest screen of each program, by the median of its looks. */
export function measureLook(): Figure[] {
  const packs = new Packs();
  const wide = recordedScreens().filter(({ name }) => name.includes('-200x50'));
  const dearest = new Map<string, number>();
  for (const { agent, picture } of wide) {
    const pack = packs.named(agent);
    const look = (): number => {
      const before = process.cpuUsage();
      readScreen(pack, picture);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    for (let n = 0; n < WARM_UP; n += 1) look();
    const took = median(Array.from({ length: ROUNDS }, look));
    dearest.set(agent, Math.max(took, dearest.get(agent) ?? 0));
  }
  return [...dearest].map(([agent, took]) => figure(`a look at ${agent}, its dearest screen of 200×50`, took, 2, 'ms'));
}
