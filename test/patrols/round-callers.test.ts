/** Callers that ask a running town for a round, in virtual time: its outcome, and in which name it is done. */
import { expect, test } from 'vitest';
import { CALM, MINUTE, Rigs, TWO } from './rounds.ts';

test('a caller gets the outcome of a cycle that began after the request, or why it came to nothing', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  const ask = (rpc: string): void => {
    rigs.drive.tell({ type: 'REQUESTED', rpc, request: { verb: 'patrol', of: 'shop' }, via: 'operator' });
    rigs.drive.run(1_000);
  };
  const replies = () => rigs.drive.given('reply').map(({ to, reply }) => ({ to, ...reply }));
  rigs.patrol = () => TWO;
  rigs.act = () => ({ type: 'ACTED', outcomes: [], hasNewCase: true });
  ask('one');
  expect(rigs.drive.given('patrol').at(-1)).toMatchObject({ of: 'shop', asked: 'operator' });
  expect(replies()).toMatchObject([{ to: 'one', ok: true, value: { observed: { work: 2 } } }]);
  rigs.patrol = () => ({ type: 'ORDER_FAILED', why: 'the ledger is busy' });
  ask('two');
  expect(replies().at(-1)).toMatchObject({ to: 'two', ok: false, exit: 1, text: 'the ledger is busy' });
});

// Rules: law 11.
test('a round asks as the operator if one of its callers is the operator, else as an agent, else for no caller', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  const asked = () => rigs.drive.given('patrol').at(-1)?.asked;
  const ask = (via: 'operator' | 'agent'): void =>
    rigs.drive.tell({ type: 'REQUESTED', rpc: via, request: { verb: 'patrol', of: 'deacon' }, via });
  expect(asked()).toBeNull();
  ask('agent');
  rigs.drive.run(1_000);
  expect(asked()).toBe('agent');
  // Both ask while a cycle is under way, and the next one serves both.
  rigs.patrol = () => {
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    ask('agent');
    ask('operator');
    return { type: 'PATROLLED', found: CALM };
  };
  ask('agent');
  rigs.drive.run(1_000);
  expect(asked()).toBe('operator');
});

// Rules: law 11.
test('an agent that asks for the round of a paused Deacon learns that it is paused', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isPaused: true } });
  rigs.drive.tell({ type: 'REQUESTED', rpc: 'one', request: { verb: 'patrol', of: 'deacon' }, via: 'agent' });
  rigs.drive.run(1_000);
  expect(rigs.drive.given('reply')).toMatchObject([{ reply: { ok: false, exit: 1, code: 'paused' } }]);
});

// Rules: P-8, law 8.
test('a round that rests for a person’s word says why, and is no failure however often it is asked for', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isPaused: true, why: 'it waits for your word' } });
  for (const rpc of ['one', 'two', 'three', 'four']) {
    rigs.drive.tell({ type: 'REQUESTED', rpc, request: { verb: 'patrol', of: 'deacon' }, via: 'agent' });
    rigs.drive.run(1_000);
  }
  const reply = { ok: false, exit: 1, code: 'paused', text: 'it waits for your word' };
  expect(rigs.drive.given('reply')).toMatchObject([{ reply }, { reply }, { reply }, { reply }]);
  expect(rigs.drive.alerts).toEqual([]);
});
