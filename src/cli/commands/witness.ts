/** `town witness …`, and what a Deacon does about all rigs: one cycle now, with what was seen and what came of each act. */
import type { RigRecord } from '../../../machines/rigs/records.ts';
import type { ActOutcome, Deed, Patrolled, Stands } from '../../../machines/protocol/patrols.ts';
import { noneIfLeft } from '../../../state/files/record-folder.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { readPatrol } from '../../../state/patrols/records.ts';
import { wispsOf } from '../../patrols/witness/work.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { when } from '../../journal/when.ts';
import { times } from '../../../machines/kernel/span.ts';
import type { Yard } from '../../rigs/yard.ts';
import { patrolDenied, rulesOf } from '../../socket/permission.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing, note, table } from '../../terminal/print.ts';
import { actForTown, unlessDenied, whoCalls } from '../naming/caller.ts';
import { contextCheck } from '../asking/context-check.ts';
import type { Context } from '../context.ts';
import { withLedger } from '../asking/ledger.ts';
import { isoOf } from '../asking/notes.ts';
import { cycleNow, type PatrolOptions } from '../asking/patrol.ts';
import { mailboxOf } from '../asking/post.ts';
import { recordsOf, rigNamed, yardOf } from '../asking/yard.ts';

/** What a cycle found and did, as programs read it. */
export interface CycleReport {
  readonly rig: string;
  readonly observed: Patrolled['observed'];
  readonly steps: readonly { readonly step: string; readonly acts: readonly ActOutcome[] }[];
  /** What stands for a person: a running town alerts of it as long as it does. */
  readonly stands: readonly Stands[];
  readonly model_calls: 0;
}

/** Work that no agent will do, as things stand. */
const STRANDED = { step: 'survey-workers', act: 'strand', done: true } as const;

function reportOf(rig: string, { observed, deeds, stranded, stands = [] }: Patrolled): CycleReport {
  const all = [
    ...deeds,
    ...stranded.map((about): Deed => ({ ...STRANDED, about, text: `[rig.${rig}] names no agent` })),
  ];
  const steps = [...new Set(all.map(({ step }) => step))].map((name) => ({
    step: name,
    acts: all.filter(({ step }) => step === name).map(({ step: _, ...act }) => act),
  }));
  return { rig, observed, steps, stands, model_calls: 0 };
}

function reportText({ rig, observed, steps, stands }: CycleReport): string {
  const { polecats = 0, letters = 0, work = 0, wisps = 0 } = observed;
  const counts = [times(polecats, 'polecat'), times(letters, 'letter'), times(work, 'bead'), times(wisps, 'open wisp')];
  const head = `${rig}: ${counts.join(', ')}`;
  const lines = [
    ...steps.flatMap(({ step, acts }) => acts.map((one) => `  ${step}: ${lineOf(one)}`)),
    ...stands.map(({ severity, text }) => `  for you, ${severity}: ${clean(text)}`),
  ];
  return [head, ...(lines.length === 0 ? ['  nothing to do'] : lines)].join('\n');
}

const handoffLine = (why: string | null): string[] =>
  why === null ? [] : [`you handed off to your next life, since ${why}: end your turn now`];

const lineOf = ({ act, about, done, text }: ActOutcome): string =>
  `${act} ${clean(about)}${done ? '' : ' NOT DONE'}: ${clean(text)}`;

/** One cycle of one rig, now. */
export async function patrol(context: Context, rigName: string, options: PatrolOptions): Promise<void> {
  const settings = await context.settings();
  const { maxCycles } = settings.patrols.witness;
  const caller = await whoCalls(context);
  unlessDenied(patrolDenied(caller, rigName, rulesOf(settings)));
  const rig = await rigNamed(await recordsOf(context), rigName);
  const report = reportOf(rig.name, await cycleNow(context, caller, rig.name, options));
  actForTown();
  const ending = { of: rig.name, maxCycles, told: reportText(report) };
  const handoff = await contextCheck(context, caller, ending);
  context.answer('witness-patrol', { ...report, handoff }, () => [reportText(report), ...handoffLine(handoff)]);
}

async function viewOf(context: Context, yard: Yard, { name: rig }: RigRecord, ledger: Ledger) {
  const { found } = await yard.records.polecats();
  const wisps = await wispsOf(ledger, rig, yard.wall());
  const disk = await context.disk();
  const files = { disk, quarantine: new Onlooker(disk, note) };
  const byTown = await noneIfLeft(readPatrol(files, rig));
  return {
    rig,
    polecats: found.filter((one) => one.rig === rig).length,
    cleanups: wisps.filter(({ kind }) => kind === 'cleanup').length,
    swarms: wisps.filter(({ kind }) => kind === 'swarm').length,
    unread: await (await mailboxOf(context, `${rig}/witness`)).box.unread(),
    /** When its last cycle ended, the town's own or one that a caller asked for; null = there was none. */
    patrolled_at: isoOf(byTown?.endedAt ?? null),
    /** Why the last one came to nothing; null = it did not. */
    why: byTown?.why ?? null,
  };
}

type WitnessView = Awaited<ReturnType<typeof viewOf>>;

const row = (one: WitnessView): string[] => [
  one.rig,
  `${one.polecats}`,
  `${one.cleanups}`,
  `${one.swarms}`,
  one.unread === null ? '?' : `${one.unread}`,
  one.patrolled_at === null ? 'never' : when(one.patrolled_at),
  one.why === null ? '' : `came to nothing: ${clean(one.why)}`,
];
const HEADER = ['RIG', 'POLECATS', 'CLEANUPS', 'SWARMS', 'UNREAD', 'LAST PATROL', ''];

export async function list(context: Context): Promise<void> {
  const yard = await yardOf(context);
  const { found } = await yard.records.rigs();
  const views = await withLedger(context, async (ledger) => {
    const all: WitnessView[] = [];
    for (const rig of found) all.push(await viewOf(context, yard, rig, ledger));
    return all;
  });
  context.answer('witnesses', views, listing(views, 'no rigs; add one: town rig add <rig> <path>', HEADER, row));
}

export async function status(context: Context, rigName: string): Promise<void> {
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, rigName);
  const view = await withLedger(context, (ledger) => viewOf(context, yard, rig, ledger));
  context.answer('witness', view, () => table(HEADER, [row(view)]));
}

interface TownCycle {
  readonly done: readonly ActOutcome[];
  readonly failed: readonly string[];
  readonly rigs: readonly CycleReport[];
}

function townText({ done, failed, rigs }: TownCycle): string {
  const undone = failed.map((one) => `NOT DONE: ${clean(one)}`);
  const told = [...rigs.map(reportText), ...done.map(lineOf), ...undone];
  return told.length === 0 ? 'nothing to do' : told.join('\n');
}

/** What a Deacon does about all of the town's work: gates, convoys, and a cycle of every rig. */
export async function deaconPatrol(context: Context, options: PatrolOptions): Promise<void> {
  const settings = await context.settings();
  const { handoffAfter } = settings.policy.watchdog.deacon;
  const caller = await whoCalls(context);
  unlessDenied(patrolDenied(caller, 'deacon', rulesOf(settings)));
  const { found } = await (await recordsOf(context)).rigs();
  const failed: string[] = [];
  const cycle = async (of: string, what: string): Promise<Patrolled | null> => {
    try {
      return await cycleNow(context, caller, of, options);
    } catch (error) {
      // That no town runs holds for all of them.
      if (!(error instanceof Failure) || error.exit !== EXIT.failed) throw error;
      failed.push(`${what}${error.message}`);
      return null;
    }
  };
  const rigs: CycleReport[] = [];
  for (const { name } of found) {
    const one = await cycle(name, `rig ${name}: `);
    if (one !== null) rigs.push(reportOf(name, one));
  }
  // After the rigs: what they ask is decided, and what they close lands, in the same patrol.
  const own = await cycle('deacon', '');
  actForTown();
  const { triage: open = 0, model_calls = 0 } = own?.observed ?? {};
  const done = own?.deeds.map(({ step: _, ...act }) => act) ?? [];
  const began = done.find(({ act }) => act === 'triage')?.text ?? null;
  const work = { observed: own?.observed ?? {}, done, failed, rigs };
  const ending = { of: 'deacon', maxCycles: handoffAfter, told: townText(work) };
  const handoff = await contextCheck(context, caller, ending);
  const data = { ...work, triage: { open, began }, model_calls, handoff };
  context.answer('deacon-patrol', data, () => [townText(data), ...handoffLine(handoff)]);
  const acts = [...done, ...rigs.flatMap(({ steps }) => steps.flatMap((step) => step.acts))];
  if (failed.length > 0 || acts.some((act) => !act.done)) note('not everything could be done; each line says why');
}
