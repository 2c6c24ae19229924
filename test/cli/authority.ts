/** A ledger, and the agents and the operator who write into it by commands in this process. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { newBead, NOT_OFFICIAL, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { saveRun } from '../../state/triage/run.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { issueOf } from '../../src/ledger/issue.ts';
import { Context } from '../../src/cli/context.ts';
import { tell } from '../../src/terminal/failure.ts';
import { run } from '../../src/cli/program.ts';
import { TestTown } from './town.ts';

export let town: TestTown;
export let ledger: SqliteLedger;

/** Each opening checks a small ledger whole: with the beads of thousands of tests in it, that would be half of their time. */
const TESTS_OF_A_LEDGER = 100;
let tests = 0;

/** A town and a ledger of its own for the tests of a file. */
export function useLedger(): void {
  tests = 0;
  beforeAll(async () => {
    town = new TestTown();
    town.session('builder');
    town.session('other');
    const disk = await new Context({ root: town.root, json: false, rest: [] }).disk();
    const run = {
      id: 'r',
      startedAt: Date.now(),
      deadlineAt: Date.now() + 3_600_000,
      tokenHash: hashOf('token-of-triage'),
    };
    mkdirSync(join(town.root, 'triage'), { recursive: true });
    await saveRun(disk, { ...run, endedAt: null, cases: [], agents: ['builder'], maxCalls: 10_000 });
  });
  beforeEach(async () => {
    tests += 1;
    if (tests % TESTS_OF_A_LEDGER !== 1) return;
    if (tests > 1) ledger.close();
    rmSync(join(town.root, 'ledger'), { recursive: true, force: true });
    ledger = openLedger({ root: town.root, wall: Date.now });
    await ledger.put(newBead({ ...BASE, id: 'tw-base' }), { expects: 0, write: 'base' });
  });
  afterAll(() => {
    ledger.close();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
}

export const AT = new Date(Date.now() - 3_600_000).toISOString();
export const BASE = { title: 'work', createdBy: 'overseer', createdAt: AT };
export const by = (name: string): Official => ({
  ...NOT_OFFICIAL,
  made: { by: name, via: name === 'overseer' ? 'operator' : 'agent', life: null, at: AT },
});

/** The exit code of the command line in this process, and the code and lines of its error. */
export async function as(
  token: string | undefined,
  words: readonly string[],
): Promise<{ exit: number; code: string; lines: readonly string[] }> {
  vi.stubEnv('TOWN_TOKEN', token);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true);
  try {
    return { exit: await run(new Context({ root: town.root, json: false, rest: words }), words), code: '', lines: [] };
  } catch (error) {
    return tell(error);
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}

let count = 0;
/** An id that no other test of the run has. */
export const freshId = (begins = 'tw-'): string => `${begins}${String((count += 1))}`;
export const put = async (more: Partial<Bead> = {}, official = by('overseer')): Promise<Bead> => {
  const id = freshId();
  const links = [{ on: 'tw-base', type: 'related', createdAt: AT, createdBy: 'overseer', extra: {} }];
  const bead = newBead({ ...BASE, id, dependencies: links, labels: ['old'], ...more });
  const stored = await ledger.put(bead, { expects: 0, write: id, official });
  return stored.bead!;
};
export const now = async (id: string): Promise<Bead | null> => (await ledger.beads([id]))[0] ?? null;
/** An agent holds a few beads; those of other tests are none of its own. */
export async function clearHook(assignee: string): Promise<void> {
  for (const { id, version } of (await ledger.list({ assignee }, { limit: LEDGER.maxPage })).items)
    await ledger.remove(id, version);
}
export const hooked = (assignee: string): Partial<Bead> => ({ status: 'hooked', assignee });

/** A line of an import that has the bead otherwise. */
export function lineOf(bead: Bead, more: Record<string, unknown> = { title: 'mine now' }): string {
  const path = join(town.home, `${bead.id}.jsonl`);
  const issue = { ...issueOf(bead), updated_at: new Date().toISOString(), ...more };
  writeFileSync(path, `${JSON.stringify(issue)}\n`);
  return path;
}

export const TAKES: Readonly<Record<string, (bead: Bead) => string[]>> = {
  'bead hook': ({ id }) => ['bead', 'hook', id, 'builder'],
  'bd update --claim': ({ id }) => ['bd', 'update', id, '--claim'],
  'bd update --status=hooked': ({ id }) => ['bd', 'update', id, '--status=hooked', '--assignee=builder'],
};

export const TOWNS: Readonly<Record<string, Partial<Bead>>> = {
  'a triage request': { type: 'triage_request', metadata: { triage_type: 'dirty_polecat' } },
  'a gate': { type: 'gate', extra: { await_type: 'human' } },
  'an escalation': { isWisp: true, wispType: 'escalation', labels: ['gt:escalation', 'severity:high'] },
  'a cleanup': { isWisp: true, wispType: 'patrol', labels: ['cleanup', 'polecat:nux', 'state:pending'] },
  'a swarm': { isWisp: true, labels: ['swarm', 'swarm_id:s'] },
  'an agent': { type: 'agent' },
  'an agent by its label': { labels: ['gt:agent'] },
  'a letter': { type: 'message', assignee: 'builder' },
  'a merge request': { type: 'merge-request' },
};
