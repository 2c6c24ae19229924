/** Alerts about an agent whose turn halted, after a denied step or an error: a town in virtual time. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SeenSession } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import { running, spec } from './one.ts';

const PUSH = { state: 'denied', what: 'Bash: git push --force (not asked for)' } as const;
const LOST = { state: 'error', what: 'API Error: Connection error.' } as const;
const SCAN_MS = 5_000;

/** A town with one session, of which each scan sees what `seen` has. `open`: an earlier process of the town alerted of it. */
function town(kind = 'denied') {
  const seen: { halted?: SeenSession['halted']; uuid?: string; life: 'alive' | 'dead' } = { life: 'alive' };
  const scan = ({ known }: { readonly known: readonly { session: string; uuid: string }[] }): OutcomeBody => {
    const { life, halted } = seen;
    const exit = life === 'dead' ? ({ kind: 'code', code: 1 } as const) : null;
    const one = { exit, maybeSignalled: false, life, ...(halted !== undefined && { halted }) };
    return {
      type: 'SESSIONS_SEEN',
      server: 'up',
      seen: known.map(({ session: name, uuid }) => ({ name, uuid: seen.uuid ?? uuid, ...one })),
    };
  };
  const drive = new Drive({ scan }, { input: townInput(POLICY), sessions: [running({ spec })] });
  const of = (episodes: readonly string[]): number => episodes.filter((one) => one === `${kind}/s1`).length;
  const after = (more: Partial<typeof seen>): string => {
    Object.assign(seen, more);
    drive.run(2 * SCAN_MS);
    return `${of(drive.alerts)} begun, ${of(drive.ends)} ended`;
  };
  const texts = () => drive.given('alert').flatMap(({ alert }) => (alert.episode === `${kind}/s1` ? [alert.text] : []));
  return { after, texts };
}

// Rules: M-2, law 1, law 8.
test('begins once it has stood for a while, and ends when the agent goes on', () => {
  const { after, texts } = town();
  // Unknown begins nothing and ends nothing, also of an earlier process of the town.
  expect(after({})).toBe('0 begun, 0 ended');
  expect(after({ halted: PUSH })).toBe('1 begun, 0 ended');
  expect(after({ halted: undefined })).toBe('1 begun, 0 ended');
  expect(after({ halted: null })).toBe('1 begun, 1 ended');
  expect(after({ halted: PUSH })).toBe('2 begun, 1 ended');
  expect(texts()[0]).toBe(
    's1 was denied a step, and its turn ended: "Bash: git push --force (not asked for)". Allow it, or tell it another way, in its pane.',
  );
});

test('ends with its life', () => {
  const { after } = town();
  expect(after({ halted: PUSH })).toBe('1 begun, 0 ended');
  expect(after({ halted: undefined, life: 'dead' })).toBe('1 begun, 1 ended');
});

test('of another life says nothing', () => {
  expect(town().after({ halted: PUSH, uuid: 'of an earlier life' })).toBe('0 begun, 0 ended');
});

test('after an error is one of its own, from the error to the next step, whichever way it halted before', () => {
  const { after, texts } = town('agent-error');
  expect(after({ halted: PUSH })).toBe('0 begun, 1 ended');
  expect(after({ halted: LOST })).toBe('1 begun, 1 ended');
  expect(after({ halted: PUSH })).toBe('1 begun, 2 ended');
  expect(texts()).toEqual([
    'The last turn of s1 ended with an error: "API Error: Connection error.". Once it is mended, tell it to go on.',
  ]);
});
