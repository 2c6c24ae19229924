/** What a demo's own plan (its cast, its speed, its windows) comes to in virtual time, where no machine is slow. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Ms } from '../../machines/protocol.ts';
import { loadSettings } from '../../src/config/load.ts';
import { NUMBERS } from '../../src/config/numbers.ts';
import { CAST, LONGEST_HEARD } from '../../src/demo/cast.ts';
import { configOf, numbersOf, LOOK_EVERY_MS, MAX_SPEED, SPEED, windowsOf } from '../../src/demo/times.ts';
import { tempFolder } from '../world/over.ts';
import { Stage } from '../stories/stage.ts';

const PATIENCE_MS = 10_000;
/** Of that for the town to come up and its first three agents to start, on a machine with other things to do. */
const STARTING_MS = 8_000;
/** From the last window to the last verdict: the tree, the last look, the rescue, and ten seconds of life between TERM and KILL. */
const ENDING_MS = 12_000;

const accused = CAST.filter(({ reason }) => reason !== null).map(({ name }) => name);

/** When each verdict comes, where all are accused at once. */
function verdictsAt(speed: number): ReadonlyMap<string, Ms> {
  const stage = new Stage();
  const toml = configOf(speed, '/nowhere/demo/tmux');
  const numbers = join(tempFolder('demo'), 'numbers.toml');
  writeFileSync(numbers, numbersOf(speed));
  stage.policy = loadSettings({ root: import.meta.dirname, env: { [NUMBERS]: numbers }, toml }).policy;
  const began = stage.drive.wall;
  for (const name of accused) {
    const target = stage.world.target(name);
    if (name === 'claude') target.mood = { kind: 'dialog', what: 'Do you want to proceed?' };
    if (name === 'builder') target.mood = { kind: 'evidence', what: 'a new line' };
    if (name === 'stubborn') for (const { pid } of target.tree) target.stubborn.add(pid);
    stage.file('demo', `w-${name}`, name, 'silent');
  }
  stage.drive.run(LOOK_EVERY_MS);
  // They answer their first question; one is asked as soon as a dog is free.
  for (let spent = 0; spent < ENDING_MS; spent += LOOK_EVERY_MS) {
    for (const name of ['listener', 'caller']) stage.world.target(name).said.add(stage.codeOf(name, 1));
    stage.drive.run(LOOK_EVERY_MS);
  }
  stage.drive.run(windowsOf(1).reduce((sum, ms) => sum + ms, ENDING_MS));
  return new Map(
    stage.journal.flatMap(({ kind, session, at }) =>
      kind === 'dance.closed' && typeof session === 'string' ? [[session, at - began]] : [],
    ),
  );
}

test('who has a verdict at once enters first, beside those that are heard longest', () => {
  const first = CAST.slice(0, 1 + LONGEST_HEARD.length).map(({ name }) => name);
  expect(first).toEqual([CAST[0]?.name, ...LONGEST_HEARD]);
});

describe.each([1, SPEED, MAX_SPEED])('at speed %i', (speed) => {
  const at = verdictsAt(speed);
  const [first, ...others] = [...at].toSorted(([, one], [, other]) => one - other);

  test('the first verdict waits for no window: it is shown within ten seconds, at any speed', () => {
    expect(first?.[0]).toBe(CAST[0]?.name);
    expect((first?.[1] ?? Infinity) + LOOK_EVERY_MS).toBeLessThanOrEqual(PATIENCE_MS - STARTING_MS);
    expect(others.every(([, ms]) => ms > 0)).toBe(true);
  });

  test('everybody has one when the windows are over, and those that are heard longest have it last', () => {
    expect([...at.keys()].toSorted()).toEqual([...accused].toSorted());
    const windows = windowsOf(speed).reduce((sum, ms) => sum + ms, 0);
    expect(
      [...at]
        .slice(-LONGEST_HEARD.length)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual([...LONGEST_HEARD].toSorted());
    for (const [, ms] of at) expect(ms).toBeLessThanOrEqual(windows + ENDING_MS);
  });
});
