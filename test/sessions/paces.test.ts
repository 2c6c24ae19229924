/** At which pace supervised sessions are started again: crashes, deaths of tmux (C-9), usage limits, names that are taken. */
import { describe, expect, test } from 'vitest';
import type { SimHands } from '../world/hands.ts';
import { CLEAN, CRASH } from '../world/machine.ts';
import { specOf as spec } from './one.ts';
import { UNCHARGED, Watched, policy, supervised } from './fleet.ts';

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
test('C-9: the tmux server dies with twenty agents: one incident, one after the other, none is charged', () => {
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
  test('is no crash: retried at its own pace, charged to no session', () => {
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
describe('a name that is taken (C-6)', () => {
  // Rules: C-6.
  test('is reported once, tried at the pace of the tick, charged to no session, and started when it is free', () => {
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
