/**
 * Whether what ended a hearing still stands: a dialog or a usage limit, looked for again later (D-6, law 8).
 * 1. The pane is read, by a call of its own, only if anything was printed there since it was read last: as long as a dialog
 *    stands still, one question of numbers over the control client is all.
 * 2. A screen that a pack knows to be unknown is no sign that a dialog is over (law 1).
 * 3. What `status` still shows as a question is not over: two looks at different times must not contradict each other.
 */
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import { findPane } from './pane.ts';
import { asksPerson } from '../screen/screen.ts';
import { viewOf, type HearingDeps } from './view.ts';

/** Where the words stand, and in which second the last ones came. */
const STATE = '#{window_activity} #{history_size} #{cursor_x} #{cursor_y}';

/** What `status` shows as this life's question; null or undefined = none that is known. */
export type AsksNow = (uuid: string) => string | null | undefined;

export class Dialogs {
  readonly #deps: HearingDeps;
  readonly #asksNow: AsksNow;
  /** Dialogs that were read, by session: the life, and how its pane stood. */
  readonly #read = new Map<string, string>();

  constructor(deps: HearingDeps, asksNow: AsksNow) {
    this.#deps = deps;
    this.#asksNow = asksNow;
  }

  /** Whether this life's pane shows one of them; null = it is gone. Rejects when it is unknown. */
  async asks(life: Incarnation): Promise<boolean | null> {
    if ((this.#asksNow(life.uuid) ?? null) !== null) return true;
    const found = await findPane(this.#deps, life);
    if (found.kind === 'gone' || found.kind === 'replaced') return null;
    if (found.kind === 'paneless') return false;
    if (found.kind !== 'found') throw new Error(found.kind === 'person' ? found.what : found.why);
    const wall = this.#deps.clock.wall();
    const [state = ''] = await this.#deps.tmux.query(['display-message', '-p', '-t', found.paneId, STATE]);
    const key = `${life.uuid} ${state}`;
    if (this.#read.get(life.session) === key) return true;
    this.#read.delete(life.session);
    const { screen, pack } = await viewOf(this.#deps, life, found, { from: (historySize) => historySize });
    if (screen.state === 'unknown' && pack.complete)
      throw new Error(`the pack ${pack.name} does not know the screen of ${life.session}`);
    const isStill = asksPerson(screen);
    const stands = isStill || screen.state === 'limited';
    // A limit ends by the clock, not by its screen.
    if (isStill && isSettled(state, wall)) this.#read.set(life.session, key);
    return stands;
  }
}

/** All later output comes in a later second than the last words. */
const isSettled = (state: string, wall: WallMs): boolean => Number(state.split(' ', 1)[0]) < Math.floor(wall / 1_000);
