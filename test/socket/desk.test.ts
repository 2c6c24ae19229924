import { describe, expect, test, vi } from 'vitest';
import type { NewsBody, Reply } from '../../machines/protocol.ts';
import { OPERATOR, type Asker } from '../../src/socket/permission.ts';
import { createDesk, type RequestRouter } from '../../src/socket/request-router.ts';
import { BUILDER, TOKEN, WAIT } from './town.ts';

const START = { verb: 'bootTriage' } as const;
const URL_OF_STREAM = 'ws://127.0.0.1:1/token';
const FULL: Reply = { ok: false, exit: 4, code: 'degraded', text: 'the disk is full' };

interface Opened {
  readonly desk: RequestRouter;
  readonly news: NewsBody[];
  stops(): number;
}

function open(refuses: () => Promise<Reply | null>, callers: Asker[] = []): Opened {
  const news: NewsBody[] = [];
  let stops = 0;
  const none = (): never => {
    throw new Error('not asked for here');
  };
  const desk = createDesk({
    announce: (body) => news.push(body),
    status: none,
    overview: none,
    costs: none,
    stop: () => (stops += 1),
    inspector: () => URL_OF_STREAM,
    agentOf: (token) =>
      token === 'EIO' ? Promise.reject(new Error('EIO')) : Promise.resolve(token === TOKEN ? BUILDER : null),
    refuses: (_, caller) => {
      callers.push(caller);
      return refuses();
    },
    answerMs: 600_000,
    patienceMs: 10,
  });
  return { desk, news, stops: () => stops };
}

test('what is refused is answered at once and never reaches the town', async () => {
  const { desk, news } = open(() => Promise.resolve(FULL));
  expect(await desk.handlers.request('1', START, null)).toEqual(FULL);
  expect(news).toEqual([]);
});

test('who waits when the disk fails is told so before the time is over; one that recovers is waited for', async () => {
  const { desk } = open(() => Promise.resolve(null));
  const waits = desk.handlers.request('1', START, null);
  await Promise.resolve();
  desk.degraded('no space left');
  expect(await waits).toMatchObject({ exit: 4, text: expect.stringContaining('no space left') as string });
  const patient = desk.handlers.request('2', START, null);
  await Promise.resolve();
  desk.degraded('no space left');
  desk.degraded(null);
  const reply: Reply = { ok: true, value: 7 };
  await desk.reply({ type: 'reply', id: { issuer: 'reply', name: '2' }, to: '2', reply }, new AbortController().signal);
  expect(await patient).toEqual(reply);
});

test('a reason that changes puts off no answer, which names the last one, and that the request is on no disk', async () => {
  vi.useFakeTimers();
  const { desk } = open(() => Promise.resolve(null));
  const waits = desk.handlers.request('1', START, null);
  await vi.advanceTimersByTimeAsync(0);
  desk.degraded('first');
  await vi.advanceTimersByTimeAsync(6);
  desk.degraded('second');
  await vi.advanceTimersByTimeAsync(6);
  vi.useRealTimers();
  expect(await Promise.race([waits, Promise.resolve(null)])).toMatchObject({
    code: 'waits_for_disk',
    text: expect.stringMatching(
      /\(second\): what you asked for is not on disk; .* it is lost if the town ends before/,
    ) as string,
  });
});

test('who is still being judged when the town ends is told that', async () => {
  const judged = Promise.withResolvers<null>();
  const { desk, news } = open(() => judged.promise);
  const late = desk.handlers.request('1', START, null);
  desk.close();
  judged.resolve(null);
  expect(await late).toMatchObject({ exit: 3, code: 'town_ending' });
  expect(news).toEqual([]);
});

describe('a token', () => {
  const request = (desk: RequestRouter, token: string | null): Promise<Reply> =>
    desk.handlers.request('1', START, token);

  test('tells the town who asks; without one it is the operator', async () => {
    const callers: Asker[] = [];
    const { desk, news } = open(() => Promise.resolve(null), callers);
    const waiting = [request(desk, TOKEN), desk.handlers.request('2', START, null)];
    await vi.waitFor(() => expect(news).toHaveLength(2), WAIT);
    expect(callers).toEqual(expect.arrayContaining([BUILDER, OPERATOR]));
    expect(news).toEqual(
      expect.arrayContaining([
        { type: 'REQUESTED', rpc: '1', request: START, by: 'builder', via: 'agent' },
        { type: 'REQUESTED', rpc: '2', request: START, by: 'operator', via: 'operator' },
      ]),
    );
    desk.close();
    expect(await waiting[1]).toMatchObject({ code: 'town_ending' });
  });

  test('that no session has, or that cannot be looked up, gets nothing done', async () => {
    const { desk, news, stops } = open(() => Promise.resolve(null));
    for (const token of ['', 'stranger']) {
      expect(await request(desk, token)).toMatchObject({ ok: false, exit: 5, code: 'bad_token' });
      expect(await desk.handlers.stop(token)).toMatch(/belongs to no living session/);
    }
    expect(await request(desk, 'EIO')).toMatchObject({ ok: false, exit: 1, code: 'caller_unknown' });
    expect([news, stops()]).toEqual([[], 0]);
  });

  test('of an agent, or of no session, opens no inspector', async () => {
    const { desk } = open(() => Promise.resolve(null));
    expect(await desk.handlers.inspector(TOKEN)).toMatchObject({ ok: false, exit: 5, code: 'operator_only' });
    for (const token of ['', 'stale', 'EIO']) expect(await desk.handlers.inspector(token)).toMatchObject({ ok: false });
    expect(await desk.handlers.inspector(null)).toEqual({ ok: true, value: URL_OF_STREAM });
  });

  // Rules: law 11.
  test('of an agent stops no town', async () => {
    const { desk, stops } = open(() => Promise.resolve(null));
    expect(await desk.handlers.stop(TOKEN)).toMatch(/stopping the town is for the operator.*builder calls/);
    expect(stops()).toBe(0);
    expect(await desk.handlers.stop(null)).toBeNull();
    expect(stops()).toBe(1);
  });
});

// Rules: law 11.
test("the town's own patrols ask as the town, by a name that no caller of the socket has, and are refused as a command is", async () => {
  const callers: Asker[] = [];
  let answer: Reply | null = FULL;
  const { desk, news } = open(() => Promise.resolve(answer), callers);
  expect(await desk.ask(START)).toEqual(FULL);
  expect(callers).toEqual([{ is: 'town' }]);
  answer = null;
  const asked = desk.ask(START);
  await vi.waitFor(() =>
    expect(news).toMatchObject([{ type: 'REQUESTED', request: START, by: 'patrols', via: 'town' }]),
  );
  desk.close();
  expect(await asked).toMatchObject({ exit: 3, code: 'town_ending' });
});

// Rules: law 11.
test('a channel asks as the operator, in its own name', async () => {
  const { desk, news } = open(() => Promise.resolve(null));
  const asked = desk.ask(START, 'ntfy');
  await vi.waitFor(() => expect(news).toMatchObject([{ type: 'REQUESTED', by: 'ntfy', via: 'operator' }]));
  desk.close();
  await asked;
});
