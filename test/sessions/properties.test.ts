/** Supervised sessions against every order of events (C-6, C-9): these things never happen, however their agents behave. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Drive } from '../world/drive.ts';
import { CLEAN, CRASH } from '../world/machine.ts';
import { specOf as spec } from './one.ts';
import { AGENTS, type StartMode, type Watched, supervised } from './fleet.ts';

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
const mode = fc.constantFrom<StartMode>('prompt', 'late', 'lost', 'fails');
const then = fc.constantFrom<'end' | 'restart'>('end', 'restart');
const event = fc.oneof(
  fc.record({ what: fc.constantFrom('crash' as const, 'clean' as const, 'limit' as const), name }),
  fc.record({ what: fc.constant('starts' as const), name, mode }),
  fc.record({ what: fc.constant('asked' as const), name, then }),
  fc.record({ what: fc.constant('stop' as const), name, then }),
  fc.record({ what: fc.constant('wanted' as const), name }),
  fc.record({ what: fc.constantFrom('server' as const, 'blind' as const, 'sight' as const) }),
  fc.record({ what: fc.constant('killed' as const), ms: fc.integer({ min: 1_000, max: 60_000 }) }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
);

type Event = typeof event extends fc.Arbitrary<infer T> ? T : never;

function happen(machine: Watched, drive: Drive, one: Event): void {
  switch (one.what) {
    case 'crash':
      machine.endName(one.name, drive.now, { exit: CRASH });
      break;
    case 'clean':
      machine.endName(one.name, drive.now, { exit: CLEAN });
      break;
    case 'limit':
      machine.endName(one.name, drive.now, { exit: CRASH, limit: 'limit reached' });
      break;
    case 'starts':
      machine.modes.set(one.name, one.mode);
      return;
    case 'asked': {
      const { uuid } = drive.session(one.name).incarnation ?? { uuid: 'none' };
      const news = { type: 'END_WANTED', session: one.name, uuid, then: one.then } as const;
      drive.tell({ ...news, id: `lifecycle-${uuid}`, filedAt: 0, why: 'it asked' });
      break;
    }
    case 'stop':
      // A start by hand that fails is its caller's to see to, and not tried on.
      if (one.then === 'restart' && machine.modes.get(one.name) === 'fails') return;
      drive.tell({
        type: 'REQUESTED',
        rpc: `stop-${drive.now}`,
        via: 'operator',
        request: { verb: 'stopSession', name: one.name, then: one.then, force: false },
      });
      return;
    case 'wanted':
      drive.tell({ type: 'SESSION_WANTED', spec: drive.session(one.name).spec, uuid: null, why: 'a test' });
      return;
    case 'server':
      machine.endServer(drive.now);
      break;
    case 'blind':
    case 'sight':
      machine.tmux = one.what === 'blind' ? 'unknown' : 'up';
      break;
    case 'killed':
      machine.inFlight.clear(); // its hands end with it
      drive.restart(one.ms);
      return;
    case 'wait':
      drive.run(one.ms);
      return;
  }
  drive.tell({ type: 'CHANGED', what: 'sessions' });
}

/** It asked for its own end, or was stopped, and ended: only a person starts it again. */
const isRetired = (drive: Drive, one: string): boolean => {
  const { state, asked } = drive.session(one);
  return state === 'ended' && asked?.then === 'end';
};

/** Two kills of the town, each before it has outlived the clean end by long enough. */
const AFTER_CLEAN_END: Event[] = [
  { what: 'clean', name: 'b' },
  { what: 'killed', ms: 1_000 },
  { what: 'killed', ms: 1_000 },
];

describe('over any events three agents', () => {
  // Rules: law 5.
  test('are not started twice at once, beside a living one, or again after an end that ends them, and not killed', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { machine, drive } = supervised(AGENTS);
        drive.run(5_000);
        const over = new Map<string, number>();
        const check = (): void => {
          for (const [one, starts] of over) expect([one, machine.startsOf(one).length]).toEqual([one, starts]);
          for (const one of names)
            if (drive.session(one).state === 'ended') over.set(one, machine.startsOf(one).length);
        };
        for (const one of events) {
          if (one.what === 'wanted' && !isRetired(drive, one.name)) over.delete(one.name);
          if (one.what === 'stop' && one.then === 'restart') over.delete(one.name);
          happen(machine, drive, one);
          check();
        }
        machine.tmux = 'up';
        machine.modes.clear();
        drive.run(40 * 60_000);
        check();
        expect(machine.wrongs).toEqual([]);
        // No session that should run is given up, and one that ended is not there.
        expect(drive.session('a').state).toBe(isRetired(drive, 'a') ? 'ended' : 'running');
        for (const one of names) {
          const isThere = machine.of(one).some(({ diesAt }) => diesAt > drive.now);
          expect([one, drive.session(one).state]).toEqual([one, isThere ? 'running' : 'ended']);
        }
      }),
      { numRuns: 60, examples: [[AFTER_CLEAN_END]] },
    );
  });

  // Rules: C-6.
  test('disturb no other, if one crashes for ever or cannot be started', () => {
    const crash = fc.record({ ms: fc.integer({ min: 1, max: 600_000 }), mode, isKilled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(crash, { maxLength: 30 }), (crashes) => {
        const { machine, drive } = supervised([spec('a', 'permanent'), spec('b', 'permanent')]);
        drive.run(5_000);
        const sibling = drive.session('b');
        for (const { ms, mode: next, isKilled } of crashes) {
          machine.modes.set('a', next);
          machine.endName('a', drive.now, { exit: CRASH });
          if (isKilled) happen(machine, drive, { what: 'killed', ms: 1_000 });
          drive.run(ms);
        }
        expect(machine.startsOf('b')).toHaveLength(1);
        expect(drive.session('b')).toEqual(sibling);
        expect(drive.given('alert').map(({ alert }) => alert.session)).not.toContain('b');
        expect(machine.wrongs).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
