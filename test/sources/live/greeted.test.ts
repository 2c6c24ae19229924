/** When mail that a hook gave an agent at its start counts as read: once its program lived on with it. */
import { expect, test } from 'vitest';
import { SOURCES } from '../../../src/sources/policy.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { hook, LIFE, town } from './hooked.ts';

const START = { hook_event_name: 'SessionStart', session_id: LIFE, source: 'startup' };

/** A town whose clock is the test's, and what counts as read in it. */
async function greeting() {
  const seen = { at: 1_000_000, looks: 0, read: 0 };
  const clock = {
    wall: () => seen.at,
    sleep: async () => {
      seen.looks += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  };
  const given = async () => void (seen.read += 1);
  const it = await town(tempFolder('town-greeted'), [], async () => ({ text: 'use sqlite', given }), clock);
  const stop = new AbortController();
  whenOver(() => stop.abort());
  void it.server.attend(stop.signal);
  const { printed } = await hook(it, START).ended;
  expect(printed).toContain('use sqlite');
  return {
    it,
    seen,
    /** After so long, and some looks at it. */
    later: async (ms: number) => {
      seen.at += ms;
      const { looks } = seen;
      await expect.poll(() => seen.looks > looks + 3).toBe(true);
    },
  };
}

// Rules: C-11.
test('a letter counts as read once the program that was given it lived on for a while', async () => {
  const { seen, later } = await greeting();
  await later(SOURCES.heldLivesMs - 1);
  expect(seen.read).toBe(0);
  await later(1);
  await later(SOURCES.heldLivesMs);
  expect(seen.read).toBe(1);
});

test('a letter that went to a program which ended at once stays unread', async () => {
  const { it, seen, later } = await greeting();
  it.living.clear();
  await later(2 * SOURCES.heldLivesMs);
  expect(seen.read).toBe(0);
});
