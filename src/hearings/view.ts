/** One look at a found pane as all hands need it: the picture, the pack that reads it, and who takes the keys. */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import { topmost } from '../proc/below.ts';
import { lineModeOf, type LineMode } from '../proc/line-mode.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { cutAt } from '../terminal/columns.ts';
import { GENERIC, type Packs } from '../screen/packs.ts';
import type { Pack } from '../screen/pack.ts';
import type { Picture, Screen } from '../screen/screen.ts';
import { within } from '../screen/time-limit.ts';
import type { CpuSampler } from './cpu.ts';
import { foregroundOf, type Foreground } from './foreground.ts';
import type { Memory } from './memory.ts';
import type { FoundPane, PaneDeps } from './pane.ts';
import type { PaneQueue } from './queue.ts';
import { capturePane, type Capture } from './capture.ts';
import { readPast, typedOf } from './sent-text-filter.ts';

/** What the hands of a hearing are given. `memory` and `queue` are shared by all who look and type. */
export interface HearingDeps extends PaneDeps {
  readonly processes: ProcessTable;
  readonly clock: Clock;
  readonly policy: HandsPolicy;
  readonly packs: Packs;
  readonly memory: Memory;
  readonly queue: PaneQueue;
  readonly cpu: Pick<CpuSampler, 'rate'>;
  /** What the town typed to this life besides questions: its echo is no agent's word. Rejects = look unknown. */
  readonly sentTexts?: (target: Incarnation) => Promise<readonly string[]>;
}

export interface View {
  readonly capture: Capture;
  readonly pack: Pack;
  readonly screen: Screen;
  readonly foreground: Foreground;
  /** How its terminal takes keys; null = not asked. */
  readonly lineMode: LineMode | null;
}

export interface Wanted {
  /** As in `takeShot`. */
  readonly from: (historySize: number) => number;
  /** Questions that may stand there. */
  readonly questions?: readonly (readonly string[])[];
  /** A typing caller must know how the terminal takes keys, if no composer shows it. */
  readonly toType?: boolean;
}

/** Rejects when tmux or the process table cannot tell. */
export async function viewOf(
  deps: HearingDeps,
  target: Incarnation,
  found: FoundPane,
  { from, questions = [], toType = false }: Wanted,
): Promise<View> {
  const capture = await capturePane(deps, found.paneId, from);
  const foreground = await foregroundOf(deps.processes, found.panePid);
  const pack = await packOf(deps, target, foreground);
  const sentTexts = (await deps.sentTexts?.(target)) ?? [];
  const typed = typedOf(questions, sentTexts);
  const lineMode = toType && !pack.complete && capture.tty !== null ? await lineModeOf(capture.tty) : null;
  const screen = readPast(pack, pictureOf(capture, lineMode, deps.clock.wall()), typed);
  const lines = within(pack, () => talkOf(capture, pack, screen));
  return { capture: { ...capture, lines }, pack, foreground, lineMode, screen };
}

/** The lines without what the program draws beside the talk: a sidebar, a scroll bar, a clock at the end of a row. */
const talkOf = ({ lines, historySize }: Capture, { tails }: Pack, { columns }: Screen): Capture['lines'] =>
  columns === null && tails.length === 0
    ? lines
    : lines.map(({ row, text }) => {
        const cut = columns === null || row < historySize ? text : cutAt(text, columns)[0];
        const tail = tails.map((one) => cut.search(one)).find((at) => at >= 0);
        return { row, text: (tail === undefined ? cut : cut.slice(0, tail)).trimEnd() };
      });

const pictureOf = (capture: Capture, lineMode: LineMode | null, at: WallMs): Picture => ({
  rows: capture.screen,
  width: capture.width,
  cursor: { x: capture.cursorColumn, y: capture.cursorRow },
  alternate: capture.alternate,
  title: capture.title,
  lineMode: lineMode === null ? null : lineMode === 'line',
  at,
});

/** Once an agent is known in a pane, only its own pack judges it until the incarnation ends. */
export async function packOf(
  deps: Pick<HearingDeps, 'packs' | 'memory' | 'processes'>,
  target: Incarnation,
  { program }: Foreground,
): Promise<Pack> {
  const { packs, memory, processes } = deps;
  const known = memory.packOf(target);
  if (known !== null) return packs.named(known);
  const near = [program, processes.describe(target.agent.pid)].filter((one) => one !== null);
  const kind = near.map((one) => packs.kindOf(one)).find((one) => one !== null) ?? (await kindBelow(deps, target));
  // A wrapper may still be on its way to the program that it runs: only a pack of its own is final.
  if (kind !== null) memory.keepPack(target, kind);
  return packs.named(kind ?? GENERIC);
}

/** Below a launcher, a shim, a shell that runs a script. */
async function kindBelow(
  { packs, processes }: Pick<HearingDeps, 'packs' | 'processes'>,
  { agent }: Incarnation,
): Promise<string | null> {
  const proc = topmost(processes, await processes.children(), agent.pid, (one) => packs.kindOf(one) !== null);
  const program = proc && processes.describe(proc.pid);
  return program && packs.kindOf(program);
}
