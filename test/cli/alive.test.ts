/** `town alive` where nothing can be filed: in a sandbox the line on the screen is the answer (D-3, D-4). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noteFileOf } from '../../state/watchdog/records.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.session('builder');
  town.session('other');
  town.dance('dog-1', 'builder');
});

const ANSWERS = 'deacon/dogs/answers';

describe('a right code that cannot be filed is printed as the answer, alone on its line', () => {
  test.each<[string, () => void]>([
    ['a file in the way of the folder', () => town.write(ANSWERS, 'x')],
    [
      'a folder in the place of the answer',
      () => mkdirSync(join(town.root, ANSWERS, 'M2X9.json'), { recursive: true }),
    ],
  ])('%s', async (_what, block) => {
    block();
    const { code, stdout, stderr } = await town.as('token-of-builder', 'alive', 'm2-x9');
    expect([code, stdout]).toEqual([0, 'ALIVE M2X9\n']);
    expect(stderr).toMatch(
      /^town: the answer could not be filed \(.*E[A-Z]+.*\); the line ALIVE M2X9 is the answer.*\n$/,
    );
  });

  test('for programs too', async () => {
    town.write(ANSWERS, 'x');
    const data = await town.data('alive', 'M2-X9');
    expect(data).toMatchObject({ code: 'M2X9', filed: false, answer: 'ALIVE M2X9' });
  });
});

test('a health check whose town cannot be reached is answered on the screen', async () => {
  const check = { uuid: 'uuid-of-builder', lastPingAt: 1_000, lastAnswerAt: null, failures: 0, result: '' };
  const { path, text } = noteFileOf({
    kind: 'note',
    id: 'healthChecks',
    value: { builder: { ...check, code: 'C8MG' } },
  });
  town.write(path, text ?? '');
  const { code, stdout } = await town.as('token-of-builder', 'alive', 'C8-MG');
  expect([code, stdout]).toEqual([0, 'ALIVE C8MG\n']);
});

test('a root that is hidden from an agent of a town is no obstacle; without its token it is a wrong root', async () => {
  const words = ['--root', join(town.home, 'hidden'), 'alive', 'C8-MG'];
  const agent = await town.bare(words, { env: { TOWN_TOKEN: 'token-of-builder' } });
  expect([agent.code, agent.stdout]).toEqual([0, 'ALIVE C8MG\n']);
  const person = await town.bare(words);
  expect([person.code, person.stdout, person.stderr]).toEqual([3, '', expect.stringMatching(/there is no town at/)]);
});

test('a wrong code, and that of another, stay errors there', async () => {
  town.write(ANSWERS, 'x');
  for (const [token, words, exit] of [
    ['token-of-builder', 'K7-3F', 1],
    ['token-of-builder', 'Z9Z9', 1],
    ['token-of-other', 'M2X9', 5],
    ['nobodys', 'M2X9', 5],
  ] as const) {
    const { code, stdout } = await town.as(token, 'alive', words);
    expect([words, code, stdout]).toEqual([words, exit, '']);
  }
});

test('one that is filed is told as such', async () => {
  expect(await town.data('alive', 'M2X9')).toMatchObject({ session: 'builder', dance: 'dog-1', filed: true });
  expect(town.names(ANSWERS)).toEqual(['M2X9.json']);
});
