/**
 * What a plan makes of the ledger. No run, second run or two at once make a task's bead twice (known.ts). Beads are written behind
 * those that they wait for: cut off anywhere, the ledger holds a beginning of the plan, and the next run writes the rest.
 */
import { blockersOf, newBead, type Bead, type Dependency } from '../../machines/ledger/bead.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { newWrite } from '../ledger/ids.ts';
import { beadsCalled } from '../ledger/walk.ts';
import { knownOf, PLAN_TEXT, type Known } from './known.ts';
import { keyOf, linksOf, orderOf, type Target } from './links.ts';
import { PLAN } from './policy.ts';
import type { Mistake, Plan, Task } from './read.ts';

export type What = 'made' | 'changed' | 'same' | 'closed' | 'ticked';

/** A task, and its bead as it is wanted. */
export interface Row {
  readonly task: Task;
  readonly is: What;
  /** null = a ticked task that never had one. */
  readonly bead: Bead | null;
  /** As it is stored; null = it is not. */
  readonly before: Bead | null;
  readonly changes: readonly string[];
}

export interface Wanted {
  readonly rig: string;
  /** In whose name. */
  readonly by: string;
  /** Wall ms. */
  readonly at: number;
}

/** Links with this mark are the plan's to take away; those that a person made stay. */
const BY_PLAN = { plan: true } as const;

const markOf = (text: string): Bead['extra'] => ({ [PLAN_TEXT]: fingerprint(text) });

/** Whether the bead's text was changed by hand, so that the task's text does not replace it. An empty text is no such change. */
const isTextByHand = ({ description }: Task, bead: Bead): boolean =>
  !['', description].includes(bead.description) && bead.extra[PLAN_TEXT] !== fingerprint(bead.description);

/** … and the file says something else than when the plan gave the bead its text. */
export const leavesText = (task: Task, bead: Bead): boolean =>
  task.description !== '' && isTextByHand(task, bead) && bead.extra[PLAN_TEXT] !== fingerprint(task.description);

/** What a plan would do to the ledger as it stands now. */
export interface Drawn {
  /** In the order of the file. */
  readonly rows: readonly Row[];
  /** Rows to write, each behind those that it waits for. */
  readonly writes: readonly Row[];
  readonly mistakes: readonly Mistake[];
}

export async function draw(ledger: Ledger, plan: Plan, wanted: Wanted): Promise<Drawn> {
  const { targets, near, ...linked } = linksOf(plan.tasks);
  const words = [...targets].flatMap(([task, all]) => all.flatMap((one) => ('word' in one ? [{ ...one, task }] : [])));
  const known = await knownOf(ledger, plan.tasks, words, wanted.rig);
  const unknown = words.filter(({ word }) => !known.named.has(word));
  const lost = unknown.map(({ word, line, task }, nth) => {
    const meant = nth < PLAN.shownMistakes ? near(word, task) : null;
    const next =
      meant === null
        ? 'write the title of a task, or the id of a bead'
        : `did you mean line ${meant.line}, ${JSON.stringify(meant.title)}?`;
    return { line, text: `no task is called ${JSON.stringify(word)}; ${next}` };
  });
  const mistakes = [...plan.mistakes, ...linked.mistakes, ...known.mistakes, ...lost];
  // All of the file at once: a person who mends one by one types the command as often.
  if (mistakes.length > 0) return { rows: [], writes: [], mistakes: [...mistakes, ...circlesAmong(targets)] };
  const rows = plan.tasks.map((task, nth) => {
    const links = (targets.get(task) ?? []).flatMap((target) => linkOf(target, known));
    return rowOf(task, { known, links, wanted: { ...wanted, at: wanted.at - (plan.tasks.length - nth) } });
  });
  return ordered(ledger, rows);
}

/** A task that is ticked is over: nothing waits for it. */
function linkOf(target: Target, { ids, named }: Known): string[] {
  if ('word' in target) return [named.get(target.word)?.id ?? target.word];
  const id = ids.get(target.task);
  return target.task.isTicked || id === undefined ? [] : [id];
}

/** Those that the file alone shows. */
function circlesAmong(targets: ReadonlyMap<Task, readonly Target[]>): Mistake[] {
  const byId = new Map([...targets.keys()].map((task) => [`${task.line}`, { task }]));
  const waits = [...targets].map(([task, all]): readonly [string, readonly string[]] => {
    const on = all.flatMap((one) => ('task' in one && one.task !== task ? [one.task] : []));
    return [`${task.line}`, task.isTicked ? [] : on.filter(({ isTicked }) => !isTicked).map(({ line }) => `${line}`)];
  });
  return circlesIn(new Map(waits)).map((circle) => circleOf(circle, byId, []));
}

/** Each that the others leave, up to as many as are printed. */
function circlesIn(waits: ReadonlyMap<string, readonly string[]>): (readonly string[])[] {
  const left = new Map(waits);
  const circles: (readonly string[])[] = [];
  while (circles.length < PLAN.shownMistakes) {
    const order = orderOf(left);
    if (!('circle' in order)) break;
    circles.push(order.circle);
    order.circle.forEach((id) => left.delete(id));
  }
  return circles;
}

interface Making {
  readonly known: Known;
  readonly links: readonly string[];
  readonly wanted: Wanted;
}

function rowOf(task: Task, { known, links, wanted }: Making): Row {
  const before = known.beads.get(task) ?? null;
  if (task.isTicked) return { task, is: 'ticked', bead: before, before, changes: [] };
  if (before?.status === 'closed') return { task, is: 'closed', bead: before, before, changes: [] };
  const at = new Date(wanted.at).toISOString();
  const link = (on: string): Dependency => ({
    on,
    type: 'blocks',
    createdAt: at,
    createdBy: wanted.by,
    extra: BY_PLAN,
  });
  if (before === null) {
    const { title, description, priority } = task;
    const made = {
      id: known.ids.get(task) ?? '',
      title,
      description,
      rig: wanted.rig,
      createdBy: wanted.by,
      createdAt: at,
    };
    const bead = newBead({
      ...made,
      extra: markOf(description),
      ...(priority !== null && { priority }),
      dependencies: [...new Set(links)].map(link),
    });
    return { task, is: 'made', bead, before, changes: [] };
  }
  const bead = changedBy(task, before, [...new Set(links)].map(link));
  const changes = (['title', 'description', 'priority', 'dependencies'] as const).filter(
    (key) => bead[key] !== before[key],
  );
  if (changes.length === 0) return { task, is: 'same', bead: before, before, changes };
  return {
    task,
    is: 'changed',
    bead: { ...bead, updatedAt: new Date(wanted.at).toISOString() },
    before,
    changes: changes.map((key) => CHANGE[key]),
  };
}

/** In words. */
const CHANGE = { title: 'title', description: 'text', priority: 'priority', dependencies: 'after' } as const;

/** What the plan does not name stays: a priority, a text, links that others made; and a title or a text that was changed by hand. */
function changedBy(task: Task, before: Bead, links: readonly Dependency[]): Bead {
  const { title, description, priority } = task;
  const isSameTitle = keyOf(title) === keyOf(before.title);
  const others = before.dependencies.filter(({ extra }) => extra['plan'] !== true);
  const planned = before.dependencies.filter(({ extra }) => extra['plan'] === true);
  const own = links
    .filter(({ on }) => !others.some((one) => one.on === on && one.type === 'blocks'))
    .map((link) => planned.find(({ on }) => on === link.on) ?? link);
  const isSame = own.length === planned.length && own.every((one) => planned.includes(one));
  const hasText = description !== '' && description !== before.description && !isTextByHand(task, before);
  return {
    ...before,
    title: isSameTitle ? title : before.title,
    ...(hasText && { description, extra: { ...before.extra, ...markOf(description) } }),
    priority: priority ?? before.priority,
    dependencies: isSame ? before.dependencies : [...others, ...own],
  };
}

/** The writes so that each bead follows what it waits for; or the circle, by its lines. */
async function ordered(ledger: Ledger, rows: readonly Row[]): Promise<Drawn> {
  const byId = new Map(rows.flatMap((row) => (row.bead === null ? [] : [[row.bead.id, row] as const])));
  const waits = new Map([...byId].map(([id, { bead }]) => [id, bead === null ? [] : blockersOf(bead)]));
  // Beads outside of the plan may wait for one of it.
  for (let next = [...waits.values()].flat(); next.length > 0 && waits.size < LEDGER.maxSteps;) {
    const beads = await beadsCalled(
      ledger,
      [...new Set(next)].filter((id) => !waits.has(id)),
    );
    for (const bead of beads) waits.set(bead.id, blockersOf(bead));
    next = beads.flatMap(blockersOf);
  }
  const order = orderOf(waits);
  if ('circle' in order)
    return { rows, writes: [], mistakes: circlesIn(waits).map((circle) => circleOf(circle, byId, rows)) };
  const isWrite = ({ is }: Row): boolean => is === 'made' || is === 'changed';
  return { rows, writes: order.order.flatMap((id) => [byId.get(id) ?? []].flat()).filter(isWrite), mistakes: [] };
}

function circleOf(
  circle: readonly string[],
  byId: ReadonlyMap<string, Pick<Row, 'task'>>,
  [first]: readonly Pick<Row, 'task'>[],
): Mistake {
  const lines = circle.flatMap((id) => byId.get(id)?.task.line ?? []);
  const [line = first?.task.line ?? 1] = [...lines].sort((one, other) => one - other);
  const named = [...circle, ...circle.slice(0, 1)].map((id) => {
    const task = byId.get(id)?.task;
    return task === undefined ? id : `line ${task.line}`;
  });
  const text = `these wait for each other, so that none can begin: ${named.join(' → ')}; take one \`after:\` away`;
  return { line, text };
}

/** Writes of one run, until nothing is left to write. `mayChange` throws where the caller may not. Rejects with what it throws, and with LedgerFault. */
export async function lay(
  ledger: Ledger,
  plan: Plan,
  wanted: Wanted,
  mayChange: (bead: Bead) => Promise<void>,
): Promise<Drawn> {
  const written = new Map<string, Row>();
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    const drawn = await draw(ledger, plan, wanted);
    const { rows, writes } = drawn;
    for (const { before } of writes) if (before !== null) await mayChange(before);
    if (writes.length === 0) return { ...drawn, rows: rows.map((row) => written.get(row.bead?.id ?? '') ?? row) };
    for (const row of await stored(ledger, writes)) written.set(row.bead?.id ?? '', row);
  }
  throw new LedgerFault('ledger_busy', 'others change the same beads all the time; try again');
}

/** Those that were written; another writer came before the rest. */
async function stored(ledger: Ledger, writes: readonly Row[]): Promise<Row[]> {
  const done: Row[] = [];
  for (let from = 0; from < writes.length; from += LEDGER.maxPage) {
    const some = writes.slice(from, from + LEDGER.maxPage);
    const puts = await ledger.putAll(
      some.flatMap(({ bead, before }) =>
        bead === null ? [] : [{ bead, condition: { expects: before?.version ?? 0, write: newWrite() } }],
      ),
    );
    done.push(...some.filter((_, at) => puts[at]?.is === 'done'));
    // What waits for a bead that was not written must not come before it.
    if (puts.some(({ is }) => is === 'conflict')) break;
  }
  return done;
}
