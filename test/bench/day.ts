/** A day of a thousand agents in virtual time: the shipped tree of actors with its watchdog chain, and a death every minute and a half. */
import { POLICY } from '../../machines/policy.ts';
import { incarnation } from '../world/drive.ts';
import { running } from '../world/records.ts';
import { ChainTown } from '../watchdog/chain.ts';
import { figure, type Figure } from './figure.ts';

const AGENTS = 1_000;
const DAY_MS = 24 * 3_600_000;
const BETWEEN_DEATHS_MS = DAY_MS / AGENTS;

export function measureDay(): Promise<Figure[]> {
  const town = new ChainTown(null);
  const names = Array.from({ length: AGENTS }, (_, n) => {
    const life = incarnation(n);
    town.sessions.set(life.session, running(life, { restart: 'transient' }));
    return life.session;
  });
  const began = performance.now();
  for (const name of names) {
    town.drive.run(BETWEEN_DEATHS_MS);
    town.kill(name);
  }
  town.drive.run(60_000);
  const seconds = (performance.now() - began) / 1_000;
  const count = (type: Parameters<typeof town.drive.given>[0]) => town.drive.given(type).length;
  const [scans, starts, looks] = [count('scan'), count('startSession'), count('discover')];
  if (scans < DAY_MS / POLICY.sessions.scanEveryMs / 2) throw new Error(`only ${scans} scans in a day`);
  if (starts !== AGENTS) throw new Error(`${AGENTS} agents died and ${starts} were started`);
  const what = `${AGENTS} agents for a day of town time: ${scans} scans, ${starts} deaths, ${looks} looks of the Daemon`;
  return Promise.resolve([figure(what, seconds, 20, 's')]);
}
