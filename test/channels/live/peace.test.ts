/** What the channels hold back, over real files: what a person sees anyway, and what is more than they read. */
import { expect, test, vi } from 'vitest';
import { ALERTS } from '../../../machines/alerts/policy.ts';
import { CHANNELS } from '../../../machines/channels/policy.ts';
import type { DeliveryNeeds } from '../../../src/channels/delivery.ts';
import { Bell, causeOf } from '../../../src/alerts/bell.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { told } from '../make.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { Fake, Office } from '../office.ts';

const LONG = 20_000;
const DIALOG = { episode: 'needs-input/builder' };
const OVER = { ...DIALOG, kind: 'recovered', question: false, ends_question: true };

/** An office whose clock a test moves on. */
function peaceful(more: Partial<DeliveryNeeds> = {}) {
  const office = new Office();
  const fake = new Fake();
  let passedMs = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + passedMs,
    wall: () => systemClock.wall() + passedMs,
  };
  const delivery = office.deliver({ fake }, { clock, ...more });
  const sent = (...texts: unknown[]): Promise<void> => vi.waitFor(() => expect(fake.sent).toEqual(texts), LONG);
  const pass = (ms: number): void => {
    passedMs += ms;
    delivery.wake();
  };
  const add = async (text: string, notice: object = {}): Promise<void> => {
    await office.add(text, { at: new Date(clock.wall()).toISOString(), ...notice });
    delivery.wake();
  };
  /** All that may go out has. */
  const looked = (): Promise<void> => systemClock.sleep(300, new AbortController().signal);
  return { office, fake, sent, pass, add, looked };
}

test('a question waits while a person is in its pane, and goes out once they have left; another does not wait', async () => {
  let person = 'builder';
  const { fake, sent, pass, add, looked } = peaceful({ peopleAt: () => Promise.resolve(new Set([person])) });
  await add('builder asks', DIALOG);
  await add('tester asks', { episode: 'needs-input/tester', session: 'tester' });
  await add('builder falls again and again', { episode: 'crash-loop/builder' });
  await sent('tester asks', 'builder falls again and again');
  pass(CHANNELS.awayMs);
  await looked();
  expect(fake.sent).toHaveLength(2);
  person = '';
  pass(CHANNELS.observationMs);
  await looked();
  expect(fake.sent).toHaveLength(2);
  pass(CHANNELS.awayMs);
  await sent('tester asks', 'builder falls again and again', 'builder asks');
});

test('what the person answered in the pane is told no more, nor is its end; the end of what was told is', async () => {
  let person = '';
  const { office, fake, sent, pass, add, looked } = peaceful({
    peopleAt: () => Promise.resolve(new Set([person])),
  });
  await add('builder asks', DIALOG);
  await sent('builder asks');
  await add('builder goes on', OVER);
  await sent('builder asks', 'builder goes on');
  person = 'builder';
  pass(CHANNELS.observationMs);
  await add('builder asks again', DIALOG);
  await looked();
  await add('builder goes on again', OVER);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(fake.sent).toHaveLength(2);
  expect(await office.spool.messages(0, Infinity)).toEqual({ count: 2, notices: 2 });
});

test('questions that may be answered go out one by one, as long as the budget has room', async () => {
  const { office, fake } = { office: new Office(), fake: new Fake() };
  const ask = (number: number) => ({
    number,
    kind: 'permission',
    tags: [],
    shows: [],
    options: [{ word: 'yes', label: 'Yes' }],
  });
  for (const nth of [1, 2, 3, 4, 5]) await office.add(`${nth} asks`, { episode: `needs-input/${nth}`, ask: ask(nth) });
  const mayAnswer = [{ from: 'fake', kinds: ['permission'], options: ['*'], tag: null }];
  office.deliver({ fake }, { mayAnswer, perHour: 4 });
  await vi.waitFor(() => expect(fake.sent).toHaveLength(4), LONG);
  expect(fake.sent).toEqual([
    '1 asks',
    '2 asks',
    '3 asks',
    expect.stringMatching(/^2 messages waited .*\n4 asks\n5 asks$/),
  ]);
});

// Rules: law 8.
test('many alerts that can only be acknowledged are one message, behind a question that has a choice', async () => {
  const { office, fake } = { office: new Office(), fake: new Fake() };
  for (const nth of [1, 2, 3, 4, 5]) await office.add(`work ${nth} is not typed`, { episode: `send-failed/${nth}` });
  await office.add('which one?', { episode: 'escalation/tw-1', answers: ['close'] });
  office.deliver(
    { fake },
    { mayAnswer: [{ from: 'fake', kinds: ['alert', 'escalation'], options: ['*'], tag: null }] },
  );
  await vi.waitFor(() => expect(fake.sent).toHaveLength(2), LONG);
  expect(fake.sent).toEqual(['which one?', expect.stringMatching(/^5 messages waited /)]);
});

test('a digest gathers what is not critical, and goes out as one without what is over meanwhile', async () => {
  const hour = 3_600_000;
  const routes = [{ severity: 'low', tag: null, to: ['fake'], quiet: null, digest: hour } as const];
  const mayAnswer = [{ from: 'fake', kinds: ['alert'], options: ['*'], tag: null }];
  const { fake, sent, pass, add, looked } = peaceful({ routes, mayAnswer });
  const stands = (of: string) => ({ episode: `crash-loop/${of}` });
  await add('builder falls', stands('builder'));
  await add('tester falls', stands('tester'));
  await add('the disk is full', { ...stands('disk'), severity: 'critical' });
  await sent('the disk is full');
  await add('builder lives', { ...OVER, ...stands('builder') });
  pass(hour / 2);
  await add('mender falls', stands('mender'));
  await looked();
  expect(fake.sent).toHaveLength(1);
  pass(hour / 2);
  await sent('the disk is full', expect.stringMatching(/^2 messages waited .*\ntester falls\nmender falls$/));
  await add('mender lives', { ...OVER, ...stands('mender') });
  await looked();
  expect(fake.sent).toHaveLength(2);
});

test('a digest that is longer than the time between two repeats goes out, and tells what was repeated once', async () => {
  const hour = 3_600_000;
  const routes = [{ severity: 'low', tag: null, to: ['fake'], quiet: null, digest: 6 * hour } as const];
  const { office, fake, sent, pass, add, looked } = peaceful({ routes });
  await add('builder asks', DIALOG);
  await looked();
  pass(ALERTS.realertMs);
  await add('builder asks still', DIALOG);
  await looked();
  expect(fake.sent).toEqual([]);
  pass(6 * hour - ALERTS.realertMs);
  await sent('builder asks still');
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(await office.spool.messages(0, Infinity)).toEqual({ count: 1, notices: 2 });
});

test('what the person answered in several panes is told no more', async () => {
  const sessions = ['builder', 'tester', 'mender'];
  const { office, fake, pass, looked } = peaceful({ peopleAt: (at) => Promise.resolve(new Set(at)) });
  const bell = new Bell({
    root: office.root,
    disk: realDisk(office.root, 2),
    command: null,
    channels: true,
    limitMs: LONG,
    wall: systemClock.wall,
  });
  const ring = (session: string, more: object): Promise<string | null> => {
    const notice = {
      schema: 'notice/1',
      at: new Date().toISOString(),
      ...told(session, { session, ...more }),
    } as const;
    return bell.ring(
      { ...notice, episode: `needs-input/${session}` },
      causeOf('alert/needs-input/medium', { isOfSession: true }),
    );
  };
  for (const one of sessions) await ring(one, {});
  for (const one of sessions) await ring(one, OVER);
  pass(CHANNELS.observationMs);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  await looked();
  expect(fake.sent).toEqual([]);
});

test('where it is not known who is in a pane, nothing waits', async () => {
  const { sent, add } = peaceful({ peopleAt: () => Promise.resolve(new Set()) });
  await add('builder asks', DIALOG);
  await sent('builder asks');
});

test('beyond the budget of an hour one message counts the rest; what is critical does not wait for the hour, and nothing is lost', async () => {
  const { office, fake, sent, pass, add, looked } = peaceful({ perHour: 3 });
  for (const text of ['first', 'second']) {
    await add(text);
    await vi.waitFor(() => expect(fake.sent).toContain(text), LONG);
  }
  for (const text of ['third', 'fourth']) await add(text);
  await looked();
  expect(fake.sent).toHaveLength(2);
  await add('answered', { kind: 'answer', to: ['fake'], question: false });
  await sent('first', 'second', 'answered');
  pass(CHANNELS.urgentMs);
  await looked();
  expect(fake.sent).toHaveLength(3);
  await add('the town falls', { severity: 'critical' });
  const joined = '3 messages waited for this channel:\nthe town falls\nthird\nfourth';
  await sent('first', 'second', 'answered', joined);
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  await add('fifth');
  await looked();
  expect(fake.sent).toHaveLength(4);
  pass(CHANNELS.budgetMs);
  await sent('first', 'second', 'answered', joined, 'fifth');
});

test('beyond the budget nothing looks at panes', async () => {
  let looks = 0;
  const peopleAt = (sessions: readonly string[]) => {
    looks += sessions.length;
    return Promise.resolve(new Set<string>());
  };
  const { fake, sent, pass, add, looked } = peaceful({ perHour: 1, peopleAt });
  await add('first', DIALOG);
  await sent('first');
  await looked();
  const before = looks;
  for (const session of ['tester', 'writer']) await add(session, { episode: `needs-input/${session}`, session });
  pass(CHANNELS.observationMs);
  await looked();
  expect(looks).toBe(before);
  pass(CHANNELS.budgetMs);
  await vi.waitFor(() => expect(fake.sent).toHaveLength(2), LONG);
  expect(looks).toBe(before + 2);
});

test('the budget holds over a restart of the process', async () => {
  const { office, sent, add } = peaceful({ perHour: 1 });
  await add('first');
  await sent('first');
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  const next = new Fake();
  await office.add('second');
  office.deliver({ fake: next }, { perHour: 1 });
  await systemClock.sleep(500, new AbortController().signal);
  expect(next.sent).toEqual([]);
});

test('one look at panes serves all questions that wait, on every channel', async () => {
  const looks: (readonly string[])[] = [];
  const sessions = Array.from({ length: 20 }, (_, nth) => `worker-${String(nth)}`);
  const office = new Office();
  for (const session of sessions) await office.add(session, { episode: `needs-input/${session}`, session });
  const peopleAt = (asked: readonly string[]) => {
    looks.push(asked);
    return Promise.resolve(new Set(sessions));
  };
  office.deliver({ one: new Fake(), other: new Fake() }, { peopleAt });
  await vi.waitFor(() => expect(looks).not.toEqual([]), LONG);
  await systemClock.sleep(300, new AbortController().signal);
  expect(looks).toEqual([sessions]);
});

test('all channels together keep to a budget of their own: what is beyond it waits, is counted, and is not lost', async () => {
  const office = new Office();
  const [one, other] = [new Fake(), new Fake()];
  let passedMs = 0;
  const wall = (): number => systemClock.wall() + passedMs;
  const delivery = office.deliver({ one, other }, { perHourInAll: 5, clock: { ...systemClock, wall } });
  await office.add('first');
  delivery.wake();
  await vi.waitFor(() => expect([one.sent, other.sent]).toEqual([['first'], ['first']]), LONG);
  for (const text of ['second', 'third']) await office.add(text);
  delivery.wake();
  await vi.waitFor(() => expect(one.sent.length + other.sent.length).toBe(3), LONG);
  await systemClock.sleep(300, new AbortController().signal);
  expect(one.sent.length + other.sent.length).toBe(3);
  passedMs = CHANNELS.budgetMs;
  delivery.wake();
  await vi.waitFor(async () => expect(await office.spool.waiting()).toEqual([]), LONG);
  expect(`${one.sent.join(' ')} ${other.sent.join(' ')}`).toMatch(/second.*second/s);
  expect(await office.spool.messages(0, Infinity)).toMatchObject({ notices: 6 });
});
