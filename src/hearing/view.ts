/** One look at a found pane as both hands need it: the picture, the pack that reads it, and who takes the keys. */
import type { HandsPolicy } from '../../machines/policy.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import type { Clock } from '../ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { packFor } from '../screen/pack.ts';
import type { Pack, Screen } from '../screen/screen.ts';
import type { CpuSampler } from './cpu.ts';
import { foregroundOf } from './foreground.ts';
import type { Foreground } from './foreground.ts';
import type { Memory } from './memory.ts';
import type { Found, PaneDeps } from './pane.ts';
import type { PaneQueue } from './queue.ts';
import { takeShot } from './shot.ts';
import type { Shot } from './shot.ts';
import { readPast } from './typed.ts';

/** What the hands of a hearing are given. `memory` and `queue` are shared by all who look and type. */
export interface HearingDeps extends PaneDeps {
  readonly processes: ProcessTable;
  readonly clock: Clock;
  readonly policy: HandsPolicy;
  readonly memory: Memory;
  readonly queue: PaneQueue;
  readonly cpu: Pick<CpuSampler, 'rate'>;
  /** What the town typed to this life besides questions: its echo is nobody's word. Rejects = look unknown. */
  readonly remarks?: (target: Incarnation) => Promise<readonly string[]>;
}

export interface View {
  readonly shot: Shot;
  readonly pack: Pack;
  readonly screen: Screen;
  readonly foreground: Foreground;
}

/** Rejects when tmux or the process table cannot tell. `from`: as in `takeShot`. `questions`: those that may stand there. */
export async function viewOf(
  deps: HearingDeps,
  target: Incarnation,
  found: Found,
  from: (historySize: number) => number,
  questions: readonly (readonly string[])[] = [],
): Promise<View> {
  const shot = await takeShot(deps, found.paneId, from);
  const foreground = await foregroundOf(deps.processes, found.panePid);
  const programs = [foreground.program, deps.processes.describe(target.agent.pid)].filter((one) => one !== null);
  const pack = deps.memory.packOf(target, () => packFor(programs));
  const remarks = (await deps.remarks?.(target)) ?? [];
  const asked = questions.filter((lines) => !remarks.includes(lines.join('\n')));
  const typed = [
    ...asked.map((lines) => ({ lines, times: 1 })),
    ...remarks.map((text) => ({ lines: text.split('\n'), times: deps.memory.timesSaid(target, text) })),
  ];
  return { shot, pack, foreground, screen: readPast(pack, shot.screen, typed) };
}
