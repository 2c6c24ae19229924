/** Health checks (C-15): what counts as a failure and what does not, the count, the advice, and whose answer it is. */
import { describe, expect, test } from 'vitest';
import { healthQuestion } from '../../machines/watchdog/health-rules.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Obstacle, OutcomeBody, SessionRecord, Observation } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { incarnation, townInput } from '../world/drive.ts';
import { ChainTown, DEACON } from './chain.ts';

const { healthWaitMs, healthFailures } = POLICY.watchdog.deacon;
const LIFE = incarnation(1, { session: 'worker' });
const ASKED: OutcomeBody = { type: 'ASKED', mark: { line: 0, width: 80, alternate: false, cpuRate: null }, tail: '' };
const looked = (observation: Observation): OutcomeBody => ({ type: 'LOOKED', observation, tail: '' });
const worker = (more: Partial<SessionRecord> = {}): SessionRecord => ({
  ...freshSession({ ...DEACON, name: 'worker' }, 'x'),
  state: 'running',
  pending: null,
  incarnation: LIFE,
  startedAt: 1,
  ...more,
});

function townWith(observation: Observation, record = worker()): ChainTown {
  const town = new ChainTown(null);
  town.sessions.set('worker', record);
  town.instead.ask = ASKED;
  town.instead.look = looked(observation);
  town.run(10);
  return town;
}
let rpcs = 0;
const check = (town: ChainTown, session: string | null = 'worker'): void => {
  town.drive.tell({ type: 'REQUESTED', rpc: `r${(rpcs += 1)}`, request: { verb: 'healthCheck', session } });
  town.run(healthWaitMs + 1_000);
};
const checked = (town: ChainTown) => town.note('healthChecks')?.['worker'];

describe('what a look says', () => {
  test.each<[Observation, number, string]>([
    [{ kind: 'answered', by: 'code', quote: 'ALIVE K73F' }, 0, 'answered: code'],
    [{ kind: 'evidence', what: 'new lines' }, 0, 'busy: new lines'],
    [{ kind: 'silent' }, 1, 'no answer'],
    [{ kind: 'dialog', what: 'Proceed?' }, 0, 'blocked: Proceed?'],
    [{ kind: 'person', what: 'a key' }, 0, 'person'],
    [{ kind: 'gone', paneStays: true }, 0, 'gone'],
    [{ kind: 'replaced' }, 0, 'replaced'],
    [{ kind: 'unknown', why: 'tmux is silent' }, 0, 'unknown: tmux is silent'],
  ])('%o: %i failures', (observation, failures, result) => {
    const town = townWith(observation);
    check(town);
    expect(checked(town)).toMatchObject({ failures, result, code: null });
  });
});

// Rules: C-15.
test.each<[Obstacle, string]>([
  [{ kind: 'dialog', what: 'Proceed?' }, 'not asked: dialog, Proceed?'],
  [{ kind: 'busy', what: 'copy mode' }, 'not asked: busy, copy mode'],
  [{ kind: 'unknown', why: 'tmux is silent' }, 'not asked: unknown, tmux is silent'],
])('a question that was not typed is no failure: %o', (obstacle, result) => {
  const town = townWith({ kind: 'silent' });
  town.instead.ask = { type: 'NOT_ASKED', obstacle };
  check(town);
  expect(checked(town)).toMatchObject({ failures: 0, result });
});

// Rules: C-15, law 1.
test.each<[Observation, number, string]>([
  [{ kind: 'answered', by: 'code', quote: 'ALIVE K73F' }, 0, 'answered: code'],
  [{ kind: 'unknown', why: 'tmux is silent' }, 0, 'unknown: tmux is silent'],
  [{ kind: 'silent' }, 1, 'no answer'],
])('a town that was stopped over the whole time looks once more: %o', (observation, failures, result) => {
  const town = townWith({ kind: 'silent' });
  town.drive.tell({ type: 'REQUESTED', rpc: 'stopped', request: { verb: 'healthCheck', session: 'worker' } });
  town.run(10);
  town.instead.look = looked(observation);
  town.drive.sleep(healthWaitMs + 10_000);
  town.run(1_000);
  expect(checked(town)).toMatchObject({ failures, result, code: null });
});

// Rules: C-15.
test('failures in a row recommend a warrant and file none; an answer ends it', () => {
  const town = townWith({ kind: 'silent' });
  for (let i = 1; i <= healthFailures; i++) {
    check(town);
    expect([checked(town)?.failures, town.alerts.length]).toEqual([i, i >= healthFailures ? 1 : 0]);
  }
  expect([town.alerts, town.drive.given('fileWarrant', 'signal', 'clear')]).toEqual([['health/worker'], []]);
  town.instead.look = looked({ kind: 'answered', by: 'code', quote: '' });
  check(town);
  expect(checked(town)?.failures).toBe(0);
  expect(town.drive.given('endAlert').map(({ episode }) => episode)).toContain('health/worker');
});

test('another life starts at nothing (law 3)', () => {
  const town = townWith({ kind: 'silent' });
  check(town);
  town.sessions.set('worker', worker({ incarnation: incarnation(2, { session: 'worker' }) }));
  check(town);
  expect(checked(town)).toMatchObject({ uuid: 'uuid-2', failures: 1 });
});

test('`town alive` with its code answers for this life only', () => {
  const town = townWith({ kind: 'silent' });
  town.drive.tell({ type: 'REQUESTED', rpc: 'r0', request: { verb: 'healthCheck', session: 'worker' } });
  town.run(100);
  const code = checked(town)?.code ?? '';
  town.drive.tell({ type: 'ALIVE_ANSWERED', code, uuid: 'another life' });
  expect(checked(town)?.code).toBe(code);
  town.drive.tell({ type: 'ALIVE_ANSWERED', code, uuid: LIFE.uuid });
  expect(checked(town)).toMatchObject({ code: null, result: 'answered: town alive', failures: 0 });
});

test('a check under way is not begun twice; each caller is answered once', () => {
  const town = townWith({ kind: 'silent' });
  for (const rpc of ['a', 'b'])
    town.drive.tell({ type: 'REQUESTED', rpc, request: { verb: 'healthCheck', session: null } });
  town.run(2_000);
  expect(town.drive.given('ask')).toHaveLength(1);
  expect(town.drive.given('reply').map(({ to }) => to)).toEqual(['a', 'b']);
});

test.each([
  ['unheard-of', 2],
  ['sleeper', 1],
])('%s cannot be asked: exit %i', (name, exit) => {
  const town = townWith({ kind: 'silent' });
  town.sessions.set('sleeper', { ...worker({ state: 'ended' }), spec: { ...DEACON, name: 'sleeper' } });
  check(town, name);
  expect(town.drive.given('reply')).toMatchObject([{ reply: { ok: false, exit } }]);
});

describe('a protected name (law 6)', () => {
  const mayor: SessionRecord = {
    ...worker({ incarnation: incarnation(2, { session: 'mayor' }) }),
    spec: { ...DEACON, name: 'mayor' },
  };
  const withMayor = (): ChainTown => {
    const town = new ChainTown(null, POLICY, { isProtected: (name) => name === 'mayor' });
    town.sessions.set('worker', worker()).set('mayor', mayor);
    town.instead.ask = ASKED;
    town.instead.look = looked({ kind: 'silent' });
    town.run(10);
    return town;
  };
  // Rules: C-15.
  test('is left out when all are asked', () => {
    const town = withMayor();
    check(town, null);
    expect(town.drive.given('ask').map(({ target }) => target.session)).toEqual(['worker']);
    expect(town.drive.given('reply')).toMatchObject([{ reply: { ok: true, value: { asked: ['worker'] } } }]);
  });
  test('is refused when it alone is asked: exit 5', () => {
    const town = withMayor();
    check(town, 'mayor');
    expect([town.drive.given('ask'), town.note('healthChecks')]).toEqual([[], null]);
    expect(town.drive.given('reply')).toMatchObject([{ reply: { ok: false, exit: 5, code: 'protected_target' } }]);
  });
});

test('the literal answer never stands in the question (D-2)', () => {
  const { command } = townInput();
  const lines = healthQuestion(LIFE, 'K73F', { policy: POLICY.watchdog.deacon, command });
  expect(lines.join('\n')).not.toMatch(/ALIVE/);
  expect(lines.join('\n')).toContain('K7-3F');
});
