import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { read } from '../../src/journal/lines.ts';
import { CAST } from '../../src/demo/cast.ts';
import { configOf, longestMs, SPEED, speedFor } from '../../src/demo/times.ts';
import { leaving } from '../../src/terminal/streams.ts';
import { Canvas, frame, news, type Picture } from '../../src/demo/view.ts';

const picture: Picture = {
  title: 'Townwatch demo',
  cast: CAST,
  moment: {
    town: null,
    guard: null,
    sessions: new Map(),
    open: [],
    closed: [],
    lines: [],
    warrants: [
      {
        id: 'w',
        target: 'deaf',
        charge: 'silent',
        requester: 'demo',
        filed_at: null,
        force: false,
        via: null,
        state: 'closed',
        verdict: 'pardoned',
        reason: `a new line: \u001b[2J${'x'.repeat(300)}`,
        dance: 'dog-1',
      },
    ],
  },
  now: 0,
  events: Array.from({ length: 50 }, (_, n) => `event ${n}`),
};

describe('the live view', () => {
  test.each([
    [200, 50],
    [80, 24],
    [60, 12],
    [40, 9],
    [20, 4],
    [1, 1],
  ])('is never wider or higher than a terminal of %d x %d', (columns, rows) => {
    const shown = frame(picture, { columns, rows });
    expect(shown.length).toBeLessThanOrEqual(Math.max(1, rows - 1));
    expect(Math.max(...shown.map(({ text }) => [...text].length))).toBeLessThan(Math.max(2, columns));
    expect(shown.map(({ text }) => text).join('')).not.toContain('\u001b');
  });

  test('says what became of each, and what happened last', () => {
    const text = frame(picture, { columns: 80, rows: 24 }).map((row) => row.text);
    expect(text.find((row) => row.startsWith('deaf'))).toMatch(/^deaf +pardoned: a new line/);
    expect(text.at(-1)).toBe('event 49');
    expect(text[0]).toBe('Townwatch demo · no town yet');
  });

  test('draws over itself, starts anew when the terminal changed, and gives the cursor back once', () => {
    const written: string[] = [];
    const canvas = new Canvas((text) => written.push(leaving(text)));
    const rows = [
      { text: 'one', style: null },
      { text: 'two', style: null },
    ];
    canvas.draw(rows, { columns: 80, rows: 24 });
    canvas.draw(rows, { columns: 80, rows: 24 });
    canvas.draw(rows, { columns: 40, rows: 24 });
    canvas.end();
    canvas.end();
    expect(written).toHaveLength(4);
    expect(written[0]).toMatch(/^\u001b\[\?25l\u001b\[Gone/);
    expect(written[1]).toMatch(/^\u001b\[\?25l\u001b\[1Fone/);
    expect(written[2]).toMatch(/^\u001b\[\?25l\u001b\[H\u001b\[2Jone/);
    expect(written[3]).toBe('\n\u001b[?25h');
    expect(stripVTControlCharacters(written[0]!)).toBe('one\ntwo');
  });
});

test('a plain line is told once, also when a town that came back says it again', () => {
  const told = new Set<string>();
  const lines = [
    { at: '', kind: 'dance.closed', session: 'deaf', verdict: 'executed', reason: 'silent' },
    { at: '', kind: 'tmux', server: 'up' },
  ].map(read);
  expect(news(lines, told)).toEqual(['deaf: the hearing ended: executed: silent']);
  expect(news(lines, told)).toEqual([]);
});

test('what happens is told as it happens, and a death once, however late it is seen', () => {
  const told = new Set<string>();
  const line = (kind: string, more: object) => ({ at: '', kind, session: 'phoenix', uuid: 'a', ...more });
  const note = 'ended with exit code 3; starts again';
  const lines = [
    line('session.starting', { uuid: null, note: 'starting' }),
    line('session.running', { note: 'running', restarts: 0 }),
    line('dance.interrogating.asking', { attempt: 2 }),
    line('session.backing_off', { note }),
    line('session.starting', { note }),
    line('session.running', { uuid: 'b', note: 'running', restarts: 1 }),
    line('signal.ordered', { signal: 'TERM', pids: [7, 8] }),
  ].map(read);
  expect(news(lines, told)).toEqual([
    'phoenix: runs',
    'phoenix: is asked whether it lives, question 2',
    `phoenix: ${note}`,
    'phoenix: runs again',
    'phoenix: gets TERM, pid 7, 8',
  ]);
});

test('a machine with little to do plays as fast as can be watched, a busy one within its means', () => {
  expect([0, 1.99, 2, 8, 16, 24, 400].map((load) => speedFor(load, 2))).toEqual([60, 60, SPEED, SPEED, 15, 10, 6]);
});

test('at its own speed the windows are a quarter of a minute, and a demo that gets nowhere ends', () => {
  expect(configOf(SPEED, '/tmp/x')).toContain('windows = ["2s", "4s", "8s"]');
  expect(longestMs(SPEED)).toBeLessThan(longestMs(1));
});
