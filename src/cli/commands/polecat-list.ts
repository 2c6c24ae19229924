/** `town polecat list`: who is doing what, on one screen. Looks only. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import { sessionOf, wordsOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { textOf } from '../../../state/files/disk.ts';
import { age } from '../../journal/when.ts';
import type { SessionView } from '../../overview/sessions.ts';
import { progressOf, type Progress } from '../../rigs/own-work.ts';
import { standingsIn } from '../../rigs/sessions.ts';
import type { Case, Yard } from '../../rigs/yard.ts';
import { listing, note } from '../../terminal/print.ts';
import { beadsOnRecord } from '../asking/titles.ts';
import { clientOf, rigNamed, yardOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { conditionOf } from '../session-table.ts';
import { halfText, seenOf } from './polecats.ts';

/** git's answers about a repository are shared by all polecats of its rig. */
type Rigs = ReadonlyMap<string, Required<Pick<Case, 'rig' | 'answers'>>>;

/** What the town and the ledger say; git is asked meanwhile. */
interface Around {
  readonly standings: ReturnType<typeof standingsIn>;
  readonly sessions: ReadonlyMap<string, SessionView>;
  readonly beads: ReadonlyMap<string, Bead>;
}

type PlainRow = Awaited<ReturnType<typeof rowOf>>;
type Row = PlainRow & Progress;

/** With its work, its agent, and how far it came. */
async function rowOf(yard: Yard, record: PolecatRecord, rigs: Rigs, around: Promise<Around>) {
  const facts = seenOf(yard, record, rigs.get(record.rig) ?? null, around);
  const [seen, { sessions, beads }] = await Promise.all([facts, around]);
  const view = sessions.get(sessionOf(record));
  const bead = beads.get(record.bead ?? '');
  return {
    ...seen,
    title: bead?.title ?? null,
    /** Which attempt at its bead it is; null = it has none. */
    attempt: bead === undefined ? null : bead.attempts + 1,
    /** How its session is, by its process and its screen; null = there is none, or tmux gave no answer. */
    screen: view === undefined ? null : conditionOf(view),
    asks: view?.asks ?? null,
  };
}

/** With how far each came: asked of git in one go for each rig. */
async function withProgress(yard: Yard, rows: readonly PlainRow[], records: readonly PolecatRecord[], rigs: Rigs) {
  const found = new Map<PlainRow, Progress>();
  const unknown: Progress = { ahead: null, last_commit_at: null };
  for (const [name, of] of rigs) {
    const own = rows.flatMap((row, n) => {
      const record = records[n];
      return record?.rig === name ? [{ row, record, head: row.git?.head ?? null }] : [];
    });
    const progress = own.length === 0 ? [] : await progressOf({ yard, ...of }, own);
    own.forEach(({ row }, n) => found.set(row, progress[n] ?? unknown));
  }
  return rows.map((row): Row => ({ ...row, ...(found.get(row) ?? unknown) }));
}

/** null = unknown, and noted: a ledger that cannot be read hides no polecat. */
async function beadsOf(context: Context, records: readonly PolecatRecord[]): Promise<Around['beads']> {
  const ids = records.flatMap(({ bead }) => bead ?? []);
  const found = await beadsOnRecord(context, ids).catch((error: unknown) => {
    note(`what they work on is unknown: ${textOf(error)}`);
    return [];
  });
  return new Map(found.map((bead) => [bead.id, bead]));
}

async function aroundOf(context: Context, wanted: readonly PolecatRecord[]): Promise<Around> {
  const [overview, beads] = await Promise.all([clientOf(context).overview(), beadsOf(context, wanted)]);
  const sessions = new Map(overview.sessions?.map((one) => [one.name, one]));
  return { standings: standingsIn(overview), sessions, beads };
}

type Why = 'a command works on its rig now' | 'a command was cut off';

/**
 * Why those are half done that still are, by their words. Who holds a rig's lock may have ended meanwhile: with the lock held, the
 * records are read once more.
 */
async function whyHalf({ root, records }: Yard, half: readonly Row[]): Promise<ReadonlyMap<string, Why>> {
  const why = new Map<string, Why>();
  for (const rig of new Set(half.map((one) => one.rig))) {
    const own = half.filter((one) => one.rig === rig);
    const lock = await records.lock(root, rig);
    const { found } = lock === null ? { found: null } : await records.polecats();
    lock?.release();
    for (const one of own)
      if (found === null) why.set(wordsOf(one), 'a command works on its rig now');
      else if (found.some((now) => isStill(now, one))) why.set(wordsOf(one), 'a command was cut off');
  }
  return why;
}

const isStill = (now: PolecatRecord, { rig, name, step, spawned_at: at }: Row): boolean =>
  now.rig === rig && now.name === name && now.step === step && now.at === Date.parse(at);

export async function list(context: Context, rigName: string | undefined): Promise<void> {
  const yard = await yardOf(context);
  const rigs = new Map((await yard.records.rigs()).found.map((rig) => [rig.name, { rig, answers: new Map() }]));
  if (rigName !== undefined) await rigNamed(yard.records, rigName);
  const { found, unreadable } = await yard.records.polecats();
  unreadable.forEach(note);
  const wanted = found.filter(({ rig }) => rigName === undefined || rig === rigName);
  const around = aroundOf(context, wanted);
  const looks = wanted.map((one) => rowOf(yard, one, rigs, around));
  const [plain] = await Promise.all([Promise.all(looks), around]);
  const rows = await withProgress(yard, plain, wanted, rigs);
  const half = rows.filter((one) => one.step !== 'left' && halfText(one) !== '');
  const why = await whyHalf(yard, half);
  for (const one of half) {
    const words = wordsOf(one);
    const reason = why.get(words);
    const next = reason === 'a command was cut off' ? `; \`town polecat nuke ${words}\` takes away what is left` : '';
    if (reason !== undefined) note(`${words} is ${halfText(one)}: ${reason}${next}`);
  }
  const none = 'no polecats; make one: town polecat spawn <rig> <name> -- <command>';
  context.answer('polecats', rows, listing(rows, none, COLUMNS, cellsOf));
}

const COLUMNS = [
  { head: 'POLECAT' },
  { head: 'AGENT' },
  { head: 'AGE', right: true, drop: 3 },
  { head: 'TRY', right: true, drop: 1 },
  { head: 'AHEAD', right: true, drop: 4 },
  { head: 'LAST COMMIT', right: true, drop: 2 },
  { head: 'WORKTREE' },
  { head: 'WORK' },
];

const cellsOf = (row: Row): string[] => [
  wordsOf(row),
  halfText(row) || (row.screen ?? row.session_state),
  age(row.spawned_at),
  row.attempt === null ? '-' : `${row.attempt}`,
  row.ahead === null ? '?' : `${row.ahead}`,
  row.last_commit_at === null ? '-' : `${age(row.last_commit_at)} ago`,
  row.git?.states.join(', ') ?? '-',
  [row.title ?? row.bead ?? '-', ...(row.asks === null || row.asks === '' ? [] : [`it asks: ${row.asks}`])].join('; '),
];
