/** A push that can never be: a remote that protects its branches, a key in the commits. On real git. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BY_HAND, Shop } from '../shop.ts';

/** Put together here, so that no scanner takes it for a real one. */
const KEY = ['AKIA', 'IOSFODNN7', 'EXAMPLF'].join('');
const CYCLES = 4;

let town: Shop;
let dir: string;
beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\nmax_polecats = 2\n`);
  await town.open();
  dir = await town.polecat('nux', await town.bead('mend the parser'), 'sleep', '100000');
});

const tries = (): string => join(town.home, 'tries');
function protects(): void {
  const text = `#!/bin/sh\necho try >> ${tries()}\necho "protected branch: ask an owner" >&2\nexit 1\n`;
  writeFileSync(join(town.remote, 'hooks/pre-receive'), text, { mode: 0o755 });
}
function commits(text: string): void {
  writeFileSync(join(dir, 'parser'), text);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', 'mend');
}
const cases = (): Promise<{ type: string; context: string }[]> => town.data('triage', 'list');

// Rules: P-6, P-13.
test.each([
  ['a pre-receive hook', 'mended\n', /^the remote refused its push: .*protected branch: ask an owner/],
  ['a key in its commits', `key ${KEY}\n`, /^the town refused its push: .*looks like a secret/],
  ['a hook (a forged tracking ref calls it pushed)', 'mended\n', /^the remote refused its push: .*ask an owner/],
])('what %s refuses is tried once in many cycles, is one case, and stays where it is', async (what, text, why) => {
  protects();
  commits(text);
  if (what.includes('forged')) town.git(dir, 'update-ref', 'refs/remotes/origin/polecat/nux', 'HEAD');
  await town.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE nux', '-m', 'Exit: COMPLETED');
  await town.ends('nux');
  for (let cycle = 0; cycle < CYCLES; cycle += 1) await town.cycle();
  const tried = existsSync(tries()) ? readFileSync(tries(), 'utf8').trim().split('\n').length : 0;
  expect(tried).toBe(text.includes(KEY) ? 0 : 1);
  expect(await cases()).toMatchObject([{ type: 'dirty_polecat', context: expect.stringMatching(why) as string }]);
  expect(readFileSync(join(dir, 'parser'), 'utf8')).toBe(text);
  expect(town.git(town.remote, 'branch', '--format=%(refname:short)')).toBe('main');
});
