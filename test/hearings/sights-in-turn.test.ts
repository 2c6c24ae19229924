/** What one sight after another comes to: answered, gone twice, lost, and a person at the pane. */
import { expect, test } from 'vitest';
import type { Warrant } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, SIGHTS, TREE, tools } from './lone.ts';
import { PLACES, cellOf, SILENT, RESCUE } from './places.ts';

const PERSON = SIGHTS.person;
const target = danceAt({}).target;
// Rules: law 6.
test.each<[string, Partial<Warrant>, boolean]>([
  ['its own wish', { requester: target.session }, false],
  ['its own wish, which a patrol saw', { requester: 'witness:shop', via: 'town' }, false],
  ['an operator', { requester: 'overseer', via: 'operator' }, true],
])('forced by %s, with a person at its keys', (_, of, isEnded) => {
  for (const place of ['after the intent', 'after the rescue', 'after a restart in mid-kill'] as const) {
    const base = danceAt({}, true);
    const lone = PLACES[place]({ ...base, warrants: base.warrants.map((one) => ({ ...one, ...of })) });
    lone.look(PERSON);
    expect([place, cellOf(lone) === 'suspended']).toEqual([place, !isEnded]);
    if (isEnded) continue;
    const { lookEveryMs, personMs } = tools().policy;
    for (let spent = 0; spent < 2 * personMs; spent += lookEveryMs) {
      lone.pass(lookEveryMs);
      lone.look(PERSON);
    }
    expect([place, cellOf(lone), lone.dance.personMs]).toEqual([place, 'suspended', personMs]);
    const waited = lone.orders.length;
    lone.pass(lookEveryMs);
    lone.look(SILENT); // the person left
    lone.look(SILENT);
    expect(lone.typesSince(waited)).toEqual(['look', 'look', 'listTree']);
  }
});

test('what was answered by `town alive` pardons wherever nothing was signalled, and only with the present code', () => {
  for (const place of ['listening', 'evaluating 1/3', 'after the intent', 'after the rescue', 'suspended'] as const) {
    const lone = PLACES[place](danceAt({}));
    const { attempt, attempts, target } = lone.dance;
    const [code, other] = [attempts[attempt - 1]!.code, attempts[attempt % attempts.length]!.code];
    lone.news({ type: 'ALIVE_ANSWERED', code: other, uuid: target.uuid });
    lone.news({ type: 'ALIVE_ANSWERED', code, uuid: 'uuid-of-another' });
    expect([place, lone.dance.verdict]).toEqual([place, null]);
    lone.news({ type: 'ALIVE_ANSWERED', code, uuid: null });
    expect([place, lone.dance.verdict]).toEqual([place, 'pardoned']);
  }
});

test('a question answers until the next one is typed: who answers in between was never asked anything else', () => {
  const lone = PLACES['evaluating 1/3'](danceAt({}));
  lone.look(SILENT);
  expect(lone.state).toBe('interrogating.asking');
  const first = { type: 'ALIVE_ANSWERED', code: lone.dance.attempts[0]!.code, uuid: null } as const;
  const typed = PLACES['evaluating 1/3'](danceAt({}));
  typed.look(SILENT);
  typed.outcome({ type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' });
  lone.news(first);
  typed.news(first);
  expect([lone.dance.verdict, typed.dance.verdict]).toEqual(['pardoned', null]);
});

test('the pane of an agent that is gone is saved before it is cleared, and seen once more in between', () => {
  const lone = PLACES.confirming(danceAt({}));
  lone.look(SIGHTS['gone, pane left']);
  expect([lone.state, lone.last?.type]).toEqual(['executing.rescuing', 'rescue']);
  lone.outcome({ type: 'RESCUED', rescue: RESCUE });
  lone.look(SIGHTS['gone, pane left']);
  expect([lone.last?.type, lone.dance.verdict, lone.dance.rescue]).toEqual(['clear', 'already_dead', RESCUE]);
});

// Rules: D-8.
test('gone must be seen twice in a row: seen alive in between, it counts afresh', () => {
  const lone = PLACES.unasked(danceAt({}));
  lone.look(SIGHTS['gone, pane left']);
  lone.pass(tools().policy.goneAgainMs);
  lone.look(SILENT);
  expect(lone.state).toBe('interrogating.asking');
  lone.outcome({ type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' });
  lone.pass(1_000);
  lone.look(SIGHTS['gone, pane left']);
  expect(cellOf(lone)).toBe('confirming');
});

test('gone must be seen twice in a row also before a forced execution', () => {
  const lone = PLACES.confirming(danceAt({}, true));
  lone.look(SILENT);
  lone.outcome({ type: 'TREE_LISTED', tree: TREE });
  lone.look(SIGHTS['gone, pane left']);
  expect(cellOf(lone)).toBe('confirming');
});

test('who reacted to a question and is silent at the last is left to a person, in the words of what it did', () => {
  const asked = askedUpTo({ ...danceAt({}), stage: 'interrogating.listening', observedMs: 5_000 }, 1);
  const lone = awake(asked);
  lone.look(SIGHTS.inconclusive);
  expect(lone.dance.attempts[0]?.seen).toBe('reacted: it is busy: Thinking (12s)');
  const late = { ...askedUpTo({ ...lone.dance, stage: 'evaluating', observedMs: 240_000 }, 3) };
  const attempts = late.attempts.map((one, at) => (at === 0 ? { ...one, seen: lone.dance.attempts[0]!.seen } : one));
  const last = awake({ ...late, attempts });
  last.look(SILENT);
  expect(last.dance).toMatchObject({
    verdict: 'escalated',
    reason: 'it reacted but did not answer: it is busy: Thinking (12s)',
  });
  expect(last.dance.attempts.map(({ seen }) => seen)).toEqual([
    'reacted: it is busy: Thinking (12s)',
    attempts[1]!.seen,
    'silent',
  ]);
});

// Rules: D-8.
test('a lost pane must be seen twice in a row, and then a person decides; seen whole or gone in between, it counts afresh', () => {
  for (const between of [SILENT, SIGHTS['gone, pane left']]) {
    const lone = PLACES.unasked(danceAt({}));
    lone.look(SIGHTS.paneless);
    lone.pass(tools().policy.goneAgainMs);
    lone.look(between);
    lone.pass(tools().policy.goneAgainMs);
    if (between === SILENT) lone.outcome({ type: 'NOT_ASKED', obstacle: SIGHTS.paneless });
    else lone.look(SIGHTS.paneless);
    expect([lone.state, lone.dance.verdict]).toEqual(['interrogating.confirming', null]);
    lone.pass(tools().policy.goneAgainMs - 1);
    expect(lone.state).toBe('interrogating.confirming');
    lone.pass(1);
    lone.look(SIGHTS.paneless);
    expect(lone.dance).toMatchObject({ verdict: 'escalated', reason: `it cannot be asked: ${SIGHTS.paneless.what}` });
    expect(lone.orders.some(({ type }) => type === 'signal')).toBe(false);
  }
});

test('a lost pane is no sign that its agent ended: gone after it must be seen twice too', () => {
  const lone = PLACES.unasked(danceAt({}));
  lone.look(SIGHTS.paneless);
  lone.pass(tools().policy.goneAgainMs);
  lone.look(SIGHTS['gone with its pane']);
  expect([lone.state, lone.dance.verdict]).toEqual(['interrogating.confirming', null]);
  lone.pass(tools().policy.goneAgainMs);
  lone.look(SIGHTS['gone with its pane']);
  expect(lone.dance.verdict).toBe('already_dead');
});

test('a pane that is lost at TERM stops nothing, and takes back no words that were read', () => {
  const lone = PLACES['after TERM'](danceAt({ tailAfter: 'its last words' }));
  const { tailAfter } = lone.dance;
  lone.outcome({ type: 'LOOKED', observation: SIGHTS.paneless, tail: '' });
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL' });
  expect(lone.dance.tailAfter).toBe(tailAfter);
});

test('a pane that is lost while no town runs leaves it to a person, also after signals were sent', () => {
  const lone = PLACES['after a restart in mid-kill'](danceAt({}));
  lone.look(SIGHTS.paneless);
  lone.pass(tools().policy.goneAgainMs);
  lone.look(SIGHTS.paneless);
  expect(lone.dance).toMatchObject({ verdict: 'escalated', reason: `it cannot be asked: ${SIGHTS.paneless.what}` });
  expect(lone.typesSince(0)).not.toContain('signal');
});
