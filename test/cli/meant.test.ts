/** A town goes where it is meant to go: a folder of other things needs a typed yes, or --force. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { atTerminal } from './person.ts';
import { TestTown } from './town.ts';
import { tempFolder } from '../world/over.ts';

let town: TestTown;
let folder = '';
beforeEach(() => {
  town = new TestTown();
  folder = tempFolder('town-mine');
});
const socket = (): string[] => ['--set', `tmux.socket=${town.socket}`];

test.each(['up', 'restart'])(
  'a folder of other things is refused by `%s`, and nothing is written there',
  async (word) => {
    for (const name of ['letters', 'photos', '.profile', 'taxes']) writeFileSync(join(folder, name), '');
    const ran = await town.bare(['--root', folder, word, ...socket()]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toMatch(/holds other things \(".profile", "letters", "photos", …\) and no town.*--force/);
    expect(readdirSync(folder)).toHaveLength(4);
  },
);

test('the home folder is none of a town’s, even an empty one', async () => {
  const ran = await town.bare(['--root', folder, 'up', ...socket()], { env: { HOME: folder } });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('is your home folder');
  expect(readdirSync(folder)).toEqual([]);
});

test('with --force, and from then on without', async () => {
  writeFileSync(join(folder, 'letters'), '');
  expect(await town.bare(['--root', folder, 'up', '--force', ...socket()])).toMatchObject({ code: 0 });
  expect(await town.bare(['--root', folder, 'up', ...socket()])).toMatchObject({ code: 0 });
});

test('an empty folder, and one that a person prepared, are taken at their word', async () => {
  mkdirSync(join(folder, 'packs'));
  expect(await town.bare(['--root', folder, 'up', ...socket()])).toMatchObject({ code: 0 });
});

test.each([
  ['no', false],
  ['yes', true],
])('at a terminal it asks: %s', async (answer, isUp) => {
  writeFileSync(join(folder, 'letters'), '');
  await using person = await atTerminal(town, ['--root', folder, 'up', ...socket()]);
  await person.shows('Make it a town all the same? [yes/no]');
  await person.types(answer);
  await person.shows(isUp ? 'is up: town' : 'nothing was written');
  expect(readdirSync(folder).includes('daemon')).toBe(isUp);
});
