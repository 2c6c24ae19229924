/** [dance]: the kennel and its dogs in virtual time, and the rules they follow. */
import { afterCrash, afterRestart } from '../../../machines/hearings/dance.ts';
import { heardAfter, oftenHeard } from '../../../machines/hearings/history.ts';
import { mustEscalate, type Pool } from '../../../machines/hearings/queue.ts';
import type { Dance, PastHearing, Obstacle, Order, Proc, Observation } from '../../../machines/protocol.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { signalHand } from '../../../src/proc/signal.ts';
import { incarnation, WALL, warrant, type Drive } from '../../world/drive.ts';
import { ASKED, DEAF, seeing, type Answer, type SimHands } from '../../world/hands.ts';
import { danceAt, SIGHTS, tools, TREE } from '../../hearings/lone.ts';
import { HOUR, MINUTE, SECOND, drive, failed, probe, section, type Probes } from './probe.ts';

/** What a hearing meets; without a word it is asked, silent, and dies at the first signal. */
interface Court {
  readonly observation?: Observation | ((order: Extract<Order, { type: 'look' }>) => Observation);
  readonly obstacle?: Obstacle;
  readonly lookMs?: number;
  readonly rescue?: Answer;
  readonly alert?: Answer;
  readonly alive?: readonly Proc[];
}
const BUSY: Obstacle = { kind: 'busy', what: 'copy mode' };

/** A hearing of `gt-rig-1`, as far as it gets in this time. */
function hearing(settings: Settings, ms: number, meets: Court = {}, filedAt = WALL): Drive {
  const { observation = SIGHTS.silent, obstacle, lookMs = 1, alive = [], rescue, alert } = meets;
  const court: SimHands = {
    ask: obstacle ? { type: 'NOT_ASKED', obstacle } : ASKED,
    look: (order) => ({
      after: lookMs,
      body: seeing(typeof observation === 'function' ? observation(order) : observation),
    }),
    listTree: { type: 'TREE_LISTED', tree: TREE },
    rescue,
    signal: { type: 'SIGNALLED', alive, newcomers: [] },
    alert,
  };
  const town = drive(settings, [court, DEAF]);
  town.tell({ type: 'WARRANT_FILED', warrant: warrant('w1', incarnation(1), { filedAt }) });
  town.run(ms);
  return town;
}
const count = (town: Drive, type: Order['type']): number => town.given(type).length;
const signals = (town: Drive) => town.given('signal').map(({ signal, graceMs }) => ({ signal, graceMs }));
/** Long enough for three windows, the execution and what is told of it. */
const WHOLE = 10 * MINUTE;

const heard = (agoMs: number, more: Partial<PastHearing> = {}): PastHearing => ({
  id: 'dog-1',
  uuid: 'uuid-1',
  session: 'gt-rig-1',
  verdict: 'pardoned',
  reason: 'signs of life',
  evidenceOnly: true,
  closedAt: WALL - agoMs,
  ...more,
});
const poolOf = ({ policy }: Settings, entries: readonly PastHearing[]): Pool => ({
  tools: tools(policy.dance),
  queue: [],
  waiting: [],
  dogs: {},
  pastHearings: entries,
  handled: new Set(),
  lastDanceMs: 0,
});
const closed: Dance = danceAt({ verdict: 'pardoned', closedAt: WALL });

/** A signal that rests on a look of 3 s ago. */
async function signalled({ policy, hands }: Settings): Promise<string> {
  const hand = signalHand({
    processes: { treeOf: () => Promise.resolve([]), alive: () => false, refusal: () => null, signal: () => true },
    clock: { now: () => 3 * SECOND, wall: () => WALL, sleep: () => Promise.resolve() },
    ttyOf: () => Promise.resolve(null),
    mayKill: () => Promise.resolve(true),
    drain: () => Promise.resolve(),
    policy: { ...policy.dance, ...hands },
  });
  const order = { type: 'signal', id: { name: 's' }, target: incarnation(1), signal: 'TERM', tree: [] } as const;
  return hand({ ...order, graceMs: 0, lookedAt: 0 }, new AbortController().signal).then(
    ({ type }) => type,
    (error: unknown) => String(error),
  );
}

export const dance: Probes = section('dance', {
  pool_size: probe('1', (settings) => {
    const town = hearing(settings, 0);
    for (const n of [2, 3]) town.tell({ type: 'WARRANT_FILED', warrant: warrant(`w${n}`, incarnation(n)) });
    town.run(SECOND);
    return count(town, 'ask');
  }),
  windows: probe('10s,20s', (settings) => count(hearing(settings, WHOLE), 'ask')),
  pardon_on: probe('answer', (settings) => hearing(settings, MINUTE / 2, { observation: SIGHTS.evidence }).trail),
  look_every: probe('500ms', (settings) => count(hearing(settings, 10 * SECOND), 'look')),
  max_per_look: probe('10s', (settings) => count(hearing(settings, 2 * MINUTE, { lookMs: 4 * SECOND }), 'ask')),
  retry: probe('1s', (settings) => count(hearing(settings, MINUTE, { obstacle: BUSY }), 'ask')),
  undeliverable: probe('1m', (settings) => hearing(settings, 2 * MINUTE, { obstacle: BUSY }).trail),
  person: probe('1m', (settings) => hearing(settings, 2 * MINUTE, { observation: SIGHTS.person }).trail),
  gone_again: probe(
    '1s',
    (settings) => hearing(settings, 5 * SECOND, { observation: SIGHTS['gone with its pane'] }).trail,
  ),
  term_grace: probe('1s', (settings) => signals(hearing(settings, WHOLE))),
  kill_grace: probe('1s', (settings) => signals(hearing(settings, WHOLE, { alive: TREE }))),
  max_rounds: probe('1', (settings) => signals(hearing(settings, WHOLE, { alive: TREE })).length),
  look_stale: probe('1s', signalled),
  max_rescues: probe('1', (settings) => count(hearing(settings, WHOLE, { rescue: failed }), 'rescue')),
  save_every: probe('1s', (settings) => {
    const saved = [...hearing(settings, 9 * SECOND).records.values()].find(({ kind }) => kind === 'dance');
    return saved?.kind === 'dance' ? saved.value.observedMs : null;
  }),
  max_crashes: probe('1', ({ policy }) => afterCrash(danceAt({}), 'a test', policy.dance).stage),
  max_recoveries: probe('1', ({ policy }) => afterRestart(danceAt({ recoveries: 3 }), policy.dance).stage),
  warrant_expires: probe('1h', (settings) => hearing(settings, SECOND, {}, WALL - 2 * HOUR).trail),
  overdue: probe('1h', (settings) => count(hearing(settings, 20 * MINUTE, { observation: SIGHTS.unknown }), 'alert')),
  evidence_only_within: probe('1m', ({ policy }) =>
    mustEscalate([heard(9 * MINUTE), heard(5 * MINUTE)], 'uuid-1', WALL, tools(policy.dance)),
  ),
  max_evidence_only: probe('3', ({ policy }) =>
    mustEscalate([heard(9 * MINUTE), heard(5 * MINUTE)], 'uuid-1', WALL, tools(policy.dance)),
  ),
  heard_often: probe('2', ({ policy }) => oftenHeard([heard(MINUTE), heard(0)], WALL, tools(policy.dance))),
  heard_within: probe('1h', (settings) => heardAfter(poolOf(settings, [heard(2 * HOUR)]), closed).length),
  read_warrants_every: probe('10s', (settings) => {
    const town = drive(settings, {});
    town.run(MINUTE);
    return count(town, 'readWarrants');
  }),
});
