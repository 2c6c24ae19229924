/** Law 8 over restarts: each alert, raised by any process, is over once all is well. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { WatchdogPolicy } from '../../machines/watchdog/policy.ts';
import type { OutcomeBody, SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { incarnation, SELDOM } from '../world/drive.ts';
import { ASKED, seeing } from '../world/hands.ts';
import { ChainTown, DEACON, GONE, HEARTBEAT, LIFE, STALE, WELL } from './chain.ts';

const { watchdog } = POLICY;
const FAILED: OutcomeBody = { type: 'ORDER_FAILED', why: 'broken' };
const looked = (kind: 'silent' | 'answered'): OutcomeBody =>
  seeing(kind === 'silent' ? { kind } : { kind, by: 'code', quote: '' });
const NOT_STARTED: OutcomeBody = { type: 'SESSION_NOT_STARTED', why: 'no such program', taken: false };

const running = (name: string, life = incarnation(7, { session: name })): SessionRecord => ({
  ...freshSession({ ...DEACON, name, restart: 'permanent' }, ''),
  state: 'running',
  pending: null,
  incarnation: life,
  startedAt: 1,
});

/** What can go wrong; each lasts long enough to be told. */
const TROUBLES: Readonly<Record<string, (town: ChainTown) => void>> = {
  'the Deacon is down': (town) => {
    town.seen = GONE;
    town.found = 'absent';
    town.instead.startSession = NOT_STARTED;
  },
  'the Deacon is silent': (town) => {
    town.seen = STALE;
    town.instead.nudge = { type: 'NOT_NUDGED', obstacle: { kind: 'busy', what: 'a draft' } };
  },
  'the Deacon waits for a person': (town) => {
    town.seen = { ...STALE, pane: 'blocked', what: 'Proceed?' };
  },
  'a step fails': (town) => {
    for (const type of ['discover', 'observeDeacon', 'readDeaconMail'] as const)
      Object.assign(town.instead, { [type]: FAILED });
  },
  'tmux is silent': (town) => {
    town.machine.tmux = 'unknown';
  },
  'the tmux server is gone': (town) => {
    town.machine.isServerGone = true;
    town.instead.startSession = NOT_STARTED;
  },
  'health checks stay unanswered': (town) => {
    town.instead.look = looked('silent');
    for (let n = 0; n < watchdog.deacon.healthFailures; n++) {
      town.drive.tell({ type: 'REQUESTED', rpc: `h${n}`, request: { verb: 'healthCheck', session: 'worker' } });
      town.run(watchdog.deacon.healthWaitMs + 1_000);
    }
  },
  'messages lie there': (town) => {
    town.letter({ subject: 'what about lunch?' });
    town.letter({ via: 'operator' });
  },
};

/** All is well from now on: in lives that may be others than those that were told of. */
function mended(town: ChainTown, isAnotherLife: boolean): void {
  town.seen = WELL;
  town.found = 'alive';
  [town.machine.tmux, town.machine.isServerGone] = ['up', false];
  town.letters = [];
  for (const type of Object.keys(town.instead)) Reflect.deleteProperty(town.instead, type);
  Object.assign(town.instead, { ask: ASKED, look: looked('answered') });
  if (isAnotherLife) town.kill();
  town.run(Math.max(4 * HEARTBEAT, 4 * watchdog.deacon.idleMs));
  if (isAnotherLife) return;
  town.drive.tell({ type: 'REQUESTED', rpc: 'h', request: { verb: 'healthCheck', session: 'worker' } });
  town.run(watchdog.deacon.healthWaitMs);
}

function townOf(isActor: boolean): ChainTown {
  const town = new ChainTown(isActor ? null : DEACON, SELDOM);
  town.sessions.set('worker', running('worker')).set(DEACON.name, running(DEACON.name, LIFE));
  town.instead.ask = ASKED;
  town.run(1_000);
  return town;
}

test.each(Object.keys(TROUBLES))('%s: it is told', (name) => {
  const town = townOf(name === 'messages lie there');
  TROUBLES[name]?.(town);
  town.run((watchdog.silentTicks + 2) * HEARTBEAT);
  expect([...town.episodes]).not.toEqual([]);
});

// Rules: law 8.
test('a restart of the town anywhere, then all well: no episode is open', () => {
  const night = fc.record({
    trouble: fc.constantFrom(...Object.keys(TROUBLES)),
    ticks: fc.nat({ max: watchdog.silentTicks + 2 }),
    isRestarted: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(night, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (nights, isActor, isRestarted, isAnotherLife) => {
        const town = townOf(isActor);
        for (const { trouble, ticks, isRestarted: atNight } of nights) {
          TROUBLES[trouble]?.(town);
          town.run(ticks * HEARTBEAT);
          if (atNight) town.drive.restart(1_000);
        }
        if (isRestarted) town.drive.restart(60_000);
        mended(town, isAnotherLife);
        expect([...town.episodes]).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

describe('a start under another configuration', () => {
  const OTHER = { ...DEACON, name: 'hq-other' };
  const told = (who: string): string[] =>
    ['silent', 'down', 'blocked', 'unreachable', 'no-command'].map((kind) => `deacon-${kind}/${who}`);
  /** The next town on the same disk, a moment after its start; nothing is well yet, so nothing ends for that. */
  function next(open: readonly string[], deacon: SessionSpec | null, more: Partial<WatchdogPolicy> = {}): string[] {
    const town = new ChainTown(deacon, { ...POLICY, watchdog: { ...watchdog, ...more } });
    for (const episode of open) town.episodes.add(episode);
    town.seen = { ...WELL, alive: 'unknown' };
    town.found = 'unknown';
    town.run(1_000);
    return [...town.episodes].sort();
  }

  test.each([
    ['an actor in place of a session', told(DEACON.name), null],
    ['a session in place of an actor', told('actor'), DEACON],
    ['another session', told(DEACON.name), OTHER],
  ] as const)('%s: what was told of the old Deacon is over', (_, open, deacon) => {
    expect(next(open, deacon)).toEqual([]);
  });

  test('the same Deacon: only a good finding ends what was told of it', () => {
    expect(next(told(DEACON.name), DEACON)).toEqual(told(DEACON.name).sort());
  });

  test('a part that is off tells no person any more, and no other part would end what it told', () => {
    const open = [...told(DEACON.name), 'daemon-step/boot', 'daemon-step/discovery'];
    const off = { boot: { ...watchdog.boot, enabled: false }, deaconCheck: false };
    expect(next(['daemon-step/discovery', 'daemon-step/deacon'], null, off)).toEqual([]);
    expect(next(open, DEACON, off)).toEqual([`deacon-down/${DEACON.name}`]);
  });
});
