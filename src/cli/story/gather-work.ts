/** Reads what `work.ts` judges: the ledger, the witness's memory, and in each rig's repository one question about its branches. */
import { trackedBy, type Bead } from '../../../machines/ledger/bead.ts';
import { FILES } from '../../../state/files/layout.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { RigRecord } from '../../../machines/rigs/records.ts';
import { readable } from '../../git/changes.ts';
import type { Worked } from '../../journal/digest.ts';
import { gateOf, isDue } from '../../ledger/gates.ts';
import { beadsCalled, beadsIn, first, waitsOf } from '../../ledger/walk.ts';
import type { OpenAlert } from '../../overview/open-alerts.ts';
import { order } from '../../ports/age.ts';
import { lostFrom } from '../../rigs/lost-work.ts';
import { wasMerged, worksOf, type MergedBead } from '../../rigs/merged-beads.ts';
import { RIG_WORK } from '../../rigs/policy.ts';
import { openRequestOf, waitingText } from '../../rigs/pull-request.ts';
import { withGit } from '../../rigs/repository.ts';
import { handedLast, workOn } from '../../../state/rigs/work.ts';
import { undecidedCases } from '../../triage/requests.ts';
import { textOf, type Disk } from '../../../state/files/disk.ts';
import { note } from '../../terminal/print.ts';
import { keptBranches } from '../asking/kept-branches.ts';
import { withLedger } from '../asking/ledger.ts';
import { recordsOf } from '../asking/yard.ts';
import type { Context } from '../context.ts';
import { REPORT } from '../policy.ts';
import { isWork, type Attempts, type WorkSeen } from './work.ts';

export interface Stretch {
  readonly since: number;
  readonly now: number;
  readonly worked: readonly Worked[];
  readonly alerts: readonly OpenAlert[] | null;
  readonly questions: WorkSeen['questions'];
}

/** A convoy that is open, or landed in the stretch. */
export interface Convoy {
  readonly id: string;
  readonly title: string;
  readonly closed: number;
  readonly total: number;
  readonly is_over: boolean;
}

export interface LedgerSeen {
  readonly work: WorkSeen;
  readonly convoys: readonly Convoy[];
}

/** null = this root has no ledger. Rejects as the ledger does. */
export async function seeWork(context: Context, stretch: Stretch): Promise<LedgerSeen | null> {
  if ((await (await context.disk()).stat(FILES.ledger)) === null) return null;
  const { triage } = await context.settings();
  const { found: rigs, unreadable } = await (await recordsOf(context)).rigs();
  const tips = await tipsOf(rigs);
  return withLedger(context, async (ledger) => {
    const open = (await Array.fromAsync(beadsIn(ledger, { isWisp: false }))).filter(isWork);
    const closed = await closedIn(ledger, stretch);
    const work: WorkSeen = {
      ...stretch,
      open,
      closed,
      waits: await waitsOf(ledger, open),
      gates: await personsGates(ledger, stretch.now),
      cases: await undecidedCases(ledger),
      attempts: await attemptsAt(await context.disk(), [...open, ...closed]),
      tips,
      requests: await byBead(open, async (bead) => openRequestOf(await context.disk(), bead)),
      waiting: await byBead(open, async (bead) => waitingText(await context.disk(), bead)),
      lost: await lostAmong(await context.disk(), rigs, closed),
      kept: await keptBranches(context, rigs, closed),
      rigs: unreadable.length > 0 ? null : new Set(rigs.map(({ name }) => name)),
      hasReasoner: triage.command !== null,
    };
    return { work, convoys: await convoysSince(ledger, stretch) };
  });
}

/** The ledger has no index by the time of closing: a large one is read up to a limit, and what it holds beyond that is left out. */
async function closedIn(ledger: Ledger, { since }: Stretch): Promise<Bead[]> {
  const query = { statuses: ['closed'], isWisp: false } as const;
  const all = await first(beadsIn(ledger, query), REPORT.maxClosedRead);
  return all.filter((bead) => isWork(bead) && order(Date.parse(bead.closedAt)) >= order(since));
}

/** Gates that a person opens, and those whose time is over. */
async function personsGates(ledger: Ledger, now: number): Promise<ReadonlySet<string>> {
  const gates = (await Array.fromAsync(beadsIn(ledger, { type: 'gate' }))).map(gateOf);
  const persons = gates.filter((gate) => gate.awaits === 'human' || isDue(gate, now));
  return new Set(persons.map(({ bead }) => bead.id));
}

/** Of work that was begun. */
export async function attemptsAt(disk: Disk, beads: readonly Bead[]): Promise<ReadonlyMap<string, Attempts>> {
  const found = new Map<string, Attempts>();
  for (const { id, rig, startedAt, status, attempts } of beads) {
    if (rig === '' || (startedAt === '' && attempts === 0 && status === 'open')) continue;
    const { begun, handed } = await workOn(disk, { rig, of: id }).catch((error: unknown) => {
      note(textOf(error));
      return { begun: [], handed: [] };
    });
    const [oldest, last] = [begun[0], begun.at(-1)];
    if (last === undefined || oldest === undefined) continue;
    const over = handedLast({ begun, handed });
    const count = new Set(begun.map(({ uuid }) => uuid)).size;
    const { polecat, branch } = last;
    const given = { handed: over?.commit ?? null, handedAt: over?.at ?? null };
    found.set(id, { polecat, branch, count, firstAt: oldest.at, ...given });
  }
  return found;
}

/** Of those that have one. */
async function byBead<T>(
  beads: readonly Bead[],
  of: (bead: Bead) => Promise<T | null>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const bead of beads) {
    const its = await of(bead);
    if (its !== null) found.set(bead.id, its);
  }
  return found;
}

async function convoysSince(ledger: Ledger, { since }: Stretch): Promise<Convoy[]> {
  const open = await Array.fromAsync(beadsIn(ledger, { type: 'convoy' }));
  const over = await first(beadsIn(ledger, { type: 'convoy', statuses: ['closed'] }), REPORT.maxClosedRead);
  const recent = over.filter(({ closedAt }) => order(Date.parse(closedAt)) >= order(since));
  const convoys: Convoy[] = [];
  for (const bead of [...recent, ...open]) {
    const tracked = trackedBy(bead);
    const closed = (await beadsCalled(ledger, tracked)).filter(({ status }) => status === 'closed').length;
    convoys.push({ id: bead.id, title: bead.title, closed, total: tracked.length, is_over: bead.status === 'closed' });
  }
  return convoys;
}

/** By main as it was fetched last. A repository that does not tell hides no other. */
async function lostAmong(disk: Disk, rigs: readonly RigRecord[], closed: readonly Bead[]): Promise<WorkSeen['lost']> {
  const lost = new Map<string, string | null>();
  for (const rig of rigs) {
    const of = closed.filter((bead) => bead.rig === rig.name && wasMerged(bead)).slice(0, RIG_WORK.maxLost);
    let works: readonly MergedBead[] = [];
    const found = await lostFrom(rig, async () => (works = await worksOf(disk, of))).catch((error: unknown) => {
      note(`whether main of ${rig.name} still has what was merged is unknown: ${textOf(error)}`);
      return [];
    });
    for (const { commits, line } of found)
      for (const { bead, commit } of works) if (commits.includes(commit)) lost.set(bead.id, line);
  }
  return lost;
}

/** Where the branches of each rig are now. A repository that cannot be read hides no other. */
async function tipsOf(rigs: readonly RigRecord[]): Promise<ReadonlyMap<string, string>> {
  const all = await Promise.all(rigs.map(branchesOf));
  return new Map(all.flat());
}

async function branchesOf(rig: RigRecord): Promise<(readonly [string, string])[]> {
  const wanted = ['refs/heads/', ...(rig.remote ? [`refs/remotes/${rig.remote.name}/`] : [])];
  try {
    const said = await withGit(rig, ({ repo }) =>
      Promise.all(wanted.map((refs) => repo.run(['for-each-ref', '--format=%(objectname) %(refname)', refs]))),
    );
    // A branch of the repository itself counts before what was fetched of the remote's.
    return wanted.toReversed().flatMap((refs, at) =>
      (said.at(-1 - at) ?? '').split('\n').flatMap((line) => {
        const [commit = '', name = ''] = readable(line).split(' ');
        return name === '' ? [] : [[`${rig.name} ${name.slice(refs.length)}`, commit] as const];
      }),
    );
  } catch (error) {
    note(`the branches of ${rig.name} are unknown: ${textOf(error)}`);
    return [];
  }
}
