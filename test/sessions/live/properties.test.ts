/** Supervised sessions against every order of events (C-6, C-9): whatever agents do, these things never happen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POLICY, type Policy } from '../../../machines/policy.ts';
import type { Incarnation, SessionSpec } from '../../../machines/protocol.ts';
import { Drive, townInput } from '../../world/drive.ts';
import type { Answer, SimHands } from '../../world/hands.ts';
import { CLEAN, CRASH, Machine } from '../../world/machine.ts';
import type { OrderOf } from '../../../src/ports/ports.ts';
import { specOf as spec } from '../one.ts';

const policy = POLICY.sessions;
const UNCHARGED = { restartAgesMs: [], streak: 0, crashLoop: false };

/** late: it lives, and is told so later. lost: it lives, and nobody is told. fails: it does not live. */
type StartMode = 'prompt' | 'late' | 'lost' | 'fails';
const LATE_MS = 45_000;

/** A machine that knows what a town must never do to it. */
class Watched extends Machine {
  /** Starts whose outcome is not known yet, by name. */
  readonly inFlight = new Map<string, { uuid: string; until: number }>();
  readonly modes = new Map<string, StartMode>();
  readonly wrongs: string[] = [];

  readonly watched: SimHands = {
    ...this.hands,
    startSession: (order, now) => this.#begin(order, now),
    signal: () => {
      this.wrongs.push('a kill outside the kennel');
      return null;
    },
    clear: ({ target }, now) => {
      if (this.isAlive(target, now)) this.wrongs.push(`${target.session} was cleared while its agent lived`);
      return { type: 'CLEARED', survivors: [] };
    },
  };

  #begin(order: OrderOf<'startSession'>, at: number): Answer {
    const { name } = order.spec;
    const other = this.inFlight.get(name);
    if (other !== undefined && at < other.until)
      this.wrongs.push(`${name} was started as ${order.uuid} while ${other.uuid} was under way`);
    const mode = this.modes.get(name) ?? 'prompt';
    if (mode === 'fails') return { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false };
    if (!this.lives.has(order.uuid) && this.of(name).some(({ diesAt }) => diesAt > at))
      this.wrongs.push(`${name} was started beside a living agent`);
    const body = this.start(order, at);
    if (mode === 'prompt') return body;
    this.inFlight.set(name, { uuid: order.uuid, until: at + LATE_MS });
    if (mode === 'late') return { after: LATE_MS, body };
    return { after: LATE_MS, body: { type: 'ORDER_FAILED', why: 'no outcome within 45 s' } };
  }

  startsOf(name: string): number[] {
    return this.starts.filter((one) => one.name === name).map(({ at }) => at);
  }
}

interface Some {
  readonly machine?: Watched;
  readonly hands?: SimHands;
  readonly policy?: Partial<Policy['sessions']>;
}
function supervised(agents: readonly SessionSpec[], { machine = new Watched(), hands = {}, ...some }: Some = {}) {
  const input = townInput({ ...POLICY, sessions: { ...policy, ...some.policy } }, { agents });
  const serverLives = ({ server }: Incarnation): boolean => !machine.isServerGone && server.pid === machine.server;
  return { machine, drive: new Drive([hands, machine.watched], { input, serverLives }) };
}

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
const mode = fc.constantFrom<StartMode>('prompt', 'late', 'lost', 'fails');
const then = fc.constantFrom<'end' | 'restart'>('end', 'restart');
const event = fc.oneof(
  fc.record({ what: fc.constantFrom('crash' as const, 'clean' as const, 'limit' as const), name }),
  fc.record({ what: fc.constant('starts' as const), name, mode }),
  fc.record({ what: fc.constant('asked' as const), name, then }),
  fc.record({ what: fc.constant('stop' as const), name, then }),
  fc.record({ what: fc.constant('wanted' as const), name }),
  fc.record({ what: fc.constantFrom('server' as const, 'blind' as const, 'sight' as const) }),
  fc.record({ what: fc.constant('killed' as const), ms: fc.integer({ min: 1_000, max: 60_000 }) }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
);

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function happen(machine: Watched, drive: Drive, one: Event): void {
  switch (one.what) {
    case 'crash':
      machine.endName(one.name, drive.now, { exit: CRASH });
      break;
    case 'clean':
      machine.endName(one.name, drive.now, { exit: CLEAN });
      break;
    case 'limit':
      machine.endName(one.name, drive.now, { exit: CRASH, limit: 'limit reached' });
      break;
    case 'starts':
      machine.modes.set(one.name, one.mode);
      return;
    case 'asked': {
      const { uuid } = drive.session(one.name).incarnation ?? { uuid: 'none' };
      const news = { type: 'END_WANTED', session: one.name, uuid, then: one.then } as const;
      drive.tell({ ...news, id: `lifecycle-${uuid}`, filedAt: 0, why: 'it asked' });
      break;
    }
    case 'stop':
      // A start by hand that fails is its caller's to see to, and not tried on.
      if (one.then === 'restart' && machine.modes.get(one.name) === 'fails') return;
      drive.tell({
        type: 'REQUESTED',
        rpc: `stop-${drive.now}`,
        via: 'operator',
        request: { verb: 'stopSession', name: one.name, then: one.then, force: false },
      });
      return;
    case 'wanted':
      drive.tell({ type: 'SESSION_WANTED', spec: drive.session(one.name).spec, uuid: null, why: 'a test' });
      return;
    case 'server':
      machine.endServer(drive.now);
      break;
    case 'blind':
    case 'sight':
      machine.tmux = one.what === 'blind' ? 'unknown' : 'up';
      break;
    case 'killed':
      machine.inFlight.clear(); // its hands end with it
      drive.restart(one.ms);
      return;
    case 'wait':
      drive.run(one.ms);
      return;
  }
  drive.tell({ type: 'POKED', what: 'sessions' });
}

const AGENTS = [spec('a', 'permanent'), spec('b', 'transient'), spec('c', 'temporary')];

/** It asked for its own end, or was stopped, and ended: only a person starts it again. */
const isRetired = (drive: Drive, one: string): boolean => {
  const { state, asked } = drive.session(one);
  return state === 'ended' && asked?.then === 'end';
};

/** Two kills of the town, each before it has outlived the clean end by long enough. */
const AFTER_CLEAN_END: Event[] = [
  { what: 'clean', name: 'b' },
  { what: 'killed', ms: 1_000 },
  { what: 'killed', ms: 1_000 },
];

describe('whatever happens to three agents', () => {
  // Rules: law 5.
  test('nobody is started twice at once, beside a living one, killed, or again after an end that ends it', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { machine, drive } = supervised(AGENTS);
        drive.run(5_000);
        const over = new Map<string, number>();
        const check = (): void => {
          for (const [one, starts] of over) expect([one, machine.startsOf(one).length]).toEqual([one, starts]);
          for (const one of names)
            if (drive.session(one).state === 'ended') over.set(one, machine.startsOf(one).length);
        };
        for (const one of events) {
          if (one.what === 'wanted' && !isRetired(drive, one.name)) over.delete(one.name);
          if (one.what === 'stop' && one.then === 'restart') over.delete(one.name);
          happen(machine, drive, one);
          check();
        }
        machine.tmux = 'up';
        machine.modes.clear();
        drive.run(40 * 60_000);
        check();
        expect(machine.wrongs).toEqual([]);
        // Nobody who should run is given up, and who ended is not there.
        expect(drive.session('a').state).toBe(isRetired(drive, 'a') ? 'ended' : 'running');
        for (const one of names) {
          const isThere = machine.of(one).some(({ diesAt }) => diesAt > drive.now);
          expect([one, drive.session(one).state]).toEqual([one, isThere ? 'running' : 'ended']);
        }
      }),
      { numRuns: 60, examples: [[AFTER_CLEAN_END]] },
    );
  });

  // Rules: C-6.
  test('one that crashes for ever, or cannot be started, disturbs no other', () => {
    const crash = fc.record({ ms: fc.integer({ min: 1, max: 600_000 }), mode, isKilled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(crash, { maxLength: 30 }), (crashes) => {
        const { machine, drive } = supervised([spec('a', 'permanent'), spec('b', 'permanent')]);
        drive.run(5_000);
        const sibling = drive.session('b');
        for (const { ms, mode: next, isKilled } of crashes) {
          machine.modes.set('a', next);
          machine.endName('a', drive.now, { exit: CRASH });
          if (isKilled) happen(machine, drive, { what: 'killed', ms: 1_000 });
          drive.run(ms);
        }
        expect(machine.startsOf('b')).toHaveLength(1);
        expect(drive.session('b')).toEqual(sibling);
        expect(drive.given('alert').map(({ alert }) => alert.session)).not.toContain('b');
        expect(machine.wrongs).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

// Rules: C-6.
test('an agent that exits at once, 1,000 times: every wait within its spread, one alarm, and never given up', () => {
  const waits: number[] = [];
  const machine = new Watched();
  machine.fates.set('a', { ms: 0, exit: CRASH });
  const agents = [spec('a', 'transient'), spec('b', 'transient')];
  const { drive } = supervised(agents, { machine, policy: { scanEveryMs: 10_000 } });
  let last = -1;
  while (machine.startsOf('a').length < 1_001) {
    drive.run(10_000);
    const { state, restarts, waitMs } = drive.session('a');
    if (state !== 'backing_off' || restarts === last) continue;
    last = restarts;
    waits.push(waitMs);
  }
  const base = (n: number) => Math.min(policy.backoffMs * 2 ** n, policy.maxBackoffMs);
  // Short waits may be over between two looks of this test, so they are told by their number.
  const late = waits.slice(-980);
  expect(late).toHaveLength(980);
  for (const ms of late) {
    expect(ms).toBeGreaterThanOrEqual(base(20) * (1 - policy.jitter));
    expect(ms).toBeLessThanOrEqual(base(20) * (1 + policy.jitter));
  }
  const gaps = machine
    .startsOf('a')
    .map((at, n, all) => at - (all[n - 1] ?? at))
    .slice(1);
  for (const [n, ms] of gaps.entries()) {
    expect(ms, `wait ${n + 1}`).toBeGreaterThanOrEqual(Math.floor(base(n) * (1 - policy.jitter)));
    expect(ms, `wait ${n + 1}`).toBeLessThanOrEqual(base(n) * (1 + policy.jitter) + 10_100);
  }
  expect(new Set(drive.alerts)).toEqual(new Set(['crash-loop/a']));
  expect(machine.startsOf('b')).toHaveLength(1);
  expect(machine.wrongs).toEqual([]);
});

// Rules: C-9.
test('C-9: the tmux server dies with twenty agents: one incident, one after the other, nobody is charged', () => {
  const agents = Array.from({ length: 20 }, (_, n) => spec(`s${n}`, n % 2 === 0 ? 'transient' : 'permanent'));
  const { machine, drive } = supervised(agents);
  drive.run(60_000);
  expect(machine.starts).toHaveLength(20);
  machine.endServer(drive.now);
  drive.run(60_000);
  const again = machine.starts.slice(20).map(({ at }) => at);
  expect(again).toHaveLength(20);
  expect(Math.min(...again.slice(1).map((at, n) => at - (again[n] ?? 0)))).toBeGreaterThanOrEqual(policy.staggerMs);
  expect(drive.alerts).toEqual(['tmux-server-died']);
  expect(drive.ends).toContain('tmux-server-died');
  for (const { name } of agents) expect(drive.session(name)).toMatchObject({ state: 'running', ...UNCHARGED });
  expect(machine.wrongs).toEqual([]);
});

describe('C-9: a tmux server that dies as soon as it runs', () => {
  const agents = Array.from({ length: 5 }, (_, n) => spec(`s${n}`, 'permanent'));
  function dying() {
    const machine = new Watched();
    let isDying = true;
    const startSession: SimHands['startSession'] = (order, now) => {
      const outcome = machine.start(order, now);
      if (isDying) machine.endServer(now);
      return outcome;
    };
    const { drive } = supervised(agents, { machine, hands: { startSession } });
    return { machine, drive, mend: () => (isDying = false) };
  }

  // Rules: C-9.
  test.each([false, true])(
    'has one budget: each time all wait longer; a town killed meanwhile (%s) forgets nothing',
    (isKilled) => {
      const { machine, drive, mend } = dying();
      for (let minute = 1; minute <= 60; minute++) {
        drive.run(60_000);
        if (isKilled && minute % 7 === 0) drive.restart(1_000);
        if (minute === 10) expect(machine.starts.length).toBeLessThanOrEqual(agents.length * 9);
      }
      expect(machine.starts.length).toBeGreaterThanOrEqual(agents.length + 15); // never given up
      expect(machine.starts.length).toBeLessThanOrEqual(agents.length * 25);
      const told = new Set(drive.alerts);
      expect(told).toEqual(new Set(['tmux-server-died', 'tmux-server-keeps-dying']));
      mend();
      drive.run(2 * policy.maxBackoffMs);
      for (const { name } of agents) expect(drive.session(name)).toMatchObject({ state: 'running', ...UNCHARGED });
      const over = () => drive.ends;
      expect(over()).not.toContain('tmux-server-keeps-dying');
      drive.run(policy.stableMs + 10_000);
      expect(over().filter((episode) => episode === 'tmux-server-keeps-dying')).toHaveLength(1);
      const before = machine.starts.length;
      machine.endServer(drive.now);
      drive.run(10_000);
      expect(machine.starts.length).toBe(before + agents.length); // the row began anew
      expect(machine.wrongs).toEqual([]);
    },
  );
});

describe('a usage limit', () => {
  // Rules: C-6.
  test('is no crash: retried at its own pace, charged to nobody', () => {
    const { machine, drive } = supervised([spec('a', 'transient')]);
    drive.run(5_000);
    for (let n = 1; n <= 8; n++) {
      machine.endName('a', drive.now, { exit: n % 2 === 0 ? CLEAN : CRASH, limit: "You've hit your limit" });
      drive.run(3_000);
      expect(drive.session('a')).toMatchObject({ state: 'backing_off', ...UNCHARGED });
      expect(drive.session('a').note).toContain("You've hit your limit");
      drive.run(policy.limitRetryMs * 1.3);
      expect(machine.startsOf('a')).toHaveLength(n + 1);
    }
    expect(drive.alerts).toEqual(['account-limited/a']);
  });
});

const TAKEN = { type: 'SESSION_NOT_STARTED', why: 'an agent runs there', taken: true } as const;
describe('a name that somebody is in (C-6)', () => {
  // Rules: C-6.
  test('is reported once, tried at the pace of the tick, charged to nobody, and started when it is free', () => {
    let isTaken = true;
    const machine = new Watched();
    const startSession: SimHands['startSession'] = (order, now) => (isTaken ? TAKEN : machine.start(order, now));
    const { drive } = supervised([spec('a', 'transient')], { machine, hands: { startSession } });
    drive.run(5 * policy.takenRetryMs + 1_000);
    const tries = drive.given('startSession').length - 1;
    expect(tries).toBeGreaterThanOrEqual(Math.floor(5 / (1 + policy.jitter)));
    expect(tries).toBeLessThanOrEqual(Math.ceil(5 / (1 - policy.jitter)));
    expect(new Set(drive.alerts)).toEqual(new Set(['name-taken/a']));
    expect(drive.session('a')).toMatchObject({ state: 'backing_off', streak: 0 });
    isTaken = false;
    drive.run(policy.takenRetryMs * (1 + policy.jitter));
    expect(drive.session('a')).toMatchObject({ state: 'running', restarts: 0 });
    expect(drive.ends).toContain('name-taken/a');
  });

  test('of many whose names are taken no two keep step', () => {
    const names = Array.from({ length: 10 }, (_, n) => `a${n}`);
    const tried = new Map<string, number[]>(names.map((name) => [name, []]));
    const startSession: SimHands['startSession'] = ({ spec: { name } }, now) => {
      tried.get(name)?.push(now);
      return TAKEN;
    };
    const agents = names.map((name) => spec(name, 'transient'));
    const { drive } = supervised(agents, { hands: { startSession }, policy: { staggerMs: 0 } });
    drive.run(4 * policy.takenRetryMs * (1 + policy.jitter));
    for (const n of [1, 2, 3]) {
      const at = names.map((name) => tried.get(name)?.[n] ?? NaN);
      expect(new Set(at).size).toBe(names.length);
      expect(Math.max(...at) - Math.min(...at)).toBeGreaterThan(policy.takenRetryMs * policy.jitter * 0.5);
    }
    const waits = [...tried.values()].flatMap((at) => at.slice(1).map((one, n) => one - (at[n] ?? NaN)));
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(policy.takenRetryMs * (1 - policy.jitter));
      expect(wait).toBeLessThanOrEqual(policy.takenRetryMs * (1 + policy.jitter) + 1_000);
    }
  });
});

describe('the agents of town.toml', () => {
  /** The next `up`, with this in the file. */
  function again({ machine, drive: before }: ReturnType<typeof supervised>, agents: readonly SessionSpec[]) {
    const starts = machine.starts.length;
    const input = townInput(POLICY, { agents, entropy: `test/${starts}` });
    const drive = new Drive(machine.watched, { input, sessions: before.sessions });
    drive.run(10_000);
    return { drive, told: drive.alerts, started: machine.starts.slice(starts).map(({ name }) => name) };
  }

  test('are started at up, staggered; a second up leaves what runs', () => {
    const first = supervised(AGENTS);
    first.drive.run(10_000);
    const at = first.machine.starts.map((one) => one.at);
    expect(first.machine.starts.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(policy.staggerMs);
    expect(again(first, AGENTS)).toMatchObject({ told: [], started: [] });
  });

  test.each([
    ['permanent', ['a']],
    ['transient', []],
    ['temporary', []],
  ] as const)('one that ended, %s: started again %o', (restart, started) => {
    const first = supervised([spec('a', 'temporary')]);
    first.drive.run(5_000);
    first.machine.endName('a', first.drive.now, { exit: CLEAN });
    first.drive.run(5_000);
    expect(first.drive.session('a').state).toBe('ended');
    expect(again(first, [spec('a', restart)]).started).toEqual(started);
  });

  test('a changed entry is told and nothing done; an entry that went stays supervised and is told; both end', () => {
    const first = supervised([spec('a', 'transient'), spec('b', 'transient')]);
    first.drive.run(5_000);
    const changed = { ...spec('a', 'transient'), command: ['another'] };
    const second = again(first, [changed]);
    expect(second).toMatchObject({ told: ['agent-changed/a', 'agent-removed/b'], started: [] });
    expect(second.drive.given('alert')[0]?.alert.text).toContain('another command');
    const third = again(first, [spec('a', 'transient'), spec('b', 'transient')]);
    expect(third).toMatchObject({ told: [], started: [] });
    const ended = third.drive.given('endOthers').filter(({ of }) => ['agent-changed', 'agent-removed'].includes(of));
    expect(ended).toMatchObject([
      { of: 'agent-changed', except: [] },
      { of: 'agent-removed', except: [] },
    ]);
    first.machine.endName('b', first.drive.now, { exit: CRASH });
    const fourth = again(first, [changed]);
    expect(fourth.started).toEqual(['b']);
  });
});
