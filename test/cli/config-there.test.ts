/** `town config check` and `show`: what town.toml names and is not there, and every rig and agent of it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { prints, TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const agent = (lines: string): string => `[[agents]]\nname = "builder"\n${lines}\n`;

test('folders, programs and rigs that are not there are named, each in a sentence', async () => {
  town.configure(
    `${agent('command = ["/no/such/agent"]')}[[agents]]\nname = "tester"\ncommand = ["sh"]\ndir = "~/nowhere"\n` +
      '[rig.shop]\nagent = "/no/such/claude --continue"\ntest = "cd x && npm test"\n',
  );
  const { code, stdout } = await town.run('config', 'check');
  const lines = stdout.trim().split('\n').slice(1);
  expect([code, lines]).toEqual([
    1,
    [
      `agent tester: dir ${join(town.home, 'nowhere')} is no folder; make it, or name another`,
      '[rig.shop]: there is no rig shop; add it: town rig add shop <path>',
      expect.stringMatching(/^agent builder: there is no program "\/no\/such\/agent"/) as string,
      expect.stringMatching(/^rig\.shop\.agent: there is no program "\/no\/such\/claude"/) as string,
      expect.stringContaining('$TOWN_NUMBERS') as string,
    ],
  ]);
});

test('a file whose things are there is right', async () => {
  mkdirSync(join(town.home, 'app'));
  town.configure(agent('command = ["sh", "-c", "exec sleep 1"]\ndir = "~/app"'));
  prints(await town.run('config', 'check'), 0, 'right');
});

test('show prints every rig and every agent with its values', async () => {
  town.configure(`${agent('command = ["claude"]\ndir = "~/app"')}[rig.shop]\ntest = "npm test"\n`);
  const { stdout } = await town.run('config', 'show');
  const row = (...words: string[]): RegExp => new RegExp(words.join(' +').replaceAll(/[[\]]/g, '\\$&'));
  expect(stdout).toMatch(row('[rig.shop]', 'test', '["/bin/sh","-c","npm test"]'));
  expect(stdout).toMatch(row('[rig.shop]', 'test_limit', '"30m"'));
  expect(stdout).toMatch(row('agent builder', 'dir', `"${join(town.home, 'app')}"`));
});
