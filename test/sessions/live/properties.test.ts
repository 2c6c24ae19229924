/** Supervised sessions against every order of events (C-6, C-9): whatever agents do, these things never happen. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POLICY, type Policy } from '../../../machines/policy.ts';
import type { Exit, Incarnation, Order, OutcomeBody, SeenSession, SessionSpec } from '../../../machines/protocol.ts';
import { Drive, incarnation, quiet, townInput } from '../../hearings/drive.ts';

const CLEAN: Exit = { kind: 'code', code: 0 };
const CRASH: Exit = { kind: 'code', code: 1 };
const policy = POLICY.sessions;
const spec = (name: string, restart: SessionSpec['restart']): SessionSpec => {
  return { name, command: ['agent'], dir: '/', tags: [], restart, process: null };
};

interface Life {
  readonly uuid: string;
  readonly incarnation: Incarnation;
  alive: boolean;
  exit: Exit | null;
  limit?: string;
  condemned?: boolean;
}
/** late: it lives, and is told so later. lost: it lives, and nobody is told. fails: it does not live. */
type StartMode = 'prompt' | 'late' | 'lost' | 'fails';
const LATE_MS = 45_000;

/** A machine with one tmux server and real consequences: who is started lives until something happens to it. */
class Machine {
  readonly lives = new Map<string, Life[]>();
  /** Starts whose outcome is not known yet, by name. */
  readonly inFlight = new Map<string, { uuid: string; until: number }>();
  readonly modes = new Map<string, StartMode>();
  readonly starts: { name: string; at: number }[] = [];
  readonly wrongs: string[] = [];
  server = 500;
  isServerGone = false;
  isBlind = false;

  answer = (order: Order, now: number): ReturnType<typeof quiet> => {
    switch (order.type) {
      case 'startSession':
        return this.asked(order, now);
      case 'scan':
        return this.scan(order.known);
      case 'signal':
        this.wrongs.push('a kill outside the kennel');
        return null;
      case 'clear': {
        const life = this.of(order.target.session).find(({ uuid }) => uuid === order.target.uuid);
        if (life?.alive) this.wrongs.push(`${order.target.session} was cleared while its agent lived`);
        return { type: 'CLEARED', survivors: [] };
      }
      case 'fileWarrant': {
        const life = this.of(order.warrant.target.session).find(({ uuid }) => uuid === order.warrant.target.uuid);
        if (life?.alive)
          Object.assign(life, { alive: false, exit: { kind: 'signal', signal: 'TERM' }, condemned: true });
        return { type: 'WARRANT_WRITTEN' };
      }
      default:
        return quiet(order);
    }
  };

  of(name: string): Life[] {
    const found = this.lives.get(name) ?? [];
    this.lives.set(name, found);
    return found;
  }

  private asked(order: Order & { type: 'startSession' }, at: number): ReturnType<typeof quiet> {
    const { name } = order.spec;
    const other = this.inFlight.get(name);
    if (other !== undefined && at < other.until)
      this.wrongs.push(`${name} was started as ${order.uuid} while ${other.uuid} was under way`);
    const mode = this.modes.get(name) ?? 'prompt';
    if (mode === 'fails') return { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false };
    const body = this.start(order, at);
    if (mode === 'prompt') return body;
    this.inFlight.set(name, { uuid: order.uuid, until: at + LATE_MS });
    if (mode === 'late') return { after: LATE_MS, body };
    return { after: LATE_MS, body: { type: 'ORDER_FAILED', why: 'no outcome within 45 s' } };
  }

  private start({ spec: { name }, uuid }: Order & { type: 'startSession' }, at: number): OutcomeBody {
    const all = this.of(name);
    const same = all.find((life) => life.uuid === uuid);
    if (same) return { type: 'SESSION_STARTED', incarnation: same.incarnation, tokenHash: 'hash' };
    if (all.some(({ alive }) => alive)) this.wrongs.push(`${name} was started beside a living agent`);
    if (this.isServerGone) [this.server, this.isServerGone] = [this.server + 1, false];
    const born = incarnation(name, {
      uuid,
      session: name,
      server: { pid: this.server, started: '1@boot' },
      agent: { pid: 1_000 + this.starts.length, started: `${this.starts.length}@boot` },
    });
    all.push({ uuid, incarnation: born, alive: true, exit: null });
    this.starts.push({ name, at });
    return { type: 'SESSION_STARTED', incarnation: born, tokenHash: 'hash' };
  }

  private scan(known: readonly Incarnation[]): OutcomeBody {
    if (this.isBlind) return { type: 'SESSIONS_SEEN', server: 'unknown', seen: [] };
    const isOld = known.some(({ server }) => server.pid !== this.server) || this.isServerGone;
    const seen = known.map(({ session, uuid }): SeenSession => {
      const life = this.of(session).findLast((one) => one.uuid === uuid); // the same entropy gives a second town the same ids
      const found = {
        name: session,
        uuid,
        condemned: life?.condemned === true,
        ...(life?.limit && { limit: life.limit }),
      };
      if (life?.alive) return { ...found, life: 'alive', exit: null };
      return { ...found, life: isOld ? 'absent' : 'dead', exit: life?.exit ?? { kind: 'unknown' } };
    });
    return { type: 'SESSIONS_SEEN', server: isOld ? 'gone' : 'up', seen };
  }

  end(name: string, exit: Exit, limit?: string): void {
    const life = this.of(name).find(({ alive }) => alive);
    if (life) Object.assign(life, { alive: false, exit, ...(limit !== undefined && { limit }) });
  }

  killServer(): void {
    for (const name of this.lives.keys()) this.end(name, { kind: 'unknown' });
    this.isServerGone = true;
  }

  startsOf(name: string): number[] {
    return this.starts.filter((one) => one.name === name).map(({ at }) => at);
  }
}

function supervised(agents: readonly SessionSpec[], some: Partial<Policy['sessions']> = {}) {
  const machine = new Machine();
  const input = townInput({ ...POLICY, sessions: { ...policy, ...some } }, { agents });
  let before: Drive | null = null;
  const drive = new Drive(
    (order, now) => (order.type === 'readSessions' && before ? readBack(before) : machine.answer(order, now)),
    input,
  );
  before = drive;
  return { machine, drive };
}

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
const event = fc.oneof(
  fc.record({ what: fc.constantFrom('crash' as const, 'clean' as const, 'limit' as const), name }),
  fc.record({
    what: fc.constant('starts' as const),
    name,
    mode: fc.constantFrom<StartMode>('prompt', 'late', 'lost', 'fails'),
  }),
  fc.record({ what: fc.constant('asked' as const), name, then: fc.constantFrom<'end' | 'restart'>('end', 'restart') }),
  fc.record({ what: fc.constant('stop' as const), name, then: fc.constantFrom<'end' | 'restart'>('end', 'restart') }),
  fc.record({ what: fc.constant('wanted' as const), name }),
  fc.record({ what: fc.constantFrom('server' as const, 'blind' as const, 'sight' as const) }),
  fc.record({ what: fc.constant('killed' as const), ms: fc.integer({ min: 1_000, max: 60_000 }) }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
);

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function happen(machine: Machine, drive: Drive, one: Event): void {
  switch (one.what) {
    case 'crash':
      machine.end(one.name, CRASH);
      break;
    case 'clean':
      machine.end(one.name, CLEAN);
      break;
    case 'limit':
      machine.end(one.name, CRASH, 'limit reached');
      break;
    case 'starts':
      machine.modes.set(one.name, one.mode);
      return;
    case 'asked': {
      const { uuid } = recordOf(drive, one.name).incarnation ?? { uuid: 'none' };
      const news = { type: 'END_WANTED', session: one.name, uuid, then: one.then } as const;
      drive.tell({ ...news, id: `lifecycle-${uuid}`, filedAt: 0, why: 'it asked' });
      break;
    }
    case 'stop':
      // A start by hand that fails is its caller's to see to, and not tried on.
      if (one.then === 'restart' && machine.modes.get(one.name) === 'fails') return;
      drive.tell({
        ...{ type: 'REQUESTED', rpc: `stop-${drive.now}`, via: 'operator' },
        request: { verb: 'stopSession', name: one.name, then: one.then, force: false },
      });
      return;
    case 'wanted':
      drive.tell({ type: 'SESSION_WANTED', spec: recordOf(drive, one.name).spec, uuid: null, why: 'a test' });
      return;
    case 'server':
      machine.killServer();
      break;
    case 'blind':
    case 'sight':
      machine.isBlind = one.what === 'blind';
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

const recordOf = (drive: Drive, name: string) => {
  const saved = drive.records.get(`session/${name}`);
  if (saved?.kind !== 'session') throw new Error(`no record of ${name}`);
  return saved.value;
};

/** What a new town finds of the old one. */
const readBack = (drive: Drive): OutcomeBody => ({
  type: 'SESSIONS_READ',
  sessions: [...drive.records.values()].flatMap((saved) => (saved.kind === 'session' ? [saved.value] : [])),
  serverDeaths:
    [...drive.records.values()].flatMap((saved) =>
      saved.kind === 'note' && saved.id === 'serverDeaths' && saved.value ? [saved.value] : [],
    )[0] ?? null,
});

const AGENTS = [spec('a', 'permanent'), spec('b', 'transient'), spec('c', 'temporary')];

/** It asked for its own end, or was stopped, and ended: only a person starts it again. */
const isRetired = (drive: Drive, one: string): boolean => {
  const { state, asked } = recordOf(drive, one);
  return state === 'ended' && asked?.then === 'end';
};

describe('whatever happens to three agents', () => {
  test('nobody is started twice at once, beside a living one, killed, or again after an end that ends it', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { machine, drive } = supervised(AGENTS);
        drive.run(5_000);
        const over = new Map<string, number>();
        const check = (): void => {
          for (const [one, starts] of over) expect([one, machine.startsOf(one).length]).toEqual([one, starts]);
          for (const one of names)
            if (recordOf(drive, one).state === 'ended') over.set(one, machine.startsOf(one).length);
        };
        for (const one of events) {
          if (one.what === 'wanted' && !isRetired(drive, one.name)) over.delete(one.name);
          if (one.what === 'stop' && one.then === 'restart') over.delete(one.name);
          happen(machine, drive, one);
          check();
        }
        machine.isBlind = false;
        machine.modes.clear();
        drive.run(40 * 60_000);
        check();
        expect(machine.wrongs).toEqual([]);
        // Nobody who should run is given up, and who ended is not there.
        expect(recordOf(drive, 'a').state).toBe(isRetired(drive, 'a') ? 'ended' : 'running');
        for (const one of names) {
          const { state } = recordOf(drive, one);
          expect([one, state]).toEqual([one, machine.of(one).some(({ alive }) => alive) ? 'running' : 'ended']);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('one that crashes for ever, or cannot be started, disturbs no other', () => {
    const mode = fc.constantFrom<StartMode>('prompt', 'late', 'lost', 'fails');
    const crash = fc.record({ ms: fc.integer({ min: 1, max: 600_000 }), mode, isKilled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(crash, { maxLength: 30 }), (crashes) => {
        const { machine, drive } = supervised([spec('a', 'permanent'), spec('b', 'permanent')]);
        drive.run(5_000);
        const sibling = recordOf(drive, 'b');
        for (const { ms, mode: next, isKilled } of crashes) {
          machine.modes.set('a', next);
          machine.end('a', CRASH);
          if (isKilled) happen(machine, drive, { what: 'killed', ms: 1_000 });
          drive.run(ms);
        }
        expect(machine.startsOf('b')).toHaveLength(1);
        expect(recordOf(drive, 'b')).toEqual(sibling);
        expect(drive.given('alert').map(({ alert }) => alert.session)).not.toContain('b');
        expect(machine.wrongs).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

test('an agent that exits at once, 1,000 times: every wait within its spread, one alarm, and never given up', () => {
  const waits: number[] = [];
  const machine = new Machine();
  const settings = { ...POLICY, sessions: { ...policy, scanEveryMs: 10_000 } };
  const answer: typeof machine.answer = (order, now) => {
    const outcome = machine.answer(order, now);
    if (order.type === 'startSession') machine.end('a', CRASH);
    return outcome;
  };
  const drive = new Drive(answer, townInput(settings, { agents: [spec('a', 'transient'), spec('b', 'transient')] }));
  let last = -1;
  while (machine.startsOf('a').length < 1_001) {
    drive.run(10_000);
    const { state, restarts, waitMs } = recordOf(drive, 'a');
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
  expect(new Set(drive.given('alert').map(({ alert }) => alert.episode))).toEqual(new Set(['crash-loop/a']));
  expect(machine.startsOf('b')).toHaveLength(1);
  expect(machine.wrongs).toEqual([]);
});

test('C-9: the tmux server dies with twenty agents: one incident, one after the other, nobody is charged', () => {
  const agents = Array.from({ length: 20 }, (_, n) => spec(`s${n}`, n % 2 === 0 ? 'transient' : 'permanent'));
  const { machine, drive } = supervised(agents);
  drive.run(60_000);
  expect(machine.starts).toHaveLength(20);
  machine.killServer();
  drive.run(60_000);
  const again = machine.starts.slice(20).map(({ at }) => at);
  expect(again).toHaveLength(20);
  expect(Math.min(...again.slice(1).map((at, n) => at - (again[n] ?? 0)))).toBeGreaterThanOrEqual(policy.staggerMs);
  expect(drive.given('alert').map(({ alert }) => alert.episode)).toEqual(['tmux-server-died']);
  expect(drive.given('endAlert').map(({ episode }) => episode)).toContain('tmux-server-died');
  for (const { name } of agents)
    expect(recordOf(drive, name)).toMatchObject({ state: 'running', restartAgesMs: [], streak: 0, crashLoop: false });
  expect(machine.wrongs).toEqual([]);
});

describe('C-9: a tmux server that dies as soon as it runs', () => {
  const agents = Array.from({ length: 5 }, (_, n) => spec(`s${n}`, 'permanent'));
  function dying() {
    const machine = new Machine();
    let isDying = true;
    const answer: typeof machine.answer = (order, now) => {
      if (order.type === 'readSessions' && drive !== null) return readBack(drive);
      const outcome = machine.answer(order, now);
      if (order.type === 'startSession' && isDying) machine.killServer();
      return outcome;
    };
    let drive: Drive | null = null;
    drive = new Drive(answer, townInput(POLICY, { agents }));
    return { machine, drive, mend: () => (isDying = false) };
  }

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
      const told = new Set(drive.given('alert').map(({ alert }) => alert.episode));
      expect(told).toEqual(new Set(['tmux-server-died', 'tmux-server-keeps-dying']));
      mend();
      drive.run(2 * policy.maxBackoffMs);
      for (const { name } of agents)
        expect(recordOf(drive, name)).toMatchObject({
          state: 'running',
          restartAgesMs: [],
          streak: 0,
          crashLoop: false,
        });
      const over = () => drive.given('endAlert').map(({ episode }) => episode);
      expect(over()).not.toContain('tmux-server-keeps-dying');
      drive.run(policy.stableMs + 10_000);
      expect(over().filter((episode) => episode === 'tmux-server-keeps-dying')).toHaveLength(1);
      const before = machine.starts.length;
      machine.killServer();
      drive.run(10_000);
      expect(machine.starts.length).toBe(before + agents.length); // the row began anew
      expect(machine.wrongs).toEqual([]);
    },
  );
});

describe('a usage limit', () => {
  test('is no crash: retried at its own pace, charged to nobody', () => {
    const { machine, drive } = supervised([spec('a', 'transient')]);
    drive.run(5_000);
    for (let n = 1; n <= 8; n++) {
      machine.end('a', n % 2 === 0 ? CLEAN : CRASH, "You've hit your limit");
      drive.run(3_000);
      expect(recordOf(drive, 'a')).toMatchObject({
        state: 'backing_off',
        streak: 0,
        restartAgesMs: [],
        crashLoop: false,
      });
      expect(recordOf(drive, 'a').note).toContain("You've hit your limit");
      drive.run(policy.limitRetryMs * 1.3);
      expect(machine.startsOf('a')).toHaveLength(n + 1);
    }
    expect(drive.given('alert')).toEqual([]);
  });
});

describe('a name that somebody is in (C-6)', () => {
  test('is reported once, tried at the pace of the tick, charged to nobody, and started when it is free', () => {
    let isTaken = true;
    const machine = new Machine();
    const drive = new Drive(
      (order, now) =>
        order.type === 'startSession' && isTaken
          ? { type: 'SESSION_NOT_STARTED', why: 'an agent runs there', taken: true }
          : machine.answer(order, now),
      townInput(POLICY, { agents: [spec('a', 'transient')] }),
    );
    drive.run(5 * policy.takenRetryMs + 1_000);
    const tries = drive.given('startSession').length - 1;
    expect(tries).toBeGreaterThanOrEqual(Math.floor(5 / (1 + policy.jitter)));
    expect(tries).toBeLessThanOrEqual(Math.ceil(5 / (1 - policy.jitter)));
    expect(new Set(drive.given('alert').map(({ alert }) => alert.episode))).toEqual(new Set(['name-taken/a']));
    expect(recordOf(drive, 'a')).toMatchObject({ state: 'backing_off', streak: 0 });
    isTaken = false;
    drive.run(policy.takenRetryMs * (1 + policy.jitter));
    expect(recordOf(drive, 'a')).toMatchObject({ state: 'running', restarts: 0 });
    expect(drive.given('endAlert').map(({ episode }) => episode)).toContain('name-taken/a');
  });

  test('of many whose names are taken no two keep step', () => {
    const names = Array.from({ length: 10 }, (_, n) => `a${n}`);
    const tried = new Map<string, number[]>(names.map((name) => [name, []]));
    const machine = new Machine();
    const drive = new Drive(
      (order, now) => {
        if (order.type !== 'startSession') return machine.answer(order, now);
        tried.get(order.spec.name)?.push(now);
        return { type: 'SESSION_NOT_STARTED', why: 'an agent runs there', taken: true };
      },
      townInput(
        { ...POLICY, sessions: { ...policy, staggerMs: 0 } },
        { agents: names.map((name) => spec(name, 'transient')) },
      ),
    );
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
  const records = (drive: Drive) =>
    [...drive.records.values()].flatMap((saved) => (saved.kind === 'session' ? [saved.value] : []));
  /** The next `up`, with this in the file. */
  function again(before: { machine: Machine; drive: Drive }, agents: readonly SessionSpec[]) {
    const found = records(before.drive);
    const starts = before.machine.starts.length;
    const drive = new Drive(
      (order, now) =>
        order.type === 'readSessions' ? { type: 'SESSIONS_READ', sessions: found } : before.machine.answer(order, now),
      townInput(POLICY, { agents }),
    );
    drive.run(10_000);
    const told = drive.given('alert').map(({ alert }) => alert.episode);
    return { drive, told, started: before.machine.starts.slice(starts).map(({ name }) => name) };
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
    first.machine.end('a', CLEAN);
    first.drive.run(5_000);
    expect(recordOf(first.drive, 'a').state).toBe('ended');
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
    const ended = third.drive.given('endOthers').filter(({ prefix }) => prefix.startsWith('agent-'));
    expect(ended).toMatchObject([
      { prefix: 'agent-changed', except: [] },
      { prefix: 'agent-removed', except: [] },
    ]);
    first.machine.end('b', CRASH);
    const fourth = again(first, [changed]);
    expect(fourth.started).toEqual(['b']);
  });
});
