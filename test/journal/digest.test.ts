/** What `town report` makes of a journal (V-3): each thing once, nothing that no line says. */
import { describe, expect, test } from 'vitest';
import { digestOf, type Digest } from '../../src/journal/digest.ts';
import type { WrittenLine } from '../../state/journal.ts';

type Given = readonly [second: number, kind: string, more?: Readonly<Record<string, unknown>>];
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const SECOND = 1_000;

async function* written(given: readonly Given[]): AsyncGenerator<WrittenLine> {
  for (const [second, kind, more] of given) {
    await Promise.resolve();
    yield { at: new Date(BEGIN + second * SECOND).toISOString(), kind, ...more };
  }
}
const told = (given: readonly Given[], { from = 0, to = 1_000, isDown = false } = {}): Promise<Digest> =>
  digestOf(written(given), { since: BEGIN + from * SECOND, until: BEGIN + to * SECOND, isDown });

const HEARING = { session: 'builder', dance: 'dog-1' };
const CLOSED = {
  ...HEARING,
  attempt: 1,
  verdict: 'pardoned',
  reason: 'answered: code',
  evidenceOnly: false,
  rescue: null,
};

// Rules: M-9, V-3.
test('agents that were told to go on after a usage limit, and whether they did', async () => {
  const tells = (session: string, at: number, kind = 'nudge.typed'): Given[] => [
    [at, 'limit.told', { session, text: 'go on' }],
    [at + 1, kind, { session }],
  ];
  const { went_on } = await told([
    ...tells('ada', 1),
    [30, 'limit.over', { session: 'ada' }],
    [31, 'nudge.typed', { session: 'ada' }],
    ...tells('bob', 40, 'nudge.not_typed'),
    ...tells('cay', 50),
  ]);
  const iso = (second: number): string => new Date(BEGIN + second * SECOND).toISOString();
  expect(went_on).toEqual([
    { at: iso(2), session: 'ada', over_at: iso(30) },
    { at: iso(51), session: 'cay', over_at: null },
  ]);
});

describe('hearings', () => {
  const hearing: readonly Given[] = [
    [1, 'dance.interrogating.asking', { ...HEARING, attempt: 1 }],
    [2, 'question.typed', HEARING],
    [3, 'look', { ...HEARING, sight: { kind: 'answered', by: 'code', quote: 'ALIVE K73F' } }],
    [4, 'dance.closed', CLOSED],
  ];

  // Rules: V-3.
  test('count once, with the evidence, though a town that starts anew tells them again', async () => {
    const again: Given[] = [
      [5, 'town.started', { epoch: 2 }],
      [6, 'dance.interrogating.asking', { ...HEARING, attempt: 1 }],
      [6, 'question.typed', HEARING],
      [7, 'dance.closed', { ...CLOSED, verdict: 'executed' }],
    ];
    const { asked, pardoned, executed } = await told([...hearing, ...again]);
    expect(asked).toEqual({ hearings: 1, questions: 1, sessions: ['builder'] });
    expect(pardoned).toMatchObject([{ session: 'builder', evidence: 'ALIVE K73F', evidence_only: false }]);
    expect(executed).toEqual([]);
  });

  // Rules: V-3.
  test('each verdict stands under its own name; only what a hearing ended is executed, and a stall', async () => {
    const close = (dance: string, verdict: string, more = {}): Given[] => [
      [1, 'dance.interrogating.asking', { session: dance, dance, attempt: 1 }],
      [11, 'dance.closed', { ...CLOSED, session: dance, dance, verdict, ...more }],
    ];
    const digest = await told([
      ...close('a', 'executed', { rescue: { folder: 'rescue/a', ref: 'refs/a', repos: 1, files: 1 } }),
      ...close('d', 'executed', { forced: true }),
      ...close('e', 'executed', { forced: true, stopped: true }),
      ...close('f', 'already_dead', { forced: true, stopped: true }),
      ...close('g', 'executed', { forced: true, ownWish: true }),
      ...close('h', 'already_dead', { forced: true, ownWish: true }),
      ...close('i', 'already_dead', { forced: true }),
      ...close('b', 'escalated'),
      ...close('c', 'void'),
    ]);
    expect(digest.executed).toMatchObject([
      {
        dance: 'a',
        forced: false,
        rescue: 'rescue/a',
        saved: '1 file of its work was saved under refs/a; what its pane showed is in rescue/a',
      },
    ]);
    expect(digest.stopped).toMatchObject([
      { dance: 'd', forced: true, rescue: null, saved: null },
      { dance: 'e' },
      { dance: 'f' },
    ]);
    expect(digest.own_wish).toMatchObject([{ dance: 'g' }, { dance: 'h' }]);
    expect(digest.escalated).toMatchObject([{ dance: 'b' }]);
    expect(digest.otherwise).toMatchObject([
      { dance: 'i', verdict: 'already_dead' },
      { dance: 'c', verdict: 'void' },
    ]);
    expect(digest.asked.questions).toBe(0);
    expect(digest.lost).toEqual([{ cause: 'stall', ms: 10_000, times: 1, at_most: false, goes_on: false }]);
  });
});

describe('deaths', () => {
  const dies = (at: number, more = {}): Given => [
    at,
    'session.backing_off',
    { session: 'builder', uuid: 'u1', note: 'ended with exit code 3; starts again', crashLoop: false, ...more },
  ];
  const lives = (at: number, uuid: string): Given => [at, 'session.running', { session: 'builder', uuid }];

  test('a restart is a new life after a death, and its time is lost', async () => {
    const { restarted, lost } = await told([
      lives(1, 'u1'),
      dies(10),
      lives(10, 'u1'),
      lives(13, 'u2'),
      lives(20, 'u2'),
    ]);
    expect(restarted).toMatchObject([
      { session: 'builder', why: 'ended with exit code 3', cause: 'restart', lost_ms: 3_000 },
    ]);
    expect(lost).toMatchObject([{ cause: 'restart', ms: 3_000, times: 1 }]);
  });

  test('what cannot be run never lived: it is down from its first death on, and comes back once', async () => {
    const note = 'ended with exit code 127; starts again';
    const never = [dies(10, { note }), lives(11, 'u2'), dies(11, { uuid: 'u2', note }), lives(13, 'u3')];
    const loop = await told([...never, dies(13, { uuid: 'u3', note })], { to: 40 });
    expect([loop.restarted, loop.lost]).toMatchObject([
      [],
      [{ cause: 'restart', ms: 30_000, times: 1, goes_on: true }],
    ]);
    const mended = await told([...never, dies(14, { uuid: 'u3', note }), lives(20, 'u4')], { to: 40 });
    expect(mended.restarted).toMatchObject([{ session: 'builder', lost_ms: 10_000 }]);
    const worked = await told([...never, dies(33, { uuid: 'u3', note })], { to: 40 });
    expect(worked.restarted).toMatchObject([{ lost_ms: 3_000 }]);
  });

  // Rules: V-3.
  test.each([
    ['stopped by a usage limit (5-hour limit); tried again', 'usage limit'],
    ['the tmux server died; starts again', 'tmux server died'],
    ['starts again as its agent asked', 'asked by the agent'],
  ])('%s is lost to: %s', async (note, cause) => {
    expect((await told([dies(10, { note }), lives(13, 'u2')])).lost).toMatchObject([{ cause, ms: 3_000 }]);
  });

  test('what is dead at the end goes on, what ended for good is not lost', async () => {
    expect((await told([dies(10)], { to: 40 })).lost).toMatchObject([{ cause: 'restart', ms: 30_000, goes_on: true }]);
    expect((await told([dies(10), [11, 'session.ended', { session: 'builder' }]])).lost).toEqual([]);
  });

  test('only the part within the stretch counts', async () => {
    const { lost, restarted } = await told([dies(10), lives(130, 'u2')], { from: 100 });
    expect([lost[0]?.ms, restarted.length]).toEqual([30_000, 1]);
    expect((await told([dies(10), lives(13, 'u2')], { from: 100 })).restarted).toEqual([]);
  });

  test('a crash loop is one until it is over', async () => {
    const loop = { crashLoop: true };
    const { crash_loops } = await told([dies(1, loop), dies(2, loop), dies(3), dies(4, loop)]);
    expect(crash_loops.map(({ at }) => new Date(at).getTime() - BEGIN)).toEqual([1_000, 4_000]);
  });
});

describe('the town down', () => {
  const started: Given = [100, 'town.started', { epoch: 2 }];

  test('is from its own word to the next start', async () => {
    const { town_downs } = await told([[1, 'boot'], [40, 'town.stopped'], started]);
    expect(town_downs).toMatchObject([{ ms: 60_000, asked: true, at_most: false, goes_on: false }]);
  });

  test('without a word is at most from its last line', async () => {
    const { town_downs, lost } = await told([[1, 'boot'], started]);
    expect(town_downs).toMatchObject([{ ms: 99_000, asked: false, at_most: true }]);
    expect(lost).toMatchObject([{ cause: 'town down', at_most: true }]);
  });

  test('goes on while none runs; a first start is no end of one', async () => {
    expect((await told([started])).town_downs).toEqual([]);
    const { town_downs } = await told([started, [200, 'town.stopped']], { to: 260, isDown: true });
    expect(town_downs).toMatchObject([{ ms: 60_000, goes_on: true, asked: true }]);
  });
});

test('an alert is one until it is over; a wait for a person is lost once it ended', async () => {
  const needs = { episode: 'needs-input/builder', severity: 'medium', text: 'builder waits' };
  const { paged, lost } = await told([
    [1, 'alert', needs],
    [2, 'alert', needs],
    [31, 'alert.ended', needs],
    [40, 'alert', needs],
  ]);
  expect(paged.map(({ ended_at }) => ended_at === null)).toEqual([false, true]);
  expect(lost).toMatchObject([{ cause: 'blocked on a person', ms: 30_000, times: 1 }]);
});

test('nudges are counted, and lines with odd contents do no harm', async () => {
  const digest = await told([
    [1, 'nudge.typed', { session: 'builder' }],
    [2, 'nudge.not_typed', { obstacle: null }],
    [3, 'look', { sight: 7 }],
    [4, 'dance.closed', {}],
    [5, 'session.backing_off', { session: 5, note: null }],
    [6, 'alert', { episode: [] }],
  ]);
  expect(digest.nudges).toEqual({ typed: 1, not_typed: 1 });
});
