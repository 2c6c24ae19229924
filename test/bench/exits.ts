/** An agent that exits at once a thousand times under a real town (C-6): what is left of it, and what its sibling notices. */
import { isDeepStrictEqual } from 'node:util';
import { EXITING, exitAtOnce } from '../live/exits.ts';
import { figure, type Figure } from './figure.ts';
import { withTown } from './town.ts';

const EXITS = 1_000;
/** Open files and processes that there may be at one moment and not at another. */
const SLACK = 8;

export const measureExits = (): Promise<Figure[]> =>
  withTown(EXITING, async (town) => {
    const began = performance.now();
    const up = (): void => void town.town(['up']);
    const { restarts, sibling, held, scene } = await exitAtOnce({ root: town.root, tmux: town.tmux, up }, EXITS);
    const ms = performance.now() - began;
    const more = Object.entries(held.after).map(([what, count]) => count - (held.before[what] ?? 0));
    const disturbed = sibling.before !== null && isDeepStrictEqual(sibling.before, sibling.after) ? 0 : 1;
    const changed = scene.after.filter((text, n) => text !== scene.before[n]).length;
    return [
      figure(`siblings disturbed by ${restarts} exits at once`, disturbed, 0, ''),
      figure('… options, hooks or panes of tmux changed by them', changed, 0, ''),
      figure('… files, processes or open files more, of any one kind', Math.max(...more), SLACK, ''),
      figure('… each, until it runs again', ms / restarts, 200, 'ms'),
    ];
  });
