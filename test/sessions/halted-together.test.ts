/** M-13: many agents whose turns ended with one error: a town in virtual time. */
import { expect, test } from 'vitest';
import type { Halted, OutcomeBody } from '../../machines/protocol.ts';
import { Drive, incarnation } from '../world/drive.ts';
import { running, specOf } from './one.ts';

const SCAN_MS = 5_000;
const OF_HALTS = /^(many-halted|agent-error|denied)\//;

/** A town with so many sessions, of each of which a scan sees how its turn halted. */
function town(many: number) {
  const names = Array.from({ length: many }, (_, nth) => `w${nth}`);
  const halts = new Map<string, Halted | null>();
  const scan = ({ known }: { readonly known: readonly { session: string; uuid: string }[] }): OutcomeBody => ({
    type: 'SESSIONS_SEEN',
    server: 'up',
    seen: known.map(({ session: name, uuid }) => {
      const halted = halts.get(name);
      return { name, uuid, exit: null, maybeSignalled: false, life: 'alive', ...(halted !== undefined && { halted }) };
    }),
  });
  const sessions = names.map((name) =>
    running({ spec: specOf(name), incarnation: incarnation(name, { session: name }) }),
  );
  const drive = new Drive({ scan }, { sessions });
  const halt = (some: readonly string[], what: (name: string, nth: number) => Halted | null): void => {
    for (const [nth, name] of some.entries()) halts.set(name, what(name, nth));
    drive.run(2 * SCAN_MS);
  };
  const begun = () => drive.alerts.filter((one) => OF_HALTS.test(one));
  const ended = () => drive.ends.filter((one) => begun().includes(one));
  const texts = () => drive.given('alert').flatMap(({ alert }) => (OF_HALTS.test(alert.episode) ? [alert.text] : []));
  /** How the alert about many began and ended. */
  const ofMany = () =>
    drive.given('alert', 'endAlert').flatMap((one) => {
      const episode = one.type === 'alert' ? one.alert.episode : one.episode;
      return episode.startsWith('many-halted/') ? [one.type] : [];
    });
  /** Of the episodes on disk about many, those that a new process of the town leaves open. */
  const kept = () =>
    drive.given('endOthers').flatMap(({ of, except }) => (of === 'many-halted' ? [except.length] : []));
  return { drive, names, halt, begun, ended, texts, ofMany, kept };
}

const outage = (name: string, nth: number): Halted => ({
  state: 'error',
  what: `API Error: 529 overloaded (${name}, request ${4_711 + nth})`,
});

// Rules: M-13, law 8.
test('an outage is one alert for all that it stopped; once few are left, each of them has its own', () => {
  const { names, halt, begun, ended, texts, ofMany } = town(12);
  halt(names, outage);
  expect(begun()).toEqual([expect.stringMatching(/^many-halted\/api-error/)]);
  expect(texts().at(-1)).toContain('The last turns of 12 agents ended with one error ("API Error: # overloaded');
  halt(names.slice(3), () => null);
  expect([new Set(begun()).size, ended().length]).toEqual([1, 0]);
  halt(names.slice(1), () => null);
  expect(ofMany().at(-1)).toBe('endAlert');
  expect(new Set(begun())).toEqual(new Set(['agent-error/w0', begun()[0]]));
  halt(names, () => null);
  expect(new Set(ended())).toEqual(new Set(begun()));
});

test('a later outage is a new alert though one agent of the first still stands', () => {
  const { names, halt, ofMany } = town(12);
  halt(names, outage);
  halt(names.slice(1), () => null);
  halt(names.slice(1), outage);
  expect(ofMany()).toEqual(['alert', 'endAlert', 'alert']);
});

test.each([
  ['three', 3, 1],
  ['two', 2, 0],
])('after a restart of the town with %s left each has one alert', (_, left, open) => {
  const { drive, names, halt, begun, kept } = town(12);
  halt(names, outage);
  halt(names.slice(left), () => null);
  const before = new Set(begun());
  drive.restart(SCAN_MS);
  drive.run(2 * SCAN_MS);
  expect(new Set(begun())).toEqual(before);
  expect(kept().at(-1)).toBe(open);
});

test('two of one error, and many that were denied something, have an alert each', () => {
  const { names, halt, begun } = town(5);
  halt(names.slice(0, 2), outage);
  halt(names.slice(2), () => ({ state: 'denied', what: 'Bash: git push' }));
  expect(begun().toSorted()).toEqual(['agent-error/w0', 'agent-error/w1', 'denied/w2', 'denied/w3', 'denied/w4']);
});

test('the alert of one that many join is over with the reason', () => {
  const { names, halt, begun, ended } = town(4);
  halt(names.slice(0, 1), outage);
  halt(names, outage);
  expect(ended()).toEqual(['agent-error/w0']);
  expect(new Set(begun()).size).toBe(2);
});
