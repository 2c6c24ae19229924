/** What Tickle knows between two facts. */
import type { Instant, OrderId } from '../protocol.ts';
import type { AgentSeen, Page, TickleRecord } from '../protocol/tickle.ts';
import type { TicklePolicy } from './policy.ts';

export interface TickleInput {
  readonly policy: TicklePolicy;
}

/** A caller that waits for the look. `agent`: who is to be paged; null = no one in particular. */
export interface Asker {
  readonly rpc: string;
  readonly wants: 'scan' | 'cycle' | 'page';
  readonly agent: string | null;
}

/** The look under way. */
export interface Look {
  /** The beat was due, or the time of a page was over. */
  readonly isDue: boolean;
  readonly askers: readonly Asker[];
}

export interface TickleState extends TickleInput {
  /** null = not read yet. */
  readonly record: TickleRecord | null;
  /** Its pages are an earlier process's, whose orders came to nothing or to an unknown end. */
  readonly isFresh: boolean;
  readonly startedAt: Instant;
  /** Up to then the durations of the record are counted. */
  readonly countedAt: Instant;
  readonly nextScanAt: Instant;
  /** null = none is under way. */
  readonly look: Look | null;
  readonly looks: number;
  /** Came while a look was under way: they want one of their own. */
  readonly waiting: readonly Asker[];
  /** Callers that wait for the first end of a page, by agent. */
  readonly paging: readonly Asker[];
  /** Entries that are being written; 0 = none. */
  readonly writing: number;
  readonly writes: number;
  /** The last look, by name. */
  readonly seen: ReadonlyMap<string, AgentSeen>;
  /** Why the record could not be read last; '' = it was read. */
  readonly unread: string;
  readonly wakeAt: Instant | null;
}

export const NO_RECORD: TickleRecord = {
  latch: null,
  cycle: 0,
  lastPage: 0,
  scannedAt: null,
  why: null,
  failures: 0,
  registered: 0,
  stale: [],
  pages: {},
  unwritten: [],
};

export const recordOf = ({ record }: Pick<TickleState, 'record'>): TickleRecord => record ?? NO_RECORD;

/** An operator's word outranks the configuration. */
export const isOn = ({ latch }: Pick<TickleRecord, 'latch'>, { enabled }: TicklePolicy): boolean =>
  latch === null ? enabled : latch === 'started';

/** Pages whose agent is looked at until they end, even where nothing is scanned by itself. */
export const isOpen = ({ step }: Page): boolean => step !== 'over';

export const idOf = (verb: 'scan' | 'bell' | 'irc' | 'nudge' | 'note', turn: number, name?: string): OrderId => ({
  issuer: 'tickle',
  verb,
  ...(name !== undefined && { name }),
  turn,
});
