/** How many times `town polecat list` starts git: what is the same for every polecat of a rig is asked once. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Answers } from '../../../src/git/answers.ts';
import { seenOf } from '../../../src/cli/commands/polecats.ts';
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

test('each further polecat of a rig costs three starts, and is shown as when it is looked at alone', async () => {
  const it = new RigOn();
  const names = ['ace', 'max', 'nux', 'toast'];
  for (const name of names) {
    await it.spawn(name);
    writeFileSync(join(it.dirOf(name), name), 'work\n');
    it.gitIn(it.dirOf(name), 'add', '.');
    it.gitIn(it.dirOf(name), 'commit', '-q', '-m', `work of ${name}`);
  }
  writeFileSync(join(it.dirOf('max'), 'file'), 'changed\n');
  it.gitIn(it.dirOf('nux'), 'push', '-q', 'origin', 'HEAD');
  const alone = await rowsOf(it, names);
  const starts = countStarts(it.root);
  await rowsOf(it, ['ace'], new Map());
  const ofOne = starts();
  expect(await rowsOf(it, names, new Map())).toEqual(alone);
  const perFurther = (starts() - 2 * ofOne) / (names.length - 1);
  expect(alone).toMatchObject([
    { seen: { git: { states: ['unpushed'] } }, progress: { ahead: 1 } },
    { seen: { git: { states: ['dirty', 'unpushed'] } } },
    { seen: { git: { states: ['clean'] } } },
    { seen: { git: { states: ['unpushed'] } } },
  ]);
  expect(perFurther).toBeLessThanOrEqual(3);
});
