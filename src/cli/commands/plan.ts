/** `town plan <file>`: a Markdown list of tasks becomes beads of a rig; once more it changes what the file says anew, and makes nothing twice. */
import { isUtf8 } from 'node:buffer';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { holderOf } from '../../../machines/ledger/changes.ts';
import { draw, lay, leavesText, type Drawn, type Row } from '../../plan/beads.ts';
import { PLAN } from '../../plan/policy.ts';
import { readPlan, type Mistake, type Plan } from '../../plan/read.ts';
import { choicesOf } from '../../rigs/choices.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, note, table } from '../../terminal/print.ts';
import { actorOf, mustBeYours, withLedger } from '../asking/ledger.ts';
import { recordsOf, rigNamed } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { quoteName } from '../naming/names.ts';
import { bytesIn } from '../naming/text-in.ts';
import { times } from '../../../machines/kernel/span.ts';

export interface PlanOptions {
  readonly rig: string;
  readonly dryRun?: boolean;
}

export async function plan(context: Context, path: string, { rig: name, dryRun = false }: PlanOptions): Promise<void> {
  const by = await actorOf(context, undefined);
  const rig = await rigNamed(await recordsOf(context), name);
  const file = path === '-' ? 'stdin' : path;
  const read = readPlan(textIn(await bytesOf(path), file));
  refuseWrong(read, file);
  const wanted = { rig: rig.name, by, at: Date.now() };
  const drawn = await withLedger(context, async (ledger) => {
    // What is wrong anywhere is found before the first write.
    const first = await draw(ledger, read, wanted);
    refuse(first.mistakes, file);
    return dryRun ? first : lay(ledger, read, wanted, (bead) => mustBeYours(context, bead));
  });
  refuse(drawn.mistakes, file);
  context.answer('plan', viewOf(drawn, { file, rig: rig.name, dryRun }), () => textOf(drawn, rig.name, dryRun));
  const { agent } = choicesOf(await context.settings(), rig);
  const isWork = drawn.rows.some(({ is }) => is === 'made');
  if (isWork && agent === null && !dryRun)
    note(`${rig.name} has no agent, so nothing begins by itself; set agent in [rig.${rig.name}] of town.toml`);
  for (const row of drawn.rows) noteText(row).forEach(note);
}

/** Of stdin or of a file, no more than a plan may have. Throws Failure (2). */
async function bytesOf(path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bytesIn(path)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes <= PLAN.maxBytes) continue;
    const text = `${quoteName(path)} has more than ${PLAN.maxBytes} bytes, the limit of a plan; divide it into several`;
    throw new Failure(EXIT.usage, 'too_large', text);
  }
  return Buffer.concat(pieces);
}

/** With the line ends of one system. Throws Failure (2) for another encoding. */
function textIn(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) {
    const lines = bytes.toString('latin1').split('\n');
    const line = lines.findIndex((one) => !isUtf8(Buffer.from(one, 'latin1'))) + 1;
    const text = `line ${line} of ${file} is no UTF-8; change its encoding: iconv -f ${encodingOf(bytes)} -t UTF-8 ${file}`;
    throw new Failure(EXIT.usage, 'bad_encoding', text);
  }
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n').replaceAll('\0', '\ufffd');
}

/** UTF-16 by its first two bytes or by its zeros, which no other text has; else what most old files are in. */
function encodingOf(bytes: Buffer): string {
  const isMarked = bytes.length > 1 && [0xfffe, 0xfeff].includes(bytes.readUInt16BE());
  return isMarked || bytes.includes(0) ? 'UTF-16' : 'WINDOWS-1252';
}

function refuseWrong({ tasks, mistakes }: Plan, file: string): void {
  if (tasks.length === 0) {
    refuse(mistakes, file);
    throw new Failure(EXIT.usage, 'no_task', `${file} has no task; write one as a line \`- [ ] title\``);
  }
  if (tasks.length > PLAN.maxTasks) {
    const text = `${file} has ${tasks.length} tasks, the limit of a plan is ${PLAN.maxTasks}; divide it into several`;
    throw new Failure(EXIT.usage, 'too_many', text);
  }
}

/** Throws Failure (2) where something is wrong; of several each is on stderr before. */
function refuse(mistakes: readonly Mistake[], file: string): void {
  const [first, second] = [...mistakes].sort((one, other) => one.line - other.line);
  if (first === undefined) return;
  const said = ({ line, text }: Mistake): string => `${file} line ${line}: ${text}`;
  if (second === undefined) throw new Failure(EXIT.usage, 'bad_plan', said(first));
  const sorted = [...mistakes].sort((one, other) => one.line - other.line);
  sorted.slice(0, PLAN.shownMistakes).forEach((one) => {
    note(said(one));
  });
  const text = `${file} has ${mistakes.length} mistakes, and nothing was written; mend them and type it again`;
  throw new Failure(EXIT.usage, 'bad_plan', text);
}

/** What a person might not expect of a task. */
function noteText({ task, is, bead }: Row): string[] {
  const { line, steps } = task;
  const isOpen = is === 'ticked' && bead !== null && bead.status !== 'closed';
  const isBehind = is === 'changed' && bead !== null && holderOf(bead) !== null;
  const isLeft = (is === 'same' || is === 'changed') && bead !== null && leavesText(task, bead);
  return [
    ...(is === 'made' && steps > 0
      ? [`line ${line}: its indented tasks are steps in its text, and no beads of their own`]
      : []),
    ...(isOpen ? [`line ${line} is ticked, and ${bead.id} is ${bead.status}; town bead close ${bead.id}`] : []),
    ...(isLeft
      ? [
          `line ${line}: the text of ${bead.id} was changed by hand and stays; for the text of the file: town bead update ${bead.id} --description "", then this again`,
        ]
      : []),
    ...(isBehind ? [`${bead.id} is on the hook of ${bead.assignee}, which began with the older text`] : []),
  ];
}

const viewOf = ({ rows }: Drawn, about: { file: string; rig: string; dryRun: boolean }) => ({
  file: about.file,
  rig: about.rig,
  dry_run: about.dryRun,
  tasks: rows.map(({ task, is, bead, changes }) => ({
    line: task.line,
    id: bead?.id ?? null,
    is,
    title: task.title,
    priority: bead?.priority ?? task.priority,
    after: bead?.dependencies.filter(({ type }) => type === 'blocks').map(({ on }) => on) ?? [],
    changes,
    status: bead?.status ?? null,
    description: bead?.description ?? task.description,
  })),
});

function textOf({ rows }: Drawn, rig: string, dryRun: boolean): string {
  const lineOf = new Map(rows.flatMap(({ task, bead }) => (bead === null ? [] : [[bead.id, task.line] as const])));
  const afterOf = (bead: Bead | null): string =>
    (bead?.dependencies ?? [])
      .filter(({ type }) => type === 'blocks')
      .map(({ on }) => (lineOf.has(on) ? `line ${lineOf.get(on)}` : on))
      .join(', ') || '-';
  const lines = rows.map(({ task, is, bead, changes }) => [
    String(task.line),
    bead?.id ?? '-',
    changes.length === 0 ? is : `${is}: ${changes.join(', ')}`,
    bead === null ? '-' : `P${bead.priority}`,
    afterOf(bead),
    task.title,
  ]);
  const columns = ['LINE', 'ID', 'BEAD', { head: 'P', drop: 2 }, { head: 'AFTER', drop: 1 }, 'TITLE'];
  return `${table(columns, lines)}\n\n${sumOf(rows, rig, dryRun)}`;
}

const WORDS = {
  made: 'made',
  changed: 'changed',
  same: 'as they were',
  closed: 'closed before',
  ticked: 'ticked',
} as const;

function sumOf(rows: readonly Row[], rig: string, dryRun: boolean): string {
  const counts = Object.entries(WORDS).flatMap(([is, word]) => {
    const count = rows.filter((row) => row.is === is).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const tasks = `${times(rows.length, 'task')} for ${clean(rig)}`;
  return dryRun ? `${tasks} would be: ${counts.join(', ')}; nothing was written` : `${tasks}: ${counts.join(', ')}`;
}
