/** What dead lives left running (C-6): told once, remembered until it is gone, and ended before a start where that is wanted. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { NamedProc, Order, SessionRecord } from '../../machines/protocol.ts';
import { decodeSession, sessionText } from '../../state/sessions/records.ts';
import { Drive, townInput } from '../world/drive.ts';
import { DEAF, type SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import { code, life, running, spec } from './one.ts';

const { survivorsEveryMs } = POLICY.sessions;
const child = (pid: number): NamedProc => ({ pid, started: '9@boot', program: 'sleep' });

/** The machine beside the town: what each life left running, and what signals do to that. */
class World extends Machine {
  /** The first signal that a survivor heeds; null = none. */
  heeds: 'TERM' | 'KILL' | null = null;
  fails: Partial<Record<Order['type'], string>> = {};
  /** What stood in the record at each signal. */
  readonly recorded: NamedProc[][] = [];
}
/** The agent is dead, and left a child. */
const world = ({ left, dead = true, ...more }: Partial<World> & { dead?: boolean } = {}): World => {
  const around = Object.assign(new World(), more);
  for (const [uuid, those] of left ?? [[life.uuid, [child(7_001)]]]) around.left.set(uuid, those);
  if (dead) around.end(life, 0, { exit: code(3) });
  return around;
};

function town(record: SessionRecord, around: World, more: { survivors?: 'tell' | 'end'; isProtected?: boolean } = {}) {
  const failing = new Proxy<SimHands>(
    {},
    {
      get: (_, type: Order['type']) => {
        const why = around.fails[type];
        return why === undefined ? undefined : { type: 'ORDER_FAILED', why };
      },
    },
  );
  const signal: SimHands['signal'] = ({ signal: sent, target }) => {
    around.recorded.push((now().remains ?? []).flatMap(({ survivors }) => survivors));
    if (sent === around.heeds) around.left.delete(target.uuid);
    return { type: 'SIGNALLED', alive: around.left.get(target.uuid) ?? [], newcomers: [] };
  };
  const policy = { ...POLICY, sessions: { ...POLICY.sessions, survivors: more.survivors ?? 'tell' } };
  const input = townInput(policy, { isProtected: () => more.isProtected === true });
  const drive = new Drive([failing, { signal }, around.hands, DEAF], { input, sessions: [record] });
  const now = (): SessionRecord => drive.session('s1');
  return {
    drive,
    now,
    alerts: () => drive.given('alert').flatMap(({ alert }) => (alert.episode === 'survivors/s1' ? [alert.text] : [])),
    over: () => drive.ends.filter((episode) => episode === 'survivors/s1').length,
    steps: () =>
      drive.orders
        .map((order) => (order.type === 'signal' ? order.signal : order.type))
        .filter((type) => STEPS.has(type)),
  };
}
const STEPS = new Set(['listSurvivors', 'rescue', 'TERM', 'KILL', 'startSession']);

describe('told', () => {
  test('each life that left something is named, in one episode, which ends with the last process', () => {
    const around = world();
    const { drive, now, alerts, over } = town(running(), around);
    drive.run(survivorsEveryMs + 5_000);
    expect(now().state).toBe('running');
    expect(alerts()).toHaveLength(1);
    expect(alerts()[0]).toContain('1 process of an earlier life: pid 7001 sleep');
    expect(alerts()[0]).toContain('kill 7001');
    const second = now().incarnation?.uuid ?? '';
    around.left.set(second, [child(7_002), child(7_003)]);
    around.endName('s1', drive.now, { exit: code(3) });
    drive.run(2 * survivorsEveryMs);
    expect(alerts().at(-1)).toContain('3 processes of 2 earlier lives: pid 7001 sleep, pid 7002 sleep, pid 7003 sleep');
    expect(alerts(), 'told when it changes').toHaveLength(2);
    around.left.delete(life.uuid);
    drive.run(survivorsEveryMs);
    expect([alerts().length, over()]).toEqual([3, 0]);
    around.left.clear();
    drive.run(survivorsEveryMs);
    expect([over(), now().remains]).toEqual([1, undefined]);
    const looks = drive.given('listSurvivors').length;
    drive.run(10 * survivorsEveryMs);
    expect(drive.given('listSurvivors'), 'no survivor is looked for').toHaveLength(looks);
    expect(drive.given('signal')).toEqual([]);
  });

  test('an agent that leaves nothing raises no alert; what ends within a moment of its agent is nothing', () => {
    const around = world();
    const { drive, now, alerts } = town(running(), around);
    drive.run(survivorsEveryMs / 2);
    around.left.clear();
    drive.run(5 * survivorsEveryMs);
    expect([now().state, now().remains, alerts()]).toEqual(['running', undefined, []]);
  });

  test('the end of an agent that is not started again leaves them to be told all the same', () => {
    const { drive, now, alerts } = town(running({ spec: { ...spec, restart: 'temporary' } }), world());
    drive.run(2 * survivorsEveryMs);
    expect([now().state, alerts().length]).toEqual(['ended', 1]);
  });

  test('a look that fails forgets no survivor', () => {
    const around = world({ fails: { listSurvivors: 'EMFILE' } });
    const { drive, now, alerts } = town(running(), around);
    drive.run(5 * survivorsEveryMs);
    expect([now().state, now().remains?.length, alerts()]).toEqual(['running', 1, []]);
    around.fails = {};
    drive.run(2 * survivorsEveryMs);
    expect(alerts()).toHaveLength(1);
  });

  test('a town that starts anew looks at once for those that its record names, and ends alerts without one', () => {
    const found = running({ remains: [{ life: { ...life, uuid: 'uuid-0' }, survivors: [child(7_001)] }] });
    const there = town(found, world({ dead: false, left: new Map([['uuid-0', [child(7_001)]]]) }));
    there.drive.run(1_000);
    expect(there.drive.given('endOthers')).toContainEqual(
      expect.objectContaining({ of: 'survivors', except: ['survivors/s1'] }),
    );
    expect([there.alerts().length, there.over()]).toEqual([1, 0]);
    const gone = town(found, world({ dead: false, left: new Map() }));
    gone.drive.run(1_000);
    // As its record says, until the look: who was told already is told nothing.
    expect([gone.alerts().length, gone.over()]).toEqual([1, 1]);
    const decoded = decodeSession(sessionText(found), 's1.json');
    expect(decoded.ok && decoded.value.remains).toEqual(found.remains);
  });

  test('a start by hand, and one that a sibling wants, keep them', () => {
    const remains = [{ life: { ...life, uuid: 'uuid-0' }, survivors: [child(7_001)] }];
    for (const how of ['hand', 'sibling'] as const) {
      const left = new Map([['uuid-0', [child(7_001)]]]);
      const { drive, now } = town(running({ state: 'ended', remains }), world({ dead: false, left }));
      drive.run(100);
      if (how === 'hand') drive.tell({ type: 'REQUESTED', rpc: 'r', request: { verb: 'startSession', spec } });
      else drive.tell({ type: 'SESSION_WANTED', spec, uuid: null, why: 'it must run' });
      drive.run(1_000);
      expect([how, now().state, now().remains]).toEqual([how, 'running', remains]);
    }
  });

  test('of many lives the last ones are remembered', () => {
    const lives = Array.from({ length: POLICY.sessions.maxRemains }, (_, n) => ({ ...life, uuid: `old-${n}` }));
    const remains = lives.map((one) => ({ life: one, survivors: [child(8_000)] }));
    const left = new Map(lives.map(({ uuid }) => [uuid, [child(8_000)]]));
    const { drive, now } = town(running({ remains }), world({ left }));
    drive.run(5_000);
    expect(now().remains).toHaveLength(POLICY.sessions.maxRemains);
    expect(now().remains?.at(-1)?.life.uuid).toBe(life.uuid);
  });
});

describe('ended before a start', () => {
  test.each<[World['heeds'], string[]]>([
    ['TERM', ['rescue', 'listSurvivors', 'TERM', 'listSurvivors']],
    ['KILL', ['rescue', 'listSurvivors', 'TERM', 'listSurvivors', 'KILL', 'listSurvivors']],
  ])('those that heed %s: saved, signalled and looked for again, then the start', (heeds, between) => {
    const { drive, now, steps, alerts, over } = town(running(), world({ heeds }), { survivors: 'end' });
    drive.run(5_000);
    expect(steps()).toEqual(['listSurvivors', ...between, 'startSession']);
    expect(drive.given('rescue')).toMatchObject([{ target: life, dance: `life-${life.uuid}`, also: [child(7_001)] }]);
    expect(drive.given('signal')[0]).toMatchObject({ target: life, tree: [child(7_001)] });
    expect([now().state, now().remains]).toEqual(['running', undefined]);
    expect(alerts()[0]).toContain('ended before its next start');
    expect(over()).toBe(1);
  });

  // Rules: C-6.
  test('nothing is signalled that is not on record by then', () => {
    const around = world({ heeds: 'KILL' });
    const { drive } = town(running(), around, { survivors: 'end' });
    drive.run(5_000);
    expect(drive.given('signal').map(({ signal }) => signal)).toEqual(['TERM', 'KILL']);
    expect(drive.given('signal').map(({ tree }) => tree)).toEqual(around.recorded);
  });

  test('what outlives every round is told, and the start goes on', () => {
    const { drive, now, steps, alerts } = town(running(), world(), { survivors: 'end' });
    drive.run(60_000);
    const rounds = steps().filter((step) => step === 'TERM' || step === 'KILL');
    expect(rounds).toEqual(['TERM', ...Array<string>(POLICY.dance.maxRounds - 1).fill('KILL')]);
    expect([now().state, now().remains?.length, alerts().length]).toEqual(['running', 1, 1]);
  });

  test.each<[string, Order['type'], string]>([
    ['cannot be looked for', 'listSurvivors', 'EMFILE'],
    ['cannot be saved', 'rescue', 'git took too long'],
    ['cannot be signalled', 'signal', 'no outcome'],
  ])('where they %s no agent is started beside them; it is tried on, and a person is told', (_, type, why) => {
    const around = world({ heeds: 'TERM', fails: { [type]: why } });
    const { drive, now } = town(running(), around, { survivors: 'end' });
    drive.run(90_000);
    expect(drive.given('startSession')).toEqual([]);
    if (type !== 'signal') expect(drive.given('signal')).toEqual([]);
    expect(now().note).toContain(why);
    const told = drive.given('alert').filter(({ alert }) => alert.episode === 'start-failing/s1');
    expect(told.at(-1)?.alert.text).toContain(why);
    around.fails = {};
    drive.run(2 * POLICY.sessions.maxBackoffMs);
    expect([now().state, now().failedStarts]).toEqual(['running', undefined]);
  });

  test.each<[string, Partial<SessionRecord>, { isProtected?: boolean }]>([
    ['of a protected name', {}, { isProtected: true }],
    ['of a life without a pane', { incarnation: { ...life, origin: 'detached', paneId: '', sessionId: '' } }, {}],
  ])('those %s are only told', (_, more, rules) => {
    const { drive, now, alerts } = town(running(more), world(), { survivors: 'end', ...rules });
    drive.run(2 * survivorsEveryMs);
    expect([drive.given('rescue'), drive.given('signal'), now().state]).toEqual([[], [], 'running']);
    expect(alerts().at(-1)).toContain('leaves them alone');
  });

  test('who asks for the start by hand hears of it when it is done', () => {
    const remains = [{ life: { ...life, uuid: 'uuid-0' }, survivors: [child(7_001)] }];
    const around = world({ dead: false, heeds: 'TERM', left: new Map([['uuid-0', [child(7_001)]]]) });
    const { drive } = town(running({ state: 'ended', remains }), around, { survivors: 'end' });
    drive.run(100);
    drive.tell({ type: 'REQUESTED', rpc: 'r', via: 'operator', request: { verb: 'startSession', spec } });
    drive.run(1_000);
    expect(drive.given('startSession')).toMatchObject([{ byHand: true }]);
    expect(drive.given('reply').map(({ reply }) => reply)).toMatchObject([{ ok: true }]);
  });
});
