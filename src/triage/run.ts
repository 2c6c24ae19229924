/**
 * A run of the reasoner, where the table says so, in a process of its own. It is on record before it begins, so that one that was killed
 * counts too. The Deacon's round carries out what it chose.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { FENCE_SIGNS } from '../../machines/kernel/fence.ts';
import type { TriageCase } from '../../machines/triage/cases.ts';
import { dispatchTriage, type QueueSeen, type RunCame, type RunSeen } from '../../machines/triage/dispatch.ts';
import type { TriagePolicy } from '../../machines/triage/policy.ts';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import type { Disk } from '../../state/files/disk.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { lockTriage, readRun, removeWords, saveRun, saveWords, type TriageRun } from '../../state/triage/run.ts';
import { chance } from '../ledger/ids.ts';
import { evidenceOf } from '../ledger/walk.ts';
import type { RunEnded } from '../proc/marked-run.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { TRIAGE_RECORDS, type TriageHandsPolicy } from './policy.ts';
import { promptOf, type Described } from './prompt.ts';
import { endAll, runReasoner } from './reasoner.ts';
import { countedCases } from './case-count.ts';
import { countTry, undecidedCases } from './requests.ts';
import { age } from '../ports/age.ts';

export interface TriageDeps {
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly policy: TriagePolicy;
  readonly limits: TriageHandsPolicy;
  /** The reasoner's words; null = there is none. */
  readonly command: readonly string[] | null;
  /** Absolute. */
  readonly root: string;
  readonly disk: Disk;
  readonly processes: ProcessTable;
  /** What is so of a case now, in a few lines, and in them what COMMIT_AND_PUSH would publish; null = that cannot be told. */
  readonly describe: (one: TriageCase) => Promise<Omit<Described, 'of'>>;
  /** Names by which an agent may be spoken to. */
  readonly namesOf: (agent: string) => readonly string[];
  /** How a program that speaks MCP reaches the role's tools. */
  readonly serves: (token: string) => object;
  readonly cancelled: AbortSignal;
}

export interface RunReport extends RunEnded {
  readonly id: string;
  readonly cases: readonly string[];
  readonly resolved: readonly string[];
}

const RUNS = 'triage/run';
const BEGAN = 'run';
const RUN = z.looseObject({ id: z.string() });
const USEFUL = 'useful';
const USELESS = 'useless';
const FAILED = 'failed';
const DAY_MS = 24 * 60 * 60_000;

/** A run, or why there is none though something is open; both null = nothing is. */
export interface Ran {
  readonly run: RunReport | null;
  readonly waits: string | null;
}

/** Ends what a killed run left, and asks the reasoner where the table says so. */
export async function runTriage(deps: TriageDeps): Promise<Ran> {
  const { ledger, now, disk, root } = deps;
  const lock = await lockTriage(root, disk);
  try {
    if (lock !== null) await endLast(deps);
    const open = (await undecidedCases(ledger)).filter(({ state }) => state === 'open');
    const seen = await queueOf(ledger, open, { now: now(), running: lock === null ? 'yes' : 'no' });
    const decided = dispatchTriage(seen, policyOf(deps.policy, deps.command));
    const wanted = decided.find(({ act }) => act === 'run');
    const cases = wanted?.act === 'run' ? open.filter(({ id }) => wanted.cases.includes(id)) : [];
    const wait = decided.find(({ act }) => act === 'wait');
    return {
      run: cases.length === 0 ? null : await runOnce(deps, cases),
      waits: wait?.act === 'wait' ? wait.why : null,
    };
  } finally {
    lock?.release();
  }
}

const iso = (now: number): string => new Date(now).toISOString();

/** A reasoner without a command is none. */
export const policyOf = (policy: TriagePolicy, command: readonly string[] | null): TriagePolicy =>
  command === null ? { ...policy, reasoner: 'none' } : policy;

/** Ends what a killed run left behind. The caller holds the lock: no run is under way. */
async function endLast({ disk, processes, limits, now }: TriageDeps): Promise<void> {
  const last = await readRun(disk);
  if (last === null || last.endedAt !== null) return;
  await endAll(last.id, { processes, policy: limits });
  await removeWords(disk);
  await saveRun(disk, { ...last, endedAt: now() });
}

/** The queue as the table sees it. `open`: the cases that are. */
export async function queueOf(
  ledger: Ledger,
  open: readonly TriageCase[],
  { now, running }: { readonly now: number; readonly running: QueueSeen['running'] },
): Promise<QueueSeen> {
  const cases = open.map(({ id, tries, isPersons, wasTold, unproven, createdAt }) => {
    return { id, tries, isPersons, wasTold, unproven, ageMs: age(Date.parse(createdAt), now) };
  });
  // An empty queue asks for nothing more.
  return {
    cases,
    running,
    runs: cases.length === 0 ? [] : await runsOf(ledger, now),
    counted: await countedCases(ledger),
  };
}

/** Runs of the last day, the youngest first. */
async function runsOf(ledger: Ledger, now: number): Promise<RunSeen[]> {
  const ends = new Map<string, { readonly at: number; readonly came: RunCame }>();
  const runs: RunSeen[] = [];
  for await (const { kind, text, at } of evidenceOf(ledger, RUNS)) {
    if (age(at, now) > DAY_MS) break;
    // A person may write under that name too.
    const run = RUN.safeParse(orNull(() => JSON.parse(text) as unknown));
    if (!run.success) continue;
    const { id } = run.data;
    if (kind !== BEGAN) ends.set(id, { at, came: kind === USEFUL || kind === USELESS ? kind : FAILED });
    else
      runs.push({
        agoMs: age(at, now),
        restedMs: age(ends.get(id)?.at ?? at, now),
        came: ends.get(id)?.came ?? FAILED,
      });
  }
  return runs;
}

/** Runs that have begun since then (wall ms): each is counted as one call of a model. */
export async function modelCallsSince(ledger: Ledger, since: number): Promise<number> {
  let count = 0;
  for await (const { kind, at } of evidenceOf(ledger, RUNS)) {
    if (at < since) break;
    if (kind === BEGAN) count += 1;
  }
  return count;
}

async function runOnce(deps: TriageDeps, cases: readonly TriageCase[]): Promise<RunReport> {
  const { ledger, now, disk, policy, limits } = deps;
  const described = await Promise.all(cases.map(async (of) => ({ ...(await deps.describe(of)), of })));
  const prompt = promptOf(described, chance(FENCE_SIGNS), limits.maxCaseBytes);
  const [id, token, startedAt] = [randomUUID(), randomBytes(TOKEN_BYTES).toString('hex'), now()];
  const run: TriageRun = {
    id,
    startedAt,
    deadlineAt: startedAt + policy.deadlineMs,
    tokenHash: hashOf(token),
    endedAt: null,
    cases: cases.map((one) => one.id),
    maxCalls: limits.maxCalls,
    shown: shownIn(prompt, described),
    agents: [...new Set(cases.flatMap(({ agent }) => (agent === '' ? [] : deps.namesOf(agent))))],
  };
  await saveRun(disk, run);
  await saveWords(disk, { prompt, mcp: deps.serves(token) });
  await noteRun(ledger, BEGAN, { id, cases: run.cases, model_calls: 1 }, startedAt);
  for (const one of cases) await countTry(ledger, one.id, iso(startedAt));
  try {
    const { root, command, processes, cancelled } = deps;
    const files = { prompt: join(root, FILES.triagePrompt), mcp: join(root, FILES.triageMcp) };
    const words = { id, command: command ?? [], dir: join(root, FOLDERS.triage), root, token, ...files };
    const bounds = { deadlineMs: policy.deadlineMs, cancelled, policy: limits };
    const ended = await runReasoner({ ...words, ...bounds, processes });
    const open = (await undecidedCases(ledger)).filter(({ state, wasTold }) => state === 'open' && !wasTold);
    const left = new Set(open.map((one) => one.id));
    const resolved = run.cases.filter((one) => !left.has(one));
    const { is, text } = ended;
    const what = { id, is, text, resolved, output: ended.output.slice(-TRIAGE_RECORDS.maxOutput) };
    const came = resolved.length > 0 ? USEFUL : is === 'failed' ? FAILED : USELESS;
    await noteRun(ledger, came, what, now());
    return { id, cases: run.cases, resolved, ...ended };
  } finally {
    await saveRun(disk, { ...run, endedAt: now() });
    await removeWords(disk);
  }
}
const TOKEN_BYTES = 32;

/** A long description is cut: what was cut off was not shown. */
function shownIn(prompt: string, described: readonly Described[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    described.flatMap(({ of, publishes }) =>
      publishes !== null && prompt.includes(publishes.text) ? [[of.id, publishes.mark]] : [],
    ),
  );
}

const noteRun = (
  ledger: Ledger,
  kind: string,
  what: { readonly id: string; readonly [more: string]: unknown },
  at: number,
): Promise<unknown> =>
  ledger.addEvidence({ id: `${what.id}-${kind}`, author: RUNS, kind, text: JSON.stringify(what), at });
