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
      return { name, uuid, exit: null, condemned: false, life: 'alive', ...(halted !== undefined && { halted }) };
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
  return { names, halt, begun, ended, texts };
}

const outage = (name: string, nth: number): Halted => ({
  state: 'error',
  what: `API Error: 529 overloaded (${name}, request ${4_711 + nth})`,
});

// Rules: M-13, law 8.
test('an outage is one alert for all that it stopped, and one recovery with the last of them', () => {
  const { names, halt, begun, ended, texts } = town(12);
  halt(names, outage);
  expect(begun()).toEqual([expect.stringMatching(/^many-halted\/api-error/)]);
  expect(texts().at(-1)).toContain('The last turns of 12 agents ended with one error ("API Error: # overloaded');
  halt(names.slice(1), () => null);
  expect([new Set(begun()).size, ended().length]).toEqual([1, 0]);
  halt(names, () => null);
  expect([new Set(begun()).size, ended().length]).toEqual([1, 1]);
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
