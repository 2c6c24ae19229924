/** An operator stops a session, by where it stands; and a kill -9 at each step. */
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import { decodeSession, sessionText } from '../../state/sessions/records.ts';
import { life, running as record, spec } from './one.ts';
import { LONG, type Say, apart, code, ended, town, waiting } from './intent.ts';

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
