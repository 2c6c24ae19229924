/** What the tasks of a plan wait for: references by title or number, and circles. */
import { nearest } from '../terminal/nearest.ts';
import type { Mistake, Reference, Task } from './read.ts';

/** By which titles are the same: blanks and case do not matter. */
export const keyOf = (title: string): string => title.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();

/** A title or a number as it is typed: within quotes, or up to a comma. */
const PARTS = /"[^"]*"|[^,"]+(?:"[^"]*"[^,"]*)*/g;
const unquoted = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();

/** What a reference means: a task of the plan; or else its text, which may be that of a bead. */
export type Target = { readonly task: Task } | { readonly word: string; readonly line: number };

export interface Linked {
  readonly targets: ReadonlyMap<Task, readonly Target[]>;
  readonly mistakes: readonly Mistake[];
}

class Names {
  readonly #tasks: readonly Task[];
  readonly #byTitle = new Map<string, Task>();
  readonly mistakes: Mistake[] = [];

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
    for (const task of tasks) {
      const key = keyOf(task.title);
      const first = this.#byTitle.get(key);
      if (first === undefined) this.#byTitle.set(key, task);
      else if (key !== '')
        this.#mistake(task.line, `${quoted(task.title)} is the title of line ${first.line} too; give each its own`);
    }
  }

  /** All that one line names. */
  targets(task: Task, { line, text }: Reference): Target[] {
    const whole = this.#byTitle.get(keyOf(unquoted(text)));
    const parts = whole === undefined ? (text.match(PARTS) ?? []).map(unquoted).filter((part) => part !== '') : [];
    if (whole === undefined && parts.length === 0) this.#mistake(line, 'after: names no task');
    const found = whole === undefined ? parts.flatMap((part) => this.#target(part, line)) : [{ task: whole }];
    if (found.some((one) => 'task' in one && one.task === task))
      this.#mistake(line, `${quoted(task.title)} waits for itself`);
    return found;
  }

  #target(word: string, line: number): Target[] {
    const task = this.#byTitle.get(keyOf(word));
    if (task !== undefined) return [{ task }];
    const digits = /^#?(\d{1,6})$/.exec(word)?.[1];
    return digits === undefined ? [{ word, line }] : this.#numbered(Number(digits), line);
  }

  /** The nth task of the plan, or the one with that number before it; where these differ a person has to say. */
  #numbered(number: number, line: number): Target[] {
    const nth = this.#tasks[number - 1];
    const named = this.#tasks.filter((task) => task.number === number || task === nth);
    const [task] = named;
    if (task !== undefined && named.length === 1) return [{ task }];
    const lines = named.map((one) => one.line).join(' and ');
    this.#mistake(
      line,
      task === undefined
        ? `there is no task ${number}; the plan has ${this.#tasks.length}`
        : `${number} may be the task of line ${lines}; write its title`,
    );
    return [];
  }

  /** The task that a word for none was meant for; null = none is near. None waits for itself. */
  near(word: string, own: Task): Task | null {
    const key = nearest(
      word,
      [...this.#byTitle].flatMap(([title, task]) => (task === own ? [] : [title])),
    );
    return key === null ? null : (this.#byTitle.get(key) ?? null);
  }

  #mistake(line: number, text: string): void {
    this.mistakes.push({ line, text });
  }
}

const quoted = (title: string): string => JSON.stringify(title);

export function linksOf(tasks: readonly Task[]): Linked & { readonly near: (word: string, own: Task) => Task | null } {
  const names = new Names(tasks);
  const targets = new Map(tasks.map((task) => [task, task.after.flatMap((one) => names.targets(task, one))]));
  return { targets, mistakes: names.mistakes, near: (word, own) => names.near(word, own) };
}

export type Order = { readonly order: readonly string[] } | { readonly circle: readonly string[] };

/** Ids so that each stands behind all that it waits for; or some that wait for each other, in the order of waiting. Ids that are no key count for nothing. */
export function orderOf(waitsFor: ReadonlyMap<string, readonly string[]>): Order {
  const left = new Map<string, number>();
  const behind = new Map<string, string[]>();
  for (const [id, all] of waitsFor) {
    const known = [...new Set(all)].filter((one) => waitsFor.has(one));
    left.set(id, known.length);
    for (const one of known) (behind.get(one) ?? behind.set(one, []).get(one))?.push(id);
  }
  const order = [...left].flatMap(([id, count]) => (count === 0 ? [id] : []));
  for (const id of order)
    for (const next of behind.get(id) ?? []) {
      const count = (left.get(next) ?? 0) - 1;
      left.set(next, count);
      if (count === 0) order.push(next);
    }
  const waiting = new Set([...left].flatMap(([id, count]) => (count > 0 ? [id] : [])));
  const [first] = waiting;
  if (first === undefined) return { order };
  const path: string[] = [];
  for (let at = first; !path.includes(at);) {
    path.push(at);
    at = waitsFor.get(at)?.find((one) => waiting.has(one)) ?? at;
    if (path.includes(at)) return { circle: path.slice(path.indexOf(at)) };
  }
  return { circle: path };
}
