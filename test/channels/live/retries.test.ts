/** What a channel tries again, in which order, and what it gives up, over real files and a real server. */
import { expect, test, vi } from 'vitest';
import { CHANNELS } from '../../../machines/channels/policy.ts';
import { Undelivered } from '../../../src/channels/port.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import type { Clock } from '../../../src/ports/ports.ts';
import { Fake, Office } from '../office.ts';

const LONG = 20_000;

test('what failed is tried again, is told as trouble meanwhile, and goes out once', async () => {
  const office = new Office();
  const fake = new Fake();
  let isAway = true;
  fake.answer = () => (isAway ? Promise.reject(new Undelivered('away')) : Promise.resolve('ok'));
  await office.add('x');
  const delivery = office.deliver({ fake });
  await vi.waitFor(() => expect(delivery.troubles()).toMatchObject([{ channel: 'fake', why: 'away' }]), LONG);
  isAway = false;
  await vi.waitFor(() => expect(fake.sent).toEqual(['x']), LONG);
  await vi.waitFor(() => expect(delivery.troubles()).toEqual([]), LONG);
});

test('a message that waited through a long sleep is tried until its channel failed for a day, and is given up then', async () => {
  const office = new Office();
  const fake = new Fake();
  let [tries, passedMs, sleptMs] = [0, 0, 0];
  fake.answer = () => {
    tries += 1;
    return Promise.reject(new Undelivered('away'));
  };
  await office.add('x');
  // The waits between the tries are short here.
  const clock: Clock = {
    now: () => systemClock.now() + passedMs,
    wall: () => systemClock.wall() + passedMs + sleptMs,
    sleep: (_, signal) => systemClock.sleep(20, signal),
  };
  sleptMs = 2 * CHANNELS.expiresMs;
  office.deliver({ fake }, { clock });
  await vi.waitFor(() => expect(tries).toBeGreaterThan(3), LONG);
  expect(await office.spool.waiting()).toHaveLength(1);
  passedMs = CHANNELS.expiresMs + 1;
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
});

test('what a server may have is sent again as it was, also after a refusal, and what came meanwhile goes out behind it', async () => {
  const office = new Office();
  const fake = new Fake();
  const tried: string[] = [];
  const failures = [new Undelivered('no word', { isUnsure: true }), new Undelivered('HTTP 503')];
  fake.answer = () => {
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve('ok') : Promise.reject(failure);
  };
  await office.add('first');
  const delivery = office.deliver({ fake: { send: (one) => (tried.push(one.id), fake.send(one)) } });
  await vi.waitFor(() => expect(delivery.troubles()).toHaveLength(1), LONG);
  for (let nth = 0; nth < 5; nth += 1) await office.add(`alert ${nth}`);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(fake.sent).toEqual(['first', expect.stringMatching(/^5 messages waited/)]);
  expect([new Set(tried.slice(0, -1)).size, tried.length]).toEqual([1, 4]);
});

test('many that a server may have, and that it then refuses as one, go out one by one', async () => {
  const office = new Office();
  for (let nth = 0; nth < 5; nth += 1) await office.add(`alert ${nth}`);
  const fake = new Fake();
  const failures = [new Undelivered('no word', { isUnsure: true }), new Undelivered('too long', { isFinal: true })];
  fake.answer = () => {
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve('ok') : Promise.reject(failure);
  };
  office.deliver({ fake });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(fake.sent).toHaveLength(5);
});

test('what a server never takes holds up nothing behind it', async () => {
  const office = new Office();
  const fake = new Fake();
  let tries = 0;
  fake.answer = () =>
    (tries += 1) === 1 ? Promise.reject(new Undelivered('too long', { isFinal: true })) : Promise.resolve('ok');
  await office.add('first');
  await office.add('second');
  office.deliver({ fake });
  await vi.waitFor(() => expect(fake.sent).toEqual(['second']), LONG);
  const [first] = await office.spool.sent();
  expect(first?.receipts['fake']).toMatchObject({ said: 'too long', isDelivered: false });
});

test('many that are refused as one go out one by one, the gravest first', async () => {
  const office = new Office();
  for (let nth = 0; nth < 5; nth += 1) await office.add(`alert ${nth}`, nth === 3 ? { severity: 'critical' } : {});
  const fake = new Fake();
  let tries = 0;
  fake.answer = () =>
    (tries += 1) === 1 ? Promise.reject(new Undelivered('too long', { isFinal: true })) : Promise.resolve('ok');
  office.deliver({ fake });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(fake.sent).toEqual(['alert 3', 'alert 0', 'alert 1', 'alert 2', 'alert 4']);
});

test('a message that is refused for good is a trouble until the channel delivers', async () => {
  const office = new Office();
  const fake = new Fake();
  fake.answer = () => Promise.reject(new Undelivered('too long', { isFinal: true }));
  await office.add('x');
  const delivery = office.deliver({ fake });
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(delivery.troubles()).toMatchObject([{ channel: 'fake', why: 'too long' }]);
  expect(delivery.isGood()).toBe(false);
  fake.answer = () => Promise.resolve('ok');
  await office.add('y');
  await vi.waitFor(() => expect(delivery.troubles()).toEqual([]), LONG);
  expect(delivery.isGood()).toBe(true);
});

test('it is good only once what waits was tried', async () => {
  const office = new Office();
  await office.add('x');
  const fake = new Fake();
  const answer = Promise.withResolvers<string>();
  fake.answer = () => answer.promise;
  const delivery = office.deliver({ fake });
  expect(delivery.isGood()).toBe(false);
  answer.resolve('ok');
  await vi.waitFor(() => expect(delivery.isGood()).toBe(true), LONG);
});
