/**
 * One cycle: a record and a look give the next record, in the order scan, page, escalation (T-3). Pure.
 * A page belongs to one life, and so does its cooldown (law 3): another life, or an agent that is registered no more, ends it. It leaves a
 * record of how long the stall lasted (T-4).
 */
import type { Ms, Order, WallMs } from '../protocol.ts';
import type { AgentSeen, Entry, Page, TickleRecord } from '../protocol/tickle.ts';
import { dropEntries, scanEntry, withEntries, type Judged } from './entries.ts';
import { again, begin, climb, endPage, type Climbed, type Climbing } from './ladder.ts';
import { MAX_NAMED, type TicklePolicy } from './policy.ts';
import { isAnswered, livenessOf, whyNotPaged } from './scan.ts';

export interface CycleInput {
  readonly policy: TicklePolicy;
  readonly seen: readonly AgentSeen[];
  readonly wall: WallMs;
  /** Since Tickle started. */
  readonly sinceMs: Ms;
  /** Silent agents are paged; false = only pages under way go on. */
  readonly doesPage: boolean;
  /** It leaves a record of a scan. */
  readonly isScan: boolean;
  /** The pages are an earlier process's. */
  readonly isFresh: boolean;
}
export interface Cycled {
  readonly record: TickleRecord;
  readonly orders: readonly Order[];
}

type Pages = TickleRecord['pages'];

/** So much later: windows and cooldowns go on, and what has cooled is forgotten. */
export function pagesAfter(pages: Pages, ms: Ms): Pages {
  if (ms <= 0) return pages;
  const left = (from: Ms): Ms => Math.max(0, from - ms);
  const later = Object.entries(pages).map(([name, page]): [string, Page] => [
    name,
    { ...page, forMs: page.forMs + ms, coolMs: left(page.coolMs), leftMs: left(page.leftMs) },
  ]);
  return Object.fromEntries(later.filter(([, { step, coolMs }]) => step !== 'over' || coolMs > 0));
}

/** What becomes of a page under way; null = it is no more. */
function goOn(page: Page, at: Climbing, { isFresh }: CycleInput): Climbed | null {
  const { seen } = at;
  if (page.uuid !== (seen.life?.uuid ?? null)) return null;
  const none = { entries: [], orders: [] };
  if (page.step === 'over') return { page, ...none };
  // Its try is out, and ends the page with its outcome.
  if (page.step === 'ordered' && !isFresh) return { page, ...none };
  if (isAnswered(page, seen)) return endPage(page, at);
  if (page.step === 'ordered') return again(page, at);
  if (page.step === 'told' || page.leftMs > 0) return { page, ...none };
  // It asks, is limited, or a person is at its keys: it cannot answer, and no person need be told.
  return seen.spared === null ? climb(page, at) : { page, ...none };
}

const judge = (seen: AgentSeen, page: Page | undefined, input: CycleInput): Judged => {
  const is = livenessOf(seen, input.policy);
  const why = whyNotPaged(seen, page, input) ?? (input.doesPage ? null : 'Tickle pages no agent by itself now');
  return { seen, is, why: is === 'stale' ? why : null };
};

export function cycle(before: TickleRecord, input: CycleInput): Cycled {
  const { policy, seen, wall, doesPage, isScan } = input;
  const judged = seen.map((one) => judge(one, before.pages[one.name], input));
  const pages: Record<string, Page> = {};
  const entries: Entry[] = [];
  const orders: Order[] = [];
  const keep = (name: string, climbed: Climbed): void => {
    pages[name] = climbed.page;
    entries.push(...climbed.entries);
    orders.push(...climbed.orders);
  };
  let { lastPage } = before;
  for (const { seen: one, is, why } of judged) {
    const at: Climbing = { seen: one, policy, wall };
    const page = before.pages[one.name];
    const next = page === undefined ? null : goOn(page, at, input);
    if (page !== undefined && next === null)
      entries.push(...dropEntries(one.name, page, one.life === null ? 'gone' : 'restarted', wall));
    if (next !== null) keep(one.name, next);
    else if (page === undefined && doesPage && is === 'stale' && why === null) {
      lastPage += 1;
      keep(one.name, begin(lastPage, at));
    }
  }
  const names = new Set(seen.map(({ name }) => name));
  for (const [name, page] of Object.entries(before.pages))
    if (!names.has(name)) entries.push(...dropEntries(name, page, 'gone', wall));
  const number = before.cycle + (isScan ? 1 : 0);
  const stale = judged.filter(({ is }) => is === 'stale');
  const record: TickleRecord = {
    ...before,
    lastPage,
    pages,
    cycle: number,
    ...(isScan && {
      scannedAt: wall,
      why: null,
      failures: 0,
      registered: seen.length,
      stale: stale.slice(0, MAX_NAMED).map(({ seen: { name, lastAt, silentMs }, why }) => ({
        name,
        lastAt,
        silentMs,
        why,
      })),
    }),
  };
  const scans = isScan ? [scanEntry(number, judged, wall)] : [];
  return { record: withEntries(record, [...scans, ...entries]), orders };
}
