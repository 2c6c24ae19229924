/** The owner of episodes while the person’s command or the disk takes its time, or fails. In virtual time. */
import { describe, expect, test } from 'vitest';
import { episodeIn } from '../../machines/protocol.ts';
import type { SimHands } from '../world/hands.ts';
import { ALERT, BURNS, Desk, remindEveryMs } from './desk.ts';

describe('while the person’s command takes its time', () => {
  const slow: SimHands = { notify: { after: 5_000, body: { type: 'NOTIFIED' } } };
  const end = { type: 'endAlert', episode: BURNS, text: 'it is out' } as const;
  const begin = { type: 'alert', alert: ALERT } as const;

  // Rules: law 8.
  test('nothing is told twice, and the end waits for its beginning', () => {
    const desk = new Desk(slow);
    desk.order(begin, begin, end);
    desk.run(4_000);
    expect([desk.kinds, desk.confirmed]).toEqual([['alert'], ['order/3 needs-input/nux']]);
    desk.run(10_000);
    expect(desk.kinds).toEqual(['alert', 'recovered']);
    expect(desk.confirmed).toEqual(['order/3 needs-input/nux', 'order/1', 'order/2']);
    expect(desk.episodes).toEqual([]);
  });

  test('what begins again goes on while no person heard that it began, and is told again once its end is on its way', () => {
    const desk = new Desk(slow);
    desk.order(begin, end, begin);
    desk.run(20_000);
    expect(desk.kinds).toEqual(['alert']);
    expect(desk.episodes).toMatchObject([{ count: 2, ended_at: null, recovery: null }]);
    desk.order(end, begin, end);
    desk.run(30_000);
    expect(desk.kinds).toEqual(['alert', 'recovered', 'alert', 'recovered']);
    expect(desk.episodes).toEqual([]);
  });

  test('who ordered it hears of it when a person did, and of what is told already at once', () => {
    const desk = new Desk(slow);
    desk.order(begin);
    expect(desk.confirmed).toEqual([]);
    desk.run(5_000);
    expect(desk.confirmed).toEqual(['order/1']);
    desk.order(begin);
    expect(desk.confirmed).toEqual(['order/1', 'order/2']);
  });

  test('a notice that failed was told: the log has it', () => {
    const desk = new Desk({ notify: { type: 'ORDER_FAILED', why: 'its limit' } });
    desk.raise();
    desk.end();
    expect(desk.kinds).toEqual(['alert', 'recovered']);
    expect(desk.confirmed).toEqual(['order/1', 'order/2 needs-input/nux']);
  });
});

describe('the disk', () => {
  // Rules: law 8.
  test('that was in trouble when the town was killed: the next one says that it is over, as soon as it is', () => {
    const desk = new Desk();
    desk.tell({ type: 'CONDITION_FOUND', what: 'disk', why: 'waiting for disk' });
    desk.run(100);
    desk.restart(1_000);
    desk.tell({ type: 'CONDITION_FOUND', what: 'disk', why: null });
    desk.run(100);
    expect(desk.kinds).toEqual(['alert', 'recovered']);
  });

  test('of which nothing can be read: what comes is told, nothing is on record before it can, and what stood there goes on', () => {
    const desk = new Desk();
    desk.raise();
    let isBlind = true;
    const { readAlerts } = desk.reading;
    desk.reading.readAlerts = (...of) => {
      if (isBlind) return { type: 'ORDER_FAILED', why: 'EIO' };
      return typeof readAlerts === 'function' ? readAlerts(...of) : null;
    };
    const before = desk.records.get(`alert/${BURNS}`);
    desk.restart(1_000);
    desk.raise({ text: 'it burns still' });
    desk.raise({ episode: episodeIn('disk') });
    expect(desk.told.slice(1)).toEqual([`alert ${BURNS}: it burns still`, 'alert disk: it burns']);
    expect(desk.records.get(`alert/${BURNS}`)).toBe(before);
    isBlind = false;
    desk.run(remindEveryMs);
    expect(desk.episodes).toMatchObject([
      { episode: BURNS, count: 2, text: 'it burns still', since: before?.kind === 'alert' && before.value?.since },
      { episode: 'disk', count: 1 },
    ]);
    expect(desk.kinds).toHaveLength(3);
  });

  test('that is slow to be read: nothing is told before that, and then what is new', () => {
    const desk = new Desk();
    desk.raise();
    const episodes = desk.episodes;
    desk.reading.readAlerts = { after: 5_000, body: { type: 'ALERTS_READ', episodes, acked: {} } };
    desk.restart(1_000);
    desk.raise();
    desk.raise({ episode: episodeIn('crash-loop/nux') });
    expect(desk.kinds).toEqual(['alert']);
    desk.run(5_000);
    expect(desk.told.slice(1)).toEqual(['alert crash-loop/nux: it burns']);
    expect(desk.confirmed).toEqual(['order/1', 'order/2', 'order/3']);
  });
});
