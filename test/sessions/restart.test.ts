/** An operator restarts a session, by where it stands, also with another conversation or without its program. */
import { describe, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import { life, running as record, spec } from './one.ts';
import { LONG, type Say, code, ended, town, waiting } from './intent.ts';

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
