/** Who waits for a person, as the scan sees it on screens: what it costs, and when it counts. */
import { describe, expect, test } from 'vitest';
import { BUSY, DIALOG, IDLE, LIFE, OTHER, REMARK, SECOND, type Server, UNKNOWN, holding, yard } from './panes.ts';

describe('a dialog', () => {
  // Rules: P-4.
  test('is told within a minute, and over soon after it is answered', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, IDLE);
    expect(of()).toBeUndefined();
    await pass(30);
    expect(of()).toBeNull();
    server.show(LIFE.paneId, DIALOG);
    await pass(10);
    expect(of()).toBe('');
    await pass(30);
    expect(of()).toBe('Do you want to proceed?');
    server.show(LIFE.paneId, IDLE);
    await pass(12);
    expect(of()).toBeNull();
  });

  test('is told while a person types in that very pane: their client is not asked for', async () => {
    const { server, pass, of } = yard();
    const asked: string[] = [];
    const { query } = server.tmux;
    Object.assign(server.tmux, {
      query: (command: readonly string[]) => {
        asked.push(command[0] ?? '');
        return query();
      },
    });
    server.show(LIFE.paneId, IDLE);
    await pass(30);
    server.show(LIFE.paneId, DIALOG);
    await pass(58);
    expect(of()).toBe('Do you want to proceed?');
    expect(new Set(asked)).toEqual(new Set(['list-panes']));
  });

  test('that is animated is told within a minute', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, BUSY);
    await pass(20);
    for (let second = 0; second < 58; second += 2) {
      server.show(LIFE.paneId, DIALOG);
      await pass(2);
    }
    expect(of()).toBe('Do you want to proceed?');
  });

  test('that is answered at once is not told', async () => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    await pass(8);
    server.show(LIFE.paneId, BUSY);
    await pass(40);
    expect(of()).toBeNull();
  });

  test.each<[string, (server: Server) => void]>([
    ['a screen that its pack does not know', (server) => server.show(LIFE.paneId, UNKNOWN)],
    ['a tmux that does not answer', (server) => (server.isSilent = true)],
  ])('stands on behind %s', async (_, happens) => {
    const { server, pass, of } = yard();
    server.show(LIFE.paneId, DIALOG);
    await pass(40);
    happens(server);
    await pass(60);
    expect(of()).toBe('Do you want to proceed?');
  });
});

// Rules: P-4.
test('panes that stand still are not read; all that change are read together', async () => {
  const { server, pass } = yard();
  server.show(LIFE.paneId, DIALOG);
  server.show(OTHER.paneId, IDLE);
  await pass(30);
  const before = server.readings;
  expect(before).toBeLessThanOrEqual(2);
  await pass(600);
  expect(server.readings).toBe(before);
  for (let second = 0; second < 60; second += 2) {
    for (const { paneId } of [LIFE, OTHER]) server.show(paneId, BUSY);
    await pass(2);
  }
  expect(server.readings - before).toBeLessThanOrEqual(3);
});

describe('who asks for the status', () => {
  // Rules: P-4.
  test('is told of a dialog that came a moment ago, which is no alert yet', async () => {
    const { server, asking, pass, of } = yard();
    for (const { paneId } of [LIFE, OTHER]) server.show(paneId, BUSY);
    await pass(20);
    server.show(LIFE.paneId, DIALOG);
    expect(await asking.glance([])).toBe(true);
    expect([asking.asksNow(LIFE.uuid), asking.asksNow(OTHER.uuid), of()]).toEqual([
      'Do you want to proceed?',
      null,
      '',
    ]);
    server.show(LIFE.paneId, BUSY);
    server.now += SECOND;
    await asking.glance([]);
    expect([asking.asksNow(LIFE.uuid), of()]).toEqual([null, null]);
  });

  test('has a screen that moves read once in a second, and one that stands still once', async () => {
    const { server, asking, pass } = yard();
    server.show(OTHER.paneId, DIALOG);
    await pass(20);
    const before = server.readings;
    for (let tenth = 0; tenth < 50; tenth += 1) {
      server.show(LIFE.paneId, BUSY);
      await asking.glance([]);
      server.now += SECOND / 10;
    }
    expect(server.readings - before).toBeGreaterThanOrEqual(4);
    expect(server.readings - before).toBeLessThanOrEqual(6);
  });

  test.each(['isSilent', 'isSlow'] as const)('is told what was seen last where tmux %s', async (what) => {
    const { server, asking, pass } = yard();
    server.show(LIFE.paneId, DIALOG);
    await pass(10);
    server.show(LIFE.paneId, BUSY);
    server[what] = true;
    expect(await asking.glance([])).toBe(false);
    expect(asking.asksNow(LIFE.uuid)).toBe('Do you want to proceed?');
  });
});

describe('words in a composer', () => {
  // Rules: D-6.
  test('that are the old ones of the town are taken out, at each look until they are gone', async () => {
    const { server, pass, takenOut } = yard();
    server.show(LIFE.paneId, holding(REMARK));
    await pass(30);
    expect(takenOut.length).toBeGreaterThan(3);
    expect(new Set(takenOut)).toEqual(new Set([LIFE.uuid]));
    server.show(LIFE.paneId, IDLE);
    const before = takenOut.length;
    await pass(30);
    expect(takenOut.length).toBe(before);
  });

  test.each(['fix the tests', `${REMARK} No, wait`, REMARK.slice(0, 14)])(
    'that are not ours alone stay: %s',
    async (words) => {
      const { server, pass, takenOut } = yard();
      server.show(LIFE.paneId, holding(words));
      await pass(60);
      expect(takenOut).toEqual([]);
    },
  );
});

// Rules: M-13.
test('a screen that its pack does not know tells why it says nothing, until it is known', async () => {
  const { server, asking, pass } = yard();
  expect(asking.seen(LIFE.uuid)).toBeUndefined();
  server.show(LIFE.paneId, UNKNOWN);
  await pass(30);
  expect(asking.seen(LIFE.uuid)).toMatchObject({ word: null, unheard: 'its pack does not know the screen' });
  server.show(LIFE.paneId, IDLE);
  await pass(30);
  expect(asking.seen(LIFE.uuid)).toMatchObject({ word: { state: 'idle' }, unheard: null });
});
