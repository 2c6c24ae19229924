/** Episodes about a session that last: somebody is in its name, a crash loop (C-6), nobody knows whether it lives (law 9). Each has an end. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { Drive } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { CLEAN } from '../world/machine.ts';
import { life, running, spec } from './one.ts';

/** By then a name that somebody is in was tried again. */
const RETRY = POLICY.sessions.takenRetryMs * (1 + POLICY.sessions.jitter);

/** What every scan shows of the session, and what comes of a start. */
interface Say extends Partial<Omit<SeenSession, 'name' | 'uuid'>> {
  life: SeenSession['life'];
  asks?: string | null;
  server?: 'up' | 'gone' | 'unknown';
  start?: OutcomeBody;
}

/** A town that finds this record; what is seen and what comes of a start can be changed. */
function town(record: SessionRecord, say: Say) {
  const said: SimHands = {
    scan: ({ known }) => {
      const { server = 'up', start: _, ...shows } = say;
      const seen = known.map(({ session: name, uuid }) => ({ name, uuid, exit: null, condemned: false, ...shows }));
      return { type: 'SESSIONS_SEEN', server, seen };
    },
    startSession: ({ uuid }) =>
      say.start?.type === 'SESSION_STARTED'
        ? { ...say.start, incarnation: { ...say.start.incarnation, uuid } }
        : (say.start ?? null),
    adoptSession: ({ uuid }) => ({
      type: 'SESSION_ADOPTED',
      tokenHash: 'hash',
      dir: '/',
      incarnation: { ...life, uuid, origin: 'adopted' },
    }),
  };
  const drive = new Drive(said, { sessions: [record] });
  return {
    drive,
    now: (): SessionRecord => drive.session('s1'),
    told: (): string[] => drive.alerts,
    // Of what no scan has said yet an end is ordered in any case, for an earlier process may have told of it.
    over: (): string[] => drive.ends.filter((episode) => /^(?!burning|denied).*\/s1$/.test(episode)),
  };
}

describe('a person at the keys of a dead pane', () => {
  const PERSON: OutcomeBody = {
    type: 'SESSION_NOT_STARTED',
    why: 'a person is there',
    taken: false,
    personMs: 600_000,
  };
  const waiting = running({ state: 'backing_off', incarnation: null });

  test('makes its start wait, is told after ten minutes, in one episode, and over with the start', () => {
    const say: Say = { life: 'alive', start: PERSON };
    const { drive, told, over, now } = town(waiting, say);
    drive.run(PERSON.personMs ?? 0);
    const { state, streak, failedStarts, note } = now();
    expect([state, streak, failedStarts, note]).toEqual([
      'backing_off',
      0,
      undefined,
      'waits with its start: a person is there',
    ]);
    expect(told()).toEqual([]);
    drive.run(20 * RETRY);
    // Raised again at each try, so that a kill -9 swallows none; the alerts tell an episode once.
    expect([now().state, new Set(told()), over()]).toEqual(['backing_off', new Set(['start-waits/s1']), []]);
    const starts = drive.given('startSession').length;
    expect(starts).toBeGreaterThan(10);
    say.start = { type: 'SESSION_STARTED', incarnation: { ...life, uuid: '?' }, tokenHash: 'hash' };
    drive.run(RETRY);
    expect(drive.given('startSession').length).toBe(starts + 1);
  });

  test('an operator does not wait, an agent does; whoever asks is told, and its start is tried on', () => {
    const { drive, now } = town(waiting, { life: 'alive', start: PERSON });
    const ask = (rpc: string, via: 'operator' | 'agent'): (boolean | undefined)[] => {
      drive.tell({ type: 'REQUESTED', rpc, via, request: { verb: 'startSession', spec } });
      drive.run(1_000);
      return [drive.given('startSession').at(-1)?.byHand, drive.given('reply').find(({ to }) => to === rpc)?.reply.ok];
    };
    expect(ask('r1', 'agent')).toEqual([undefined, false]);
    expect(ask('r2', 'operator')).toEqual([true, false]);
    const starts = drive.given('startSession').length;
    drive.run(RETRY);
    expect([now().state, drive.given('startSession').length]).toEqual(['backing_off', starts + 1]);
  });
});

describe('a name that somebody else is in', () => {
  const TAKEN: OutcomeBody = { type: 'SESSION_NOT_STARTED', why: 'a session s1 is there', taken: true };
  const STARTED: OutcomeBody = { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' };
  const AWAY: OutcomeBody = { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false };
  const UNKNOWN: OutcomeBody = { type: 'ORDER_FAILED', why: 'tmux is silent' };
  const waiting = running({ state: 'backing_off', incarnation: null });
  function taken() {
    const say: Say = { life: 'alive', start: TAKEN };
    const made = town(waiting, say);
    made.drive.run(1_000);
    expect([made.told(), made.over()]).toEqual([['name-taken/s1'], []]);
    return { ...made, say };
  }

  test('is over when it is started, though the town was restarted and tmux silent meanwhile', () => {
    const { drive, over, now, say } = taken();
    drive.restart(1_000);
    say.start = UNKNOWN;
    drive.run(now().waitMs + 10);
    expect(now().note).toContain('tmux is silent');
    expect(over()).toEqual([]);
    const pending = now().pending ?? '';
    say.start = { ...STARTED, incarnation: { ...life, uuid: pending } };
    drive.run(POLICY.sessions.maxBackoffMs);
    expect([now().state, now().nameTaken, over()]).toEqual(['running', undefined, ['name-taken/s1']]);
  });

  test('is over when something else keeps it from being started', () => {
    const { drive, over, now, say } = taken();
    say.start = AWAY;
    drive.run(RETRY);
    expect([now().nameTaken, over()]).toEqual([undefined, ['name-taken/s1']]);
  });

  test('is over when a person starts it by hand, whatever comes of that', () => {
    const { drive, over, now } = taken();
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec } });
    drive.run(1_000);
    expect([now().state, now().nameTaken, over()]).toEqual(['ended', undefined, ['name-taken/s1']]);
  });

  test('is over when a person adopts what is in it, which is then never started', () => {
    const { drive, over, now } = taken();
    const starts = drive.given('startSession').length;
    const request = { verb: 'adoptSession', name: 's1', process: null, tags: [] } as const;
    drive.tell({ type: 'REQUESTED', rpc: 'r1', request });
    drive.run(2 * RETRY);
    expect([now().state, over()]).toEqual(['observed', ['name-taken/s1']]);
    expect(drive.given('startSession')).toHaveLength(starts);
  });
});

describe('clean ends, again and again (law 9)', () => {
  const { crashLoopRestarts, withinMs, stableMs, scanEveryMs } = POLICY.sessions;
  const STARTED: OutcomeBody = { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' };
  const ends = (most: number, agesMs = 0): Partial<SessionRecord> => ({
    streak: most,
    cleanAgesMs: Array.from({ length: most }, () => agesMs),
  });
  const ending: Say = { life: 'dead', exit: CLEAN, start: STARTED };

  // Rules: law 9.
  test('are one episode, charge no budget, and are over when it runs steadily, also across a restart', () => {
    const say = { ...ending };
    const { drive, told, over, now } = town(running(), say);
    drive.run(withinMs);
    expect([new Set(told()), over()]).toEqual([new Set(['ends-at-once/s1']), []]);
    expect(now()).toMatchObject({ restless: true, crashLoop: false, restartAgesMs: [] });
    expect(drive.given('alert')[0]).toMatchObject({ alert: { severity: 'medium', session: 's1' } });
    drive.restart(1_000);
    say.life = 'alive';
    const before = told().length;
    drive.run(stableMs + withinMs);
    expect([told().length, over()]).toEqual([before, ['ends-at-once/s1']]);
    expect(now().restless).toBeUndefined();
  });

  test.each([
    ['as many as make a crash loop', ends(crashLoopRestarts - 1), ['ends-at-once/s1']],
    ['one fewer', ends(crashLoopRestarts - 2), []],
    ['as many, the first ones long ago', ends(crashLoopRestarts - 1, withinMs), []],
    ['as many, but most were crashes', { ...ends(1), streak: crashLoopRestarts - 1 }, []],
  ])('%s', (_, before, expected) => {
    const { drive, told } = town(running(before), { life: 'dead', exit: CLEAN });
    drive.run(scanEveryMs);
    expect(told()).toEqual(expected);
  });

  test('are over when it ends for good, and when a person starts it', () => {
    const over = { restless: true, ...ends(crashLoopRestarts) };
    const gone = town(running({ ...over, spec: { ...spec, restart: 'transient' } }), { ...ending });
    gone.drive.run(1_000);
    expect([gone.now().state, gone.over()]).toEqual(['ended', ['ends-at-once/s1']]);
    const taken = town(running(over), { life: 'alive' });
    taken.drive.run(1_000);
    taken.drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'startSession', spec } });
    taken.drive.run(1_000);
    expect(taken.over()).toEqual(['ends-at-once/s1']);
    expect(taken.drive.given('reply')).toMatchObject([{ reply: { ok: true } }]);
  });
});

test.each([
  [{ life: 'dead' }, 'the adopted agent ended; its pane is left alone'],
  [{ life: 'absent' }, 'the adopted agent ended, and its pane with it'],
  [{ life: 'absent', server: 'gone' }, 'the adopted agent ended with its tmux server'],
] as const)('the end of an adopted agent tells what became of its pane: %j', (seen, note) => {
  const found = running({ state: 'observed', incarnation: { ...life, origin: 'adopted' } });
  const { drive, now } = town(found, seen);
  drive.run(2 * POLICY.sessions.scanEveryMs);
  expect(now()).toMatchObject({ state: 'ended', note });
});

describe('an alarm that a crash of the town swallowed, or a hand took away, is raised again', () => {
  const { unknownAlarmMs, scanEveryMs } = POLICY.sessions;
  test.each<[string, Partial<SessionRecord>, Say]>([
    ['crash-loop/s1', { crashLoop: true, streak: 6 }, { life: 'dead' }],
    ['ends-at-once/s1', { restless: true, streak: 6 }, { life: 'dead', exit: { kind: 'code', code: 0 } }],
    ['life-unknown/s1', { unknownTold: true }, { life: 'unknown' }],
    [
      'name-taken/s1',
      { nameTaken: true, state: 'backing_off' },
      { life: 'alive', start: { type: 'SESSION_NOT_STARTED', why: 'a session s1 is there', taken: true } },
    ],
  ])('%s', (episode, before, say) => {
    const { drive, told } = town(running(before), say);
    drive.run(unknownAlarmMs + scanEveryMs);
    expect(new Set(told())).toEqual(new Set([episode]));
    drive.run(3 * unknownAlarmMs);
    drive.restart(unknownAlarmMs + scanEveryMs);
    expect(new Set(told())).toEqual(new Set([episode]));
  });
});

test.each<[string | null, object]>([
  [null, { ok: true, value: { uuid: life.uuid, already: true } }],
  ['claude', { ok: true, value: { uuid: life.uuid, already: true } }],
  ['vim', { ok: false, exit: 5, text: expect.stringContaining('with claude (pid 1001) as its agent') as string }],
])('adopted again as %s it keeps its life, and nothing is written', (process, reply) => {
  const adopted = { state: 'observed', spec: { ...spec, process: 'claude' } } as const;
  const { drive } = town(running(adopted), { life: 'alive' });
  drive.run(1_000);
  const before = drive.trail.length;
  drive.tell({ type: 'REQUESTED', rpc: 'r1', request: { verb: 'adoptSession', name: 's1', process, tags: [] } });
  drive.run(1_000);
  expect(drive.given('reply')).toMatchObject([{ to: 'r1', reply }]);
  expect([drive.given('adoptSession'), drive.trail.length]).toEqual([[], before]);
});

describe('a crash loop', () => {
  // Rules: law 8.
  test.each<[string, Partial<SessionRecord>, Partial<Say>]>([
    ['exits cleanly and stays so', {}, { exit: CLEAN }],
    ['is executed', {}, { condemned: true }],
    ['asked for its own end', { asked: { uuid: life.uuid, then: 'end' } }, {}],
  ])('is over when its agent %s: nobody tries it on', (_, more, end) => {
    const record = running({ crashLoop: true, streak: 6, spec: { ...spec, restart: 'transient' }, ...more });
    const { drive, over, now } = town(record, { life: 'dead', ...end });
    drive.run(1_000);
    expect([now().state, now().crashLoop, over()]).toEqual(['ended', false, ['crash-loop/s1']]);
  });

  test('is not over when its agent is started again, whatever ended it', () => {
    const { drive, over, now } = town(running({ crashLoop: true, streak: 6 }), { life: 'dead', exit: CLEAN });
    drive.run(1_000);
    expect([now().state, now().crashLoop, over()]).toEqual(['backing_off', true, []]);
  });
});

describe('an end that a kill -9 swallowed, between the record that says so and the order', () => {
  const open = [
    'crash-loop/s1',
    'ends-at-once/s1',
    'start-failing/s1',
    'name-taken/s1',
    'start-waits/s1',
    'life-unknown/s1',
  ];
  /** What stays open of these when a town starts with this record. */
  function left(record: SessionRecord): string[] {
    const { drive } = town(record, { life: 'alive' });
    const isOver = (episode: string): boolean =>
      drive.given('endOthers').some(({ of, except }) => episode.startsWith(`${of}/`) && !except.includes(episode));
    return open.filter((episode) => !isOver(episode));
  }
  // Rules: law 8.
  test('comes with the next start, so that the next episode of the name is told', () => {
    expect(left(running())).toEqual([]);
  });
  test.each<[string, Partial<SessionRecord>]>([
    ['crash-loop/s1', { crashLoop: true, streak: 6 }],
    ['ends-at-once/s1', { restless: true, streak: 6 }],
    ['start-failing/s1', { state: 'backing_off', failedStarts: POLICY.sessions.crashLoopRestarts }],
    ['name-taken/s1', { state: 'backing_off', nameTaken: true }],
    ['start-waits/s1', { state: 'backing_off', personThere: true }],
    ['life-unknown/s1', { unknownTold: true }],
  ])('but not for %s, whose cause stands in the record', (episode, more) => {
    expect(left(running(more))).toEqual([episode]);
  });
});

describe('a life that nobody can judge though tmux answers', () => {
  const { unknownAlarmMs, scanEveryMs } = POLICY.sessions;

  test.each<[SeenSession['life'], RegExp]>([
    ['alive', /^running$/],
    ['absent', /^(backing_off|starting)$/],
  ])('is told once a process when it lasts; over when it is %s', (known, state) => {
    const say: Say = { life: 'unknown' };
    const { drive, told, over, now } = town(running(), say);
    drive.run(unknownAlarmMs - scanEveryMs);
    expect(told()).toEqual([]);
    drive.run(2 * scanEveryMs);
    expect(told()).toEqual(['life-unknown/s1']);
    drive.restart(1_000);
    drive.run(3 * unknownAlarmMs);
    expect([told(), over(), now().state]).toEqual([['life-unknown/s1', 'life-unknown/s1'], [], 'running']);
    say.life = known;
    drive.run(scanEveryMs);
    expect([over(), now().unknownTold]).toEqual([['life-unknown/s1'], undefined]);
    expect(now().state).toMatch(state);
  });

  test('counts from its beginning anew when it was known in between', () => {
    const say: Say = { life: 'unknown' };
    const { drive, told } = town(running(), say);
    for (let round = 0; round < 4; round += 1) {
      say.life = 'unknown';
      drive.run(unknownAlarmMs - 2 * scanEveryMs);
      say.life = 'alive';
      drive.run(2 * scanEveryMs);
    }
    expect(told()).toEqual([]);
  });

  // Rules: law 9.
  test('is told by the alarm of tmux alone while tmux does not answer', () => {
    const { drive, told } = town(running(), { life: 'unknown', server: 'unknown' });
    drive.run(3 * unknownAlarmMs);
    expect(told()).toEqual(['tmux-unknown']);
  });
});

describe('a dialog on its screen (law 7)', () => {
  const ASKS = 'needs-input/s1';
  const LOOK = 10_000;

  test('is one episode from the look that shows it to the one that does not', () => {
    const say: Say = { life: 'alive', asks: null };
    const { drive, told, over } = town(running({}), say);
    drive.run(LOOK);
    say.asks = 'Do you want to proceed?';
    drive.run(LOOK);
    expect([told().filter((one) => one === ASKS), over()]).toEqual([[ASKS], []]);
    drive.run(10 * LOOK);
    say.asks = null;
    drive.run(LOOK);
    expect([told().filter((one) => one === ASKS), over()]).toEqual([[ASKS], [ASKS]]);
  });

  // Rules: P-4.
  test.each<[string, Say, string[]]>([
    ['its pack does not know the screen', { life: 'alive', asks: '' }, []],
    ['nobody looked', { life: 'alive' }, []],
    ['tmux does not answer', { life: 'unknown', server: 'unknown' }, []],
    ['it has ended', { life: 'absent', exit: CLEAN }, [ASKS]],
  ])('and then %s', (_, then, ended) => {
    const say: Say = { life: 'alive', asks: 'Do you want to proceed?' };
    const { drive, over } = town(running({}), say);
    drive.run(LOOK);
    delete say.asks;
    Object.assign(say, then);
    drive.run(LOOK);
    expect(over()).toEqual(ended);
  });

  test('told by an earlier process: nothing is over before every screen was seen', () => {
    const say: Say = { life: 'alive' };
    const { drive } = town(running({}), say);
    const compared = (): boolean => drive.orders.some((one) => one.type === 'endOthers' && one.of === 'needs-input');
    drive.run(LOOK);
    expect(compared()).toBe(false);
    say.asks = null;
    drive.run(LOOK);
    expect(compared()).toBe(true);
  });
});
