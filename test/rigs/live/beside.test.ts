/** Other gits of a repository while the town makes worktrees in it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RigOn } from '../yard.ts';

/** One git after the other looks at all refs, as a fetch does, until there is a file; then it says how many looked. */
const LOOKS = `n=0
until [ -e ../over ]; do git rev-list --objects --quiet HEAD --not --all || exit; n=$((n+1)); done
echo $n`;

// Rules: R-1, P-8.
test('a worktree is in its repository at once and whole: no other git sees one half made', async () => {
  const it = new RigOn();
  const looks = spawn('bash', ['-c', LOOKS], { cwd: it.top, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, failed]: [string[], string[]] = [[], []];
  looks.stdout.on('data', (text: Buffer) => said.push(text.toString()));
  looks.stderr.on('data', (text: Buffer) => failed.push(text.toString()));
  const ended = once(looks, 'close');
  for (let nth = 0; nth < 6; nth += 1) await it.spawn(`nux${String(nth)}`, {}, null);
  writeFileSync(join(it.root, 'over'), '');
  await ended;
  expect(failed).toEqual([]);
  expect(Number(said.join(''))).toBeGreaterThan(0);
  expect(readdirSync(join(it.top, '.git/worktrees'))).toHaveLength(6);
});
