/** Starts under way are capped (C-6): the rest wait their turn, none is forgotten, and every caller gets one reply. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { Drive, townInput } from '../world/drive.ts';
import { Machine } from '../world/machine.ts';
import { specOf as spec } from './one.ts';

const policy = { ...POLICY, sessions: { ...POLICY.sessions, staggerMs: 0 } };
const { maxStarting } = policy.sessions;
const START_MS = 200;
const NAMES = Array.from({ length: 30 }, (_, n) => `s${String(n).padStart(2, '0')}`);

type Ending = (nth: number, started: OutcomeBody) => OutcomeBody | null;

/** A town whose starts take a while; `ending` says how each ends, null = never. */
function town(agents: readonly string[], found: readonly SessionRecord[], ending: Ending = (_, started) => started) {
  let nth = 0;
  const machine = new Machine();
  const drive = new Drive(
    {
      ...machine.hands,
      startSession: (order, now) => {
        const body = ending((nth += 1), machine.start(order, now));
        return body && { after: START_MS, body };
      },
    },
    { input: townInput(policy, { agents: agents.map((name) => spec(name)) }), sessions: found },
  );
  return {
    drive,
    started: () => drive.given('startSession').map((order) => order.spec.name),
    states: () => NAMES.map((name) => drive.sessions.find((one) => one.spec.name === name)?.state ?? 'none'),
    ask: (...names: readonly string[]) =>
      drive.tell(
        ...names.map((name) => ({
          type: 'REQUESTED' as const,
          rpc: `for ${name}`,
          request: { verb: 'startSession' as const, spec: spec(name) },
        })),
      ),
  };
}
const all = (state: string) => NAMES.map(() => state);

test('who asks first is started first, so many at once, and each caller has one reply', () => {
  const { drive, started, states, ask } = town([], []);
  ask(...NAMES);
  for (let round = 1; round * maxStarting < NAMES.length; round += 1) {
    expect(started()).toEqual(NAMES.slice(0, round * maxStarting));
    drive.run(START_MS);
  }
  drive.run(START_MS);
  expect([started(), states()]).toEqual([NAMES, all('running')]);
  expect(drive.given('reply').map(({ to, reply }) => [to, reply.ok])).toEqual(
    NAMES.map((name) => [`for ${name}`, true]),
  );
});

test('one that waits its turn wakes no actor before it has come', () => {
  const { drive, ask } = town([], [], () => null);
  ask(...NAMES);
  expect(drive.given('startSession')).toHaveLength(maxStarting);
  expect(drive.tree.nextWake).toBeGreaterThan(drive.now);
});

test('agents of town.toml, restarts that are due and callers wait in one row', () => {
  const waits: SessionRecord = {
    ...freshSession(spec('s00'), ''),
    state: 'backing_off',
    pending: null,
    waitMs: START_MS / 2,
  };
  const { drive, started, states, ask } = town(NAMES.slice(1, 6), [waits]);
  expect(started()).toEqual(NAMES.slice(1, 1 + maxStarting));
  drive.run(START_MS / 2);
  ask(...NAMES.slice(6));
  drive.run(10 * START_MS);
  expect(started()).toEqual([...NAMES.slice(1, 6), 's00', ...NAMES.slice(6)]);
  expect(states()).toEqual(all('running'));
});

test.each<[string, OutcomeBody]>([
  ['that did not get through', { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false }],
  ['whose name is taken', { type: 'SESSION_NOT_STARTED', why: 'another agent is in it', taken: true }],
  ['whose outcome is unknown', { type: 'ORDER_FAILED', why: 'no outcome within 60 s' }],
])('a start %s gives its place back', (_, outcome) => {
  const { drive, started, ask } = town([], [], (nth, good) => (nth <= 2 * maxStarting ? outcome : good));
  ask(...NAMES);
  drive.run(NAMES.length * START_MS);
  expect(new Set(started())).toEqual(new Set(NAMES));
  expect(drive.given('reply')).toHaveLength(NAMES.length);
});

test('a crash of the town loses none of the row, and starts under way are asked for again as they were', () => {
  const { drive, started, states, ask } = town([], []);
  ask(...NAMES);
  drive.run(START_MS);
  const under = drive
    .given('startSession')
    .slice(maxStarting)
    .map(({ uuid }) => uuid);
  drive.restart(1_000);
  const again = drive.given('startSession').slice(2 * maxStarting);
  expect(again).toHaveLength(maxStarting);
  drive.run(10 * START_MS);
  expect(states()).toEqual(all('running'));
  expect(drive.given('startSession').filter(({ uuid }) => under.includes(uuid))).toHaveLength(2 * maxStarting);
  expect(new Set(started())).toEqual(new Set(NAMES));
});
