/** A hearing that was left to a person: how they decide it, and which decisions count. */
import { expect, test } from 'vitest';
import { ACK, ackPath } from '../../state/alerts/episodes.ts';
import { exits } from './town.ts';
import { does, escalatedHearing, filed, oneOf, questions, town, useTown } from './asked.ts';

useTown();

// Rules: law 2, A-2, D-14.
test.each([
  ['pardon', []],
  ['hear', [{ reason: 'silent', force: false }]],
  ['execute', [{ reason: 'decided by the operator after hearing d-7', force: true }]],
])('a hearing that was left to a person is decided by its number, once: %s', async (word, warrants) => {
  escalatedHearing();
  const { number, options, id } = await oneOf('alert');
  expect(options.map((one) => one.word)).toEqual(['pardon', 'hear', 'execute']);
  const page = (await town.run('questions')).stdout;
  expect(page).toMatch(
    new RegExp(`town answer ${number} execute +end it without another hearing, with its work saved`),
  );
  does(await town.run('answer', number, word));
  expect(filed()).toMatchObject(warrants.map((one) => ({ ...one, requester: 'overseer' })));
  expect(filed().map(({ incarnation }) => incarnation.uuid)).toEqual(
    warrants.map(() => town.record('builder')?.incarnation?.uuid),
  );
  expect(await questions()).toEqual([]);
  exits(await town.run('ask', 'answer', id, word), 3, /no question .* is open/);
  expect(filed()).toHaveLength(warrants.length);
});

// Rules: law 2, A-4.
test('a decided hearing stays decided: seen afterwards it is no question again, and one that was only seen is still asked', async () => {
  escalatedHearing();
  const { number } = await oneOf('alert');
  does(await town.run('ack', 'dance-escalated/builder'));
  expect((await oneOf('alert')).isAcked).toBe(true);
  does(await town.run('answer', number, 'pardon'));
  does(await town.run('ack', 'dance-escalated/builder'));
  expect(await questions()).toEqual([]);
  exits(await town.run('answer', number, 'execute'), 2, /there is no open question/);
  expect(filed()).toEqual([]);
});

// Rules: law 2.
test('what an older town wrote of a decision counts as one', async () => {
  escalatedHearing();
  const text = ACK.text({ since: 1_000, by: 'operator', at: 2_000 });
  town.write(ackPath('dance-escalated/builder'), text);
  expect(await questions()).toEqual([]);
});

// Rules: law 3, law 6.
test('no other life is heard or ended for it, and no protected one', async () => {
  escalatedHearing('another life');
  const { number } = await oneOf('alert');
  for (const word of ['hear', 'execute'])
    exits(await town.run('answer', number, word), 3, /the life of builder that was heard is over/);
  escalatedHearing();
  town.configure('[town]\nprotected = ["build*"]\n');
  for (const word of ['hear', 'execute']) exits(await town.run('answer', number, word), 5, /builder is protected/);
  expect(filed()).toEqual([]);
  expect(await questions()).toHaveLength(1);
});

// Rules: A-3.
test('programs and channels see that an execution must be named; over MCP it is refused', async () => {
  escalatedHearing();
  const [ask] = await town.data<{ id: string; options: { key: string; by_name: boolean }[] }[]>('ask', 'list');
  const byProgram = await town.run('ask', 'answer', '--by=MCP', ask?.id ?? '', 'execute');
  exits(byProgram, 5, /execute is for a person: town answer \d+ execute, or a channel/);
  expect(filed()).toEqual([]);
  expect(ask?.options.map(({ key, by_name: isGrave }) => [key, isGrave])).toEqual([
    ['pardon', false],
    ['hear', false],
    ['execute', true],
  ]);
});
