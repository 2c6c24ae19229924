/**
 * How agents stand to their accounts (M-9): at a limit, logged out, or neither, as their programs and screens say. It counts
 * once it has lasted for a while: a program that tries again now and then shows a limit and work by turns. The same of turns that halted:
 * at a step that was denied, or after an error.
 */
import type { Halted, Instant, Ms, Standing } from '../../machines/protocol.ts';
import {
  leavesDoubt,
  verdictOf,
  type AgentState,
  type Verdict,
  type Word,
} from '../../machines/sessions/agent-state.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Clock } from '../ports/ports.ts';
import { resetAt } from '../screen/reset.ts';
import type { Accounts } from '../sessions/accounts.ts';
import type { Asking } from './asking.ts';

export interface StandingsDeps {
  readonly asking: Pick<Asking, 'heard' | 'seen'>;
  readonly accounts: Pick<Accounts, 'of' | 'credentialOf'>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  readonly policy: Pick<HandsPolicy, 'asksAfterMs' | 'loggedOutAfterMs' | 'maxRemembered' | 'worksLongAfterMs'>;
}

type State = Standing['state'];

/** null = says nothing of its account: a dialog on the screen may be the one about a login. */
const STATES: Readonly<Record<AgentState, State | null>> = {
  working: 'works',
  denied: 'works',
  idle: 'rests',
  error: 'rests',
  done: 'rests',
  limited: 'limited',
  logged_out: 'logged_out',
  asks: null,
  unknown: null,
};

/** In which an agent whose turn halted has gone on. */
const GOES_ON: ReadonlySet<AgentState> = new Set(['working', 'idle', 'done'] as const);

interface Lasting {
  readonly isBarred: State | null;
  readonly since: Instant;
}
interface Halt extends Pick<Halted, 'state'>, Pick<Word, 'by'> {
  readonly since: Instant;
}
interface Works {
  readonly credential: string | null;
  readonly since: Instant;
}
/** Words are the same ones until the next look. */
interface Judged {
  readonly program: Word | null;
  readonly screen: Word | null;
  readonly verdict: Verdict;
}

export class Standings {
  readonly #deps: StandingsDeps;
  readonly #lasting = new Map<string, Lasting>();
  readonly #halts = new Map<string, Halt>();
  /** Turns that run. */
  readonly #works = new Map<string, Works>();
  readonly #judged = new Map<string, Judged>();

  constructor(deps: StandingsDeps) {
    this.#deps = deps;
  }

  /** undefined = it is not known, or did not last yet. */
  of(uuid: string): Standing | undefined {
    const { accounts } = this.#deps;
    const verdict = this.#verdictOf(uuid);
    const shown = STATES[verdict.state];
    // A person may have opened the dialog of which its program tells: it is no step of a turn.
    if (shown !== 'works') this.#works.delete(uuid);
    const state = verdict.state === 'asks' && verdict.word?.by === 'program' ? 'works' : shown;
    if (state === null) return undefined;
    const hasLasted = this.#hasLasted(uuid, state);
    const account = accounts.of(uuid);
    const credential = account === undefined ? null : accounts.credentialOf(account);
    const isLong = shown === 'works' && credential !== undefined && this.#isLong(uuid, credential);
    if (!hasLasted) return undefined;
    if (state === 'limited') return this.#limited(uuid, credential ?? null, verdict.word);
    if (credential === undefined) return undefined;
    return state === 'works' ? { state, credential, ...(isLong && { isLong }) } : { state, credential };
  }

  /** How its last turn halted; null = it did not, or went on, undefined = not known, so only a moment ago, or halted otherwise now. */
  haltOf(uuid: string): Halted | null | undefined {
    const { asking } = this.#deps;
    const { state, word } = this.#verdictOf(uuid);
    if (state === 'denied' || state === 'error') return this.#halted(uuid, state, word);
    const before = this.#halts.get(uuid);
    // What a program said of its turn it takes back itself: a screen at rest shows no denied step.
    const isTold = (asking.heard.get(uuid)?.word ?? null) !== null || (before !== undefined && before.by !== 'screen');
    if (!GOES_ON.has(state) || (state === 'idle' && word?.by === 'screen' && isTold)) return undefined;
    this.#halts.delete(uuid);
    return null;
  }

  #halted(uuid: string, state: Halted['state'], word: Word | null): Halted | undefined {
    const { clock, policy } = this.#deps;
    const before = this.#halts.get(uuid);
    // A town that starts anew meets turns that halted long ago: they count at once, so that their alert does not end and begin again.
    const saidFor = Math.max(0, clock.wall() - (word?.since ?? clock.wall()));
    const { since } = before?.state === state ? before : { since: clock.now() - saidFor };
    if (this.#halts.size >= policy.maxRemembered) this.#halts.clear();
    this.#halts.set(uuid, { state, since, by: word?.by ?? 'screen' });
    return clock.now() - since >= policy.asksAfterMs ? { state, what: word?.detail ?? word?.source ?? '' } : undefined;
  }

  /** The file of the login has no part in it. */
  #limited(uuid: string, credential: string | null, word: Word | null): Standing {
    const { asking, clock } = this.#deps;
    const { resets = null, isCut } = asking.seen(uuid) ?? {};
    const resetsAt = resets === null ? null : resetAt(resets, clock.wall());
    const limit = { state: 'limited', credential, resets, resetsAt } as const;
    if (word === null || word.by === 'screen') return { ...limit, ...(isCut === true && { isCut }) };
    // A program and its hook speak of a limit only as the end of a turn.
    return { ...limit, ...(word.since !== null && { since: word.since }), isCut: true };
  }

  #verdictOf(uuid: string): Verdict {
    const { asking, policy } = this.#deps;
    const program = asking.heard.get(uuid)?.word ?? null;
    const screen = leavesDoubt(program) ? (asking.seen(uuid)?.word ?? null) : null;
    const before = this.#judged.get(uuid);
    if (before?.program === program && before.screen === screen) return before.verdict;
    const verdict = verdictOf([program, screen].filter((word) => word !== null));
    if (this.#judged.size >= policy.maxRemembered) this.#judged.clear();
    this.#judged.set(uuid, { program, screen, verdict });
    return verdict;
  }

  #isLong(uuid: string, credential: string | null): boolean {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    const before = this.#works.get(uuid);
    const works = before?.credential === credential ? before : { credential, since: now };
    if (this.#works.size >= policy.maxRemembered) this.#works.clear();
    this.#works.set(uuid, works);
    return now - works.since >= policy.worksLongAfterMs;
  }

  #hasLasted(uuid: string, state: State): boolean {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    const isBarred = state === 'limited' || state === 'logged_out' ? state : null;
    const before = this.#lasting.get(uuid);
    const lasting = before?.isBarred === isBarred ? before : { isBarred, since: now };
    if (this.#lasting.size >= policy.maxRemembered) this.#lasting.clear();
    this.#lasting.set(uuid, lasting);
    const afterMs: Ms = isBarred === 'logged_out' ? policy.loggedOutAfterMs : policy.asksAfterMs;
    return now - lasting.since >= afterMs;
  }
}
