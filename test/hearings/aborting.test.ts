/**
 * An execution once begun (D-4, D-5, D-10, law 6): what the accused does right after TERM is the effect of that signal, unless it
 * answers. What it does after the town was blind or away is none. Both end the signals; what had ended by then is told to a
 * person.
 */
import { describe, expect, test } from 'vitest';
import type { Dance, Proc } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, SIGHTS, tools, TREE, type LoneDog, type ObservationName } from './lone.ts';

const { policy } = tools();
const RESCUE = { folder: 'rescue/dog-1', ref: null };
const [AGENT, CHILD] = TREE as [Proc, Proc];
const record = (force = false): Dance =>
  askedUpTo(danceAt({ stage: 'executing.looking', tree: TREE, rescue: RESCUE, observedMs: 240_000 }, force), 3);
const code = (lone: LoneDog): string => lone.dance.attempts[2]!.code;
const alive = (lone: LoneDog) => lone.news({ type: 'ALIVE_ANSWERED', code: code(lone), uuid: null });
const signalled = (lone: LoneDog, left: readonly Proc[], newcomers: readonly Proc[] = []) =>
  lone.outcome({ type: 'SIGNALLED', alive: left, newcomers });
const living = (lone: LoneDog, tree: readonly Proc[]) => lone.outcome({ type: 'TREE_LISTED', tree });

/** TERM is under way. */
function termed(force = false): LoneDog {
  const lone = awake(record(force));
  lone.look(SIGHTS.silent);
  lone.outcome({ type: 'RESCUED', rescue: RESCUE });
  lone.look(SIGHTS.silent);
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'TERM' });
  return lone;
}
/** The process died while TERM was under way. */
const cutAtTerm = (): LoneDog => awake(termed().dance);
/** TERM is over, and all of it lives: the look before KILL. */
function outlived(): LoneDog {
  const lone = termed();
  signalled(lone, TREE);
  expect(lone.last?.type).toBe('look');
  return lone;
}

/** TERM was ordered, and tmux was silent for a while. */
function blinded(): LoneDog {
  const lone = outlived();
  lone.look(SIGHTS.unknown);
  lone.pass(policy.retryMs);
  return lone;
}

test.each<ObservationName>(['silent', 'evidence', 'dialog'])('%s right after TERM stops nothing', (name) => {
  const lone = outlived();
  lone.look(SIGHTS[name]);
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL', tree: TREE });
  expect(lone.dance.verdict).toBe(null);
});

describe.each<[string, () => LoneDog]>([
  ['in the process after a kill -9', cutAtTerm],
  ['ten hours later', () => awake({ ...termed().dance, lastedMs: 36_000_000 })],
  ['after a blind spell', blinded],
])('%s', (_, begin) => {
  // Rules: D-4, law 2.
  test.each<ObservationName>(['evidence', 'dialog', 'limited', 'error'])(
    '%s ends the signals with a pardon',
    (name) => {
      const lone = begin();
      const from = lone.orders.length;
      lone.look(SIGHTS[name]);
      living(lone, TREE);
      lone.outcome({ type: 'VERDICT_SENT' });
      expect(lone.typesSince(from)).toEqual(['listTree', 'sendVerdict']);
      expect(lone.dance).toMatchObject({ stage: 'closed', verdict: 'pardoned', evidenceOnly: name === 'evidence' });
      expect(lone.dance.reason).toMatch(/^showed life after signals were sent: .*; nothing had ended$/);
    },
  );

  test('a sign of life when something of it had ended: a person is told what', () => {
    const lone = begin();
    lone.look(SIGHTS.evidence);
    living(lone, [AGENT]);
    expect(lone.dance).toMatchObject({
      verdict: 'escalated',
      reason: `showed life after signals were sent: new lines; ended by then: pids ${CHILD.pid}`,
    });
  });

  test('silence: its work is saved anew before the next signal', () => {
    const lone = begin();
    const from = lone.orders.length;
    lone.look(SIGHTS.silent);
    lone.outcome({ type: 'RESCUED', rescue: RESCUE });
    lone.look(SIGHTS.silent);
    expect(lone.typesSince(from)).toEqual(['rescue', 'look', 'signal']);
    expect(lone.last).toMatchObject({ signal: 'TERM', tree: TREE });
  });

  test('who merely reacts is left to a person', () => {
    const lone = begin();
    lone.look(SIGHTS.inconclusive);
    expect(lone.dance.verdict).toBe('escalated');
  });
});

describe.each<[string, () => LoneDog]>([
  ['between TERM and KILL', outlived],
  ['in the process after a kill -9', cutAtTerm],
])('%s', (_, begin) => {
  test('a person at the keys makes it wait, as ever', () => {
    const lone = begin();
    const from = lone.orders.length;
    lone.look(SIGHTS.person);
    lone.pass(policy.retryMs);
    expect(new Set(lone.typesSince(from))).toEqual(new Set(['look']));
    expect(lone.dance.verdict).toBe(null);
  });

  test.each<ObservationName>(['gone with its pane', 'gone, pane left', 'replaced'])(
    '%s: the rest of it is ended',
    (name) => {
      const lone = begin();
      lone.look(SIGHTS[name]);
      expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL', tree: TREE });
    },
  );

  test('what cannot be seen waits: nothing is signalled meanwhile', () => {
    const lone = begin();
    const from = lone.orders.length;
    lone.look(SIGHTS.unknown);
    lone.pass(policy.retryMs);
    expect(lone.typesSince(from)).toEqual(['look']);
  });

  test.each<[string, (lone: LoneDog) => void, string]>([
    ['on its screen', (lone) => lone.look(SIGHTS.answered), 'code'],
    ['by town alive', alive, 'town alive'],
  ])('an answer %s, and no process ended: a pardon, and nothing more is signalled', (__, answer, by) => {
    const lone = begin();
    const from = lone.orders.length;
    answer(lone);
    expect(lone.last).toMatchObject({ type: 'listTree', listed: TREE });
    living(lone, TREE);
    lone.outcome({ type: 'VERDICT_SENT' });
    expect(lone.typesSince(from)).toEqual(['listTree', 'sendVerdict']);
    expect(lone.dance).toMatchObject({
      stage: 'closed',
      verdict: 'pardoned',
      evidenceOnly: false,
      reason: `answered after signals were sent: ${by}; nothing had ended`,
    });
    expect(lone.dance.attempts[2]?.seen).toMatch(/^answered after signals were sent: /);
  });

  test('an answer when something of it had ended: it lives on, and a person is told what ended', () => {
    const lone = begin();
    const from = lone.orders.length;
    lone.look(SIGHTS.answered);
    living(lone, [AGENT]);
    expect(lone.last).toMatchObject({ type: 'alert', alert: { episode: 'dance-escalated/gt-rig-1' } });
    lone.outcome({ type: 'ALERTED' });
    lone.outcome({ type: 'VERDICT_SENT' });
    expect(lone.typesSince(from)).toEqual(['listTree', 'alert', 'sendVerdict']);
    expect(lone.dance).toMatchObject({
      stage: 'closed',
      verdict: 'escalated',
      survivors: [],
      reason: `answered after signals were sent: code; ended by then: pids ${CHILD.pid}`,
    });
  });

  test('an answer of one that ended all the same is cleared like any other, and says so', () => {
    const lone = begin();
    lone.look(SIGHTS.answered);
    living(lone, []);
    expect(lone.last?.type).toBe('clear');
    lone.outcome({ type: 'CLEARED', survivors: [] });
    expect(lone.dance).toMatchObject({
      verdict: 'executed',
      reason: 'answered after signals were sent: code; none of its processes was left',
    });
  });
});

describe('an answer while a signal is under way', () => {
  test('is kept: that signal is the last one', () => {
    const lone = termed();
    const from = lone.orders.length;
    alive(lone);
    expect(lone.typesSince(from)).toEqual([]);
    signalled(lone, TREE);
    living(lone, TREE);
    expect(lone.typesSince(from)).toEqual(['listTree', 'sendVerdict']);
    expect(lone.dance.verdict).toBe('pardoned');
  });

  test('is kept also where the signal could not be sent', () => {
    const lone = termed();
    const from = lone.orders.length;
    alive(lone);
    lone.outcome({ type: 'ORDER_FAILED', why: 'the last look is old' });
    lone.pass(policy.retryMs);
    expect(lone.typesSince(from)).toEqual(['listTree']);
  });

  test('changes nothing when no process is left', () => {
    const lone = termed();
    alive(lone);
    signalled(lone, []);
    expect(lone.last?.type).toBe('clear');
  });

  test('with an old code is none', () => {
    const lone = termed();
    lone.news({ type: 'ALIVE_ANSWERED', code: lone.dance.attempts[0]!.code, uuid: null });
    signalled(lone, TREE);
    expect(lone.last?.type).toBe('look');
  });
});

describe('who answered late', () => {
  const sparing = (): LoneDog => {
    const lone = outlived();
    lone.look(SIGHTS.answered);
    return lone;
  };
  test('is not signalled by a process that comes after a kill -9 either', () => {
    const lone = awake(sparing().dance);
    expect(lone.typesSince(1)).toEqual(['listTree']);
    living(lone, TREE);
    expect(lone.dance.verdict).toBe('pardoned');
  });

  test('is counted again where that failed, and nothing is decided meanwhile', () => {
    const lone = sparing();
    const from = lone.orders.length;
    lone.outcome({ type: 'ORDER_FAILED', why: 'tmux did not answer' });
    expect(lone.dance.verdict).toBe(null);
    lone.pass(policy.retryMs);
    expect(lone.typesSince(from)).toEqual(['listTree']);
  });

  test('is killed all the same by an order to kill that comes then', () => {
    const lone = sparing();
    const warrant = { ...lone.dance.warrants[0]!, id: 'w2', requester: 'operator', force: true };
    lone.hear({ type: 'ATTACHED', warrant });
    lone.look(SIGHTS.answered);
    expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL', tree: TREE });
  });
});

test('a forced execution is stopped by no answer, and looks at nothing between TERM and KILL', () => {
  const lone = termed(true);
  alive(lone);
  signalled(lone, TREE);
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL', tree: TREE });
});
