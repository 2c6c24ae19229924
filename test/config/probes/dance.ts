/** [dance]: the kennel and its dogs in virtual time, and the rules they follow. */
import { afterFall, afterRestart } from '../../../machines/hearings/dance.ts';
import { heardAfter, oftenHeard } from '../../../machines/hearings/history.ts';
import { mustEscalate, type Pool } from '../../../machines/hearings/queue.ts';
import type { Dance, Heard, Obstacle, Order, Proc, Sight } from '../../../machines/protocol.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { signalHand } from '../../../src/proc/signal.ts';
import { incarnation, WALL, warrant, type Drive } from '../../world/drive.ts';
import { ASKED, DEAF, seeing, type Answer, type SimHands } from '../../world/hands.ts';
import { danceAt, SIGHTS, tools, TREE } from '../../hearings/lone.ts';
import { drive, failed, HOUR, MINUTE, SECOND, section, type Probes } from './probe.ts';

/** What a hearing meets; without a word it is asked, silent, and dies at the first signal. */
interface Court {
  readonly sight?: Sight | ((order: Extract<Order, { type: 'look' }>) => Sight);
  readonly obstacle?: Obstacle;
  readonly lookMs?: number;
  readonly rescue?: Answer;
  readonly alert?: Answer;
  readonly alive?: readonly Proc[];
}
const BUSY: Obstacle = { kind: 'busy', what: 'copy mode' };

/** A hearing of `gt-rig-1`, as far as it gets in this time. */
function hearing(settings: Settings, ms: number, meets: Court = {}, filedAt = WALL): Drive {
  const { sight = SIGHTS.silent, obstacle, lookMs = 1, alive = [], rescue, alert } = meets;
  const court: SimHands = {
    ask: obstacle ? { type: 'NOT_ASKED', obstacle } : ASKED,
    look: (order) => ({ after: lookMs, body: seeing(typeof sight === 'function' ? sight(order) : sight) }),
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

const heard = (agoMs: number, more: Partial<Heard> = {}): Heard => ({
  ...{ id: 'dog-1', uuid: 'uuid-1', session: 'gt-rig-1', verdict: 'pardoned', reason: 'signs of life' },
  ...{ evidenceOnly: true, closedAt: WALL - agoMs },
  ...more,
});
const poolOf = ({ policy }: Settings, entries: readonly Heard[]): Pool => ({
  ...{ tools: tools(policy.dance), queue: [], waiting: [], dogs: {}, heard: entries, known: new Set(), lastDanceMs: 0 },
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
  const order = {
    type: 'signal',
    id: { name: 's' },
    target: incarnation(1),
    signal: 'TERM',
    tree: [],
    graceMs: 0,
  } as const;
  return hand({ ...order, lookedAt: 0 }, new AbortController().signal).then(
    ({ type }) => type,
    (error: unknown) => String(error),
  );
}

export const dance: Probes = section('dance', {
  pool_size: {
    other: '1',
    decides: (settings) => {
      const town = hearing(settings, 0);
      for (const n of [2, 3]) town.tell({ type: 'WARRANT_FILED', warrant: warrant(`w${n}`, incarnation(n)) });
      town.run(SECOND);
      return count(town, 'ask');
    },
  },
  windows: { other: '10s,20s', decides: (settings) => count(hearing(settings, WHOLE), 'ask') },
  pardon_on: {
    other: 'answer',
    decides: (settings) => hearing(settings, MINUTE / 2, { sight: SIGHTS.evidence }).trail,
  },
  look_every: { other: '500ms', decides: (settings) => count(hearing(settings, 10 * SECOND), 'look') },
  max_per_look: {
    other: '10s',
    decides: (settings) => count(hearing(settings, 2 * MINUTE, { lookMs: 4 * SECOND }), 'ask'),
  },
  retry: { other: '1s', decides: (settings) => count(hearing(settings, MINUTE, { obstacle: BUSY }), 'ask') },
  undeliverable: {
    other: '1m',
    decides: (settings) => hearing(settings, 2 * MINUTE, { obstacle: BUSY }).trail,
  },
  person: { other: '1m', decides: (settings) => hearing(settings, 2 * MINUTE, { sight: SIGHTS.person }).trail },
  gone_again: {
    other: '1s',
    decides: (settings) => hearing(settings, 5 * SECOND, { sight: SIGHTS['gone with its pane'] }).trail,
  },
  term_grace: { other: '1s', decides: (settings) => signals(hearing(settings, WHOLE)) },
  kill_grace: { other: '1s', decides: (settings) => signals(hearing(settings, WHOLE, { alive: TREE })) },
  max_rounds: { other: '1', decides: (settings) => signals(hearing(settings, WHOLE, { alive: TREE })).length },
  look_stale: { other: '1s', decides: signalled },
  max_rescues: { other: '1', decides: (settings) => count(hearing(settings, WHOLE, { rescue: failed }), 'rescue') },
  save_every: {
    other: '1s',
    decides: (settings) => {
      const saved = [...hearing(settings, 9 * SECOND).records.values()].find(({ kind }) => kind === 'dance');
      return saved?.kind === 'dance' ? saved.value.observedMs : null;
    },
  },
  max_falls: { other: '1', decides: ({ policy }) => afterFall(danceAt({}), 'a test', policy.dance).stage },
  max_wakings: { other: '1', decides: ({ policy }) => afterRestart(danceAt({ wakings: 3 }), policy.dance).stage },
  warrant_expires: {
    other: '1h',
    decides: (settings) => hearing(settings, SECOND, {}, WALL - 2 * HOUR).trail,
  },
  overdue: {
    other: '1h',
    decides: (settings) => count(hearing(settings, 20 * MINUTE, { sight: SIGHTS.unknown }), 'alert'),
  },
  evidence_only_within: {
    other: '1m',
    decides: ({ policy }) => mustEscalate([heard(9 * MINUTE), heard(5 * MINUTE)], 'uuid-1', WALL, tools(policy.dance)),
  },
  max_evidence_only: {
    other: '3',
    decides: ({ policy }) => mustEscalate([heard(9 * MINUTE), heard(5 * MINUTE)], 'uuid-1', WALL, tools(policy.dance)),
  },
  heard_often: {
    other: '2',
    decides: ({ policy }) => oftenHeard([heard(MINUTE), heard(0)], WALL, tools(policy.dance)),
  },
  heard_within: {
    other: '1h',
    decides: (settings) => heardAfter(poolOf(settings, [heard(2 * HOUR)]), closed).length,
  },
  read_warrants_every: {
    other: '10s',
    decides: (settings) => {
      const town = drive(settings, {});
      town.run(MINUTE);
      return count(town, 'readWarrants');
    },
  },
});
