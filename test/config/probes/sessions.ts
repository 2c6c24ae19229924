/** [sessions] and [supervisor]: what becomes of a session or an actor that fell. */
import type { SessionsPolicy } from '../../../machines/sessions/policy.ts';
import type { Bar, OutcomeBody, SeenSession, SessionRecord } from '../../../machines/protocol.ts';
import { resumedBy } from '../../../machines/sessions/conversation.ts';
import { afterGoOn, goOnNow } from '../../../machines/sessions/limits.ts';
import { afterDeath, waitFor } from '../../../machines/sessions/lifecycle.ts';
import { settle } from '../../../machines/kernel/supervisor.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { shortOfMemory } from '../../../src/sessions/obstacle.ts';
import { incarnation, type Drive } from '../../world/drive.ts';
import { DEAF, type SimHands } from '../../world/hands.ts';
import { Machine } from '../../world/machine.ts';
import { session } from '../../state/make.ts';
import { MINUTE, SECOND, drive, probe, section, type Probes } from './probe.ts';

const NAMES = ['gt-a', 'gt-b', 'gt-c'];
const record = (name: string, more: Partial<SessionRecord> = {}): SessionRecord =>
  session(name, { incarnation: incarnation(name, { session: name }), restartAgesMs: [], ...more });

interface World {
  readonly server?: 'up' | 'gone' | 'unknown';
  readonly life?: SeenSession['life'];
  readonly limit?: string;
  readonly memoryBytes?: number;
  readonly exit?: SeenSession['exit'];
  readonly more?: Partial<SessionRecord>;
}
/** Three sessions that run; every scan shows the same. */
function watching(
  settings: Settings,
  ms: number,
  { server = 'up', life = 'alive', limit, memoryBytes, exit = null, more = {} }: World,
): Drive {
  const sessions = NAMES.map((name) => record(name, more));
  const seen = sessions.map(({ spec, incarnation: at }) => ({
    name: spec.name,
    uuid: at?.uuid ?? '',
    life,
    exit,
    maybeSignalled: false,
    limit,
    memoryBytes,
  }));
  const town = drive(settings, {
    readSessions: () => ({ type: 'SESSIONS_READ', sessions }),
    startSession: () => ({ type: 'SESSION_NOT_STARTED', why: 'another agent is in it', taken: true }),
    scan: (): OutcomeBody => ({ type: 'SESSIONS_SEEN', server, seen: server === 'unknown' ? [] : seen }),
  });
  town.run(ms);
  return town;
}
const waits = (town: Drive): number[] => recorded(town).map(({ waitMs }) => waitMs);
const recorded = (town: Drive): SessionRecord[] => town.sessions;

/** A session that dies once and leaves a process, or left some in that many lives before; an order to end it does not end it. */
function leaving(settings: Settings, ms: number, lives = 0): Drive {
  const survivors = [{ pid: 7_000, started: '1@boot', program: 'sleep' }];
  const remains = Array.from({ length: lives }, (_, n) => ({ life: incarnation(`old-${n}`), survivors }));
  const before = record('gt-a', {
    spec: { ...record('gt-a').spec, restart: 'permanent' },
    ...(lives > 0 && { remains }),
  });
  const machine = new Machine();
  machine.unrecorded = { life: 'dead' };
  const town = drive(settings, [
    {
      readSessions: { type: 'SESSIONS_READ', sessions: [before] },
      listSurvivors: ({ of }) => ({ type: 'SURVIVORS_LISTED', of: of.map((one) => ({ ...one, survivors })) }),
      signal: { type: 'SIGNALLED', alive: survivors, newcomers: [] },
    },
    machine.hands,
    DEAF,
  ]);
  town.run(ms);
  return town;
}

/** One session on a tmux server that dies as soon as it runs. */
function serverKeepsDying(settings: Settings, ms: number): number {
  const machine = new Machine();
  const startSession: SimHands['startSession'] = (order, now) => {
    const outcome = machine.start(order, now);
    machine.endServer(now);
    return outcome;
  };
  const sessions = [record('gt-a', { state: 'starting', pending: 'next' })];
  const town = drive(settings, [{ readSessions: { type: 'SESSIONS_READ', sessions }, startSession }, machine.hands]);
  town.run(ms);
  return town.given('alert').filter(({ alert }) => alert.episode === 'tmux-server-keeps-dying').length;
}

const died = (policy: SessionsPolicy, more: Partial<SessionRecord> = {}): SessionRecord => {
  const death = { exit: { kind: 'code', code: 1 }, maybeSignalled: false, elapsedMs: 0, sharedWaitMs: null };
  return afterDeath(record('gt-a', more), { ...death, exit: { kind: 'code', code: 1 } }, policy, 'test');
};

const NOW = 24 * 60 * MINUTE;
/** The sessions that the town tells to go on, of three at the limit of one account. `ofFirst`: further fields of the first one. */
function toldBy({ policy }: Settings, bar: Partial<Bar>, ofFirst: Partial<Bar> = bar): (string | undefined)[] {
  const account = { id: 'claude-0a1b2c3d', label: '~/.claude', file: null };
  const bars = NAMES.map((name, n): SessionRecord => {
    const { incarnation: life } = record(name);
    const limit = {
      by: 'limited',
      life: life?.uuid ?? '',
      since: 0,
      isCut: true,
      ...(n === 0 ? ofFirst : bar),
    } as const;
    return record(name, { account, bar: limit });
  });
  const standing = { state: 'limited', credential: null, resets: null, resetsAt: null } as const;
  const seen = bars.map(({ spec: { name }, incarnation: life }): SeenSession => {
    return { name, uuid: life?.uuid ?? '', life: 'alive', exit: null, maybeSignalled: false, standing };
  });
  const records = Object.fromEntries(bars.map((r) => [r.spec.name, r] as const));
  const book = { records, policy: policy.sessions, entropy: 'test' };
  return goOnNow(book, seen, { at: NOW, wall: NOW }).orders.map(({ id }) => id.life);
}

/** When one that could not be told is tried again. */
function againAt({ policy }: Settings): unknown {
  const life = incarnation('gt-a');
  const asked = { is: 'asked', at: NOW } as const;
  const r = record('gt-a', { incarnation: life, bar: { by: 'limited', life: life.uuid, since: 0, goOn: asked } });
  const re = { issuer: 'sessions', verb: 'goOn', life: life.uuid } as const;
  const fact = { type: 'NOT_NUDGED', obstacle: { kind: 'gone', paneStays: false }, re, at: NOW, wall: NOW } as const;
  return afterGoOn({ records: { 'gt-a': r }, policy: policy.sessions }, fact).changes.records;
}

export const sessions: Probes = section('sessions', {
  backoff: probe('10s', ({ policy }) => died(policy.sessions).waitMs),
  max_backoff: probe('10s', ({ policy }) => waitFor(20, policy.sessions, 'test', 'gt-a')),
  jitter: probe('0', ({ policy }) => died(policy.sessions).waitMs),
  stable: probe('1m', (settings) =>
    recorded(watching(settings, 2 * MINUTE, { more: { streak: 3 } })).map((r) => r.streak),
  ),
  stable_steps: probe('2', (settings) =>
    recorded(watching(settings, 2 * MINUTE, { more: { streak: 3 } })).map((r) => r.stableMs),
  ),
  crash_loop_restarts: probe('1', ({ policy }) => died(policy.sessions).crashLoop),
  within: probe(
    '30s',
    ({ policy }) => died(policy.sessions, { restartAgesMs: Array<number>(4).fill(MINUTE) }).crashLoop,
  ),
  min_free_memory: probe('900 TB', ({ hands }) => shortOfMemory(hands) !== null),
  max_memory: probe('1 kB', (settings) =>
    watching(settings, SECOND, { memoryBytes: 2_000 })
      .given('alert')
      .filter(({ alert }) => alert.episode.startsWith('memory/'))
      .map(({ alert }) => alert.text),
  ),
  scan_every: probe('10s', (settings) => watching(settings, MINUTE, {}).given('scan').length),
  min_scan_gap: probe('1s', (settings) => {
    const town = watching(settings, 0, {});
    const before = town.given('scan').length;
    for (let hint = 0; hint < 100; hint++) {
      town.tell({ type: 'SESSION_DIED', server: 500, paneId: '%1', exit: { kind: 'unknown' } });
      town.run(10);
    }
    return town.given('scan').length - before;
  }),
  conversation_deaths: probe('1', ({ policy }) =>
    resumedBy(record('gt-a', { conversation: { id: 'c', resumed: false, deaths: 2 } }), policy.sessions),
  ),
  server_deaths: probe('2', (settings) => serverKeepsDying(settings, MINUTE)),
  server_deaths_within: probe('10s', (settings) => serverKeepsDying(settings, MINUTE)),
  stagger: probe('5s', (settings) => waits(watching(settings, SECOND / 2, { server: 'gone', life: 'absent' }))),
  max_starting: probe('1', (settings) => {
    const sessions = NAMES.map((name) => record(name, { state: 'starting', pending: name }));
    const town = drive(settings, { readSessions: () => ({ type: 'SESSIONS_READ', sessions }) });
    town.run(SECOND);
    return town.given('startSession').length;
  }),
  taken_retry: probe('1m', (settings) =>
    waits(watching(settings, SECOND, { more: { state: 'starting', pending: 'next' } })),
  ),
  limit_retry: probe('1h', (settings) =>
    waits(watching(settings, SECOND / 2, { life: 'dead', limit: 'limit reached' })),
  ),
  limit_over: probe('1h', (settings) => toldBy(settings, { resetsAt: NOW - 10 * MINUTE })),
  limit_proof: probe('1h', (settings) => {
    const over = { resetsAt: NOW - 30 * MINUTE };
    return toldBy(settings, over, { ...over, goOn: { is: 'told', at: NOW - 20 * MINUTE } });
  }),
  limit_probe: probe('2h', (settings) => toldBy(settings, { since: NOW - 90 * MINUTE })),
  limit_again: probe('1h', againAt),
  confirm_end: probe('1s', (settings) =>
    recorded(watching(settings, 5 * SECOND, { life: 'dead', exit: { kind: 'code', code: 0 } })).map(
      (r) => r.endUnconfirmed,
    ),
  ),
  unknown_alarm: probe('1h', (settings) => watching(settings, 2 * MINUTE, { server: 'unknown' }).given('alert').length),
  survivors: probe('end', (settings) => leaving(settings, MINUTE).given('signal').length),
  survivors_every: probe('1s', (settings) => leaving(settings, MINUTE).given('listSurvivors').length),
  max_remains: probe('2', (settings) =>
    recorded(leaving(settings, MINUTE, 4)).flatMap(({ remains }) => remains?.length),
  ),
});

/** A supervisor whose child `a` just crashed, after crashes so long ago: when it starts again, or why it gives up. */
function crashed({ policy }: Settings, agesMs: readonly number[]): unknown {
  const plan = { strategy: 'one_for_one', children: [{ id: 'a', src: 'a' }], policy: policy.supervisor } as const;
  const now = 10 * MINUTE;
  const restarts = agesMs.map((ageMs) => ({ id: 'a', at: now - ageMs }));
  const ctx = { due: [], restarts, restarted: {}, wakeAt: 0, crashed: [{ id: 'a', message: 'a test' }] };
  try {
    return settle({ ...ctx, plan: { ...plan, entropy: 'test' } }, 'watch', now).wakeAt;
  } catch (error) {
    return String(error);
  }
}
const FIVE = Array<number>(5).fill(MINUTE);

export const supervisor: Probes = section('supervisor', {
  max_restarts: probe('10', (settings) => crashed(settings, FIVE)),
  within: probe('30s', (settings) => crashed(settings, FIVE)),
  backoff: probe('10s', (settings) => crashed(settings, [])),
  max_backoff: probe('2s', (settings) => crashed(settings, FIVE.slice(1))),
  jitter: probe('0', (settings) => crashed(settings, [])),
});
