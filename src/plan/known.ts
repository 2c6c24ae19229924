/**
 * Which bead belongs to which task of a plan (R-3). A bead is known by its title; a new one has an id that comes of its rig and title, so that
 * two runs at once make it once, and a bead that a person renamed is found while the file has the old title. A bead that has the title of one
 * task is never another's, even if its id was made of that other title: the file was renamed too, and the old title may name new work.
 */
import { createHash } from 'node:crypto';
import { BEAD_STATUSES, type Bead } from '../../machines/ledger/bead.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { PREFIX } from '../ledger/ids.ts';
import { isKept } from '../ledger/kept-words.ts';
import { beadsCalled, beadsIn, isWorkType } from '../ledger/walk.ts';
import { keyOf } from './links.ts';
import { PLAN } from './policy.ts';
import type { Mistake, Task } from './read.ts';

/** The field of a bead that a plan made, with the fingerprint of the text that a plan gave it last: any other text is a person's or an agent's. */
export const PLAN_TEXT = 'plan_text';

/** Beads that have a place in the plan, by task, and those that words name. */
export interface Known {
  readonly beads: ReadonlyMap<Task, Bead>;
  /** Of its bead, or of the one that is to be made. */
  readonly ids: ReadonlyMap<Task, string>;
  readonly named: ReadonlyMap<string, Bead>;
  readonly mistakes: readonly Mistake[];
}

type Word = { readonly word: string; readonly line: number };

/** `turn`: 0, or as often as beads of other titles have the ids before. */
function idOf(rig: string, title: string, turn = 0): string {
  const words = [rig, keyOf(title), ...(turn === 0 ? [] : [String(turn)])];
  const hash = createHash('sha256').update(words.join('\0')).digest('hex');
  return `${PREFIX}-${BigInt(`0x${hash}`).toString(36).slice(0, PLAN.idLength)}`;
}

export async function knownOf(
  ledger: Ledger,
  tasks: readonly Task[],
  words: readonly Word[],
  rig: string,
): Promise<Known> {
  const ids = new Map(tasks.map((task) => [task, idOf(rig, task.title)]));
  const called = await beadsCalled(ledger, [...ids.values(), ...words.map(({ word }) => word)]);
  const byId = new Map(called.map((bead) => [bead.id, bead]));
  const titles = new Set(tasks.map(({ title }) => keyOf(title)));
  const isOwn = (task: Task, bead: Bead | undefined): boolean =>
    bead !== undefined && keyOf(bead.title) === keyOf(task.title);
  const isClear =
    tasks.every((task) => isOwn(task, byId.get(ids.get(task) ?? ''))) && words.every(({ word }) => byId.has(word));
  const titled = new Titled(isClear ? new Map<string, Bead[]>() : await byTitle(ledger, rig));
  const beads = new Map<Task, Bead>();
  for (const task of tasks) {
    const derived = byId.get(ids.get(task) ?? '');
    const bead = isOwn(task, derived) ? derived : titled.one(task.title, task.line);
    if (bead) beads.set(task, bead);
    // Its bead was renamed by hand.
    else if (derived !== undefined && !titles.has(keyOf(derived.title))) beads.set(task, derived);
    else if (derived !== undefined) ids.set(task, await freeId(ledger, rig, task.title));
  }
  const named = new Map<string, Bead>();
  for (const { word, line } of words) {
    const bead = byId.get(word) ?? titled.one(word, line);
    if (bead !== null) named.set(word, bead);
  }
  for (const [task, { id }] of beads) ids.set(task, id);
  return { beads, ids, named, mistakes: titled.mistakes };
}

async function freeId(ledger: Ledger, rig: string, title: string): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const id = idOf(rig, title, turn);
    if ((await ledger.beads([id])).length === 0) return id;
  }
}

class Titled {
  readonly mistakes: Mistake[] = [];
  readonly #found: ReadonlyMap<string, readonly Bead[]>;

  constructor(found: ReadonlyMap<string, readonly Bead[]>) {
    this.#found = found;
  }

  /** Open work before closed. */
  one(title: string, line: number): Bead | null {
    const all = this.#found.get(keyOf(title)) ?? [];
    const [bead, other] = all.filter(({ status }) => status !== 'closed');
    if (bead !== undefined && other !== undefined)
      this.mistakes.push({
        line,
        text: `${JSON.stringify(title)} is the title of ${bead.id} and of ${other.id}; close one of them, or rename it`,
      });
    return bead ?? all[0] ?? null;
  }
}

/** Work of a rig by its title, the oldest first: open, or made by a plan. */
async function byTitle(ledger: Ledger, rig: string): Promise<Map<string, Bead[]>> {
  const found = new Map<string, Bead[]>();
  for await (const bead of beadsIn(ledger, { rig, isWisp: false, statuses: BEAD_STATUSES, order: 'oldest' })) {
    if (isKept(bead) || !isWorkType(bead.type)) continue;
    if (bead.status === 'closed' && bead.extra[PLAN_TEXT] === undefined) continue;
    const key = keyOf(bead.title);
    found.set(key, [...(found.get(key) ?? []), bead]);
  }
  return found;
}
