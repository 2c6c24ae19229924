/** From the intent to the end (D-10, law 4): nothing is signalled unlisted, unseen or unsaved, and every round ends. */
import { describe, expect, test } from 'vitest';
import type { Dance, OutcomeBody, Proc } from '../../machines/protocol.ts';
import { askedUpTo, awake, danceAt, SIGHTS, tools, TREE, type LoneDog } from './lone.ts';

const { policy } = tools();
const CHILD: Proc = { pid: 1003, started: '9@boot' };
const guilty = (more: Partial<Dance> = {}, force = false): LoneDog =>
  awake(askedUpTo(danceAt({ stage: 'executing.listing', observedMs: 240_000, ...more }, force), 3));
const listed = (lone: LoneDog) => lone.outcome({ type: 'TREE_LISTED', tree: TREE });
const silent = (lone: LoneDog) => lone.look(SIGHTS.silent);
const rescued = (lone: LoneDog) =>
  lone.outcome({ type: 'RESCUED', rescue: { folder: 'rescue/dog-1', ref: 'refs/rescue/dog-1' } });
const signalled = (lone: LoneDog, alive: readonly Proc[], newcomers: readonly Proc[] = []) =>
  lone.outcome({ type: 'SIGNALLED', alive, newcomers });
const upToTerm = [listed, silent, rescued, silent];
const upToKill = [...upToTerm, (lone: LoneDog) => signalled(lone, TREE)];
/** As far as the first signal. */
const aboutToDie = (force = false): LoneDog => {
  const lone = guilty({}, force);
  for (const step of upToTerm) step(lone);
  return lone;
};

// Rules: D-10.
test.each([false, true])('the order of an execution (forced: %s)', (force) => {
  const lone = aboutToDie(force);
  signalled(lone, TREE);
  if (!force) silent(lone); // it may answer at TERM
  signalled(lone, []);
  lone.outcome({ type: 'CLEARED', survivors: [] });
  lone.outcome({ type: 'VERDICT_SENT' });
  const between = force ? [] : ['look'];
  const order = ['listTree', 'look', 'rescue', 'look', 'signal', ...between, 'signal', 'clear', 'sendVerdict'];
  expect(lone.typesSince(1)).toEqual(order);
  expect(lone.dance).toMatchObject({
    stage: 'closed',
    verdict: 'executed',
    reason: force ? 'killed by an operator without a hearing' : 'silent through 3 questions',
    rescue: { ref: 'refs/rescue/dog-1' },
    survivors: [],
  });
});

test('a signal names exactly the listed processes and the look that it rests on', () => {
  const lone = aboutToDie();
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'TERM', tree: TREE, lookedAt: lone.now });
});

// Rules: D-10.
test('newcomers are recorded before they are signalled, in every round', () => {
  const lone = aboutToDie();
  signalled(lone, [], [CHILD]);
  expect(lone.dance.tree).toEqual([...TREE, CHILD]);
  silent(lone);
  expect(lone.last).toMatchObject({ type: 'signal', signal: 'KILL', tree: [...TREE, CHILD] });
});

// Rules: law 7.
test('rounds end: after the last one the survivors are named and left', () => {
  const lone = aboutToDie();
  for (let round = 0; round < policy.maxRounds; round++) {
    signalled(lone, [], [{ pid: 2000 + round, started: 'x' }]);
    if (round === 0) silent(lone);
  }
  expect(lone.last?.type).toBe('signal');
  signalled(lone, [], [{ pid: 3000, started: 'x' }]);
  expect(lone.last?.type).toBe('clear');
  lone.outcome({ type: 'CLEARED', survivors: [CHILD] });
  expect(lone.dance).toMatchObject({ verdict: 'executed', survivors: [CHILD] });
  expect(lone.typesSince(1).filter((t) => t === 'signal')).toHaveLength(1 + policy.maxRounds);
});

// Rules: D-10.
test('where work may go on without the accused is on record before a signal, and the verdict says so', () => {
  const DAEMON = { pid: 3001, started: '3@boot', program: 'codex app-server' };
  const TOOL = { ...CHILD, program: 'codex-linux-sandbox' };
  const lone = guilty();
  lone.outcome({ type: 'TREE_LISTED', tree: TREE, excluded: [DAEMON, TOOL] });
  expect(lone.dance).toMatchObject({ tree: TREE, excluded: [DAEMON, TOOL] });
  for (const step of [silent, rescued, silent]) step(lone);
  expect(lone.last).toMatchObject({ type: 'signal', tree: TREE });
  signalled(lone, []);
  lone.outcome({ type: 'CLEARED', survivors: [], whyPaneStays: 'its pane stays' });
  expect(lone.dance.reason).toBe(
    'silent through 3 questions; work may go on elsewhere: pid 3001 codex app-server, pid 1003 codex-linux-sandbox; its pane stays',
  );
});

test('who was left and is known to be of the accused by a later listing is no more left', () => {
  const left = { ...CHILD, program: 'make' };
  const lone = guilty({ excluded: [left], tree: TREE });
  lone.outcome({ type: 'TREE_LISTED', tree: [...TREE, CHILD] });
  expect(lone.dance).toMatchObject({ tree: [...TREE, CHILD], excluded: [] });
  const untouched = guilty();
  listed(untouched);
  expect(Object.keys(untouched.dance), 'a record of before has the same bytes').not.toContain('elsewhere');
});

test('what was left standing in tmux is named in the record', () => {
  const lone = aboutToDie();
  signalled(lone, []);
  lone.outcome({ type: 'CLEARED', survivors: [], whyPaneStays: 'its window is shown by another session too' });
  expect(lone.dance.reason).toBe('silent through 3 questions; its window is shown by another session too');
});

describe('what fails leaves the accused alive', () => {
  const FAILED: OutcomeBody = { type: 'ORDER_FAILED', why: 'it could not' };
  /** The waiting order, how it gets there, and what is ordered after the pause. */
  test.each<[string, readonly ((lone: LoneDog) => void)[], string, string]>([
    ['listing', [], 'executing.listing', 'listTree'],
    ['the last look', [listed], 'executing.looking', 'look'],
    ['the rescue', [listed, silent], 'executing.rescuing', 'rescue'],
    ['the look before the signal', [listed, silent, rescued], 'executing.looking', 'look'],
    ['the signal', upToTerm, 'executing.terminating', 'look'], // it rests on a new look
    ['a later look', upToKill, 'executing.looking', 'look'],
    ['a later signal', [...upToKill, silent], 'executing.killing', 'look'],
    ['clearing', [...upToTerm, (l) => signalled(l, [])], 'executing.clearing', 'clear'],
  ])('%s', (_, steps, state, next) => {
    const lone = guilty();
    for (const step of steps) step(lone);
    const from = lone.orders.length;
    lone.outcome(FAILED);
    expect([lone.state, lone.typesSince(from)]).toEqual([state, []]);
    lone.pass(policy.retryMs - 1);
    expect(lone.typesSince(from)).toEqual([]);
    lone.pass(1);
    expect(lone.typesSince(from)).toEqual([next]);
  });

  // Rules: law 4.
  test('work that cannot be saved is asked for three times, then a person decides and nothing was signalled', () => {
    const lone = guilty();
    listed(lone);
    silent(lone);
    for (let n = 1; n < policy.maxRescues; n++) {
      lone.outcome(FAILED);
      expect(lone.dance.verdict).toBe(null);
      lone.pass(policy.retryMs);
    }
    lone.outcome(FAILED);
    expect(lone.dance).toMatchObject({ verdict: 'escalated', reason: 'its work could not be saved: it could not' });
    expect(lone.typesSince(1)).not.toContain('signal');
  });
});

describe('a tree that is not the town’s to end: a person decides, and nothing more is signalled', () => {
  const why = 'the town runs below it';
  /** The order that is refused, how it gets there, and what the alert says of harm. */
  test.each<[string, boolean, readonly ((lone: LoneDog) => void)[], string, RegExp]>([
    ['listing', false, [], 'listTree', /runs below it\. Nothing was killed\./],
    ['listing for an operator’s force', true, [], 'listTree', /runs below it\. Nothing was killed\./],
    ['TERM', false, upToTerm, 'signal', /runs below it\. Rescue: .*\. See:/],
    ['TERM by force', true, upToTerm, 'signal', /runs below it\. Rescue: .*\. See:/],
    ['KILL', false, [...upToKill, silent], 'signal', /below it\. Rescue: .*\. See:/],
    [
      'counting who answered late',
      false,
      [...upToKill, (l) => l.look(SIGHTS.answered)],
      'listTree',
      /needs a person: answered after signals were sent: code; the town runs below it\. Rescue: .*\. See:/,
    ],
  ])('%s', (_, force, steps, type, text) => {
    const lone = guilty({}, force);
    for (const step of steps) step(lone);
    expect(lone.last?.type).toBe(type);
    const from = lone.orders.length;
    lone.outcome({ type: 'TREE_REFUSED', why }, { dance: 'dog-1', attempt: 1, verb: 'listTree', turn: 99 });
    expect(lone.dance.verdict, 'the refusal of another order').toBe(null);
    lone.outcome({ type: 'TREE_REFUSED', why });
    expect(lone.last).toMatchObject({ type: 'alert', alert: { episode: 'dance-escalated/gt-rig-1' } });
    expect(lone.last?.type === 'alert' && lone.last.alert.text).toMatch(text);
    lone.outcome({ type: 'ALERTED' });
    lone.outcome({ type: 'VERDICT_SENT' });
    lone.pass(60_000);
    expect(lone.typesSince(from)).toEqual(['alert', 'sendVerdict']);
    expect(lone.dance).toMatchObject({ stage: 'closed', verdict: 'escalated', survivors: [] });
  });
});

describe('work is saved anew', () => {
  const RESCUE = { folder: 'rescue/dog-1', ref: null };
  test('when the town died after it was saved and before anything was signalled', () => {
    const lone = awake(askedUpTo(danceAt({ stage: 'executing.looking', tree: TREE, rescue: RESCUE }), 3));
    silent(lone);
    expect(lone.last?.type).toBe('rescue');
  });

  // Rules: law 4.
  test('after a blind spell, and after a person was at the keys', () => {
    const blinded = guilty();
    for (const step of [listed, silent, rescued]) step(blinded);
    blinded.look(SIGHTS.unknown);
    blinded.pass(policy.retryMs);
    silent(blinded);
    expect(blinded.last?.type).toBe('rescue');
    const visited = guilty();
    for (const step of [listed, silent, rescued]) step(visited);
    visited.look(SIGHTS.person);
    visited.pass(policy.lookEveryMs);
    silent(visited); // they left
    for (const step of [silent, silent, listed, silent]) step(visited);
    expect(visited.last?.type).toBe('rescue');
  });

  // Rules: law 4, I-6.
  test.each([false, true])('when the town died after signals may have been sent (forced: %s)', (force) => {
    const cut = { stage: 'executing.killing', tree: TREE, rescue: RESCUE, killing: true, rounds: 1 } as const;
    const lone = awake(askedUpTo(danceAt(cut, force), 3));
    silent(lone);
    expect(lone.last?.type).toBe('rescue');
    rescued(lone);
    silent(lone);
    expect(lone.last).toMatchObject({ type: 'signal', signal: 'TERM', tree: TREE });
  });

  test('after a blind spell between TERM and KILL, and its TERM is repeated', () => {
    const lone = guilty();
    for (const step of upToKill) step(lone);
    lone.look(SIGHTS.unknown);
    lone.pass(policy.retryMs);
    silent(lone);
    expect(lone.last?.type).toBe('rescue');
    rescued(lone);
    silent(lone);
    expect(lone.last).toMatchObject({ type: 'signal', signal: 'TERM' });
  });
});

describe('a late requester', () => {
  const warrant = { ...danceAt({}).warrants[0]!, id: 'w2', requester: 'witness' };
  test('is written into the dance at any time', () => {
    const lone = aboutToDie();
    lone.hear({ type: 'ATTACHED', warrant });
    expect(lone.dance.warrants.map((w) => w.id)).toEqual(['w1', 'w2']);
    expect(lone.state).toBe('executing.terminating');
  });

  // Rules: D-11.
  test('who comes while the others are told is told too, by an order of its own', () => {
    const lone = aboutToDie();
    signalled(lone, []);
    lone.outcome({ type: 'CLEARED', survivors: [] });
    const first = lone.last!;
    lone.hear({ type: 'ATTACHED', warrant });
    lone.outcome({ type: 'VERDICT_SENT' }, first.id);
    expect(lone.dance.stage).toBe('complete');
    expect(lone.last?.id).not.toBe(first.id);
    expect(lone.last).toMatchObject({ type: 'sendVerdict', dance: { warrants: [{ id: 'w1' }, { id: 'w2' }] } });
  });

  test('with force ends the hearing at once, unless signals were sent already', () => {
    const forced = { ...warrant, force: true };
    const hearing = awake(danceAt({}));
    hearing.hear({ type: 'ATTACHED', warrant: forced });
    expect(hearing.state).toBe('executing.listing');
    const dying = aboutToDie();
    dying.hear({ type: 'ATTACHED', warrant: forced });
    expect(dying.state).toBe('executing.terminating');
  });
});

test.each<[string, LoneDog, boolean]>([
  ['a hearing', awake(danceAt({})), true],
  ['an intent without a signal', guilty(), true],
  ['an execution', aboutToDie(), false],
  ['a dance that has its verdict', awake(danceAt({ stage: 'pardoned', verdict: 'pardoned' })), false],
])('%s can be cancelled or not', (_, lone, can) => {
  lone.hear({ type: 'CANCELLED', by: 'mayor' });
  expect(lone.dance.verdict === 'void').toBe(can);
  if (can) expect([lone.dance.reason, lone.last?.type]).toEqual(['cancelled by mayor', 'sendVerdict']);
});
