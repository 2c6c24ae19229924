/** `[triage]`: when the reasoner is asked and when a person, and what bounds a run. */
import { randomUUID } from 'node:crypto';
import { newBead, type Bead, type Official } from '../../../machines/ledger/bead.ts';
import { OPTIONS, type TriageCase } from '../../../machines/triage/cases.ts';
import { actsOf } from '../../../machines/triage/acts.ts';
import { dispatchTriage, type CaseSeen, type RunSeen } from '../../../machines/triage/dispatch.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { promptOf } from '../../../src/triage/prompt.ts';
import { runReasoner } from '../../../src/triage/reasoner.ts';
import { refuseMany } from '../../../src/triage/role.ts';
import { requestTriage, undecidedCases } from '../../../src/triage/requests.ts';
import { MemoryLedger } from '../../ledger/memory.ts';
import { HOUR, MINUTE, probe, section, type Probes } from './probe.ts';

const open = (more: Partial<CaseSeen> = {}): CaseSeen => ({
  id: 'a',
  ageMs: MINUTE,
  tries: 0,
  isPersons: false,
  unproven: null,
  wasTold: false,
  ...more,
});
const ran = (ago: number, wasUseful: boolean): RunSeen => ({
  agoMs: ago,
  restedMs: ago,
  came: wasUseful ? 'useful' : 'failed',
});
const dispatched =
  (cases: readonly CaseSeen[], runs: readonly RunSeen[] = []) =>
  ({ triage }: Settings): unknown =>
    dispatchTriage({ cases, runs, running: 'no', counted: null }, triage.policy).map(({ act }) => act);

const NUX = 'shop/polecats/nux';
const crashed: TriageCase = {
  id: 'tw-1',
  type: 'crash_loop',
  agent: NUX,
  rig: 'shop',
  options: OPTIONS.crash_loop,
  state: 'resolved',
  context: '',
  snapshot: 'tw-2',
  createdAt: '',
  tries: 0,
  isPersons: false,
  unproven: null,
  wasTold: false,
  plan: null,
  resolution: null,
  outcome: '',
};
const RESTART = { choice: 'RESTART_WITH_BACKOFF', by: 'triage', via: 'triage', note: '', at: '' } as const;
const IDLE = { standing: 'ended', isAnother: false, wishesEnd: 'no', holds: 'tw-2' } as const;
const rested =
  (attempts: number) =>
  ({ triage, patrols }: Settings): unknown =>
    actsOf(
      crashed,
      RESTART,
      { ...IDLE, work: { id: 'tw-2', holder: NUX, isClosed: false, attempts } },
      { ...triage.policy, ...patrols.patrol, redispatchAttempts: 100 },
    );

const BY_TOWN = { by: 'shop/witness', via: 'town', life: null, at: new Date(0).toISOString() } as const;
const MAYORS: Official['resolution'] = { ...BY_TOWN, choice: 'ESCALATE_TO_MAYOR', note: '' };

/** `last`: how the one before it differs from one that was closed two minutes ago. */
const requested =
  (count: number, { resolution = null, ...last }: Partial<Bead & Pick<Official, 'resolution'>> = {}) =>
  async ({ triage }: Settings): Promise<unknown> => {
    const ledger = new MemoryLedger();
    const closed = { status: 'closed', closedAt: new Date(HOUR - 2 * MINUTE).toISOString() } as const;
    const labels = ['gt:triage', 'triage:stuck_agent', 'agent:n0'];
    const before = {
      id: 'tw-0',
      type: 'triage_request',
      title: 'x',
      createdBy: 'x',
      createdAt: new Date(0).toISOString(),
    };
    const metadata = { triage_type: 'stuck_agent' };
    const official = { made: BY_TOWN, resolution };
    await ledger.put(newBead({ ...before, labels, ...closed, metadata, ...last }), {
      expects: 0,
      write: 'w',
      official,
    });
    for (let n = 0; n < count; n += 1) {
      const asked = { type: 'stuck_agent', agent: `n${n}`, rig: 'shop', why: '', by: 'x', now: HOUR } as const;
      await requestTriage(ledger, { ...asked, policy: triage.policy });
    }
    return (await undecidedCases(ledger)).map(({ isPersons, agent }) => [agent, isPersons]);
  };

/** What came of a run of a shell's words, ended after `deadlineMs`. */
const reasoned =
  (script: string, deadlineMs: (settings: Settings) => number) =>
  async (settings: Settings): Promise<unknown> => {
    const files = { dir: '/', root: '/', prompt: '/dev/null', mcp: '/dev/null' };
    const limits = { deadlineMs: deadlineMs(settings), cancelled: new AbortController().signal };
    const id = `probe-${randomUUID()}`;
    const words = { id, command: ['/bin/sh', '-c', script], token: 'x', ...files, ...limits };
    const { is, output } = await runReasoner({ ...words, policy: settings.triage.hands, processes: createProcesses() });
    return { is, length: output.length };
  };
const patient = (): number => 20 * 1_000;

/** Those that start real programs. */
export const triageLive: Probes = section('triage', {
  deadline: probe(
    '100ms',
    reasoned('sleep 1', ({ triage: { policy } }) => policy.deadlineMs),
  ),
  kill_grace: probe(
    '10ms',
    reasoned("exec 2>/dev/null; trap 'sleep 1; echo bye; exit' TERM; while :; do sleep 0.1; done", () => 1_000),
  ),
  max_output: probe('1024', reasoned('yes | head -c 5000', patient)),
});

export const triage: Probes = section('triage', {
  reasoner: probe('none', dispatched([open()])),
  command: probe('claude -p', ({ triage: { command } }) => command),
  max_cases: probe('1', ({ triage: { policy } }) =>
    dispatchTriage({ cases: [open(), open({ id: 'b' })], runs: [], running: 'no', counted: null }, policy),
  ),
  max_open: probe('1', requested(3)),
  again_after: probe('1m', requested(1)),
  mayors: probe('1m', requested(1, { resolution: MAYORS, closedAt: new Date(HOUR - 30 * MINUTE).toISOString() })),
  cooldown: probe('1m', dispatched([open()], [ran(2 * MINUTE, false)])),
  max_runs: probe('1', dispatched([open()], [ran(HOUR, true)])),
  breaker_failures: probe('1', dispatched([open()], [ran(10 * MINUTE, false)])),
  breaker_rest: probe(
    '10m',
    dispatched(
      [open()],
      [20, 30, 40].map((ago) => ran(ago * MINUTE, false)),
    ),
  ),
  max_tries: probe('1', dispatched([open({ tries: 1 })])),
  person_after: probe('1m', dispatched([open({ ageMs: 2 * MINUTE })])),
  backoff: probe('1m', rested(0)),
  max_backoff: probe('20m', rested(3)),
  max_case: probe(
    '256',
    ({ triage: { hands } }) =>
      promptOf([{ of: crashed, facts: 'x'.repeat(5_000), publishes: null }], 'f', hands.maxCaseBytes).length,
  ),
  max_calls: probe('1', async ({ triage: { hands } }) => {
    const ledger = new MemoryLedger();
    const run = { id: 'r', startedAt: 0, deadlineAt: 1, tokenHash: '', cases: [], agents: [], endedAt: null };
    for (const id of ['1', '2']) await ledger.addEvidence({ id, author: 'triage/r', kind: 'call', text: '{}', at: 1 });
    return refuseMany(ledger, { ...run, maxCalls: hands.maxCalls }).then(
      () => 'may',
      () => 'may not',
    );
  }),
});
