/** How many times `town polecat list`, and a round of a witness, start git: what is the same for every polecat of a rig is asked once. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { statesOf } from '../../../machines/rigs/worktree.ts';
import type { Answers } from '../../../src/git/answers.ts';
import { seenOf } from '../../../src/cli/commands/polecats.ts';
import { treesOf } from '../../../src/patrols/witness/trees.ts';
import { progressOf } from '../../../src/rigs/own-work.ts';
import { RigOn } from '../yard.ts';

const { PATH } = process.env;
afterEach(() => {
  process.env['PATH'] = PATH;
});

/** Puts a git in front that notes each of its starts and then is the real one; returns the number of starts since. */
function countStarts(folder: string): () => number {
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const log = join(folder, 'starts');
  mkdirSync(join(folder, 'bin'));
  writeFileSync(log, '');
  writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\necho >> '${log}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  process.env['PATH'] = `${join(folder, 'bin')}:${PATH ?? ''}`;
  return () => readFileSync(log, 'utf8').length;
}

const AROUND = Promise.resolve({ standings: () => 'lives' as const });

/** As the list does, all at once; `answers` = what they share. */
async function rowsOf(it: RigOn, names: readonly string[], answers?: Answers): Promise<unknown> {
  const at = { ...it.at(), ...(answers && { answers }) };
  const records = (await it.records.polecats()).found.filter(({ name }) => names.includes(name));
  const seen = await Promise.all(records.map((record) => seenOf(at.yard, record, at, AROUND)));
  const stands = records.map((record, n) => ({ record, head: seen[n]?.git?.head ?? null }));
  const progress = await progressOf(at, stands);
  return seen.map((one, n) => ({ seen: one, progress: progress[n] }));
}

const NAMES = ['ace', 'max', 'nux', 'toast'];

/** Each has a commit of its own; one also has a change, one has pushed. */
async function rigAtWork(): Promise<RigOn> {
  const it = new RigOn();
  for (const name of NAMES) {
    await it.spawn(name);
    writeFileSync(join(it.dirOf(name), name), 'work\n');
    it.gitIn(it.dirOf(name), 'add', '.');
    it.gitIn(it.dirOf(name), 'commit', '-q', '-m', `work of ${name}`);
  }
  writeFileSync(join(it.dirOf('max'), 'file'), 'changed\n');
  it.gitIn(it.dirOf('nux'), 'push', '-q', 'origin', 'HEAD');
  return it;
}

test('each further polecat of a rig costs three starts, and is shown as when it is looked at alone', async () => {
  const it = await rigAtWork();
  const alone = await rowsOf(it, NAMES);
  const starts = countStarts(it.root);
  await rowsOf(it, ['ace'], new Map());
  const ofOne = starts();
  expect(await rowsOf(it, NAMES, new Map())).toEqual(alone);
  const perFurther = (starts() - 2 * ofOne) / (NAMES.length - 1);
  expect(alone).toMatchObject([
    { seen: { git: { states: ['unpushed'] } }, progress: { ahead: 1 } },
    { seen: { git: { states: ['dirty', 'unpushed'] } } },
    { seen: { git: { states: ['clean'] } } },
    { seen: { git: { states: ['unpushed'] } } },
  ]);
  expect(perFurther).toBeLessThanOrEqual(3);
});

// Rules: P-3.
test('in a round of a witness each further one costs two, and is seen as when it is looked at alone', async () => {
  const it = await rigAtWork();
  const { found } = await it.records.polecats();
  const alone = [];
  for (const record of found) alone.push(await treesOf(it.at()).look(record));
  const starts = countStarts(it.root);
  await Promise.all(found.slice(0, 1).map(treesOf(it.at()).look));
  const ofOne = starts();
  expect(await Promise.all(found.map(treesOf(it.at()).look))).toEqual(alone);
  expect((starts() - 2 * ofOne) / (found.length - 1)).toBeLessThanOrEqual(2);
  expect(alone.map(statesOf)).toEqual([['unpushed'], ['dirty', 'unpushed'], ['clean'], ['unpushed']]);
});
