/** What Tickle writes into the ledger: one record of each scan, each try, each escalation and each end (T-3, T-4). */
import type { Ms, WallMs } from '../protocol.ts';
import type { AgentSeen, Entry, EntryTag, Page, PageTry, TickleRecord } from '../protocol/tickle.ts';
import { MAX_NAMED, MAX_UNWRITTEN } from './policy.ts';
import type { Liveness } from './scan.ts';

type Facts = Readonly<Record<string, unknown>>;

/** In whose name. */
export const SELF = 'tickle';

const seconds = (ms: Ms | null): number | null => (ms === null ? null : Math.round(ms / 1_000));
/** Why the try itself typed nothing; null = it did. */
export const untriedWhy = ({ error, by }: Pick<PageTry, 'error' | 'by'>): string | null => error ?? by ?? null;
const errorOf = (one: PageTry): Facts => {
  const error = untriedWhy(one);
  return error === null ? {} : { error };
};
const tryOf = (one: PageTry): Facts => ({ method: one.method, paged: one.paged, ...errorOf(one) });

/** `about`: tells it from others of its tag at this moment. */
function entry(tag: EntryTag, about: string, at: WallMs, facts: Facts): Entry {
  return {
    id: `${SELF}/${tag}/${about}/${String(at)}`,
    tag,
    at,
    body: JSON.stringify({ tags: [SELF, tag], ...facts }),
  };
}

export interface Judged {
  readonly seen: AgentSeen;
  readonly is: Liveness;
  /** Why it is stale and not paged; null = it is paged, or not stale. */
  readonly why: string | null;
}

/** One scan, healthy or not. */
export function scanEntry(cycle: number, judged: readonly Judged[], at: WallMs): Entry {
  const stale = judged.filter(({ is }) => is === 'stale');
  return entry('scan', `${cycle}`, at, {
    cycle,
    ok: true,
    registered: judged.length,
    resting: judged.filter(({ is }) => is === 'resting').length,
    stale: stale.length,
    stalled: stale.slice(0, MAX_NAMED).map(({ seen, why }) => ({
      agent: seen.name,
      last_active: seen.lastAt,
      silent_s: seconds(seen.silentMs),
      ...(why !== null && { not_paged: why }),
    })),
  });
}

export const failedScanEntry = (cycle: number, error: string, at: WallMs): Entry =>
  entry('scan', `${cycle}`, at, { cycle, ok: false, error });

/** One try. A bell also tells whether the agent could be reached at all. */
export function tryEntries(agent: string, page: Page, one: PageTry, at: WallMs): Entry[] {
  const about = `${page.number}/${one.method}`;
  const { paged, method, error, isUnsure } = one;
  const wasThere = { agent, available: paged, ...(error !== null && { error }) };
  return [
    ...(method === 'bell' ? [entry('availability', about, at, wasThere)] : []),
    entry('page', about, at, {
      agent,
      paged,
      method,
      ...errorOf(one),
      ...(isUnsure && { unsure: true }),
    }),
  ];
}

/** Why a person is alerted: no try reached the agent, or it answered none. */
const reasonOf = ({ tried }: Pick<Page, 'tried'>): 'page-failed' | 'unanswered' =>
  tried.some(({ paged }) => paged) ? 'unanswered' : 'page-failed';

export function escalationEntries({ name: agent, silentMs }: AgentSeen, page: Page, at: WallMs): Entry[] {
  const about = `${page.number}`;
  const tried = page.tried.map(tryOf);
  return [
    entry('escalation', about, at, { agent, reason: reasonOf(page), tried }),
    entry('par', `${about}/escalated`, at, {
      agent,
      what: 'escalated',
      last_active: page.lastAt,
      silent_s: seconds(silentMs),
      tried,
      failed: page.tried.filter(({ paged }) => !paged).map(tryOf),
    }),
  ];
}

/** Whether a person was alerted of a stall, what was tried, and how long it lasted. */
const pastOf = (page: Page, endedAt: WallMs | null): Facts => ({
  person_alerted: page.step === 'told',
  silent_s: seconds(page.lastAt !== null && endedAt !== null ? endedAt - page.lastAt : null),
  after_s: seconds(page.forMs),
  tried: page.tried.map(tryOf),
});

/** The end of a stall by a sign: what woke the agent. Whether a person did who was alerted, nothing tells: null. */
export function endEntry(agent: string, page: Page, seen: AgentSeen, at: WallMs): Entry {
  const reached = page.tried.findLast(({ paged }) => paged)?.method ?? null;
  return entry('par', `${page.number}/ended`, at, {
    agent,
    what: 'ended',
    woken_by: page.step === 'told' ? null : (reached ?? 'itself'),
    sign: seen.sign,
    ...pastOf(page, seen.lastAt),
  });
}

/** How a stall ends without a sign: its agent has another life, is registered no more, or Tickle was stopped. */
export type Dropped = 'restarted' | 'gone' | 'stopped';

/** None for a page that was answered before. */
export const dropEntries = (agent: string, page: Page, what: Dropped, at: WallMs): readonly Entry[] =>
  page.step === 'over' ? [] : [entry('par', `${page.number}/${what}`, at, { agent, what, ...pastOf(page, at) })];

/** The record with these to be written too. */
export const withEntries = (record: TickleRecord, entries: readonly Entry[]): TickleRecord =>
  entries.length === 0 ? record : { ...record, unwritten: [...record.unwritten, ...entries].slice(-MAX_UNWRITTEN) };
