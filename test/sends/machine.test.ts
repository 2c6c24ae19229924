/** Work that was sent, in virtual time. */
import { expect, test } from 'vitest';
import { hash32 } from '../../machines/kernel/seeded-random.ts';
import { MAX_TIMERS } from '../../machines/monitor/policy.ts';
import { POLICY } from '../../machines/policy.ts';
import type { NudgeObstacle } from '../../machines/protocol.ts';
import { SENDS } from '../../machines/sends/policy.ts';
import { PROCESS } from '../../src/ports/policy.ts';
import type { ActorTree } from '../../src/town/actor-tree.ts';
import { sendsOf, timersOf } from '../../src/town/workers-view.ts';
import { running, specOf } from '../sessions/one.ts';
import { Drive, incarnation, townInput, WALL } from '../world/drive.ts';
import { ASKS, town, WORKS } from './town.ts';

test('work is typed once, in its order, and no session waits for another', () => {
  const it = town({ w2: WORKS });
  expect(it.send('a', 'w1')).toMatchObject({ ok: true, value: { id: 'a', ahead: 0 } });
  expect(it.send('b', 'w1')).toMatchObject({ ok: true, value: { id: 'b', ahead: 1 } });
  it.send('c', 'w2');
  it.drive.run(10 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a', 'w1: b']);
  expect(it.kept()).toEqual(['c']);
  delete it.standing['w2'];
  it.drive.run(2 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a', 'w1: b', 'w2: c']);
  expect(it.kept()).toEqual([]);
});

test('a restart of the town loses none, and types none that was typed', () => {
  const it = town({ w2: WORKS });
  it.send('a', 'w1');
  it.send('b', 'w2');
  it.drive.run(2 * SENDS.againMs);
  it.drive.restart(SENDS.againMs);
  delete it.standing['w2'];
  it.drive.run(2 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a', 'w2: b']);
});

test('the same request once more is one', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1');
  expect(it.send('a', 'w1')).toMatchObject({ ok: true, value: { id: 'a', ahead: 0 } });
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a']);
});

test('the same request after it was typed, and after a restart, types nothing twice', () => {
  const it = town();
  it.send('a', 'w1');
  it.drive.run(2 * SENDS.againMs);
  it.drive.restart(SENDS.againMs);
  expect(it.send('a', 'w1')).toMatchObject({ ok: true });
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a']);
});

test.each<[string, NudgeObstacle]>([
  ['its text', { kind: 'unfit', what: 'Claude Code takes what begins with "/" for a command' }],
  ['a protected name', { kind: 'protected', what: 'w1 is a protected name' }],
])('what no waiting mends (%s) is an alert until it is cancelled, and keeps nothing behind it', (_, obstacle) => {
  const it = town({ a: obstacle });
  it.send('a', 'w1');
  it.send('b', 'w1');
  it.drive.run(3 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: b']);
  expect(it.alerts()).toEqual(['send-failed/a']);
  it.drive.restart(SENDS.againMs);
  it.drive.run(3 * SENDS.againMs);
  expect(it.kept()).toEqual(['a']);
  expect(it.cancel('a')).toMatchObject({ ok: true });
  it.drive.run(SENDS.againMs);
  expect(it.drive.ends).toEqual(['send-failed/a']);
  expect(it.typed).toEqual(['w1: b']);
});

test('work for a session that was removed is not typed to the next one of its name', () => {
  const it = town({ w1: { kind: 'gone', paneStays: false } });
  it.send('a', 'w1');
  it.send('b', 'w1');
  it.send('c', 'w2');
  it.drive.run(2 * SENDS.againMs);
  it.drive.tell({ type: 'SESSION_REMOVED', session: 'w1' });
  it.send('d', 'w1');
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual(['w2: c', 'w1: d']);
  expect(it.kept()).toEqual(['a', 'b']);
  expect(it.alerts()).toEqual(['send-failed/a', 'send-failed/b']);
});

test('a try that takes long is the only one, and what it types cannot be taken back', () => {
  const typed: string[] = [];
  const drive = new Drive([{ remind: ({ text }) => (typed.push(text), null) }], {
    input: townInput(POLICY, { monitors: true }),
  });
  const request = { verb: 'send', name: 'w1', send: 'a', text: 'x', from: 'overseer' } as const;
  drive.ask(request);
  drive.run(SENDS.againMs);
  drive.ask({ ...request, send: 'b' });
  drive.run(5 * SENDS.againMs);
  expect(typed).toEqual(['x']);
  expect(drive.ask({ verb: 'cancelSend', send: 'a' })).toMatchObject({ ok: false, exit: 5, code: 'typing' });
  expect(drive.ask({ verb: 'cancelSend', send: 'b' })).toMatchObject({ ok: true });
});

test('what a program could not be told by its start is typed once it rests, once, also where the start is told twice', () => {
  const it = town({ w1: WORKS });
  const words = { type: 'WORDS_WANTED', session: 'w1', life: 'life-1', text: 'you were started again' } as const;
  it.drive.tell(words);
  it.drive.tell(words);
  it.drive.run(2 * SENDS.againMs);
  it.drive.restart(SENDS.againMs);
  it.drive.tell(words);
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  it.drive.tell(words);
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: you were started again']);
});

test.each([
  ['a young life hears it again after a kill of the town, which may have lost it', 60_000, ['words']],
  ['an older one does not', 3_600_000, []],
])('%s', (_, ageMs, heard) => {
  const typed: string[] = [];
  const conversation = { id: 'ses_1', resumed: true, deaths: 0, untold: 'words' };
  const drive = new Drive([{ remind: ({ text }) => (typed.push(text), { type: 'NUDGED' }) }], {
    input: townInput(POLICY, { monitors: true }),
    sessions: [running({ startedAt: WALL - ageMs, conversation })],
  });
  drive.run(5 * SENDS.againMs);
  drive.restart(SENDS.againMs);
  drive.run(5 * SENDS.againMs);
  expect(typed).toEqual(heard);
});

test('what a life is to hear comes before work, only the last life’s, in no limit, and is no trouble when that life is over', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1');
  for (let n = 0; n < 2 * SENDS.maxPerSession; n += 1)
    it.drive.tell({ type: 'WORDS_WANTED', session: 'w1', life: `life-${n}`, text: `words ${n}` });
  expect(it.send('b', 'w1')).toMatchObject({ ok: true });
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).toEqual([`w1: words ${2 * SENDS.maxPerSession - 1}`, 'w1: a', 'w1: b']);
  it.standing['w1'] = { kind: 'replaced' };
  it.drive.tell({ type: 'WORDS_WANTED', session: 'w1', life: 'life-x', text: 'too late' });
  it.drive.run(2 * SENDS.lateMs);
  delete it.standing['w1'];
  it.drive.run(5 * SENDS.againMs);
  expect(it.typed).not.toContain('w1: too late');
  expect(it.alerts()).toEqual([]);
  expect(it.kept()).toEqual([]);
});
test('a start that goes on with a conversation without a word has its word typed afterwards', () => {
  const typed: string[] = [];
  const life = incarnation(1, { session: 'w1' });
  const conversation = { id: 'ses_1', resumed: true, untold: 'you were started again' };
  const drive = new Drive(
    [
      {
        startSession: { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash', conversation },
        remind: ({ text }) => (typed.push(text), { type: 'NUDGED' }),
      },
    ],
    { input: townInput(POLICY, { monitors: true }) },
  );
  drive.ask({ verb: 'startSession', spec: specOf('w1') });
  drive.run(5 * SENDS.againMs);
  expect(typed).toEqual(['you were started again']);
  expect(drive.session('w1').conversation).toMatchObject({ id: 'ses_1', resumed: true, deaths: 0 });
});
test('what its program gives back is tried again when a person hears of it, and then goes through', () => {
  const obstacle: NudgeObstacle = { kind: 'refused', what: 'not submitted: its program gave our text back' };
  const it = town({ w1: obstacle });
  it.send('a', 'w1');
  it.drive.run(SENDS.lateMs);
  expect(it.drive.given('nudge').length + it.drive.given('remind').length).toBe(1);
  it.drive.run(2 * SENDS.againMs);
  expect(it.alerts()).toEqual(['send-waits/w1']);
  delete it.standing['w1'];
  it.drive.run(SENDS.lateMs + SENDS.againMs);
  expect(it.typed).toEqual(['w1: a']);
});

test('typed work whose turn its program sees begin is started; where it does not say, it was typed', () => {
  const it = town();
  it.begins.add('w1');
  it.send('a', 'w1');
  it.send('b', 'w2');
  it.drive.run(2 * SENDS.againMs);
  expect(it.send('a', 'w1')).toEqual({ ok: true, value: { id: 'a', ahead: 0, end: 'started', undone: null } });
  expect(it.send('b', 'w2')).toMatchObject({ value: { end: 'typed' } });
  it.drive.restart(SENDS.againMs);
  it.drive.run(2 * SENDS.againMs);
  expect(it.send('a', 'w1')).toMatchObject({ value: { end: 'started' } });
  expect(it.typed).toEqual(['w1: a', 'w2: b']);
});
test('long work before a dialog does not make the dialog late', () => {
  const it = town({ w1: WORKS });
  it.send('a', 'w1');
  it.drive.run(2 * SENDS.lateMs);
  it.standing['w1'] = ASKS;
  it.drive.run(SENDS.lateMs - 2 * SENDS.againMs);
  expect(it.alerts()).toEqual([]);
  it.drive.run(4 * SENDS.againMs);
  expect(it.alerts()).toEqual(['send-waits/w1']);
});

test.each<[string, NudgeObstacle, number]>([
  ['its agent works, however long: none', WORKS, 0],
  ['a dialog stands there for long: one, over once it is typed', ASKS, 1],
])('an alert where %s', (_, obstacle, count) => {
  const it = town({ w1: obstacle });
  it.send('a', 'w1');
  it.drive.run(SENDS.lateMs - SENDS.againMs);
  expect(it.alerts()).toHaveLength(0);
  it.drive.run(4 * SENDS.lateMs);
  expect(it.alerts()).toHaveLength(count);
  delete it.standing['w1'];
  it.drive.run(3 * SENDS.againMs);
  expect(it.typed).toEqual(['w1: a']);
  expect(it.drive.ends).toEqual(it.alerts());
});
test.each(['given', 'begun'] as const)('work that its program took without a key has ended as %s', (way) => {
  const drive = new Drive([{ remind: { type: 'NUDGED', way } }], { input: townInput(POLICY, { monitors: true }) });
  drive.ask({ verb: 'send', name: 'w1', send: 'a', text: 'x', from: 'overseer' });
  drive.run(SENDS.againMs);
  expect(drive.note('sends')).toEqual({
    sends: [],
    ended: [{ id: 'a', session: 'w1', begins: 'x', sum: hash32('x'), end: way }],
  });
});
test('all the work and all the timers of a town fit into one answer, with what each begins with', () => {
  const [text, session] = ['直'.repeat(4_096), 's'.repeat(64)];
  const one = { session, text, from: 'overseer', sentAt: 0 };
  const sends = Array.from({ length: SENDS.maxWaiting }, (_, n) => ({ ...one, id: `${session}/${String(n)}` }));
  const timers = Array.from({ length: MAX_TIMERS }, (_, n): [string, object] => [
    String(n),
    { name: session, session, intervalSecs: 60, message: text },
  ]);
  const contexts: Record<string, object> = {
    sends: { sends, waits: {} },
    timers: { timers: Object.fromEntries(timers) },
  };
  const tree = { snapshotsOf: (id: string) => [{ value: 'open', context: contexts[id] }] } as unknown as ActorTree;
  const clock = { now: () => 0, wall: () => 0 };
  const answer = { sends: sendsOf(tree), timers: timersOf(tree, clock) };
  expect([answer.sends?.length, answer.timers?.length]).toEqual([SENDS.maxWaiting, MAX_TIMERS]);
  expect(answer.sends?.[0]?.text).toBe(`${'直'.repeat(SENDS.shownChars)}…`);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(PROCESS.maxMessageBytes * 0.75);
});
