/**
 * The refinery of a rig: takes the oldest new merge request first, then those that waited, and answers each.
 * 1. A red or conflicting branch is answered and put away; a request that waits for a remote or a person rests, while others go on.
 * 2. The answer is durable before the request is put away: a refinery that is killed between the two answers nothing twice.
 * 3. The branch is deleted before the answer, and only at the very commit that main has by now.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { GitFailed } from '../git/failure.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import type { WaitingMerges } from '../../state/rigs/waiting-merges.ts';
import { requestsIn, type Request } from '../patrols/witness/refinery-work.ts';
import type { Merging } from '../rigs/choices.ts';
import { answer, causeOf, tellPerson, toldOf, untell, type Desk, type Told } from './letters.ts';
import type { Unread } from './merging-now.ts';
import { REFINERY } from './policy.ts';
import { pushTo, refine, type Outcome, type Refining } from './refine.ts';
import { endLeft } from './runs.ts';

export interface Refinery extends Omit<Refining, 'record' | 'merging' | 'passed' | 'excused' | 'redMain' | 'isOpen'> {
  readonly desk: Desk;
  /** Its own mailbox. */
  readonly box: Mailbox;
  /** As it is on record now; null = the rig was removed. */
  readonly record: () => Promise<RigRecord | null>;
  /** As town.toml has it; null = it names no refinery any more, and this one was started because it did. */
  readonly merging: () => Promise<Merging | Unread | null>;
  /** Why it merges nothing now, in words; null = it may. */
  readonly held: () => Promise<string | null>;
  /** Puts on record that the pull request of its work is open. */
  readonly keepPullRequest: (request: Request, opened: Opened) => Promise<void>;
  /** Puts on record which beads wait, and why. */
  readonly keepWaiting: (waits: WaitingMerges['waits']) => Promise<void>;
  /** The witness has a letter. */
  readonly wake: () => Promise<unknown>;
  /** One line for its pane. */
  readonly say: (text: string) => void;
}

export type Opened = Extract<Outcome, { is: 'asked' }>;

export interface Rest {
  readonly kind: string;
  /** Of the letter about its cause, which is over once the request was tried again and does not wait for it. */
  readonly key: string;
  /** null = its cause may be over, and it begins with the shortest rest again. */
  readonly ms: number | null;
  /** By the clock of this process (ms). */
  readonly until: number;
  /** null = it is of none. */
  readonly bead: string | null;
  readonly why: string;
}

/** What a refinery remembers; losing it costs a test or a try. */
interface Memory {
  readonly rests: Map<string, Rest>;
  /** What is on record of these; null = not known. */
  kept: string | null;
  readonly told: Told;
  readonly passed: Refining['passed'];
  readonly excused: Refining['excused'];
  readonly redMain: Refining['redMain'];
}

/** Resolves once it is cancelled, the rig is removed, or town.toml names no refinery: without its table each merge would go untested. */
export async function refineAll(refinery: Refinery): Promise<void> {
  const ended = await endLeft(refinery);
  if (ended > 0) refinery.say(`ended ${String(ended)} processes that an earlier test left`);
  const told = await toldOf(refinery.desk);
  const memory: Memory = {
    rests: new Map(),
    kept: null,
    told,
    passed: new Map(),
    excused: new Map(),
    redMain: new Map(),
  };
  while (!refinery.cancelled.aborted) {
    const record = await refinery.record();
    if (record === null) return;
    const why = await refinery.held();
    if (why === null && !(await round(refinery, record, memory))) {
      refinery.say(`town.toml names no refinery of ${record.name}`);
      return;
    }
    refinery.at(why ?? 'waits for merge requests');
    await pause(REFINERY.pollMs, null, { signal: refinery.cancelled }).catch(() => null);
  }
}

/** Whether it is wanted further. */
async function round(refinery: Refinery, record: RigRecord, memory: Memory): Promise<boolean> {
  const { rests, told } = memory;
  const requests = (await refinery.box.names()).length === 0 ? [] : await requestsIn(refinery.box, record.name);
  const open = new Set(requests.map(({ mail }) => mail));
  for (const mail of rests.keys()) if (!open.has(mail)) rests.delete(mail);
  for (const request of inTurn(requests, rests, performance.now())) {
    if (refinery.cancelled.aborted) return true;
    const merging = await refinery.merging();
    if (merging === null) return false;
    await take(refinery, { record, merging }, request, memory);
    await keepRests(refinery, memory);
  }
  await keepRests(refinery, memory);
  await untell(refinery.desk, told, new Set([...rests.values()].map(({ key }) => key)));
  return true;
}

/** Written where it changed. */
async function keepRests({ keepWaiting }: Refinery, memory: Memory): Promise<void> {
  const waits = [...memory.rests.values()].flatMap(({ bead, why }) => (bead === null ? [] : [{ bead, why }]));
  const text = JSON.stringify(waits);
  if (text === memory.kept) return;
  await keepWaiting(waits);
  memory.kept = text;
}

/** Those that do not rest: what was never tried goes before what waited. `requests`: the oldest first. */
export function inTurn<R extends Pick<Request, 'mail'>>(
  requests: readonly R[],
  rests: ReadonlyMap<string, Pick<Rest, 'until'>>,
  now: number,
): R[] {
  const waited = requests.filter(({ mail }) => now >= (rests.get(mail)?.until ?? Infinity));
  return [...requests.filter(({ mail }) => !rests.has(mail)), ...waited];
}

async function take(
  refinery: Refinery,
  { record, merging }: Pick<Refining, 'record'> & { readonly merging: Merging | Unread },
  request: Request,
  memory: Memory,
): Promise<void> {
  const began = performance.now();
  const isOpen = async ({ mail }: Request): Promise<boolean> => (await refinery.box.names()).includes(mail);
  const { passed, excused, redMain } = memory;
  const outcome: Outcome =
    'unread' in merging
      ? { is: 'waits', kind: 'place', why: merging.unread }
      : await refine({ ...refinery, record, merging, isOpen, passed, excused, redMain }, request);
  if (refinery.cancelled.aborted && outcome.is === 'waits') return;
  const name = request.branch ?? request.polecat ?? request.mail;
  if (outcome.is === 'waits') {
    const { kind } = outcome;
    const ms = restAfter(kind, performance.now() - began, memory.rests.get(request.mail)?.ms ?? null);
    refinery.say(`${name} waits: ${outcome.why}`);
    const key = kind === 'moves' ? kind : await tellPerson(refinery.desk, memory.told, outcome, request);
    const [until, why] = [performance.now() + ms, causeOf(outcome)];
    memory.rests.set(request.mail, { kind, key, ms, until, bead: request.bead, why });
    return;
  }
  memory.rests.delete(request.mail);
  if (outcome.is === 'withdrawn') {
    refinery.say(`${name}: its request was taken back`);
    return;
  }
  wakeRests(memory.rests, outcome.is);
  const seconds = Math.round((performance.now() - began) / 1_000);
  await close(refinery, record, request, outcome, !('unread' in merging) && merging.deletesBranch);
  refinery.say(`${name}: ${TEXT[outcome.is](outcome)} (${String(seconds)} s)`);
}

/** A request whose test runs into its limit each time holds the others up no longer than they have the refinery to themselves. */
export function restAfter(kind: string, triedMs: number, lastMs: number | null): number {
  const maxMs = kind === 'remote' ? REFINERY.maxRemoteRestMs : REFINERY.maxRestMs;
  return Math.max(triedMs, Math.min(maxMs, lastMs === null ? REFINERY.restMs : lastMs * 2));
}

/**
 * What kept others waiting may be over too: all but a test without a result where one was merged, since that may run up to its limit once
 * more; the remote where it answered.
 */
export function wakeRests(rests: Map<string, Rest>, outcome: Closed['is']): void {
  for (const [mail, its] of rests)
    if (its.kind === 'remote' || (outcome === 'merged' && its.kind !== 'test'))
      rests.set(mail, { ...its, ms: null, until: 0 });
}

type Closed = Exclude<Outcome, { is: 'waits' | 'withdrawn' }>;
const TEXT: Readonly<Record<Closed['is'], (outcome: Closed) => string>> = {
  merged: (outcome) => (outcome.is === 'merged' ? `merged, ${outcome.main.branch} is at ${outcome.commit}` : ''),
  failed: (outcome) => (outcome.is === 'failed' ? `goes back: ${outcome.why.split('\n', 1)[0] ?? ''}` : ''),
  asked: () => 'its pull request is open; the host merges it',
};

async function close(
  refinery: Refinery,
  record: RigRecord,
  request: Request,
  outcome: Closed,
  deletesBranch: boolean,
): Promise<void> {
  if (outcome.is === 'merged' && deletesBranch) await dropBranch(refinery, record, request, outcome);
  if (outcome.is === 'asked') await refinery.keepPullRequest(request, outcome);
  else await answer(refinery.desk, request, outcome);
  await refinery.box.archiveAll([request.mail]);
  if (outcome.is !== 'asked') await refinery.wake();
}

/** Branches of polecats, where a witness said which commit is meant: a branch that a person named is theirs. */
async function dropBranch(
  { say }: Refinery,
  record: RigRecord,
  { commit }: Request,
  { work, main }: Extract<Outcome, { is: 'merged' }>,
): Promise<void> {
  const { branch } = work;
  if (commit === null || !work.isTip || !branch.startsWith('polecat/') || branch === main.branch) return;
  await pushTo(record, main.remote, { branch, from: work.commit, to: null }).catch((error: unknown) => {
    if (!(error instanceof GitFailed)) throw error;
    say(`${branch} stays on ${main.remote}: ${error.message}`);
  });
}
