/** `[patrol]` and `[witness]`: what one cycle does about what it sees. */
import { createActor } from 'xstate';
import { keeper } from '../../../machines/ledger/keeper.ts';
import { PATROL_LEVELS } from '../../../machines/patrols/alerts.ts';
import type { NewsBody, OutcomeBody } from '../../../machines/protocol.ts';
import { limitOf } from '../../../src/town/loop.ts';
import type { RigSeen } from '../../../machines/patrols/observation.ts';
import { staleHooks } from '../../../machines/patrols/hooks.ts';
import { lastingText } from '../../../machines/patrols/tried.ts';
import { dispatchActs } from '../../../machines/patrols/dispatch.ts';
import { orphanAct } from '../../../machines/patrols/orphans.ts';
import { restOf } from '../../../src/patrols/thread/thread.ts';
import { compactionRound } from '../../../src/patrols/deacon/compaction.ts';
import { bead } from '../../ledger/beads.ts';
import { MemoryLedger } from '../../ledger/memory.ts';
import { NO_REFINERY } from '../../../machines/witness/refinery.ts';
import { agentPatrolActs, handoffDue } from '../../../machines/witness/session.ts';
import { witnessSession } from '../../../src/patrols/agent/watch.ts';
import { witnessCycle } from '../../../machines/witness/cycle.ts';
import type { PolecatSeen, WitnessSeen } from '../../../machines/witness/observation.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { dead, hooked, polecat, rig, seen, wisp, work } from '../../patrols/seen.ts';
import { HOUR, MINUTE, probe, section, type Probes } from './probe.ts';

const dispatched =
  (more: Partial<RigSeen>) =>
  ({ patrols }: Settings): unknown =>
    dispatchActs(rig(more), patrols.patrol);
const cycled =
  (more: Partial<WitnessSeen>) =>
  ({ patrols }: Settings): unknown =>
    witnessCycle(seen(more), patrols);
const ofPolecat = (more: Partial<PolecatSeen>) => cycled({ polecats: [polecat(more)] });

const undone = ({ patrols }: Settings): unknown =>
  lastingText({ 'spawn/tw-1': { cycles: 4, forMs: HOUR, why: 'no' } }, patrols.patrol);

const attempts = Array.from({ length: 20 }, (_, n) => ({ bead: `tw-${n}`, agoMs: n * MINUTE }));

const dispatch: Probes = section('patrol', {
  redispatch_cooldown: probe('1m', dispatched({ work: [work({ attempts: 1, lastAttemptMs: 2 * MINUTE })] })),
  redispatch_attempts: probe('1', dispatched({ workers: [dead()], work: [hooked()] })),
  breaker_attempts: probe('30', dispatched({ attempts, work: [work()] })),
  breaker_within: probe('10m', dispatched({ attempts, work: [work()] })),
  crash_loop_failures: probe('1', dispatched({ workers: [dead({ failureAgesMs: [1] })], work: [hooked()] })),
  crash_loop_within: probe(
    '2h',
    dispatched({ workers: [dead({ failureAgesMs: [HOUR, HOUR, HOUR] })], work: [hooked()] }),
  ),
  stale_hook: probe('10m', ({ patrols }) => {
    const hook = { bead: 'tw-1', assignee: 'x', hookedMs: 30 * MINUTE, session: 'none' } as const;
    return staleHooks([hook], patrols.patrol).length;
  }),
  orphan_grace: probe('1h', ({ patrols }) =>
    orphanAct({ isPatrols: true, last: { did: 'saw', agoMs: 2 * MINUTE } }, patrols.patrol, 'tell'),
  ),
  compact: probe('1h', async ({ patrols }) => {
    const ledger = new MemoryLedger();
    const at = new Date(0).toISOString();
    const wisp = bead('tw-w', { isWisp: true, status: 'closed', createdAt: at, updatedAt: at, closedAt: at });
    await ledger.put(wisp, { expects: 0, write: 'w' });
    return (await compactionRound({ ledger, settings: { patrols }, memory: [] }, 2 * HOUR)).seen;
  }),
  undone_cycles: probe('9', undone),
  undone_for: probe('2h', undone),
});

const session = (settings: Settings): unknown => witnessSession(settings, { name: 'shop', repo: '/shop' });

const witness: Probes = section('witness', {
  mode: probe('session', session, ['witness.command=watch']),
  command: probe('watch', session, ['witness.mode=session']),
  max_cycles: probe('5', ({ policy, patrols: { witness: own } }) =>
    handoffDue({ contextUsed: null, cycles: 10 }, { ...policy.rounds, ...own }),
  ),
  nudge_after: probe('1m', ofPolecat({ hook: null, idleMs: 2 * MINUTE })),
  deadline_after: probe('6m', ofPolecat({ hook: null, idleMs: 10 * MINUTE })),
  deadline: probe('1m', ofPolecat({ hook: null, idleMs: HOUR, nudged: 'with deadline', deadlineMs: 2 * MINUTE })),
  nudge_again: probe(
    '1h',
    ofPolecat({
      hook: null,
      idleMs: 10 * MINUTE,
      hookMemory: {
        nudgedMs: null,
        askedMs: null,
        exemptMs: null,
        unspoken: null,
        refusedMs: 6 * MINUTE,
      },
    }),
  ),
  hook_nudge: probe('1h', ofPolecat({ stillMs: 40 * MINUTE })),
  hook_case: probe('90m', ofPolecat({ stillMs: 80 * MINUTE })),
  hook_stalled: probe('90m', ofPolecat({ stillMs: 100 * MINUTE })),
  hung: probe(
    '1h',
    ofPolecat({
      stillMs: 40 * MINUTE,
      idleMs: 40 * MINUTE,
      nudged: 'with deadline',
      deadlineMs: 0,
      hookMemory: {
        nudgedMs: 10 * MINUTE,
        askedMs: null,
        exemptMs: null,
        refusedMs: null,
        unspoken: null,
      },
    }),
  ),
  done_intent: probe('1h', ofPolecat({ doneIntentMs: 2 * MINUTE })),
  refinery_wait: probe(
    '1h',
    cycled({ refinery: { ...NO_REFINERY, session: 'alive', waiting: 1, oldestMs: 40 * MINUTE } }),
  ),
  refinery_start: probe(
    '1h',
    cycled({
      refinery: {
        ...NO_REFINERY,
        hasCommand: true,
        session: 'dead',
        waiting: 1,
        startedMs: 10 * MINUTE,
        isRestarted: true,
      },
    }),
  ),
  push: probe('false', cycled({ polecats: [polecat({ tree: 'unpushed', session: 'dead' })], wisps: [wisp()] })),
  max_cleanups: probe(
    '1',
    cycled({
      polecats: ['a', 'b'].map((name) => polecat({ name, tree: 'dirty' })),
      wisps: ['a', 'b'].map((name) => wisp({ id: name, polecat: name, wasTold: true })),
    }),
  ),
  merge_wait: probe(
    '1h',
    cycled({ polecats: [polecat({ ageMs: 3 * HOUR })], wisps: [wisp({ state: 'merge-requested', ageMs: 2 * HOUR })] }),
  ),
  start_grace: probe('10s', ofPolecat({ ageMs: MINUTE, report: 'stuck' })),
  remote_away: probe('1m', cycled({ away: { ms: 2 * MINUTE, why: '' }, polecats: [polecat({ tree: 'unpushed' })] })),
  deacon_silent: probe('1m', cycled({ deaconLateMs: 2 * MINUTE })),
});

const rounds: Probes = section('patrol', {
  max_failures: probe('1', ({ patrols: policies, policy: { rounds: policy, watchdog } }) => {
    const { activeMs, idleMs } = watchdog.deacon;
    const cycle = { of: 'shop', cycle: 1, endedAt: 0, why: 'busy', failures: 1 };
    const record = {
      ...cycle,
      observed: {},
      done: 0,
      undone: 0,
      stranded: [],
      tried: {},
      letters: null,
      memory: {},
      stands: {},
      claims: null,
    };
    const context = { policies, policy: { ...policy, activeMs, idleMs }, of: 'shop', record };
    return PATROL_LEVELS.map(({ claim }) => claim(context)?.stands.length);
  }),
  stand_in: probe('1h', ({ policy }) =>
    agentPatrolActs(
      { session: 'lives', patrolledMs: 20 * MINUTE, wokenMs: 0 },
      { ...policy.rounds, wakeAfterMs: 5 * MINUTE },
    ),
  ),
  max_context: probe('50', ({ policy }) =>
    handoffDue({ contextUsed: 60, cycles: 0 }, { ...policy.rounds, maxCycles: 5 }),
  ),
  limit: probe('1m', (settings) => limitOf({ type: 'patrol' }, settings.process)),
  rest: probe('1s', restOf),
});

/** When the keeper wakes next, after this. */
const wakesAt = (settings: Settings, ...facts: readonly (OutcomeBody | NewsBody)[]): unknown => {
  const actor = createActor(keeper, { input: { policy: settings.policy.ledger } });
  actor.start();
  const stamp = { re: { issuer: 'ledger', verb: 'open' }, at: 1, wall: 1 } as const;
  for (const body of facts) actor.send({ ...body, ...stamp });
  return actor.getSnapshot().context.wakeAt;
};
const OPENED = [
  { type: 'RIGS_READ', rigs: [], hasLedger: true },
  { type: 'LEDGER_OPENED', backedUpAt: 1 },
  { type: 'ESCALATIONS_READ', open: [], gates: [] },
] as const;
const ledger: Probes = section('ledger', {
  backup_every: probe('10s', (settings) => wakesAt(settings, ...OPENED)),
  look_every: probe('10s', (settings) => wakesAt(settings, { type: 'RIGS_READ', rigs: [], hasLedger: false })),
  soon: probe('10s', (settings) => wakesAt(settings, ...OPENED, { type: 'CHANGED', what: 'escalations' })),
});

export const patrols: Probes = { ...dispatch, ...witness, ...rounds, ...ledger };
