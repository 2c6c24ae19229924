/** Choices of triage that the town cannot carry out at once. */
import { expect, test } from 'vitest';
import { isTransient } from '../../src/patrols/thread/choices.ts';
import { Failure } from '../../src/terminal/failure.ts';

// Rules: P-15.
test.each(['degraded', 'town_ending', 'waits_for_disk'])('a refusal as %s is tried again', (code) => {
  expect(isTransient(new Failure(4, code, 'not now'))).toBe(true);
});

// Rules: P-15.
test.each(['tmux_owned', 'protected_target', 'nudge_unfit'])('a refusal as %s is a person’s', (code) => {
  expect(isTransient(new Failure(4, code, 'no'))).toBe(false);
});
