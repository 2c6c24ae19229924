/**
 * Which agents wait for a person now, as the scan tells it (law 7): the look that `town watch` takes, at every pane of the town.
 * 1. One question over the control client tells on which panes something was printed. Only those are read, all in one call of
 *    tmux, so that a town at rest starts no program.
 * 2. A screen that stands still is read once. One that goes on moving is read now and then: dialogs may be animated.
 * 3. A screen that its pack does not know says neither that a dialog came nor that it went (law 1).
 * 4. A dialog counts once it has stood for a while: one that a person answers at once raises no alert. A person at the keys delays
 *    none: they may type elsewhere in that session, or leave.
 * 5. The same look finds words of the town's that a program put back into its composer, and has them taken out.
 */
import type { Incarnation, Instant } from '../../machines/protocol.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import { foregroundOf } from '../hearings/foreground.ts';
import type { TakeOutPutBack } from '../hearings/put-back.ts';
import { readPast, typedOf } from '../hearings/sent-text-filter.ts';
import { isLeftOver } from '../hearings/standing.ts';
import { packOf, type HearingDeps } from '../hearings/view.ts';
import { asksPerson, type Screen } from '../screen/screen.ts';
import type { ControlTmux } from '../tmux/client.ts';
import type { TypedWords } from './records.ts';
import { takePictures, type Picture } from './study.ts';

export interface AskingDeps extends Pick<HearingDeps, 'processes' | 'clock' | 'packs' | 'memory'> {
  readonly tmux: Pick<ControlTmux, 'query' | 'sequence' | 'socketPath'>;
  readonly policy: Pick<HandsPolicy, 'askingLookMs' | 'askingReadMs' | 'asksAfterMs'>;
  /** What the town typed to each life: no words of the agent's. */
  readonly typed: () => Promise<(life: Incarnation) => Promise<TypedWords>>;
  /** Called where nothing but old words of the town's stands in a composer. May reject. */
  readonly takeOut: TakeOutPutBack;
}

/** What is known of one life's screen. */
interface Known {
  /** How its pane stood when it was read, where nothing more could come in the same second; empty = read it again. */
  readonly place: string;
  readonly readAt: Instant;
  /** What it asks, and since when; null = nothing, or unknown. */
  readonly asks: { readonly what: string; readonly since: Instant } | null;
  /** Its screen was known. */
  readonly isKnown: boolean;
}

/** Where the words stand, and in which second the last ones came. */
const PLACES = '#{pane_id} #{window_activity} #{history_size} #{cursor_x} #{cursor_y} #{pane_width}';
const PLACE = /^(%\d+) (\d+) \d+ \d+ \d+ \d+$/;

export class Asking {
  readonly #deps: AskingDeps;
  #known: ReadonlyMap<string, Known> = new Map();
  #nextAt: Instant = 0;
  #isLooking = false;
  /** Lives whose composer is being emptied of our words. */
  readonly #takenOut = new Set<string>();

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /**
   * What this life asks a person; null = nothing, undefined = it was not looked at yet. Empty = not known: by its pack, or since a
   * dialog came only now, which one of an earlier process may be (a restart of the town ends no alert).
   */
  of(uuid: string): string | null | undefined {
    const { clock, policy } = this.#deps;
    const known = this.#known.get(uuid);
    if (known === undefined) return undefined;
    if (known.asks === null) return known.isKnown ? null : '';
    return clock.now() - known.asks.since >= policy.asksAfterMs ? known.asks.what : '';
  }

  /** Looks at these lives, where it is time for that. Never rejects: what cannot be seen stays as it was. */
  async look(lives: readonly Incarnation[]): Promise<void> {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    if (this.#isLooking || now < this.#nextAt) return;
    this.#isLooking = true;
    this.#nextAt = now + policy.askingLookMs;
    try {
      const inPanes = lives.filter(({ origin }) => origin !== 'detached');
      if (inPanes.length > 0) await this.#lookAt(inPanes, now);
    } catch {
      // tmux or the process table gave no answer: the next look asks again.
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAt(lives: readonly Incarnation[], now: Instant): Promise<void> {
    const { tmux, clock } = this.#deps;
    const second = Math.floor(clock.wall() / 1_000);
    const rows = await tmux.query(['list-panes', '-a', '-F', PLACES]);
    const places = new Map(rows.flatMap((row) => [[PLACE.exec(row)?.[1] ?? '', row] as const]));
    const due = lives.filter((life) => this.#isDue(life, places.get(life.paneId), second, now));
    const pictures =
      due.length === 0
        ? []
        : await takePictures(
            tmux,
            due.map(({ paneId }) => paneId),
          );
    const typedTo = due.length === 0 ? null : await this.#deps.typed();
    const uuids = new Set(lives.map(({ uuid }) => uuid));
    const next = new Map([...this.#known].filter(([uuid]) => uuids.has(uuid)));
    for (const [at, life] of due.entries()) {
      const picture = pictures[at];
      const place = places.get(life.paneId) ?? '';
      if (picture === undefined || picture.serverPid !== life.server.pid) continue;
      const typed = (await typedTo?.(life)) ?? NOTHING;
      const screen = await this.#read(life, picture, typed).catch(() => null);
      const isPutBack = isLeftOver(screen?.composer?.draft ?? '', life.session, typed.remarks);
      if (isPutBack) this.#takeOut(life);
      const read = { place: isSettled(place, second) && !isPutBack ? place : '', readAt: now };
      next.set(life.uuid, after(next.get(life.uuid), screen, read));
    }
    this.#known = next;
  }

  /** The looks go on meanwhile. */
  #takeOut(life: Incarnation): void {
    if (this.#takenOut.has(life.uuid)) return;
    this.#takenOut.add(life.uuid);
    const isOver = (): boolean => this.#takenOut.delete(life.uuid);
    this.#deps.takeOut(life).then(isOver, isOver);
  }

  #isDue({ uuid }: Incarnation, place: string | undefined, second: number, now: Instant): boolean {
    const known = this.#known.get(uuid);
    if (place === undefined || known?.place === place) return false;
    return known === undefined || isSettled(place, second) || now - known.readAt >= this.#deps.policy.askingReadMs;
  }

  /** null = its pack does not know the screen, or a shell takes the keys there: what that asks is no agent's question. */
  async #read(life: Incarnation, picture: Picture, { questions, remarks }: TypedWords): Promise<Screen | null> {
    const front = await foregroundOf(this.#deps.processes, life.agent.pid);
    if (front.isShell) return null;
    // How its terminal takes keys tells where text may go, not who is asked: nothing is started to learn it.
    const pack = await packOf(this.#deps, life, front);
    const screen = readPast(pack, picture, typedOf(questions, remarks));
    return screen.state === 'unknown' && pack.complete ? null : screen;
  }
}

const NOTHING: TypedWords = { questions: [], remarks: [] };

/** All later output comes in a later second than the last words. */
const isSettled = (place: string, second: number): boolean => Number(PLACE.exec(place)?.[2]) < second;

function after(before: Known | undefined, screen: Screen | null, read: Pick<Known, 'place' | 'readAt'>): Known {
  if (screen === null) return { ...read, asks: before?.asks ?? null, isKnown: before?.isKnown ?? false };
  if (!asksPerson(screen)) return { ...read, asks: null, isKnown: true };
  return { ...read, asks: { what: screen.what, since: before?.asks?.since ?? read.readAt }, isKnown: true };
}
