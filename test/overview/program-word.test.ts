/** What a program says of itself, beside its screen: when it counts, and when its screen is looked at. */
import { describe, expect, test } from 'vitest';
import type { Picture } from '../../src/screen/screen.ts';
import { BUSY, DIALOG, holding, IDLE, LIFE, LIMIT, OTHER, SECOND, UNKNOWN, screenOf, yard } from './panes.ts';

// Rules: M-11.
test('a conversation counts once its program has named it twice, and no other meanwhile', async () => {
  const { pass, names, conversation } = yard();
  await pass(10);
  expect(conversation()).toBeUndefined();
  names('of-its-start');
  await pass(6);
  names('the-one');
  await pass(6);
  expect(conversation()).toBeUndefined();
  await pass(12);
  expect(conversation()).toBe('the-one');
});

// Rules: M-11.
test('the conversation of the life before counts once the next one names it', async () => {
  const { pass, names, conversation, restart } = yard();
  names('the-one');
  await pass(12);
  expect(conversation()).toBe('the-one');
  restart();
  await pass(6);
  expect(conversation()).toBeUndefined();
  names('the-one');
  await pass(2);
  expect(conversation()).toBe('the-one');
});

// Rules: M-9.
test.each<[string, Picture | undefined, boolean]>([
  ['an empty composer', IDLE, true],
  ['a login that is needed, above an empty composer', screenOf('not-logged-in', '200x50'), true],
  ['a draft', holding('fix the te'), false],
  ['a dialog', DIALOG, false],
  ['a choice of logins', screenOf('login'), false],
  ['work', BUSY, false],
  ['what its pack does not know', UNKNOWN, false],
])('a composer counts as empty where the screen shows %s', async (_, picture, isEmpty) => {
  const { server, asking } = yard();
  server.show(LIFE.paneId, picture);
  const life = { ...LIFE, agent: { ...LIFE.agent, pid: process.pid } };
  expect(await asking.isEmptyNow(life)).toBe(isEmpty);
  expect(await asking.isEmptyNow({ ...life, server: { ...life.server, pid: life.server.pid + 1 } })).toBe(false);
});

// Rules: M-2.
describe('a program that says itself how it is', () => {
  test('is not looked at while it works or asks, however much it draws', async () => {
    const { server, asking, pass, says, of } = yard();
    const [state, question] = ['asks', 'permission prompt'] as const;
    says(LIFE, 'working');
    says(OTHER, state, question);
    for (let second = 0; second < 120; second += 2) {
      for (const { paneId } of [LIFE, OTHER]) server.show(paneId, BUSY);
      await pass(2);
    }
    expect(server.readings).toBe(0);
    expect([of(), asking.of(OTHER.uuid)]).toEqual([null, question]);
  });

  test('asks since it says so, also where the town began later', async () => {
    const { server, pass, says, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    says(LIFE, 'asks', 'permission prompt', 60);
    await pass(2);
    expect(of()).toBe('permission prompt');
  });

  test('asks since it was first heard to, where it does not tell since when', async () => {
    const { pass, says, of } = yard();
    says(LIFE, 'asks', 'an approval', null);
    await pass(6);
    expect(of()).toBe('');
    await pass(60);
    expect(of()).toBe('an approval');
    says(LIFE, 'working');
    await pass(6);
    says(LIFE, 'asks', 'an approval', null);
    await pass(6);
    expect(of()).toBe('');
  });

  test('asks nothing any more as soon as it is at rest, although its dialog was drawn last', async () => {
    const { server, pass, says, of } = yard();
    says(LIFE, 'asks', 'permission prompt', 60);
    await pass(6);
    says(LIFE, 'idle');
    server.show(LIFE.paneId, UNKNOWN);
    await pass(6);
    expect(of()).toBeNull();
  });

  test('and is at rest is looked at once, for what only its screen tells', async () => {
    const { server, asking, pass, says } = yard();
    server.show(LIFE.paneId, LIMIT);
    says(LIFE, 'idle');
    await pass(30);
    expect(asking.seen(LIFE.uuid)?.word).toMatchObject({
      by: 'screen',
      state: 'limited',
      source: 'screen, by pack claude',
    });
    const before = server.readings;
    await pass(600);
    expect(server.readings).toBe(before);
  });
});

// Rules: M-3.
describe('a program that works and tells of no step', () => {
  const STREAM = screenOf('streaming');
  const further = (line: string): Picture => {
    const at = STREAM.rows.findIndex((row) => row.includes('Line '));
    return { ...STREAM, rows: STREAM.rows.with(at, line) };
  };
  const working = () => {
    const all = yard();
    all.server.show(LIFE.paneId, STREAM);
    all.steps('a step');
    /** As the monitor does: what it finds new on the screen. */
    const closely = async () => {
      await all.asking.look([LIFE], true);
      all.server.now += 30 * SECOND;
      return all.asking.seen(LIFE.uuid)?.wrote?.news;
    };
    return { ...all, closely };
  };

  test('is read by a close look alone, and what it streams is news', async () => {
    const { server, asking, pass, closely } = working();
    await pass(60);
    await closely();
    expect(server.readings).toBe(0);
    expect(await closely()).toBe(0);
    server.show(LIFE.paneId, further('Line 7 of a long answer'));
    expect(await closely()).toBe(1);
    expect(await closely()).toBe(1);
    expect(asking.seen(LIFE.uuid)).toMatchObject({ word: null });
    expect(asking.of(LIFE.uuid)).toBeNull();
  });

  test('is not read by a close look at others', async () => {
    const { server, asking, closely } = working();
    await closely();
    for (let times = 0; times < 3; times += 1) {
      await asking.look([LIFE], true, []);
      server.now += 30 * SECOND;
    }
    expect(server.readings).toBe(0);
  });

  test('is not read while it makes steps, nor while a tool runs that has time left', async () => {
    const { server, steps, closely } = working();
    for (const step of ['b', 'c', 'd']) {
      steps(step);
      await closely();
    }
    steps('d', true);
    await closely();
    await closely();
    expect(server.readings).toBe(0);
  });

  test('shows nothing new by the first look at another standstill', async () => {
    const { server, steps, closely } = working();
    await closely();
    expect(await closely()).toBe(0);
    steps('b');
    server.show(LIFE.paneId, further('Line 9 of a long answer'));
    await closely();
    expect(await closely()).toBe(0);
  });
});
