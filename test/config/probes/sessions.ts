/** [sessions] and [supervisor]: what becomes of a session or an actor that fell. */
import type { SessionsPolicy } from '../../../machines/sessions/policy.ts';
import type { OutcomeBody, SeenSession, SessionRecord } from '../../../machines/protocol.ts';
import { afterDeath, waitFor } from '../../../machines/sessions/lifecycle.ts';
import { settle } from '../../../machines/kernel/supervisor.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { incarnation, type Drive } from '../../world/drive.ts';
import { DEAF, type SimHands } from '../../world/hands.ts';
import { Machine } from '../../world/machine.ts';
import { session } from '../../state/make.ts';
import { drive, MINUTE, SECOND, section, type Probes } from './probe.ts';

const NAMES = ['gt-a', 'gt-b', 'gt-c'];
const record = (name: string, more: Partial<SessionRecord> = {}): SessionRecord =>
  session(name, { incarnation: incarnation(name, { session: name }), restartAgesMs: [], ...more });

interface World {
  readonly server?: 'up' | 'gone' | 'unknown';
  readonly life?: SeenSession['life'];
  readonly limit?: string;
  readonly more?: Partial<SessionRecord>;
}
/** Three sessions that run; every scan shows the same. */
function watching(settings: Settings, ms: number, { server = 'up', life = 'alive', limit, more = {} }: World): Drive {
  const sessions = NAMES.map((name) => record(name, more));
  const seen = sessions.map(({ spec, incarnation: at }) => ({
    ...{ name: spec.name, uuid: at?.uuid ?? '', life, exit: null, condemned: false, limit },
  }));
  const town = drive(settings, {
    readSessions: () => ({ type: 'SESSIONS_READ', sessions }),
    startSession: () => ({ type: 'SESSION_NOT_STARTED', why: 'somebody is in it', taken: true }),
    scan: (): OutcomeBody => ({ type: 'SESSIONS_SEEN', server, seen: server === 'unknown' ? [] : seen }),
  });
  town.run(ms);
  return town;
}
const waits = (town: Drive): number[] => recorded(town).map(({ waitMs }) => waitMs);
const recorded = (town: Drive): SessionRecord[] => town.sessions;

/** A session that dies once and leaves a process, or left some in that many lives before; whoever is told to end it does not. */
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
  const death = { exit: { kind: 'code', code: 1 }, condemned: false, elapsedMs: 0, sharedWaitMs: null };
  return afterDeath(record('gt-a', more), { ...death, exit: { kind: 'code', code: 1 } }, policy, 'test');
};

export const sessions: Probes = section('sessions', {
  backoff: { other: '10s', decides: ({ policy }) => died(policy.sessions).waitMs },
  max_backoff: { other: '10s', decides: ({ policy }) => waitFor(20, policy.sessions, 'test', 'gt-a') },
  jitter: { other: '0', decides: ({ policy }) => died(policy.sessions).waitMs },
  stable: {
    other: '1m',
    decides: (settings) => recorded(watching(settings, 2 * MINUTE, { more: { streak: 3 } })).map((r) => r.streak),
  },
  stable_steps: {
    other: '2',
    decides: (settings) => recorded(watching(settings, 2 * MINUTE, { more: { streak: 3 } })).map((r) => r.stableMs),
  },
  crash_loop_restarts: { other: '1', decides: ({ policy }) => died(policy.sessions).crashLoop },
  within: {
    other: '30s',
    decides: ({ policy }) => died(policy.sessions, { restartAgesMs: Array<number>(4).fill(MINUTE) }).crashLoop,
  },
  scan_every: { other: '10s', decides: (settings) => watching(settings, MINUTE, {}).given('scan').length },
  min_scan_gap: {
    other: '1s',
    decides: (settings) => {
      const town = watching(settings, 0, {});
      const before = town.given('scan').length;
      for (let hint = 0; hint < 100; hint++) {
        town.tell({ type: 'SESSION_DIED', server: 500, paneId: '%1', exit: { kind: 'unknown' } });
        town.run(10);
      }
      return town.given('scan').length - before;
    },
  },
  server_deaths: { other: '2', decides: (settings) => serverKeepsDying(settings, MINUTE) },
  server_deaths_within: { other: '10s', decides: (settings) => serverKeepsDying(settings, MINUTE) },
  stagger: {
    other: '5s',
    decides: (settings) => waits(watching(settings, SECOND / 2, { server: 'gone', life: 'absent' })),
  },
  max_starting: {
    other: '1',
    decides: (settings) => {
      const sessions = NAMES.map((name) => record(name, { state: 'starting', pending: name }));
      const town = drive(settings, { readSessions: () => ({ type: 'SESSIONS_READ', sessions }) });
      town.run(SECOND);
      return town.given('startSession').length;
    },
  },
  taken_retry: {
    other: '1m',
    decides: (settings) => waits(watching(settings, SECOND, { more: { state: 'starting', pending: 'next' } })),
  },
  limit_retry: {
    other: '1h',
    decides: (settings) => waits(watching(settings, SECOND / 2, { life: 'dead', limit: 'limit reached' })),
  },
  unknown_alarm: {
    other: '1h',
    decides: (settings) => watching(settings, 2 * MINUTE, { server: 'unknown' }).given('alert').length,
  },
  survivors: { other: 'end', decides: (settings) => leaving(settings, MINUTE).given('signal').length },
  survivors_every: { other: '1s', decides: (settings) => leaving(settings, MINUTE).given('listSurvivors').length },
  max_remains: {
    other: '2',
    decides: (settings) => recorded(leaving(settings, MINUTE, 4)).flatMap(({ remains }) => remains?.length),
  },
});

/** A supervisor whose child `a` just fell, after falls so long ago: when it starts again, or why it gives up. */
function fallen({ policy }: Settings, agesMs: readonly number[]): unknown {
  const plan = { strategy: 'one_for_one', children: [{ id: 'a', src: 'a' }], policy: policy.supervisor } as const;
  const now = 10 * MINUTE;
  const restarts = agesMs.map((ageMs) => ({ id: 'a', at: now - ageMs }));
  const ctx = { due: [], restarts, restarted: {}, wakeAt: 0, fallen: [{ id: 'a', message: 'a test' }] };
  try {
    return settle({ ...ctx, plan: { ...plan, entropy: 'test' } }, 'watch', now).wakeAt;
  } catch (error) {
    return String(error);
  }
}
const FIVE = Array<number>(5).fill(MINUTE);

export const supervisor: Probes = section('supervisor', {
  max_restarts: { other: '10', decides: (settings) => fallen(settings, FIVE) },
  within: { other: '30s', decides: (settings) => fallen(settings, FIVE) },
  backoff: { other: '10s', decides: (settings) => fallen(settings, []) },
  max_backoff: { other: '2s', decides: (settings) => fallen(settings, FIVE.slice(1)) },
  jitter: { other: '0', decides: (settings) => fallen(settings, []) },
});
