/** `town witness …`, and what a Deacon does about all rigs: one cycle now, with what was seen and what came of each act. */
import { sessionOf } from '../../../machines/rigs/names.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { textOf } from '../../../state/files/disk.ts';
import { STATE } from '../../../state/files/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { readPatrol } from '../../../state/patrols/records.ts';
import type { CycleReport } from '../../patrols/witness/cycle.ts';
import { memoryOf } from '../../patrols/agent/watch.ts';
import { ofTown, ofWitness } from '../../patrols/thread/found.ts';
import { noteFound } from '../../patrols/memory/noted.ts';
import { EVIDENCE } from '../../patrols/memory/evidence.ts';
import { patrolRig, type RoundNeeds } from '../../patrols/thread/rig-round.ts';
import { wispsOf } from '../../patrols/witness/work.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { when } from '../../journal/when.ts';
import { agedBy } from '../asking/aged.ts';
import { times } from '../../../machines/kernel/span.ts';
import type { Yard } from '../../rigs/yard.ts';
import { startTown } from '../../proc/beside.ts';
import { createProcesses } from '../../proc/processes.ts';
import { clean, listing, note, table } from '../../terminal/print.ts';
import type { TownAct } from '../../patrols/memory/outcome.ts';
import { onDuty } from '../naming/caller.ts';
import { contextCheck } from '../asking/context-check.ts';
import type { Context } from '../context.ts';
import { withLedger } from '../asking/ledger.ts';
import { pokeTown } from '../asking/notes.ts';
import { mailboxOf } from '../asking/post.ts';
import { doorOf, rigNamed, standingsOf, yardOf } from '../asking/yard.ts';
import { newestOf } from '../../ledger/walk.ts';

async function cycleOf(context: Context, yard: Yard, rig: RigRecord, ledger: Ledger): Promise<CycleReport> {
  const cases = { areNew: false };
  const needs: RoundNeeds = {
    settings: await context.settings(),
    disk: await context.disk(),
    yard,
    ledger,
    door: doorOf(context),
    standings: () => standingsOf(context),
    asked: () => {
      cases.areNew = true;
    },
  };
  const report = await agedBy(context, () => patrolRig(needs, rig));
  if (cases.areNew) await pokeTown(context, 'cases');
  const now = yard.wall();
  const text = times(report.steps.flatMap(({ acts }) => acts).length, 'act');
  await notePatrol(ledger, memoryOf(rig.name, 'patrol'), text, now);
  await noteFound(ledger, rig.name, ofWitness(report), now);
  return report;
}

const notePatrol = (ledger: Ledger, author: string, text: string, at: number): Promise<unknown> =>
  ledger.addEvidence({ id: `${author}-${at}`, author, kind: EVIDENCE.seen, text, at });

function reportText({ rig, observed, steps }: CycleReport): string {
  const { polecats, letters, work, wisps } = observed;
  const counts = [times(polecats, 'polecat'), times(letters, 'letter'), times(work, 'bead'), times(wisps, 'open wisp')];
  const head = `${rig}: ${counts.join(', ')}`;
  const lines = steps.flatMap(({ step, acts }) =>
    acts.map((one) => `  ${step}: ${one.act} ${clean(one.about)}${one.done ? '' : ' NOT DONE'}: ${clean(one.text)}`),
  );
  return [head, ...(lines.length === 0 ? ['  nothing to do'] : lines)].join('\n');
}

const handoffLine = (why: string | null): string[] =>
  why === null ? [] : [`you handed off to your next life, since ${why}: end your turn now`];

const lineOf = ({ act, about, done, text }: TownAct): string =>
  `${act} ${clean(about)}${done ? '' : ' NOT DONE'}: ${clean(text)}`;

/** One cycle of one rig, now. */
export async function patrol(context: Context, rigName: string): Promise<void> {
  const { mode, maxCycles } = (await context.settings()).patrols.witness;
  const session = mode === 'session' ? sessionOf({ rig: rigName, name: 'witness' }) : null;
  const caller = await onDuty(context, session, 'town witness patrol');
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, rigName);
  const { report, handoff } = await withLedger(context, async (ledger) => {
    const report = await cycleOf(context, yard, rig, ledger);
    const ending = { of: rig.name, maxCycles, told: reportText(report) };
    return { report, handoff: await contextCheck(context, ledger, caller, ending) };
  });
  context.answer('witness-patrol', { ...report, handoff }, () => [reportText(report), ...handoffLine(handoff)]);
}

async function viewOf(context: Context, yard: Yard, { name: rig }: RigRecord, ledger: Ledger) {
  const { found } = await yard.records.polecats();
  const wisps = await wispsOf(ledger, rig, yard.wall());
  const byCommand = await newestOf(ledger, memoryOf(rig, 'patrol'));
  const disk = await context.disk();
  const files = { disk, quarantine: new Onlooker(disk, note), maxBytes: STATE.maxOwnBytes };
  const byTown = await readPatrol(files, rig);
  const last = Math.max(byCommand?.at ?? -Infinity, byTown?.endedAt ?? -Infinity);
  return {
    rig,
    polecats: found.filter((one) => one.rig === rig).length,
    cleanups: wisps.filter(({ kind }) => kind === 'cleanup').length,
    swarms: wisps.filter(({ kind }) => kind === 'swarm').length,
    unread: await (await mailboxOf(context, `${rig}/witness`)).box.unread(),
    /** When its last cycle was, the town's, an agent's or one by hand; null = there was none. */
    patrolled_at: last === -Infinity ? null : new Date(last).toISOString(),
    /** Why the town's last one came to nothing; null = it did not. */
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
  context.answer('witnesses', views, listing(views, 'no rigs; add one: town rig add <rig> --repo <path>', HEADER, row));
}

export async function status(context: Context, rigName: string): Promise<void> {
  const yard = await yardOf(context);
  const rig = await rigNamed(yard.records, rigName);
  const view = await withLedger(context, (ledger) => viewOf(context, yard, rig, ledger));
  context.answer('witness', view, () => table(HEADER, [row(view)]));
}

interface TownCycle {
  readonly done: readonly TownAct[];
  readonly failed: readonly string[];
  readonly rigs: readonly CycleReport[];
}

function townText({ done, failed, rigs }: TownCycle): string {
  const undone = failed.map((one) => `NOT DONE: ${clean(one)}`);
  const told = [...rigs.map(reportText), ...done.map(lineOf), ...undone];
  return told.length === 0 ? 'nothing to do' : told.join('\n');
}

/** What a Deacon does about all of the town's work: gates, convoys, and a cycle of every rig. */
export async function deaconPatrol(context: Context): Promise<void> {
  const settings = await context.settings();
  const { mode, session, handoffAfter } = settings.policy.watchdog.deacon;
  const caller = await onDuty(context, mode === 'session' ? session : null, 'town deacon patrol');
  const { townRound } = await import('../../patrols/deacon/round.ts');
  const yard = await yardOf(context);
  const { found } = await yard.records.rigs();
  const looks = {
    records: yard.records,
    standings: () => standingsOf(context),
    processes: createProcesses(),
    sessions: async () => (await doorOf(context).overview()).sessions ?? [],
    root: context.root,
    door: doorOf(context),
    begin: (name: string) => startTown(context.root, ['plugin', 'run', name, '--json']),
    startTriage: () => startTown(context.root, ['triage', 'run', '--json']),
  };
  const data = await withLedger(context, async (ledger) => {
    const needs = { ledger, disk: await context.disk(), settings, note, ...looks };
    const rigs: CycleReport[] = [];
    const busy: string[] = [];
    for (const rig of found)
      await cycleOf(context, yard, rig, ledger).then(
        (report) => rigs.push(report),
        (error: unknown) => busy.push(`rig ${rig.name}: ${textOf(error)}`),
      );
    // After the rigs: what they ask is decided, and what they close lands, in the same patrol.
    const work = await agedBy(context, () => townRound(needs, yard.wall()));
    await noteFound(ledger, 'deacon', ofTown(work), yard.wall());
    const { modelCalls, ...triage } = work.triage;
    const data = { ...work, failed: [...work.failed, ...busy], rigs, triage, model_calls: modelCalls };
    const ending = { of: 'deacon', maxCycles: handoffAfter, told: townText(data) };
    await notePatrol(ledger, memoryOf('deacon', 'patrol'), 'one cycle', yard.wall());
    return { ...data, handoff: await contextCheck(context, ledger, caller, ending) };
  });
  context.answer('deacon-patrol', data, () => [townText(data), ...handoffLine(data.handoff)]);
  const acts = [...data.done, ...data.rigs.flatMap(({ steps }) => steps.flatMap((step) => step.acts))];
  if (data.failed.length > 0 || acts.some(({ done }) => !done))
    note('not everything could be done; each line says why');
}
