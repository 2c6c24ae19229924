/** What an operator does to one session by intent (stop, restart, remove), by where it stands; and a kill -9 at each step. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Elsewhere, Reply, Request, SessionRecord, Spared } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import { decodeSession, sessionText } from '../../state/sessions/records.ts';
import { Drive, townInput } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import { life, running as record, spec } from './one.ts';

const waiting = record({ state: 'backing_off', waitMs: 600_000, crashLoop: true, streak: 7, restartAgesMs: [1, 2] });
const apart = { ...life, origin: 'detached', sessionId: '', paneId: '' } as const;
const ended = record({ state: 'ended', note: 'ended with exit code 0' });

interface Say {
  start?: 'fails' | 'unknown' | 'missing' | 'never' | undefined;
  left?: readonly Elsewhere[];
  clears?: string;
  files?: 'fails' | 'spares' | undefined;
}

/** A town that finds this record. An agent that a warrant is filed against ends by it, as the kennel would see to. */
function town(found: SessionRecord | null, say: Say = {}, more: Parameters<typeof townInput>[1] = {}) {
  const machine = new Machine();
  let spared: Spared | undefined;
  const said: SimHands = {
    fileWarrant: ({ warrant }, now) => {
      if (say.files === 'fails') return { type: 'ORDER_FAILED', why: 'the disk is full' };
      if (say.files === undefined) return machine.file(warrant, now);
      spared = { stops: [warrant.id], why: 'its work could not be saved' };
      return { type: 'WARRANT_WRITTEN' };
    },
    scan: ({ known }, now) => {
      const found = machine.scan(known, now);
      if (found.type !== 'SESSIONS_SEEN' || spared === undefined) return found;
      return { ...found, seen: found.seen.map((one) => ({ ...one, spared })) };
    },
    startSession: (order, now) => {
      if (say.start === undefined) return machine.start(order, now);
      if (say.start === 'never') return null;
      if (say.start === 'unknown') return { type: 'ORDER_FAILED', why: 'tmux is silent' };
      const missing = say.start === 'missing' && { missing: true };
      return { type: 'SESSION_NOT_STARTED', why: 'no', taken: false, ...missing };
    },
    listSurvivors: ({ of }) => ({
      type: 'SURVIVORS_LISTED',
      of: of.map((one) => ({ ...one, survivors: say.left ?? [] })),
    }),
    clear: () => ({ type: 'CLEARED', survivors: [], ...(say.clears !== undefined && { left: say.clears }) }),
  };
  const drive = new Drive([said, machine.hands], {
    input: townInput(POLICY, { isProtected: () => false, ...more }),
    sessions: found === null ? [] : [found],
  });
  const ask = (request: Request): Reply | undefined => {
    const rpc = `r${drive.orders.length}`;
    drive.ask(request, { rpc, via: 'operator' });
    drive.run(10);
    return drive.given('reply').find(({ to }) => to === rpc)?.reply;
  };
  const warrants = (): string[] => drive.given('fileWarrant').map(({ warrant }) => warrant.id);
  return {
    drive,
    machine,
    ask,
    warrants,
    now: () => drive.sessions[0] ?? null,
    stop: (force = false) => ask({ verb: 'stopSession', name: 's1', then: 'end', force }),
    restart: (force = false) => ask({ verb: 'stopSession', name: 's1', then: 'restart', force }),
    fresh: () => ask({ verb: 'stopSession', name: 's1', then: 'restart', force: false, fresh: true }),
    start: () => ask({ verb: 'startSession', spec }),
    remove: () => ask({ verb: 'removeSession', name: 's1' }),
    /** Of earlier processes too. */
    starts: () => drive.given('startSession').length,
    forgotten: () => drive.trail.includes('s1 forgotten'),
    told: () => drive.alerts,
    over: () => drive.ends.filter((episode) => /^(?!burning|denied).*\/s1$/.test(episode)),
    mailed: () => drive.given('mail').length,
  };
}
const code = (reply: Reply | undefined): string => (reply === undefined ? 'none' : reply.ok ? 'ok' : reply.code);
const LONG = 40 * 60_000;

describe('stop', () => {
  test.each<[string, SessionRecord | null, Say, string, string]>([
    ['running', record(), {}, 'ok', 'ended'],
    ['in a crash loop', waiting, {}, 'ok', 'ended'],
    ['being started', record({ state: 'starting', pending: 'u' }), {}, 'ok', 'ended'],
    ['being started, which fails', record({ state: 'starting', pending: 'u' }), { start: 'fails' }, 'ok', 'ended'],
    ['ended', ended, {}, 'ok', 'ended'],
    ['adopted', record({ state: 'observed', incarnation: { ...life, origin: 'adopted' } }), {}, 'adopted', 'observed'],
    ['without tmux', record({ incarnation: apart }), {}, 'no_pane', 'running'],
    ['not known', null, {}, 'unknown_session', 'none'],
  ])('one that is %s', (_, found, say, answered, state) => {
    const { drive, stop, now, starts, told, over, mailed } = town(found, say);
    expect(code(stop())).toBe(answered);
    drive.run(LONG);
    expect(now()?.state ?? 'none').toBe(state);
    const before = starts();
    drive.run(LONG);
    expect([starts(), told(), mailed()]).toEqual([before, over(), 0]);
    if (state === 'ended') expect([now()?.note, isRetired(now()!)]).toEqual(['stopped by the operator', true]);
  });

  test('it is on record before its warrant is filed, and filed again under the same id after a kill -9', () => {
    const { drive, stop, now, warrants } = town(record(), { files: 'fails' });
    expect(code(stop())).toBe('ok');
    expect(now()?.asked).toMatchObject({ uuid: life.uuid, then: 'end' });
    const text = sessionText(now()!);
    expect(decodeSession(text, 's1.json')).toMatchObject({ ok: true, value: { asked: now()!.asked } });
    drive.restart(1_000);
    drive.run(5_000);
    // At once, at the start of the next town, and after scans, as long as it cannot be written.
    expect(warrants().length).toBeGreaterThan(3);
    expect(new Set(warrants()).size).toBe(1);
    expect(now()?.state).toBe('running');
  });

  test.each(['restart', 'configured'] as const)(
    'what was stopped stays down over a %s of the town, and starts by hand',
    (how) => {
      const { drive, stop, now, starts, start } = town(record(), {}, how === 'configured' ? { agents: [spec] } : {});
      stop();
      drive.run(LONG);
      drive.restart(1_000);
      drive.run(LONG);
      drive.tell({ type: 'SESSION_WANTED', spec, uuid: null, why: 'a test' });
      drive.run(LONG);
      expect([starts(), now()?.state]).toEqual([0, 'ended']);
      expect(code(start())).toBe('ok');
      expect([starts(), now()?.state, now()?.asked ?? null]).toEqual([1, 'running', null]);
    },
  );

  test('a crash loop and its alarm end with it', () => {
    const { stop, now, over } = town(waiting);
    stop();
    expect(over()).toEqual(['crash-loop/s1']);
    expect(now()).toMatchObject({ crashLoop: false, streak: 0, restartAgesMs: [], waitMs: 0 });
  });

  test('that came to nothing says why, is taken back by a start, and is tried anew by the next order', () => {
    const say: Say = { files: 'spares' };
    const { drive, stop, restart, start, now, warrants, starts } = town(record(), say);
    const why = 'could not be ended: its work could not be saved';
    for (const [order, then] of [
      [stop, 'not started again when it ends'],
      [restart, 'started again when it ends'],
    ] as const) {
      order();
      drive.run(LONG);
      expect(now()).toMatchObject({ state: 'running', note: `${why}; ${then}` });
    }
    expect(code(start())).toBe('ok');
    expect(now()).toMatchObject({ state: 'running', asked: null, note: 'running' });
    expect([warrants().length, starts()]).toEqual([2, 0]);
    say.files = undefined;
    stop();
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
  });

  test('that came to nothing is remembered: what ends by itself after it stays down, over restarts of the town too', () => {
    const { drive, machine, stop, now, starts } = town(record({ spec: { ...record().spec, restart: 'permanent' } }), {
      files: 'spares',
    });
    stop();
    drive.run(LONG);
    drive.restart(1_000);
    drive.run(LONG);
    machine.end(life, drive.now, { exit: { kind: 'code', code: 1 } });
    drive.run(LONG);
    expect([now()?.state, isRetired(now()!), starts()]).toEqual(['ended', true, 0]);
  });

  test('a start is refused until it has ended', () => {
    const { stop, start } = town(record(), { files: 'fails' });
    stop();
    expect(code(start())).toBe('stopping');
  });

  test('of a protected name only by force', () => {
    const { stop, now, drive } = town(record(), {}, { isProtected: () => true });
    expect(code(stop())).toBe('protected_target');
    expect(now()?.asked).toBeUndefined();
    expect(code(stop(true))).toBe('ok');
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
  });

  test('an agent’s own wish does not overrule it', () => {
    const { drive, stop, now } = town(record(), { files: 'fails' });
    stop();
    const wish = { type: 'END_WANTED', session: 's1', uuid: life.uuid, then: 'restart' } as const;
    drive.tell({ ...wish, id: 'lifecycle-1', filedAt: 0, why: 'it asked' });
    drive.run(10);
    expect(now()?.asked).toMatchObject({ then: 'end' });
  });

  test('one whose start is unknown is ended as soon as it is there', () => {
    const say: Say = { start: 'unknown' };
    const { drive, stop, now, warrants } = town(record({ state: 'starting', pending: 'u', incarnation: null }), say);
    expect(code(stop())).toBe('ok');
    drive.run(10_000);
    expect([now()?.state, warrants()]).toEqual(['starting', []]);
    say.start = undefined;
    drive.run(LONG);
    expect([now()?.state, warrants().length, isRetired(now()!)]).toEqual(['ended', 1, true]);
  });
});

describe('restart', () => {
  test.each<[string, SessionRecord, number]>([
    ['running', record(), 1],
    ['running, and temporary', record({ spec: { ...spec, restart: 'temporary' } }), 1],
    ['in a crash loop', waiting, 0],
    ['ended', ended, 0],
    ['stopped', { ...ended, asked: { uuid: life.uuid, then: 'end', operatorAt: 1 } }, 0],
  ])('one that is %s ends and starts once, at once', (_, found, filed) => {
    const { drive, restart, now, starts, warrants } = town(found);
    expect(code(restart())).toBe('ok');
    drive.run(10_000);
    expect([now()?.state, starts(), warrants().length]).toEqual(['running', 1, filed]);
    expect(now()).toMatchObject({ crashLoop: false, streak: 0, restartAgesMs: [] });
    drive.run(LONG);
    expect(starts()).toBe(1);
  });

  test('a kill -9 between its end and its start loses neither', () => {
    const say: Say = { start: 'never' };
    const { drive, restart, now } = town(record(), say);
    restart();
    drive.run(5_000);
    expect(now()?.state).toBe('starting');
    say.start = undefined;
    drive.restart(1_000);
    drive.run(5_000);
    expect(now()?.state).toBe('running');
  });

  test('the last word counts', () => {
    const say: Say = { files: 'fails' };
    const { drive, restart, stop, now } = town(record(), say);
    restart();
    stop();
    delete say.files;
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
  });
});

describe('remove', () => {
  const child = { pid: 7_001, started: '9@boot', program: 'sleep' };

  test.each<[string, SessionRecord | null, Say, Parameters<typeof townInput>[1], string]>([
    ['ended', ended, {}, {}, 'ok'],
    ['stopped', { ...ended, remains: [{ life, survivors: [] }] }, {}, {}, 'ok'],
    ['ended, and never lived', { ...ended, incarnation: null }, {}, {}, 'ok'],
    ['running', record(), {}, {}, 'still_running'],
    ['in a crash loop', waiting, {}, {}, 'still_running'],
    ['adopted', record({ state: 'observed', incarnation: { ...life, origin: 'adopted' } }), {}, {}, 'still_running'],
    ['in town.toml', { ...ended, asked: { uuid: life.uuid, then: 'end' } }, {}, { agents: [spec] }, 'configured'],
    ['survived', { ...ended, remains: [{ life, survivors: [] }] }, { left: [child] }, {}, 'survivors'],
    ['not to be cleared', ended, { clears: 'its pane is left' }, {}, 'not_cleared'],
    ['not known', null, {}, {}, 'unknown_session'],
  ])('one that is %s', (_, found, say, more, answered) => {
    const { remove, forgotten, drive, now } = town(found, say, more);
    expect(code(remove())).toBe(answered);
    drive.run(LONG);
    expect(forgotten()).toBe(answered === 'ok');
    if (answered !== 'ok' && found !== null && found !== waiting) expect(now()?.state).toBe(found.state);
  });

  test.each<[string, 'actor' | 'session', string, RegExp]>([
    ['s1', 'session', '[[agents]]', /s1 stands in town\.toml \(\[\[agents\]\]\).*take it out there/],
    ['watchdog', 'actor', '[[agents]]', /watchdog stands in town\.toml \(\[\[agents\]\]\).*take it out there/],
    [
      'watchdog',
      'session',
      '[monitor] mode',
      /watchdog stands in town\.toml \(\[monitor\] mode\).*set that to "actor"/,
    ],
  ])('%s, with the monitor as %s: a refusal and a changed command name %s', (name, mode, key, says) => {
    const of = { ...spec, name, command: ['another'] };
    const policy = { ...POLICY, monitor: { ...POLICY.monitor, mode } };
    const known = (more: Partial<SessionRecord>) => ({ ...record(more), spec: { ...spec, name } });
    const stopped = town(known({ ...ended, asked: { uuid: life.uuid, then: 'end' } }), {}, { policy, agents: [of] });
    const reply = stopped.ask({ verb: 'removeSession', name });
    expect(reply).toMatchObject({ code: 'configured', text: expect.stringMatching(says) as string });
    const { drive } = town(known({}), {}, { policy, agents: [of] });
    drive.run(10_000);
    const alert = drive.given('alert').find(({ alert }) => alert.text.includes('than it was started'))?.alert;
    expect(alert?.text).toBe(
      `${key} in town.toml gives ${name} another command than it was started with; what was started is kept. To change it: town session stop ${name}, then town session start ${name}`,
    );
  });

  test('its name can be started and forgotten again and again', () => {
    const { remove, start, stop, drive } = town(ended);
    expect([code(remove()), code(remove())]).toEqual(['ok', 'unknown_session']);
    for (const times of [1, 2]) {
      expect([times, code(start())]).toEqual([times, 'ok']);
      expect(code(stop())).toBe('ok');
      drive.run(LONG);
      expect(code(remove())).toBe('ok');
    }
    expect(drive.trail.filter((line) => line === 's1 forgotten')).toHaveLength(3);
  });

  test('a refusal leaves everything as it was: it can be stopped afterwards', () => {
    const { remove, stop, now, drive } = town(record());
    expect([code(remove()), code(stop())]).toEqual(['still_running', 'ok']);
    drive.run(LONG);
    expect(now()?.state).toBe('ended');
  });
});

// Rules: M-11.
describe('a restart with another conversation', () => {
  const conversation = { id: 'c-1', resumed: true, deaths: 0, steady: true } as const;

  test.each<[string, SessionRecord]>([
    ['runs', record({ conversation })],
    ['has ended', { ...ended, conversation }],
    ['waits for its next start', { ...waiting, conversation }],
  ])('of one that %s is on record at once, and its next start names none to go on with', (_, found) => {
    const { drive, fresh } = town(found);
    expect(code(fresh())).toBe('ok');
    expect(drive.sessions[0]?.conversation).toMatchObject({ id: 'c-1', over: 'the operator asked for a new one' });
    drive.run(LONG);
    expect(drive.given('startSession').map(({ resume }) => resume)).toEqual([undefined]);
  });

  test('goes on with the old one where it is not wanted', () => {
    const { drive, restart } = town(record({ conversation }));
    restart();
    drive.run(LONG);
    expect(drive.given('startSession')[0]?.resume).toMatchObject({ id: 'c-1' });
  });

  test('of one that is being started is refused: its start may go on with the old one', () => {
    const { fresh } = town(record({ state: 'starting', pending: 'u', conversation }), { start: 'never' });
    expect(code(fresh())).toBe('starting');
  });

  test('of one that has none is a restart', () => {
    const { drive, fresh } = town(record());
    expect(code(fresh())).toBe('ok');
    expect(drive.sessions[0]?.conversation).toBeUndefined();
  });
});

describe('a program that is not there', () => {
  test('leaves no record of a name that was only mistyped', () => {
    const { start, forgotten, now } = town(null, { start: 'missing' });
    expect(start()).toMatchObject({ ok: false, exit: 2, code: 'no_program' });
    expect([forgotten(), now()]).toEqual([true, null]);
  });

  test('ends the start of one that lived, whose record stays', () => {
    const { start, forgotten, now } = town(ended, { start: 'missing' });
    expect(start()).toMatchObject({ ok: false, exit: 2, code: 'no_program' });
    expect([forgotten(), now()?.state]).toEqual([false, 'ended']);
  });
});
