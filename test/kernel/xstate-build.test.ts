/**
 * XState has two builds. Users get the plain one, so the tests run on it; `--mode development` takes the other, whose
 * extra checks (unregistered actors, events to stopped actors) find what the plain one lets pass.
 */
import { expect, it } from 'vitest';
import { createActor, createMachine } from 'xstate';

it('is the build that was asked for', () => {
  const wanted = process.env['NODE_ENV'] === 'development' ? 1 : 0;
  const warn = console.warn;
  let warnings = 0;
  console.warn = () => (warnings += 1);
  try {
    const actor = createActor(createMachine({})).start();
    actor.stop();
    actor.send({ type: 'TO_THE_DEAD' });
  } finally {
    console.warn = warn;
  }
  expect(warnings).toBe(wanted);
});
