import { expect, test } from 'vitest';
import type { NewsBody, Reply } from '../../machines/protocol.ts';
import { createDesk, type Desk } from '../../src/socket/desk.ts';

const START = { verb: 'bootTriage' } as const;
const FULL: Reply = { ok: false, exit: 4, code: 'degraded', text: 'the disk is full' };

function open(refuses: () => Promise<Reply | null>): { desk: Desk; news: NewsBody[] } {
  const news: NewsBody[] = [];
  const none = (): never => {
    throw new Error('not asked for here');
  };
  const desk = createDesk({
    ...{ refuses, announce: (body) => news.push(body), status: none, overview: none, stop: none },
    ...{ answerMs: 600_000, patienceMs: 1 },
  });
  return { desk, news };
}

test('what is refused is answered at once and never reaches the town', async () => {
  const { desk, news } = open(() => Promise.resolve(FULL));
  expect(await desk.handlers.request('1', START)).toEqual(FULL);
  expect(news).toEqual([]);
});

test('who waits when the disk fails is told so before the time is over; one that recovers is waited for', async () => {
  const { desk } = open(() => Promise.resolve(null));
  const waits = desk.handlers.request('1', START);
  await Promise.resolve();
  desk.degraded('no space left');
  expect(await waits).toMatchObject({ exit: 4, text: expect.stringContaining('no space left') as string });
  const patient = desk.handlers.request('2', START);
  await Promise.resolve();
  desk.degraded('no space left');
  desk.degraded(null);
  const reply: Reply = { ok: true, value: 7 };
  await desk.reply({ type: 'reply', id: 'reply/2', to: '2', reply }, new AbortController().signal);
  expect(await patient).toEqual(reply);
});

test('who is still being judged when the town ends is told that', async () => {
  const judged = Promise.withResolvers<null>();
  const { desk, news } = open(() => judged.promise);
  const late = desk.handlers.request('1', START);
  desk.close();
  judged.resolve(null);
  expect(await late).toMatchObject({ exit: 3, code: 'town_ending' });
  expect(news).toEqual([]);
});
