/** Reading more than one page, and along the links: what is ready, what blocks, where a circle would close. */
import { BEAD_STATUSES, blockersOf, parentOf, type Bead } from '../../machines/ledger/bead.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { knownSpans } from '../ports/age.ts';
import type { BeadQuery, Evidence, Ledger, Page, PageWanted } from '../../state/ledger/port.ts';

/** All items of a list, page by page; a reader that stops early reads no further page. */
export async function* items<T>(
  ask: (page: PageWanted) => Promise<Page<T>>,
  limit: number = LEDGER.maxPage,
): AsyncGenerator<T> {
  for (let after: string | null | undefined; after !== null;) {
    const page: Page<T> = await ask({ limit, ...(after !== undefined && { after }) });
    yield* page.items;
    after = page.next;
  }
}

export const beadsIn = (ledger: Ledger, query: BeadQuery): AsyncGenerator<Bead> =>
  items((page) => ledger.list(query, page));

/**
 * Of one author, the newest first by what really passed: a wall clock that was set back gave later evidence an earlier time.
 * `order` says of which stretch a time is that fits two.
 */
export async function* evidenceOf(
  ledger: Ledger,
  author: string,
  limit: number = LEDGER.maxPage,
): AsyncGenerator<Evidence> {
  const spans = knownSpans();
  if (spans === null) {
    yield* items((page) => ledger.evidence(author, page), limit);
    return;
  }
  // A writer may choose a time that no stretch has: one to come is the newest, and one that a step skipped is read last.
  const [most, ahead] = [Number.MAX_SAFE_INTEGER - 1, Math.max(...spans.map(({ until }) => until))];
  const isOutside = (at: number): boolean => !spans.some(({ holds }) => holds(at));
  const toCome = { from: ahead, until: most, holds: (at: number) => at > ahead && isOutside(at) };
  const skipped = { from: -Infinity, until: most, holds: (at: number) => at <= ahead && isOutside(at) };
  for (const { from, until, holds } of [toCome, ...spans, skipped])
    for await (const one of items((page) => ledger.evidence(author, page, Math.ceil(until)), limit)) {
      if (one.at < Math.floor(from)) break;
      if (holds(one.at)) yield one;
    }
}

/** Where a step hides the newest, it lies behind no more than a few. */
const BEHIND = 20;

/** The newest of one author, in the same order; null = there is none. */
export async function newestOf(ledger: Ledger, author: string): Promise<Evidence | null> {
  if (knownSpans() === null) return ledger.newestEvidence(author);
  const [newest] = await first(evidenceOf(ledger, author, BEHIND), 1);
  return newest ?? null;
}

/** The first so many. */
export async function first<T>(all: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  if (count <= 0) return found;
  for await (const one of all) if (found.push(one) >= count) break;
  return found;
}

/** The first so many of a list, in as many pages as it takes. */
export const firstOf = <T>(ask: (page: PageWanted) => Promise<Page<T>>, count: number): Promise<T[]> =>
  first(items(ask, Math.min(count, LEDGER.maxPage)), count);

/** Each of these that is there, one after the other and in no order: a caller that keeps little of each holds no page of them. */
export async function* eachCalled(ledger: Ledger, ids: readonly string[]): AsyncGenerator<Bead> {
  for (let at = 0; at < ids.length; at += LEDGER.maxPage)
    yield* beadsIn(ledger, { ids: ids.slice(at, at + LEDGER.maxPage), statuses: BEAD_STATUSES });
}

/** In as many calls as it takes. */
export async function beadsCalled(ledger: Ledger, ids: readonly string[]): Promise<Bead[]> {
  const found: Bead[] = [];
  for (let at = 0; at < ids.length; at += LEDGER.maxPage)
    found.push(...(await ledger.beads(ids.slice(at, at + LEDGER.maxPage))));
  return found;
}

/** Removed wisps, in as many calls as it takes. */
async function endedOf(ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += LEDGER.maxPage)
    found.push(...(await ledger.ended(ids.slice(at, at + LEDGER.maxPage))));
  return found;
}

/** Those that are not in the ledger and are no wisp whose end the store recorded: nothing ever ends them. */
export async function unknownOf(ledger: Ledger, missing: readonly string[]): Promise<string[]> {
  if (missing.length === 0) return [];
  const ended = new Set(await endedOf(ledger, missing));
  return missing.filter((id) => !ended.has(id));
}

/** What of a bead says who waits for what. */
interface Node {
  readonly id: string;
  readonly isClosed: boolean;
  readonly blockers: readonly string[];
  readonly parent: string | null;
}
const nodeOf = (bead: Bead): Node => {
  return { id: bead.id, isClosed: bead.status === 'closed', blockers: blockersOf(bead), parent: parentOf(bead) };
};

/** Beads by id, each asked for once. */
class Known {
  readonly #ledger: Ledger;
  /** `ended`: a wisp that was removed. null = unknown. */
  readonly #known = new Map<string, Node | 'ended' | null>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async load(ids: readonly string[]): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => !this.#known.has(id));
    for (const id of missing) this.#known.set(id, null);
    for await (const bead of eachCalled(this.#ledger, missing)) this.#known.set(bead.id, nodeOf(bead));
    const gone = missing.filter((id) => this.#known.get(id) === null);
    for (const id of await endedOf(this.#ledger, gone)) this.#known.set(id, 'ended');
  }

  async get(id: string): Promise<Node | null> {
    const found = await this.#found(id);
    return found === 'ended' ? null : found;
  }

  /** Nothing waits for it any more. A bead that is not there is unknown, and never over, unless it was a wisp that was removed. */
  async isOver(id: string): Promise<boolean> {
    const found = await this.#found(id);
    return found === 'ended' || found?.isClosed === true;
  }

  async #found(id: string): Promise<Node | 'ended' | null> {
    await this.load([id]);
    return this.#known.get(id) ?? null;
  }
}

/** Beads that it waits for and that are not closed, those that are not in the ledger too. */
export async function openBlockers(ledger: Ledger, bead: Bead): Promise<string[]> {
  const ids = [...new Set(blockersOf(bead))];
  const known = new Known(ledger);
  await known.load(ids);
  const open: string[] = [];
  for (const id of ids) if (!(await known.isOver(id))) open.push(id);
  return open;
}

/** What it, or what it is a part of, waits for. */
async function* blockersNow(bead: Bead, known: Known): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (let at: Node | null = nodeOf(bead); at !== null && !seen.has(at.id);) {
    seen.add(at.id);
    const { blockers, parent }: Node = at;
    await known.load(blockers);
    for (const id of blockers) {
      if (!(await known.isOver(id))) yield id;
    }
    at = parent === null ? null : await known.get(parent);
  }
}

const isBlocked = async (bead: Bead, known: Known): Promise<boolean> =>
  (await first(blockersNow(bead, known), 1)).length > 0;

/** For each of these beads what it waits for now, by its id. */
export async function waitsOf(ledger: Ledger, beads: readonly Bead[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const known = new Known(ledger);
  await known.load(beads.flatMap((bead) => [...blockersOf(bead), ...[parentOf(bead) ?? []].flat()]));
  const waits = new Map<string, readonly string[]>();
  for (const bead of beads) waits.set(bead.id, [...new Set(await Array.fromAsync(blockersNow(bead, known)))]);
  return waits;
}

/** Types that only the town and other programs read. */
const OF_PROGRAMS: ReadonlySet<string> = new Set([
  'message',
  'merge-request',
  'event',
  'triage_request',
  'agent',
  'role',
  'rig',
  'slot',
  'queue',
]);

/** Types that are no work: they wait, speak or describe. */
const NO_WORK: ReadonlySet<string> = new Set(['gate', 'convoy', 'molecule', ...OF_PROGRAMS]);

/** What a person neither wrote nor does: the notes, cases and letters that the town keeps as beads. */
export const isOfTown = ({ isWisp, type }: Pick<Bead, 'isWisp' | 'type'>): boolean => isWisp || OF_PROGRAMS.has(type);

/** Whether beads of this type are work that a polecat can be set on. */
export const isWorkType = (type: string): boolean => !NO_WORK.has(type);

/** Work that can begin now: open, no wisp, and nothing that it waits for is open. */
export async function* ready(ledger: Ledger, query: Omit<BeadQuery, 'statuses'>): AsyncGenerator<Bead> {
  const known = new Known(ledger);
  const open: BeadQuery = { isWisp: false, ...query, statuses: ['open'] };
  // Most ask for a few: what is read at once grows with what was asked for.
  let limit: number = LEDGER.page;
  for (let after: string | null | undefined; after !== null; limit = Math.min(limit * 2, LEDGER.maxPage)) {
    const page: Page<Bead> = await ledger.list(open, { limit, ...(after !== undefined && { after }) });
    await known.load(page.items.flatMap((bead) => [...blockersOf(bead), ...[parentOf(bead) ?? []].flat()]));
    for (const bead of page.items)
      if ((query.type !== undefined || isWorkType(bead.type)) && !(await isBlocked(bead, known))) yield bead;
    after = page.next;
  }
}

/** Whether these links lead from `from` to `id`, directly or by way of others: then none may lead back. */
export async function leadsTo(
  ledger: Ledger,
  [from, id]: readonly [from: string, id: string],
  linksOf: (bead: Bead) => readonly string[],
): Promise<boolean> {
  const seen = new Set<string>();
  for (let next = [from]; next.length > 0 && seen.size < LEDGER.maxSteps;) {
    if (next.includes(id)) return true;
    next.forEach((one) => seen.add(one));
    const links = await Array.fromAsync(eachCalled(ledger, next), linksOf);
    next = [...new Set(links.flat())].filter((one) => !seen.has(one));
  }
  return false;
}
