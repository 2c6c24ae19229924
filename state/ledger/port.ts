/**
 * The ledger as everything else sees it. A file with SQLite is one; a remote store with versions, watches and leases
 * can be.
 * 1. A write is conditional on the version that was read: of two writers one learns that it came second. It has an id
 *    of its own, so that the same write once more is known and changes nothing. A version is any whole number above 0
 *    that grows.
 * 2. Every list is paged, every call ends within its time. There are no joins: a caller that needs several things asks
 *    several times. A writer finds its own write in its next list; writes of others may miss from all pages of it.
 * 3. Calls reject with `LedgerFault`; what is merely not there, or was changed meanwhile, is a value.
 */
import type { Bead, BeadStatus, Official } from '../../machines/ledger/bead.ts';

export interface PageWanted {
  /** Where the last page ended (`next`); absent = the first page. */
  readonly after?: string;
  /** 1 to LEDGER.maxPage. */
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** For the next page, also where this one is shorter than was asked for; null = this was the last. What is written meanwhile may be on none of them. */
  readonly next: string | null;
}

/** What all beads of an answer have in common; absent = any. */
export interface BeadQuery {
  /** Only these, at most LEDGER.maxPage. */
  readonly ids?: readonly string[];
  /** Any of these; absent = all but closed. */
  readonly statuses?: readonly BeadStatus[];
  readonly type?: string;
  /** Empty = unassigned. */
  readonly assignee?: string;
  readonly rig?: string;
  /** All of them; a store looks for the last one first, so that the rarest stands there. */
  readonly labels?: readonly string[];
  readonly isWisp?: boolean;
  /** A bead that they have a dependency of any type on. */
  readonly dependsOn?: string;
  /** They have a dependency that keeps a bead waiting. */
  readonly hasBlockers?: true;
  /** `urgent`: by priority, then the newest first, as `bd` does. `oldest`: by creation. */
  readonly order?: 'urgent' | 'oldest';
}

export interface WriteCondition {
  /** Version of the bead that was read; 0 = there must be none. */
  readonly expects: number;
  /** Id of this write. */
  readonly write: string;
  /** Of doors alone (`src/ledger/doors.ts`); absent = as it is stored. */
  readonly official?: Official;
}

export interface PutWanted {
  readonly bead: Bead;
  readonly condition: WriteCondition;
}

/** `done`: this write is stored, now or already; `bead` as it stands. `conflict`: nothing was written; `bead`: null = gone. */
export type Put =
  | { readonly is: 'done'; readonly bead: Bead }
  | { readonly is: 'conflict'; readonly bead: Bead | null };

export interface Comment {
  readonly id: string;
  readonly beadId: string;
  readonly author: string;
  readonly text: string;
  readonly createdAt: string;
}

/** A sign of life or of progress, by any author. */
export interface Evidence {
  readonly id: string;
  readonly author: string;
  /** What it is: `commit`, `message`, `note` … */
  readonly kind: string;
  readonly text: string;
  /** Wall ms. */
  readonly at: number;
}

/** `stored`: it is there, now or already. `conflict`: another thing has that id. */
export type Added = 'stored' | 'conflict';

/** Things that hang on a bead. */
export interface Tally {
  readonly dependents: number;
  readonly comments: number;
}

export interface Ledger {
  /** Those of the ids that are there, in the order of the ids; at most LEDGER.maxPage. */
  beads(ids: readonly string[]): Promise<readonly Bead[]>;
  /** A page is shorter where its beads are large, so that no caller holds much at once. */
  list(query: BeadQuery, page: PageWanted): Promise<Page<Bead>>;
  /** Those of the ids that were wisps, and were removed while another bead depended on them; at most LEDGER.maxPage. */
  ended(ids: readonly string[]): Promise<readonly string[]>;
  /** Stores the bead as its next version. Its `version` and its `official` are not looked at. */
  put(bead: Bead, condition: WriteCondition): Promise<Put>;
  /** Each as `put` does, in their order and quicker than one by one: an answer for each, at most LEDGER.maxPage. One that cannot be stored rejects all. */
  putAll(writes: readonly PutWanted[]): Promise<readonly Put[]>;
  /** Takes it away with its comments. `stored` also where it is not there. */
  remove(id: string, expects: number): Promise<Added>;
  /** For each id, in their order. */
  tallies(ids: readonly string[]): Promise<readonly Tally[]>;
  comment(comment: Comment): Promise<Added>;
  /** Each as `comment` does, at most LEDGER.maxPage. */
  commentAll(comments: readonly Comment[]): Promise<readonly Added[]>;
  /** The oldest first. */
  comments(beadId: string, page: PageWanted): Promise<Page<Comment>>;
  addEvidence(evidence: Evidence): Promise<Added>;
  /**
   * Removes what one author wrote before this time (wall ms), but the newest of that author; at most LEDGER.maxPage. Resolves with
   * how many.
   */
  forgetEvidence(author: string, before: number): Promise<number>;
  /** The newest of every author, by name. */
  newestOfEach(page: PageWanted): Promise<Page<Evidence>>;
  /** The newest of one author, by its own time, of those at `until` (wall ms) and before; null = there is none. */
  newestEvidence(author: string, until?: number): Promise<Evidence | null>;
  /** Of one author, the newest first by their own times, from `until` (wall ms) on. */
  evidence(author: string, page: PageWanted, until?: number): Promise<Page<Evidence>>;
  /** The same store, whose calls end within `ms`. */
  within(ms: number): Ledger;
  /** What it holds is given back; it takes no call any more. */
  close(): void;
}
