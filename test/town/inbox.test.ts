/** The inbox: who is taken first, what is replaced by newer news, and how it waits. */
import { describe, expect, test } from 'vitest';
import type { News, NewsBody, Outcome, OutcomeBody } from '../../machines/protocol.ts';
import { FactQueue } from '../../src/town/fact-queue.ts';
import { warrant } from '../world/drive.ts';
import { FakeClock, settled } from './fake-clock.ts';

const news = (body: NewsBody): News => ({ ...body, at: 0, wall: 0 });
const outcome = (body: OutcomeBody): Outcome => ({ ...body, re: {}, at: 0, wall: 0 });
const filed = (n: number) => news({ type: 'WARRANT_FILED', warrant: warrant(`w${n}`) });
const alive = news({ type: 'ALIVE_ANSWERED', code: 'K73F', uuid: null });
const inboxWith = (...facts: readonly (News | Outcome)[]): FactQueue => {
  const inbox = new FactQueue(new FakeClock());
  for (const fact of facts) inbox.push(fact);
  return inbox;
};
const types = (inbox: FactQueue) => inbox.take().map((f) => f.type);

/** Rows of one rank keep the order in which they came. */
test('answers and looks and failures first, then outcomes, then news', () => {
  const inbox = inboxWith(
    filed(1),
    news({ type: 'SESSION_DIED', server: 1, paneId: '%1', exit: { kind: 'unknown' } }),
    outcome({ type: 'VERDICT_SENT' }),
    outcome({ type: 'SIGNALLED', alive: [], newcomers: [] }),
    outcome({ type: 'LOOKED', observation: { kind: 'silent' }, tail: '' }),
    outcome({ type: 'ORDER_FAILED', why: 'x' }),
    alive,
  );
  expect(types(inbox)).toEqual([
    'LOOKED',
    'ORDER_FAILED',
    'ALIVE_ANSWERED',
    'VERDICT_SENT',
    'SIGNALLED',
    'WARRANT_FILED',
    'SESSION_DIED',
  ]);
});

// Rules: I-5.
test('an answer behind ten thousand warrants comes with the next step, and no step takes more than a bite', () => {
  const inbox = inboxWith(...Array.from({ length: 10_000 }, (_, n) => filed(n)), alive);
  const bites: number[] = [];
  expect(inbox.take()[0]?.type).toBe('ALIVE_ANSWERED');
  for (let bite = inbox.take(); bite.length > 0; bite = inbox.take()) bites.push(bite.length);
  expect(Math.max(...bites)).toBeLessThanOrEqual(500);
  expect(bites.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(9_500);
  expect(inbox.isEmpty).toBe(true);
});

test('of wakes about the same thing one is left; everything else is kept', () => {
  const wake = (what: 'warrants' | 'sessions') => news({ type: 'CHANGED', what });
  const inbox = inboxWith(wake('warrants'), filed(1), wake('warrants'), wake('sessions'), filed(1));
  expect(types(inbox)).toEqual(['CHANGED', 'WARRANT_FILED', 'CHANGED', 'WARRANT_FILED']);
});

test('news from the hands is stamped when it comes', () => {
  const clock = new FakeClock();
  const inbox = new FactQueue(clock);
  inbox.announce({ type: 'CHANGED', what: 'sessions' });
  expect(inbox.take()).toEqual([{ type: 'CHANGED', what: 'sessions', at: clock.now(), wall: clock.wall() }]);
});

describe('waiting ends', () => {
  const waits = async (act: (inbox: FactQueue, clock: FakeClock, stop: AbortController) => Promise<void> | void) => {
    const clock = new FakeClock();
    const inbox = new FactQueue(clock);
    const stop = new AbortController();
    let over = false;
    void inbox.wait(clock.now() + 1_000, stop.signal).then(() => (over = true));
    await settled();
    expect(over).toBe(false);
    await act(inbox, clock, stop);
    await settled();
    return { over, sleeping: clock.sleeping };
  };
  test.each<[string, (inbox: FactQueue, clock: FakeClock, stop: AbortController) => Promise<void> | void]>([
    ['at its time', (_, clock) => clock.pass(1_000)],
    ['with a fact', (inbox) => inbox.push(alive)],
    ['with a stop', (_inbox, _clock, stop) => stop.abort()],
  ])('%s, and leaves no timer behind', async (_, act) => {
    expect(await waits(act)).toEqual({ over: true, sleeping: 0 });
  });

  test('at once when a fact is there already, or the time is past', async () => {
    const clock = new FakeClock();
    await inboxWith(alive).wait(clock.now() + 1_000, new AbortController().signal);
    await new FactQueue(clock).wait(clock.now(), new AbortController().signal);
    await new FactQueue(clock).wait(clock.now() + 1_000, AbortSignal.abort());
    expect(clock.sleeping).toBe(0);
  });
});
