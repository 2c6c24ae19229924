/**
 * A ledger in memory: what the port promises, said in the fewest words. Its contract is that of the file. Its versions count the writes
 * of the whole store, in steps, as some stores do: no caller may reckon with the next one.
 */
import { blockersOf, NOT_OFFICIAL, targetOf, type Bead } from '../../machines/ledger/bead.ts';
import { afterOf, checkedPage, pageOf, sortKeyOf, type SortKey } from '../../state/ledger/pages.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type {
  Added,
  BeadQuery,
  Comment,
  Evidence,
  Ledger,
  PageWanted,
  Put,
  PutWanted,
  WriteCondition,
} from '../../state/ledger/port.ts';
import { beadText, checkedBead, checkedComment, checkedEvidence, checkedWrite } from '../../state/ledger/schema.ts';

const REVISION = 7;
const bytes = (text: string) => Buffer.from(text);

/** Texts by their bytes, as stores sort them. */
function compare(one: SortKey, other: SortKey): number {
  for (const [at, part] of one.entries()) {
    const order =
      typeof part === 'number' ? part - (other[at] as number) : Buffer.compare(bytes(part), bytes(other[at] as string));
    if (order !== 0) return order;
  }
  return 0;
}

function fits(bead: Bead, query: BeadQuery): boolean {
  const { ids, statuses, type, assignee, rig, labels = [], isWisp, dependsOn, hasBlockers } = query;
  return (
    (ids === undefined || checkedPage(ids).includes(bead.id)) &&
    (statuses === undefined ? bead.status !== 'closed' : statuses.includes(bead.status)) &&
    (type ?? bead.type) === bead.type &&
    (assignee ?? bead.assignee) === bead.assignee &&
    (rig ?? bead.rig) === bead.rig &&
    (isWisp ?? bead.isWisp) === bead.isWisp &&
    labels.every((label) => bead.labels.includes(label)) &&
    (dependsOn === undefined || bead.dependencies.some((one) => targetOf(one) === dependsOn)) &&
    (hasBlockers === undefined || blockersOf(bead).length > 0)
  );
}

export class MemoryLedger implements Ledger {
  readonly #beads = new Map<string, { bead: Bead; writes: readonly string[] }>();
  readonly #comments = new Map<string, Comment>();
  readonly #evidence = new Map<string, Evidence>();
  readonly #byAuthor = new Map<string, Evidence[]>();
  readonly #ended = new Set<string>();
  #revision = 0;

  async beads(ids: readonly string[]) {
    return checkedPage(ids).flatMap((id) => this.#beads.get(id)?.bead ?? []);
  }

  async list(query: BeadQuery, page: PageWanted) {
    const all = [...this.#beads.values()].map(({ bead }) => bead).filter((bead) => fits(bead, query));
    return this.#page(all, page, query.order === 'oldest' ? 2 : 3, (bead) => sortKeyOf(bead, query.order));
  }

  async ended(ids: readonly string[]) {
    return checkedPage(ids).filter((id) => this.#ended.has(id));
  }

  async put(given: Bead, { expects, write, official }: WriteCondition): Promise<Put> {
    const bead = structuredClone(checkedBead(given));
    beadText(bead);
    checkedWrite(write);
    const before = this.#beads.get(bead.id);
    if (before?.writes.includes(write) === true) return { is: 'done', bead: before.bead };
    const version = before?.bead.version ?? 0;
    if (version !== expects) return { is: 'conflict', bead: before?.bead ?? null };
    const kept = before?.bead.official ?? NOT_OFFICIAL;
    const next = { ...bead, official: structuredClone(official ?? kept), version: (this.#revision += REVISION) };
    const writes = [...(before?.writes ?? []), write].slice(-LEDGER.keptWrites);
    this.#beads.set(bead.id, { bead: next, writes });
    return { is: 'done', bead: next };
  }

  async putAll(writes: readonly PutWanted[]): Promise<Put[]> {
    // Checked first: one that cannot be stored leaves the others alone too.
    writes.forEach(({ bead }) => beadText(checkedBead(bead)));
    return Array.fromAsync(writes, ({ bead, condition }) => this.put(bead, condition));
  }

  async remove(id: string, expects: number): Promise<Added> {
    const before = this.#beads.get(id);
    if (before !== undefined && before.bead.version !== expects) return 'conflict';
    if (before === undefined) return 'stored';
    this.#beads.delete(id);
    const isLinked = [...this.#beads.values()].some(({ bead }) =>
      bead.dependencies.some((one) => targetOf(one) === id),
    );
    if (before.bead.isWisp && isLinked) this.#ended.add(id);
    for (const { id: comment } of [...this.#comments.values()].filter(({ beadId }) => beadId === id))
      this.#comments.delete(comment);
    return 'stored';
  }

  async tallies(ids: readonly string[]) {
    const all = [...this.#beads.values()].map(({ bead }) => bead);
    return checkedPage(ids).map((id) => ({
      dependents: all.filter((bead) => fits(bead, { statuses: [bead.status], dependsOn: id })).length,
      comments: [...this.#comments.values()].filter(({ beadId }) => beadId === id).length,
    }));
  }

  async comment(comment: Comment): Promise<Added> {
    return this.#add(this.#comments, checkedComment(comment));
  }

  async commentAll(comments: readonly Comment[]): Promise<Added[]> {
    comments.forEach(checkedComment);
    return Array.fromAsync(comments, (one) => this.comment(one));
  }

  async comments(beadId: string, page: PageWanted) {
    const all = [...this.#comments.values()].filter((one) => one.beadId === beadId);
    return this.#page(all, page, 2, (one) => [Date.parse(one.createdAt), one.id]);
  }

  async addEvidence(evidence: Evidence): Promise<Added> {
    const one = checkedEvidence(evidence);
    const isNew = !this.#evidence.has(one.id);
    if (isNew) this.#byAuthor.set(one.author, [...(this.#byAuthor.get(one.author) ?? []), one]);
    return this.#add(this.#evidence, one);
  }

  async forgetEvidence(author: string, before: number) {
    const all = this.#byAuthor.get(author) ?? [];
    const newest = await this.newestEvidence(author);
    const old = all.filter((one) => one.at < before && one.id !== newest?.id);
    const gone = old.toSorted((one, other) => one.at - other.at).slice(0, LEDGER.maxPage);
    this.#byAuthor.set(
      author,
      all.filter((one) => !gone.includes(one)),
    );
    for (const { id } of gone) this.#evidence.delete(id);
    return gone.length;
  }

  async newestEvidence(author: string, until?: number) {
    return (await this.evidence(author, { limit: 1 }, until)).items[0] ?? null;
  }

  async newestOfEach(page: PageWanted) {
    const newest = new Map<string, Evidence>();
    for (const one of [...this.#evidence.values()].sort((a, b) => compare([a.at, a.id], [b.at, b.id])))
      newest.set(one.author, one);
    return this.#page([...newest.values()], page, 1, ({ author }) => [author]);
  }

  async evidence(author: string, page: PageWanted, until = Infinity) {
    const all = (this.#byAuthor.get(author) ?? []).filter(({ at }) => at <= until);
    return this.#page(all, page, 2, ({ at, id }) => [at, id], -1);
  }

  within() {
    return this;
  }

  /** All that it holds, to tell one state from another. */
  text(): string {
    return JSON.stringify([this.#beads, this.#comments, this.#evidence].map((all) => [...all.values()]));
  }

  /** A backup of how it stands now; what is given puts it back. */
  backup(): () => void {
    const [beads, comments] = [new Map(this.#beads), new Map(this.#comments)];
    const ended = [...this.#ended];
    const [evidence, byAuthor] = [new Map(this.#evidence), new Map(this.#byAuthor)];
    return () => {
      for (const [kept, now] of [
        [beads, this.#beads],
        [comments, this.#comments],
        [evidence, this.#evidence],
        [byAuthor, this.#byAuthor],
      ] as const) {
        const to = now as Map<string, unknown>;
        to.clear();
        for (const [key, value] of kept) to.set(key, value);
      }
      this.#ended.clear();
      ended.forEach((id) => this.#ended.add(id));
    };
  }

  close() {}

  #add<T extends { id: string }>(all: Map<string, T>, one: T): Added {
    const known = all.get(one.id);
    if (known !== undefined) return JSON.stringify(known) === JSON.stringify(one) ? 'stored' : 'conflict';
    all.set(one.id, one);
    return 'stored';
  }

  #page<T>(all: readonly T[], page: PageWanted, parts: number, keyOf: (one: T) => SortKey, direction = 1) {
    const after = afterOf(page, parts);
    const order = (one: SortKey, other: SortKey) => direction * compare(one, other);
    const found = all
      .filter((one) => after === null || order(keyOf(one), after) > 0)
      .sort((one, other) => order(keyOf(one), keyOf(other)));
    return pageOf(found, page.limit, keyOf);
  }
}
