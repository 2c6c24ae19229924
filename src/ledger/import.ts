/**
 * Takes the beads of an export into the ledger, many in one write. An import never takes work back: what changed later here stays, and so
 * does a hook with its holder, the count of attempts, and what the town noted about the work.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Bead } from '../../machines/ledger/bead.ts';
import { holderOf } from '../../machines/ledger/changes.ts';
import { textOf } from '../../state/files/disk.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Comment, Ledger, PutWanted } from '../../state/ledger/port.ts';
import { beadText, checkedBead, checkedComment } from '../../state/ledger/schema.ts';
import { newWrite } from './ids.ts';
import { beadFrom, commentsIn, isTombstone, issueOf, lostOfComments, type Issue } from './issue.ts';
import type { IssueLine } from './issue-lines.ts';
import { neverReady, waitOf, type NeverReady } from './never-ready.ts';

export interface Imported {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Changed later here: they stay. */
  readonly older: number;
  /** Lines about beads that were deleted there. */
  readonly tombstones: number;
  /** Ids whose status and assignee stay, since an agent has them on its hook here. */
  readonly held: readonly string[];
  /** Lines, or parts of them, that are left out. */
  readonly refused: readonly { readonly line: number; readonly why: string }[];
  readonly never_ready: NeverReady;
}

export interface ImportNeeds {
  readonly ledger: Ledger;
  /** In whose name beads without an author are written. */
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  /** Beads of one write, at most LEDGER.maxPage; 1 where the ledger may refuse some of them. */
  readonly atOnce: number;
  /** Whether the ledger refused that bead, and takes others; absent = never. */
  readonly isRefusal?: (error: unknown) => boolean;
}

interface Read {
  readonly line: number;
  readonly bead: Bead;
  readonly comments: readonly Comment[];
}

/** Rejects with LedgerFault only where the ledger itself fails. */
export async function importIssues(needs: ImportNeeds, lines: AsyncIterable<IssueLine>): Promise<Imported> {
  const tally = { created: 0, updated: 0, unchanged: 0, older: 0, tombstones: 0 };
  const refused: { line: number; why: string }[] = [];
  const held: string[] = [];
  const stored: Bead[] = [];
  let batch = new Map<string, Read>();
  const flush = async (): Promise<void> => {
    const all = [...batch.values()];
    batch = new Map();
    try {
      for (const { is, bead, isHeld } of await storeAll(needs.ledger, all)) {
        tally[is] += 1;
        if (isHeld) held.push(bead.id);
        if (is === 'created' || is === 'updated') stored.push(bead);
      }
    } catch (error) {
      if (needs.isRefusal?.(error) !== true) throw error;
      refused.push(...all.map(({ line }) => ({ line, why: textOf(error) })));
    }
  };
  for await (const { line, ...given } of lines) {
    try {
      if (given.text === null) throw new LedgerFault('bad_bead', 'why' in given ? given.why : '');
      const issue = parsed(given.text);
      if (isTombstone(issue)) {
        tally.tombstones += 1;
        continue;
      }
      const bead = checkedBead(beadFrom(issue, needs.by, needs.at));
      beadText(bead);
      // The later of two lines about a bead is compared with what the earlier one made of it.
      if (batch.has(bead.id) || batch.size >= needs.atOnce) await flush();
      for (const why of lostOfComments(issue as Issue)) refused.push({ line, why });
      const comments = commentsIn(issue as Issue, needs.at).filter((comment) => {
        const why = mistakeIn(comment);
        if (why !== null) refused.push({ line, why });
        return why === null;
      });
      batch.set(bead.id, { line, bead, comments });
    } catch (error) {
      if (!(error instanceof LedgerFault) || error.code !== 'bad_bead') throw error;
      refused.push({ line, why: error.message });
    }
  }
  await flush();
  return { ...tally, held, refused, never_ready: await neverReady(needs.ledger, stored.map(waitOf), LEDGER.maxSteps) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LedgerFault('bad_bead', 'it is no JSON');
  }
}

function mistakeIn(comment: Comment): string | null {
  try {
    checkedComment(comment);
    return null;
  } catch (error) {
    return textOf(error);
  }
}

interface StoredBead {
  readonly is: 'created' | 'updated' | 'unchanged' | 'older';
  readonly bead: Bead;
  readonly isHeld: boolean;
}

/** One write for all; those that another writer changed meanwhile are read and compared again. */
async function storeAll(ledger: Ledger, batch: readonly Read[]): Promise<StoredBead[]> {
  const done: StoredBead[] = [];
  let left = batch.map(({ bead }) => bead);
  for (let tries = 0; left.length > 0; tries += 1) {
    const [busy] = left;
    if (tries === LEDGER.maxTries && busy !== undefined)
      throw new LedgerFault('ledger_busy', `${busy.id} is changed by others all the time`);
    const known = new Map((await ledger.beads(left.map(({ id }) => id))).map((bead) => [bead.id, bead]));
    const merged = left.map((bead) => mergedWith(known.get(bead.id), bead));
    done.push(...merged.filter(({ is }) => is === 'unchanged' || is === 'older'));
    const changes = merged.filter(({ is }) => is === 'created' || is === 'updated');
    const puts = await ledger.putAll(changes.map(({ bead }) => putOf(bead, known.get(bead.id))));
    done.push(...changes.filter((_, at) => puts[at]?.is === 'done'));
    const again = new Set(changes.flatMap(({ bead }, at) => (puts[at]?.is === 'done' ? [] : [bead.id])));
    left = left.filter(({ id }) => again.has(id));
  }
  const comments = batch.flatMap((one) => one.comments);
  for (let at = 0; at < comments.length; at += LEDGER.maxPage)
    await ledger.commentAll(comments.slice(at, at + LEDGER.maxPage));
  return done;
}

const putOf = (bead: Bead, known: Bead | undefined): PutWanted => ({
  bead,
  condition: { expects: known?.version ?? 0, write: newWrite() },
});

function mergedWith(known: Bead | undefined, bead: Bead): StoredBead {
  if (known === undefined) return { is: 'created', bead, isHeld: false };
  if (isDeepStrictEqual(issueOf(known), issueOf(bead))) return { is: 'unchanged', bead: known, isHeld: false };
  if (Date.parse(known.updatedAt) > Date.parse(bead.updatedAt)) return { is: 'older', bead: known, isHeld: false };
  const next = withTownsOwn(known, bead);
  const isHeld = holderOf(known) !== null && (next.status !== bead.status || next.assignee !== bead.assignee);
  if (isHeld && isDeepStrictEqual(issueOf(known), issueOf({ ...next, updatedAt: known.updatedAt })))
    return { is: 'unchanged', bead: known, isHeld };
  return { is: 'updated', bead: next, isHeld };
}

/** What is the town's to say stays as it stands here. */
function withTownsOwn(known: Bead, bead: Bead): Bead {
  const { status, assignee, startedAt, closedAt, closeReason } = known;
  const hook = holderOf(known) === null ? {} : { status, assignee, startedAt, closedAt, closeReason };
  const metadata = { ...known.metadata, ...bead.metadata };
  return { ...bead, metadata, attempts: known.attempts, ...hook };
}
