/** Answers that commands filed come into the journal: once while the town lives, again after a kill, and none is lost. */
import { expect, test } from 'vitest';
import { ANSWERS } from '../../machines/channels/policy.ts';
import type { NewsBody } from '../../machines/protocol.ts';
import { AnswersToJournal } from '../../src/alerts/answers.ts';
import { fileAnswer } from '../../state/alerts/answers.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk, systemError } from '../world/disk.ts';

const given = (question: string) => ({
  id: `a-${question}`,
  answer: { at: 1, by: 'ntfy', question, kind: 'letter', session: null, text: 'which database?', option: 'reply' },
});

function town(sim: SimDisk, wall = () => 1) {
  const disk = sim.mount();
  const announced: string[] = [];
  const announce = (news: NewsBody): void => {
    if (news.type !== 'QUESTION_ANSWERED') return;
    announced.push(`${news.answer.question}${news.answer.isCutOff === true ? ' (cut off)' : ''}`);
  };
  const quarantine = new Quarantine({ disk, wall: () => 0, onRefused: () => undefined });
  return { disk, announced, answers: new AnswersToJournal({ disk, quarantine }, announce, wall) };
}

// Rules: A-3.
test('each is announced once, and its file goes a round later', async () => {
  const sim = new SimDisk();
  const { disk, announced, answers } = town(sim);
  await answers.look();
  await fileAnswer(disk, given('m-1'));
  await answers.look();
  await fileAnswer(disk, given('m-2'));
  expect(announced).toEqual(['m-1']);
  await answers.look();
  await answers.look();
  await answers.look();
  expect(announced).toEqual(['m-1', 'm-2']);
  expect(await disk.list('daemon/answered')).toEqual([]);
});

// Rules: A-3.
test('one that was filed while no town ran, or before a kill, is announced by the next', async () => {
  const sim = new SimDisk();
  const first = town(sim);
  await fileAnswer(first.disk, given('m-1'));
  await first.answers.look();
  sim.kill();
  const next = town(sim);
  sim.fault = (operation) => (operation === 'read' ? systemError('EMFILE') : undefined);
  await expect(next.answers.look()).rejects.toThrow('EMFILE');
  sim.fault = undefined;
  await next.answers.look();
  expect([first.announced, next.announced]).toEqual([['m-1'], ['m-1']]);
});

// Rules: A-3.
test('one that is carried out is announced once that is done, and one whose command was cut off as that', async () => {
  let now = 1;
  const { disk, announced, answers } = town(new SimDisk(), () => now);
  for (const question of ['m-1', 'm-2']) await fileAnswer(disk, { ...given(question), isUnderWay: true });
  await answers.look();
  expect(announced).toEqual([]);
  await fileAnswer(disk, given('m-1'));
  await answers.look();
  expect(announced).toEqual(['m-1']);
  now += ANSWERS.cutOffMs + 1;
  await answers.look();
  await answers.look();
  expect([announced, await disk.list('daemon/answered')]).toEqual([['m-1', 'm-2 (cut off)'], []]);
});
