/** A wait for a condition ends with the condition (C-6): once a scan sees that the cause of it has passed, the start is made. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SessionRecord, WaitingStart } from '../../machines/protocol.ts';
import { Drive } from '../world/drive.ts';
import { life, running, spec } from './one.ts';

const { scanEveryMs, takenRetryMs, jitter } = POLICY.sessions;
type NotStarted = Extract<OutcomeBody, { type: 'SESSION_NOT_STARTED' }>;
const not = (why: string, more: Partial<NotStarted> = {}): NotStarted => ({
  type: 'SESSION_NOT_STARTED',
  why,
  taken: false,
  ...more,
});
/** What keeps a start from being made, as the hands say it. */
const CAUSES: readonly (readonly [string, NotStarted])[] = [
  ['a name that another session has', not('a session s1 is there', { taken: true, waits: true })],
  ['a folder that is not there', not('the folder "/x" does not exist', { waits: true })],
  ['a program that is not there', not('there is no program "/x/agent"', { missing: true, waits: true })],
  ['a person at the keys', not('a person pressed a key there', { personMs: 600_000, waits: true })],
];
const STARTED: OutcomeBody = { type: 'SESSION_STARTED', incarnation: life, tokenHash: 'hash' };

function town(cause: OutcomeBody, more: Partial<SessionRecord> = {}) {
  const say = { start: cause, isFree: false };
  const asked: WaitingStart[][] = [];
  const drive = new Drive(
    {
      scan: ({ known, waits = [] }) => {
        asked.push([...waits]);
        const seen = known.map(({ session: name, uuid }) => ({
          name,
          uuid,
          exit: null,
          maybeSignalled: false,
          life: 'alive' as const,
        }));
        const free = say.isFree ? waits.map(({ spec: { name } }) => name) : [];
        return { type: 'SESSIONS_SEEN', server: 'up', seen, free };
      },
      startSession: ({ uuid }) =>
        say.start.type === 'SESSION_STARTED' ? { ...say.start, incarnation: { ...life, uuid } } : say.start,
    },
    { sessions: [running({ state: 'backing_off', incarnation: null, ...more })] },
  );
  return { drive, say, asked, starts: () => drive.given('startSession').length, now: () => drive.session('s1') };
}

describe.each(CAUSES)('%s', (_, cause) => {
  // Rules: C-6.
  test('that has passed is waited for no longer; while it lasts each scan asks for it', () => {
    const { drive, say, asked, starts, now } = town(cause);
    drive.run(4 * scanEveryMs);
    const before = starts();
    drive.run(1);
    expect([starts(), now().state]).toEqual([before, 'backing_off']);
    expect(asked.at(-1)).toEqual([{ spec, previous: null }]);
    [say.start, say.isFree] = [STARTED, true];
    drive.run(scanEveryMs + 10);
    expect([starts(), now().state]).toEqual([before + 1, 'running']);
    expect(now()).not.toHaveProperty('startBlocked');
    drive.run(scanEveryMs);
    expect(asked.at(-1)).toEqual([]);
  });

  test('that passes while the town is down is seen by the next one', () => {
    const { drive, say, now } = town(cause);
    drive.run(scanEveryMs);
    [say.start, say.isFree] = [STARTED, true];
    drive.restart(1_000);
    drive.run(scanEveryMs + 10);
    expect(now().state).toBe('running');
  });

  test('that no scan sees pass is tried at its pace all the same', () => {
    const { drive, say, now } = town(cause);
    drive.run(scanEveryMs);
    say.start = STARTED;
    drive.run(takenRetryMs * (1 + jitter));
    expect(now().state).toBe('running');
  });
});

test('a failure that no scan can judge waits for its time: an answer of a scan makes no other start', () => {
  const { drive, say, asked, starts } = town(not('tmux made no session'));
  say.isFree = true;
  drive.run(10);
  const first = starts();
  drive.run(POLICY.sessions.backoffMs / 2);
  expect([first, starts(), asked.flat()]).toEqual([1, 1, []]);
});

test('a person and a taken name are two alerts, each over with its cause', () => {
  const [taken, person] = [CAUSES[0]?.[1], CAUSES[3]?.[1]];
  const { drive, say, now } = town(taken!);
  drive.run(scanEveryMs);
  expect([now().nameTaken, now().personThere, drive.alerts]).toEqual([true, undefined, ['name-taken/s1']]);
  [say.start, say.isFree] = [{ ...person!, personMs: 0 }, true];
  drive.run(3 * scanEveryMs);
  expect([now().nameTaken, now().personThere]).toEqual([undefined, true]);
  expect([new Set(drive.alerts), drive.ends]).toEqual([
    new Set(['name-taken/s1', 'start-waits/s1']),
    expect.arrayContaining(['name-taken/s1']),
  ]);
});
