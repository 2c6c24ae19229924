/**
 * Reads a plan: which tasks a Markdown file has, with their lines. A task is an item of a list that begins with `[ ]`; what is indented
 * below it is its description, a list of steps too. Headings, and text that belongs to no task, are the context of the tasks below them.
 */
import { LEDGER } from '../../state/ledger/policy.ts';
import { blocksOf, type Block } from './blocks.ts';
import { PLAN } from './policy.ts';

/** Something that a task waits for, as it is written. */
export interface Reference {
  readonly line: number;
  readonly text: string;
}

export interface Task {
  /** Lines of a file are counted from 1. */
  readonly line: number;
  readonly title: string;
  /** `[x]`: it is done. */
  readonly isTicked: boolean;
  /** null = the plan names none. */
  readonly priority: number | null;
  /** The number that a reader sees before it; null = its list has none. */
  readonly number: number | null;
  readonly after: readonly Reference[];
  readonly description: string;
  /** Tasks in its description. */
  readonly steps: number;
}

export interface Mistake {
  readonly line: number;
  readonly text: string;
}

export interface Plan {
  readonly tasks: readonly Task[];
  readonly mistakes: readonly Mistake[];
}

/** A heading, or an item around tasks, with the text below it. */
interface Section {
  readonly title: string;
  /** A section of a greater depth lies in it. */
  readonly depth: number;
  readonly parent: Section | null;
  readonly prose: string[];
}

/** A task before its context is whole: text may follow it. */
interface Found extends Task {
  readonly section: Section;
}

/** Behind the number of any heading. */
const BELOW = 10;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
/** Begins as a task does, and is none; `[x](…)` is a link. */
const NO_TASK = /^(?:[-*+]|\d+[.)])?[ \t]*\[[ xX]?\](?!\()/;
const GLUED = /^(?:[-*+]|\d+[.)])\[[ xX]?\](?!\()/;
const IN_CODE = /^\s*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]\][ \t]/;
const AFTER = /^after:[ \t]*(.*)$/i;
const HOW = 'write `- [ ] title`';

export function readPlan(text: string): Plan {
  const reader = new Reader(text.split('\n'));
  reader.walk(blocksOf(text), { title: '', depth: 0, parent: null, prose: [] });
  return { tasks: reader.found.map((task) => reader.whole(task)), mistakes: reader.mistakes };
}

const isList = ({ kind }: Block): boolean => kind === 'bullet_list' || kind === 'ordered_list';
const isTask = ({ kind, children: [first] }: Block): boolean =>
  kind === 'list_item' && first?.kind === 'paragraph' && TASK.test(first.text);
const hasTask = (block: Block): boolean => isTask(block) || block.children.some(hasTask);

const stepsIn = ({ children }: Block): number =>
  children.reduce((sum, one) => sum + (isTask(one) ? 1 : 0) + stepsIn(one), 0);

function sectionBelow(from: Section, title: string, depth: number): Section {
  let parent = from;
  while (parent.depth >= depth && parent.parent !== null) parent = parent.parent;
  return { title, depth, parent, prose: [] };
}

class Reader {
  readonly found: Found[] = [];
  readonly mistakes: Mistake[] = [];
  readonly #lines: readonly string[];
  /** Contexts of sections, each made once. */
  readonly #contexts = new Map<Section, string>();

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  walk(blocks: readonly Block[], around: Section): void {
    let section = around;
    for (const block of blocks) {
      if (block.kind === 'heading') section = sectionBelow(section, block.text, around.depth + block.number);
      else if (isList(block) && hasTask(block)) this.#list(block, section);
      else this.#prose(block, section);
    }
  }

  #list(list: Block, section: Section): void {
    for (const [at, item] of list.children.entries()) {
      if (isTask(item)) this.#task(item, section, list.kind === 'ordered_list' ? list.number + at : null);
      else if (hasTask(item)) this.#group(item, section);
      else this.#prose(item, section);
    }
  }

  /** An item that holds tasks is a heading over them. */
  #group(item: Block, section: Section): void {
    const [first, ...others] = item.children;
    const isTitled = first?.kind === 'paragraph';
    const group = { title: isTitled ? first.text : '', depth: section.depth + BELOW, parent: section, prose: [] };
    this.walk(isTitled ? others : item.children, group);
  }

  #prose(block: Block, { prose }: Section): void {
    this.#lookForTasks(block, 'outside');
    if (block.kind === 'html_block' && this.#lines[block.from]?.startsWith('<!--') === true) return;
    if (block.kind !== 'hr') prose.push(this.#textOf(block.from, block.to, new Set()));
  }

  /** What was meant as a task would be lost as text. */
  #lookForTasks(block: Block, where: 'outside' | 'in a task'): void {
    const pattern = where === 'outside' ? NO_TASK : GLUED;
    const text = block.kind === 'paragraph' ? block.text.split('\n') : [];
    const code = block.kind === 'code_block' && where === 'outside' ? this.#lines.slice(block.from, block.to) : [];
    for (const [at, line] of text.entries())
      if (pattern.test(line)) this.#mistake(block.from + at, `it begins like a task, and is none; ${HOW}`);
    for (const [at, line] of code.entries())
      if (IN_CODE.test(line)) this.#mistake(block.from + at, 'four blanks before a task make it code; indent it less');
    for (const child of block.children) this.#lookForTasks(child, where);
  }

  #mistake(from: number, text: string): void {
    this.mistakes.push({ line: from + 1, text });
  }

  #task(item: Block, section: Section, number: number | null): void {
    const [first] = item.children;
    if (first === undefined) return;
    const [head = ''] = first.text.split('\n');
    const from = first.from;
    const { title, priority, after } = this.#head(head.replace(TASK, ''), from);
    const asked = this.#afterIn(item, from);
    if (title === '') this.#mistake(from, 'the task has no title; ' + HOW);
    if (title.length > LEDGER.maxTitle)
      this.#mistake(from, `the title has ${title.length} characters, the limit is ${LEDGER.maxTitle}; indent the rest`);
    for (const child of item.children) this.#lookForTasks(child, 'in a task');
    const description = this.#textOf(from + 1, item.to, new Set(asked.map(({ line }) => line - 1)));
    const isTicked = TASK.exec(head)?.[1] !== ' ';
    const about = { line: from + 1, title, isTicked, priority, number, description, section, steps: stepsIn(item) };
    this.found.push({ ...about, after: [...after, ...asked] });
  }

  /** `title (P1) after: other`, the marks in any order; a priority may stand first too. */
  #head(text: string, at: number): Pick<Task, 'title' | 'priority' | 'after'> {
    const after: Reference[] = [];
    let title = text.trim();
    let priority: number | null = null;
    for (let before = ''; before !== title;) {
      before = title;
      const marked = /^(?:\(P(?<first>\d+)\)(?:\s+|$))|(?:(?:^|\s+)\(P(?<last>\d+)\))$/.exec(title);
      const waits = /(?:^|\s+)(?:\(after:(?<within>.*)\)|after:(?<open>.*))$/i.exec(title);
      const level = marked?.groups?.['first'] ?? marked?.groups?.['last'];
      if (marked !== null && level !== undefined) {
        if (Number(level) > 4) this.#mistake(at, `(P${level}) is no priority; write (P0), the most urgent, to (P4)`);
        priority = Number(level);
        title = (marked.index === 0 ? title.slice(marked[0].length) : title.slice(0, marked.index)).trim();
      } else if (waits !== null) {
        after.unshift({ line: at + 1, text: (waits.groups?.['within'] ?? waits.groups?.['open'] ?? '').trim() });
        title = title.slice(0, waits.index).trim();
      }
    }
    return { title, priority, after };
  }

  /** Lines `after: …` of its own text, and of points of a list in it. */
  #afterIn(item: Block, head: number): Reference[] {
    const points = item.children.filter(isList).flatMap((list) => list.children.filter((one) => !isTask(one)));
    const paragraphs = [item, ...points].flatMap(({ children }) => children.filter(({ kind }) => kind === 'paragraph'));
    return paragraphs.flatMap(({ from, text }) =>
      text.split('\n').flatMap((line, at) => {
        const asked = from + at === head ? null : AFTER.exec(line.trim());
        return asked === null ? [] : [{ line: from + at + 1, text: (asked[1] ?? '').trim() }];
      }),
    );
  }

  /** Lines of the file without what they are indented by together. */
  #textOf(from: number, to: number, without: ReadonlySet<number>): string {
    const lines = this.#lines.slice(from, to).filter((_, at) => !without.has(from + at));
    const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
    const indent = indents.reduce((least, one) => Math.min(least, one), Infinity);
    return lines
      .map((line) => line.slice(indent))
      .join('\n')
      .replace(/^(?:[ \t]*\n)+|\s+$/g, '');
  }

  whole({ section, ...task }: Found): Task {
    const context = this.#contextOf(section, task.line);
    const description = [task.description, context].filter((text) => text !== '').join('\n\n');
    if (description.length <= LEDGER.maxText) return { ...task, description };
    this.#mistake(task.line - 1, `its text has ${description.length} characters, the limit is ${LEDGER.maxText}`);
    return task;
  }

  #contextOf(section: Section, line: number): string {
    const known = this.#contexts.get(section);
    if (known !== undefined) return known;
    const titles: string[] = [];
    const prose: string[] = [];
    for (let at: Section | null = section; at !== null; at = at.parent) {
      if (at.title !== '') titles.unshift(at.title.replaceAll('\n', ' '));
      prose.unshift(...at.prose.filter((text) => text !== ''));
    }
    const head = titles.length === 0 ? [] : [`Part of the plan: ${titles.join(' › ')}`];
    const context = [...head, ...prose].join('\n\n');
    if (context.length > PLAN.maxContext)
      this.#mistake(
        line - 1,
        `the text around this task has ${context.length} characters, and each task gets it, the limit is ${PLAN.maxContext}; put it into a file of the repository, and name that`,
      );
    this.#contexts.set(section, context);
    return context;
  }
}
