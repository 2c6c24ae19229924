/** What is told while the disk refuses records: at once, once, and on record when there is room. The shipped loop. */
import { afterEach, expect, test } from 'vitest';
import { episodeIn, orderName, type NewsBody } from '../../machines/protocol.ts';
import { STATE } from '../../state/files/policy.ts';
import { settled } from '../town/fake-clock.ts';
import { Rig, still } from '../town/rig.ts';

let rig: Rig;
afterEach(() => rig.stop());

const full = (): Promise<void> => Promise.reject(new Error('no space left'));
const free = (): Promise<void> => Promise.resolve();
const found = (why: string | null): NewsBody => ({ type: 'CONDITION_FOUND', what: 'disk', why });
const told = (): string[] => rig.performed.flatMap((order) => (order.type === 'notify' ? [order.what] : []));

async function begin(disk: Rig['disk']): Promise<void> {
  rig = new Rig();
  await settled();
  rig.disk = disk;
}

// Rules: law 8.
test('a disk that is full is told though the alarm itself cannot be recorded: once, and its end', async () => {
  await begin(full);
  await rig.news(found('no space left'));
  await rig.news(found('an error'));
  await rig.clock.pass(10 * STATE.retrySaveMs);
  expect(told()).toEqual(['alert']);
  expect(rig.log.filter((line) => line.startsWith('saved'))).toEqual([]);
  rig.disk = free;
  await rig.clock.pass(STATE.retrySaveMs);
  expect(rig.log).toContain('saved alert');
  await rig.news(found(null));
  expect(told()).toEqual(['alert', 'recovered']);
  await rig.news(found('no space left'));
  expect(told()).toEqual(['alert', 'recovered', 'alert']);
});

test('any other alert is told as well, and the actor that ordered it goes on', async () => {
  await begin(full);
  const alert = { episode: episodeIn('crash-loop/nux'), severity: 'high', session: 'nux', text: 'a test' } as const;
  await rig.news({ type: 'ALERT_ORDERED', by: { name: 'order', turn: 1 }, change: { type: 'alert', alert } });
  await rig.news({
    type: 'ALERT_ORDERED',
    by: { name: 'order', turn: 2 },
    change: { type: 'endAlert', episode: alert.episode, text: 'over' },
  });
  const confirmed = rig.performed.flatMap((order) => (order.type === 'confirmAlert' ? [orderName(order.to)] : []));
  expect([told(), confirmed]).toEqual([
    ['alert', 'recovered'],
    ['order/1', 'order/2'],
  ]);
});

test('what was never on record because it came and went is gone from there too', async () => {
  await begin(full);
  await rig.news(found('no space left'));
  await rig.news(found(null));
  const records: string[] = [];
  rig.disk = (all) => {
    records.push(...all.map(({ kind, value }) => `${kind} ${value === null ? 'gone' : 'kept'}`));
    return Promise.resolve();
  };
  rig.perform = still;
  await rig.clock.pass(2 * STATE.retrySaveMs);
  expect(records.sort()).toEqual(['ack kept', 'alert gone']);
});
