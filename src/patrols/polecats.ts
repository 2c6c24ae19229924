/**
 * What a patrol sees of a rig's polecats: records, sessions, git, and what they say of themselves in the ledger's evidence. At most
 * eight worktrees are looked at at once. What was seen is remembered as evidence of the witness, so that a death is seen twice.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bead } from '../../machines/ledger/bead.ts';
import type { WorkerSeen } from '../../machines/patrols/observation.ts';
import { addressOf, branchOf, sessionOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import { barriersOf, mayOf, NOTHING_SEEN, type WorktreeFacts } from '../../machines/rigs/worktree.ts';
import type { HookMemory, PolecatSeen, TreeState } from '../../machines/witness/observation.ts';
import type { Evidence, Ledger } from '../../state/ledger/port.ts';
import { lookAt } from '../git/look.ts';
import { items } from '../ledger/walk.ts';
import { dirOf } from '../rigs/place.ts';
import type { Standing } from '../rigs/sessions.ts';
import type { Case } from '../rigs/yard.ts';

/** Kinds of evidence that patrols write and read. */
export const EVIDENCE = {
  seen: 'session',
  report: 'report',
  failure: 'failure',
  attempt: 'attempt',
  success: 'success',
} as const;
const REPORTS = ['working', 'idle', 'stuck', 'done'] as const;
const AT_ONCE = 8;

/** Who remembers for the witness of a rig. */
export const witnessOf = (rig: string, what = ''): string => `${rig}/witness${what === '' ? '' : `/${what}`}`;

/** Who remembers what was said to an agent: the newest counts while no progress came after it. */
export const nudgesOf = (rig: string, agent: string): string => witnessOf(rig, `nudge/${agent}`);

/** Kinds of evidence by which an agent says that it is there. */
const OF_LIFE: ReadonlySet<string> = new Set([EVIDENCE.report, 'heartbeat']);

/** Who remembers what was done about work on the hook of an agent that does not move. */
export const hookOf = (rig: string, agent: string, what: 'nudge' | 'case' | 'exempt'): string =>
  witnessOf(rig, `hook-${what}/${agent}`);

export interface Sight {
  readonly polecat: PolecatSeen;
  readonly worker: WorkerSeen;
}

const MAY: Readonly<Record<ReturnType<typeof mayOf>, TreeState>> = { remove: 'clean', push: 'unpushed', keep: 'dirty' };

function treeOf(facts: WorktreeFacts): TreeState {
  if (facts.place === 'missing') return 'missing';
  return facts.place === 'there' ? MAY[mayOf(facts)] : 'unknown';
}

const textOf = (facts: WorktreeFacts): string => {
  const says = barriersOf(facts).map((barrier) => `it ${barrier.says}`);
  return says.length === 0 ? 'clean' : says.join('; ');
};

const SESSION = { lives: 'alive', none: 'dead', ended: 'dead', unknown: 'unknown' } as const;

/** Ages of the evidence of one kind, the youngest first, as far back as matters. */
export async function agesOf(
  ledger: Ledger,
  author: string,
  kind: string,
  { now, withinMs }: { readonly now: number; readonly withinMs: number },
): Promise<number[]> {
  const ages: number[] = [];
  for await (const one of items((page) => ledger.evidence(author, page))) {
    if (now - one.at > withinMs) break;
    if (one.kind === kind) ages.push(Math.max(0, now - one.at));
  }
  return ages;
}

const reportIn = (newest: Evidence | null): PolecatSeen['report'] =>
  newest?.kind === EVIDENCE.report ? (REPORTS.find((word) => word === newest.text) ?? null) : null;

/** What was said in this idle spell. */
function nudgedSince(said: Evidence | null, since: number, now: number): Pick<PolecatSeen, 'nudged' | 'deadlineMs'> {
  if (said === null || said.at <= since) return { nudged: 'never', deadlineMs: null };
  if (said.kind !== 'deadline') return { nudged: 'gently', deadlineMs: null };
  return { nudged: 'with deadline', deadlineMs: now - said.at };
}

/** When something was last seen of its work. Commits are asked for only where nothing else says that it moves. */
async function movedAt(looking: Looking, record: PolecatRecord, newest: Evidence | null, bead?: Bead): Promise<number> {
  const { ledger, now, at, stillMs } = looking;
  let last = Math.max(record.at, Date.parse(bead?.updatedAt ?? '') || 0);
  if (newest !== null && !OF_LIFE.has(newest.kind)) last = Math.max(last, newest.at);
  if (now - last < stillMs || bead === undefined) return last;
  const agent = addressOf(record);
  for await (const one of items((page) => ledger.evidence(agent, page))) {
    if (one.at <= last) break;
    if (!OF_LIFE.has(one.kind)) last = one.at;
  }
  return Math.max(last, await committedAt(at.rig.commonDir, branchOf(record)));
}

/** When its branch last moved, by what git keeps of that; 0 = it keeps nothing. */
async function committedAt(commonDir: string, branch: string): Promise<number> {
  const files = ['logs/refs/heads', 'refs/heads'].map((folder) => join(commonDir, folder, branch));
  const times = files.map((file) =>
    stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    ),
  );
  return Math.max(...(await Promise.all(times)));
}

/** What was done about it; nothing is asked while it moves. */
async function hookMemory({ ledger, now }: Looking, rig: string, agent: string): Promise<HookMemory> {
  const ago = async (what: Parameters<typeof hookOf>[2]): Promise<number | null> => {
    const last = await ledger.newestEvidence(hookOf(rig, agent, what));
    return last === null ? null : Math.max(0, now - last.at);
  };
  return { nudgedMs: await ago('nudge'), askedMs: await ago('case'), exemptMs: await ago('exempt') };
}
const NOTHING_DONE: HookMemory = { nudgedMs: null, askedMs: null, exemptMs: null };

export interface Looking {
  readonly at: Case;
  readonly ledger: Ledger;
  readonly now: number;
  /** How far back failures count. */
  readonly withinMs: number;
  /** Work that does not move for so long is looked at more closely. */
  readonly stillMs: number;
  readonly standing: (session: string) => Standing;
  /** Names of those whose worktree matters though they seem to work: mail or a cleanup is about them. */
  readonly mustJudge: ReadonlySet<string | null | undefined>;
}

async function sightOf(looking: Looking, record: PolecatRecord): Promise<Sight> {
  const { ledger, now, withinMs, standing } = looking;
  const agent = addressOf(record);
  const session = SESSION[standing(sessionOf(record))];
  const [bead] = record.bead === null ? [] : await ledger.beads([record.bead]);
  const isHooked = bead?.assignee === agent && bead.status !== 'closed';
  const newest = await ledger.newestEvidence(agent);
  const said = await ledger.newestEvidence(nudgesOf(record.rig, agent));
  const report = reportIn(newest);
  const isAtWork = session === 'alive' && isHooked && report !== 'idle' && report !== 'done';
  const facts = await looked(looking, record, isAtWork);
  const stillMs = isHooked ? Math.max(0, now - (await movedAt(looking, record, newest, bead))) : 0;
  const isStill = stillMs >= looking.stillMs;
  const deadMs = await deadSince(looking, record, session);
  const polecat: PolecatSeen = {
    ...{ name: record.name, agent, session, branch: branchOf(record), tree: treeOf(facts), treeText: textOf(facts) },
    ...{ hook: isHooked ? bead.id : null, isHookClosed: bead?.status === 'closed', report },
    ...{ ageMs: Math.max(0, now - record.at), idleMs: newest === null ? null : Math.max(0, now - newest.at) },
    // Whoever types looks at the pane itself, and types nothing into one that is busy or asks a person.
    ...{ isBusy: false, isBlocked: false, ...nudgedSince(said, newest?.at ?? record.at, now) },
    ...{ stillMs, hookMemory: isStill ? await hookMemory(looking, record.rig, agent) : NOTHING_DONE },
    isConfirmed: deadMs !== null,
  };
  const worker: WorkerSeen = {
    ...{ agent, session: session === 'dead' && deadMs === null ? 'unknown' : session, isSupervised: false, deadMs },
    failureAgesMs: await agesOf(ledger, agent, EVIDENCE.failure, { now, withinMs }),
  };
  return { polecat, worker };
}

/** Git is a program that is started: of who works, and of whom nobody speaks, nothing has to be known. */
async function looked({ at, mustJudge }: Looking, record: PolecatRecord, isAtWork: boolean): Promise<WorktreeFacts> {
  if (isAtWork && !mustJudge.has(record.name)) return NOTHING_SEEN;
  const { commonDir } = at.rig;
  const options = { depth: 'glance', commonDir, branch: branchOf(record), base: record.base } as const;
  return lookAt(dirOf(at, record), options);
}

/** How long ago an earlier cycle saw it dead; null = none did. What is seen now is remembered where it is new. */
async function deadSince(
  { ledger, now }: Looking,
  { rig, name, uuid }: PolecatRecord,
  session: PolecatSeen['session'],
): Promise<number | null> {
  const author = witnessOf(rig, name);
  const before = await ledger.newestEvidence(author);
  const text = `${uuid} ${session}`;
  if (session !== 'unknown' && before?.text !== text)
    await ledger.addEvidence({ id: `${uuid}-${session}-${now}`, author, kind: EVIDENCE.seen, text, at: now });
  return before?.text === `${uuid} dead` ? Math.max(0, now - before.at) : null;
}

export async function sightsOf(looking: Looking, records: readonly PolecatRecord[]): Promise<Sight[]> {
  const found: Sight[] = [];
  for (let first = 0; first < records.length; first += AT_ONCE)
    found.push(...(await Promise.all(records.slice(first, first + AT_ONCE).map((one) => sightOf(looking, one)))));
  return found;
}
