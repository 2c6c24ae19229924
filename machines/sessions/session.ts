/**
 * A session as the table sees it (table.ts): the states it can be in, each with what is there in no other; what can happen to
 * it; and what a cell says. Which state a record is in is read here alone.
 */
import type {
  Account,
  Exit,
  Incarnation,
  Instant,
  LostLife,
  Ms,
  Order,
  SeenSession,
  SessionRecord,
  SessionSpec,
  Spoken,
  Stamp,
  WallMs,
} from '../protocol.ts';
import { isRetired, isStopping, NOT_LIVE, orderedAt, refusal, replies } from './state.ts';
import type { Call, Live, SessionsState } from './state.ts';

export interface SessionEntry {
  readonly name: string;
  readonly r: SessionRecord;
  readonly live: Live;
}
interface Alive extends SessionEntry {
  readonly life: Incarnation;
}
interface Ordered {
  /** When its end was ordered. */
  readonly orderedAt: WallMs;
  /** By the operator, not by a patrol of the town. */
  readonly byHand: boolean;
}
export interface States {
  /** The session has no record. */
  readonly absent: { readonly name: string; readonly r: undefined; readonly live: Live };
  /** Its start waits for its turn, or is out. */
  readonly starting: SessionEntry;
  /** The same, but the operator or the town wants the session ended, even if the start succeeds. */
  readonly withdrawn: SessionEntry & Ordered;
  /** The session waits until its next start is due. */
  readonly waiting: SessionEntry;
  readonly running: Alive;
  /** It runs, and the operator or the town wants it ended: its warrant is filed. */
  readonly stopping: Alive & Ordered & { readonly then: 'restart' | 'end' };
  /** Adopted: watched, never started by us. */
  readonly observed: Alive;
  /** Also one that a patrol of the town ended: that holds no later start back. */
  readonly ended: SessionEntry;
  /** Its agent or the operator wanted its end: no restart policy starts it again. */
  readonly retired: SessionEntry;
}
export type State = keyof States;
export type Session = { readonly [S in State]: { readonly is: S } & States[S] }[State];
/** A session that may have no record. */
export type Anybody = Pick<States['absent'], 'name' | 'live'> & { readonly r: SessionRecord | undefined };

export function sessionOf(name: string, r: SessionRecord | undefined, live: Live = NOT_LIVE): Session {
  if (r === undefined) return { is: 'absent', name, r, live };
  const known = { name, r, live };
  const { state, incarnation: life, asked } = r;
  const ordered = { orderedAt: orderedAt(asked) ?? 0, byHand: asked?.operatorAt !== undefined };
  if (state === 'starting') return isStopping(r) ? { is: 'withdrawn', ...known, ...ordered } : { is: state, ...known };
  if (state === 'backing_off') return { is: 'waiting', ...known };
  if (state === 'ended' || life === null) return { is: isRetired(r) ? 'retired' : 'ended', ...known };
  if (state === 'observed') return { is: state, ...known, life };
  return isStopping(r)
    ? { is: 'stopping', ...known, life, ...ordered, then: asked?.then ?? 'end' }
    : { is: state, ...known, life };
}

/** A requested start. */
export interface Start {
  readonly spec: SessionSpec;
  /** Who: part of what the uuid of its life is drawn from. */
  readonly by: string;
  /** A life that was found already; absent = a new one. */
  readonly uuid?: string;
  readonly rpc: string | null;
  readonly byHand?: boolean;
}
export interface Asked {
  readonly rpc: string;
}
/** An order of the operator, else of the town. */
interface Ending {
  readonly byHand: boolean;
}
export interface Adoption {
  readonly process: string | null;
  readonly tags: readonly string[];
}
type Lived = Pick<SessionRecord, 'tokenHash'> & { readonly incarnation: Incarnation };
interface Failed {
  readonly why: string;
}
interface Waits {
  /** A scan can see when the cause has passed. */
  readonly waits?: boolean | undefined;
}
/** What can happen to a session. A fact of another life of it is none of these (law 3). */
export interface Events {
  readonly START_ASKED: Start;
  readonly STOP_ASKED: Asked & Ending;
  readonly RESTART_ASKED: Omit<Start, 'spec' | 'byHand'> & Ending;
  /** The steps of the removal done so far. */
  readonly REMOVAL_ASKED: Asked & { readonly isLooked: boolean; readonly isCleared: boolean };
  /** `place`: by tmux's own id, if tmux has it under another name. */
  readonly ADOPTION_ASKED: Asked & Adoption & { readonly place?: string | undefined };
  readonly NUDGE_ASKED: Asked & {
    readonly text: string;
    readonly from: string;
    readonly raw: boolean;
    readonly atRest?: true | undefined;
  };
  readonly ANSWER_ASKED: Asked & {
    readonly dialog: string;
    readonly option: string;
    readonly text?: string | undefined;
  };
  /** A sibling needs the session to run. */
  readonly WANTED: Start;
  /** A sibling found a life of the session in tmux. */
  readonly FOUND: Start;
  /** The agent asks for its own end (C-10). */
  readonly END_ASKED: { readonly then: 'restart' | 'end'; readonly id: string; readonly filedAt: WallMs } & Failed;
  /** Its record was read: the process is new. `outlived`: the tmux server of its last life lives on. */
  readonly READ: { readonly outlived?: boolean };
  /** It stands in town.toml. `first`: the number of the first start of this opening. */
  readonly LISTED: { readonly spec: SessionSpec; readonly first: number };
  /** town.toml has the agent no more. */
  readonly UNLISTED: object;
  /** A scan showed a life of its name without a record. */
  readonly UNRECORDED: LostLife;
  /** The session's next step is due and has its turn. */
  readonly DUE: object;
  readonly STARTED: Lived &
    Pick<SessionRecord, 'program' | 'prompt'> & {
      readonly conversation?: Spoken | undefined;
      readonly forgets?: string | undefined;
    };
  /** `heldBack`: it waits for a person's word. */
  readonly NOT_STARTED: Failed & { readonly missing?: boolean; readonly heldBack?: boolean } & Waits;
  readonly NAME_TAKEN: Failed & Waits;
  /** Its account is logged out. */
  readonly LOGGED_OUT: Failed & { readonly account: Account };
  /** A person is at the keys of the pane that its last life left, and is spared for so long (law 6). */
  readonly PERSON_THERE: Failed & { readonly personMs: Ms } & Waits;
  /** Its account is logged in again, and it is free to be restarted. */
  readonly LOGIN_RENEWED: object;
  /** A scan saw that the cause which delayed the start has passed. */
  readonly CAUSE_PASSED: object;
  /** The look for remains of earlier lives is back. */
  readonly SURVIVORS_SEEN: object;
  /** The remains were saved, or signalled. */
  readonly STEP_DONE: object;
  /** The order that is out for it brought nothing; it may have got through. */
  readonly ORDER_FAILED: Failed;
  readonly ADOPTED: Lived & Adoption & Asked & Pick<SessionRecord, 'program'> & Pick<SessionSpec, 'background' | 'dir'>;
  readonly SEEN_ALIVE: Pick<SeenSession, 'spared' | 'conversation'>;
  /** tmux answers, but the life cannot be determined. */
  readonly SEEN_UNKNOWN: object;
  readonly SEEN_DEAD: SeenDead;
  /** Its tmux server died: who waits for a start waits so long from now. */
  readonly HELD_BACK: { readonly waitMs: Ms };
}
export interface SeenDead {
  readonly seen: SeenSession;
  /** As the death hook told it, where the scan could not tell. */
  readonly exit: Exit | null;
  /** Its whole tmux server died, and this is the wait of all that lived in it; null = it died by itself. */
  readonly sharedWaitMs: Ms | null;
  readonly isServerGone: boolean;
  /** The letter that tells a person of it; absent = none does. */
  readonly letter?: string;
}
export type EventName = keyof Events;
export type SessionEvent = { readonly [E in EventName]: { readonly type: E } & Events[E] }[EventName];
export interface Happening {
  readonly name: string;
  readonly event: SessionEvent;
}
export const toAll = (names: readonly string[], event: SessionEvent): readonly Happening[] =>
  names.map((name) => ({ name, event }));
/** A record, and what a scan saw of the life that it has. */
export interface SeenRecord {
  readonly r: SessionRecord;
  readonly s: SeenSession;
}

/** Where and when it happens. */
export interface Scene {
  readonly book: SessionsState;
  readonly starts: number;
  readonly now: Stamp & { readonly began?: Instant };
}
/** The answer of a cell; an absent part stays as it was. */
export interface Next {
  /** null = it is forgotten. */
  readonly record?: SessionRecord | null;
  readonly live?: Live;
  readonly orders?: readonly Order[];
  /** The caller that waits for the order's outcome. */
  readonly call?: Call;
  /** A number of a start was used up. */
  readonly drawn?: true;
}
/** Changes nothing, and gives the caller the reason. */
export const refuses = (rpc: string | null, ...why: Parameters<typeof refusal>): Next => ({
  orders: replies(rpc, refusal(...why)),
});
export type Cell<S extends State, E extends EventName> = (session: States[S], event: Events[E], scene: Scene) => Next;
