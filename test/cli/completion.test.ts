/** A tab behind a command that takes a name: the shells' scripts ask the town which there are. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MAIN, TestTown } from './town.ts';

let town: TestTown;
let bin: string;
beforeEach(async () => {
  town = new TestTown();
  town.session('builder');
  town.session('breaker');
  await town.run('bead', 'create', 'mend the parser: all of it');
  bin = join(town.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'town'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  chmodSync(join(bin, 'town'), 0o755);
});

const COMPLETE = `
source <(town completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _town; printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What bash offers for the last of these words. */
function offers(...words: string[]): string[] {
  const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: town.root, TOWN_ROOT: '/nonexistent' };
  const said = execFileSync('bash', ['-c', COMPLETE, 'bash', 'town', ...words], { env, encoding: 'utf8' });
  return said.split('\n').filter((word) => word !== '');
}

test('the script of the command itself knows the whole tree', () => {
  expect(offers('dog', 'pool', 'st')).toEqual(['status']);
});

test('names are those of the town that --root names', async () => {
  const { root } = town;
  expect(offers('--root', root, 'session', 'stop', 'b')).toEqual(['breaker', 'builder']);
  expect(offers('--root', root, 'warrant', 'file', 'bu')).toEqual(['builder']);
  const [{ id } = { id: '' }] = await town.data<{ id: string }[]>('bead', 'list');
  expect(offers('--root', root, 'bead', 'show', 'tw-')).toEqual([id]);
  expect(offers('--root', root, 'rig', 'show', 's')).toEqual([]);
});

// Rules: law 11.
test('an agent is offered no questions, which name letters in the mailbox of the operator', async () => {
  await town.as('token-of-builder', 'mail', 'send', 'overseer', '--subject', 'May I push?');
  const asked = (token: string | null) =>
    token === null ? town.run('completion', 'names', 'questions') : town.as(token, 'completion', 'names', 'questions');
  expect((await asked(null)).stdout).toContain('May I push?');
  expect((await asked('token-of-breaker')).stdout.trim()).toBe('');
});

test('each name stands with what it is; where there is no town, there is no name and no complaint', async () => {
  const { stdout } = await town.run('completion', 'names', 'beads');
  expect(stdout).toMatch(/^tw-\S+\tmend the parser: all of it\n$/);
  expect((await town.run('completion', 'names', 'nonsense')).stdout.trim()).toBe('');
  expect(offers('session', 'stop', 'b')).toEqual([]);
});
