/** Answers to questions: on record, to letters in words, and never to another question than the one that was seen. */
import { expect, test } from 'vitest';
import { episodeIn } from '../../machines/protocol.ts';
import { ALERTS } from '../../state/alerts/episodes.ts';
import { nameOf } from '../../state/files/layout.ts';
import { exits } from './town.ts';
import { asBuilder, does, fill, oneOf, questions, rename, town, useTown } from './asked.ts';

useTown();

// Rules: A-3.
test('each answer is on record with who gave it, also one by ack; a wrong one is not', async () => {
  await fill();
  const { id: letter } = await oneOf('letter');
  const { id: escalation } = await oneOf('escalation');
  exits(await town.run('answer', letter, 'no'), 2, /has no option "no"/);
  does(await town.run('ask', 'answer', '--by=telegram:81', letter, 'reply', 'the one in staging'));
  does(await town.run('ack', escalation));
  does(await town.run('answer', (await oneOf('gate')).number, 'open'));
  const filed = town
    .names('daemon/answered')
    .toSorted()
    .map((name) => (JSON.parse(town.read(`daemon/answered/${name}`)) as { answer: object }).answer);
  expect(filed).toMatchObject([
    { by: 'telegram:81', question: letter, kind: 'letter', option: 'reply', text: 'mail from builder: May I push?' },
    { by: 'operator', question: escalation, kind: 'escalation', option: 'seen' },
    { by: 'operator', kind: 'gate', option: 'open' },
  ]);
});

// Rules, C-16.
test('a letter of an agent is answered in words, once', async () => {
  await fill();
  const { number, id, options } = await oneOf('letter');
  expect(options.map(({ word }) => word)).toEqual(['reply', 'seen']);
  exits(await town.run('answer', number, 'reply'), 2, `reply needs a text: town answer ${number} reply`);
  exits(await town.run('answer', number, 'seen', 'thanks'), 2, /takes no text/);
  does(await town.run('answer', number, 'reply', 'Yes,', 'do'));
  const [answer] = await town.data<object[]>('mail', 'inbox', '--for', 'builder');
  expect(answer).toMatchObject({ id: `re-${id}`, from: 'overseer', subject: 'Re: May I push?', body: 'Yes, do' });
  expect((await questions()).map(({ kind }) => kind)).not.toContain('letter');
  // One that a kill left unread was answered all the same.
  rename(`mail/overseer/archive/${id}.json`, `mail/overseer/new/${id}.json`);
  exits(await town.run('answer', number, 'reply', 'No'), 3, /was answered before; nothing was sent/);
  expect(await town.data('mail', 'inbox', '--for', 'builder')).toHaveLength(1);
  expect((await questions()).map(({ kind }) => kind)).not.toContain('letter');
});

// Rules: A-4.
test('a letter that was read leaves the list, and can be answered until it is answered or put away', async () => {
  await fill();
  const { number, id } = await oneOf('letter');
  const { stdout } = await town.run('mail', 'read', number);
  expect(stdout).toMatch(/\nAnswer it: town answer \d{6} reply "…"\n$/);
  expect((await questions()).map(({ kind }) => kind)).not.toContain('letter');
  const [, typed = ''] = /town answer (\d+) reply/.exec(stdout) ?? [];
  does(await town.run('answer', typed, 'seen'));
  does(await town.run('answer', typed, 'reply', 'Yes'));
  expect(await town.data('mail', 'inbox', '--for', 'builder')).toMatchObject([{ id: `re-${id}`, body: 'Yes' }]);
  expect((await town.run('mail', 'read', id)).stdout).not.toContain('town answer');
  exits(await town.run('answer', typed, 'reply', 'No'), 2, /no open question/);
  does(await asBuilder('mail', 'send', 'overseer', '--subject', 'And now?'));
  const { id: other } = await oneOf('letter');
  does(await town.run('mail', 'archive', other));
  exits(await town.run('answer', other, 'reply', 'No'), 2, /no open question/);
});

test('a letter of the town, and one that the operator wrote, is only seen', async () => {
  does(await town.run('mail', 'send', 'overseer', '--subject', 'buy milk', '--from', 'mayor'));
  expect((await oneOf('letter')).options.map(({ word }) => word)).toEqual(['seen']);
});

// Rules.
test('an answer or an acknowledgement that comes late is not taken for an alert that began anew, by its number or its id', async () => {
  const alert = (since: number): void => {
    // The digits of its name are no number of it.
    const record = {
      episode: episodeIn('heard-often/job-1763905'),
      severity: 'high',
      session: 'job-1763905',
      text: 'x',
    } as const;
    const times = { since, told_at: since, count: 1, ended_at: null, recovery: null };
    town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text({ ...record, ...times }));
  };
  alert(1_000);
  const idNow = async (): Promise<string> => (await town.data<{ id: string }[]>('ask', 'list'))[0]?.id ?? '';
  const numbers = async () => [
    (await questions())[0]?.number,
    (await town.data<{ number: string }[]>('alerts', 'list'))[0]?.number,
  ];
  const [id, [number, ofAlert]] = [await idNow(), await numbers()];
  expect(ofAlert).toBe(number);
  alert(2_000);
  exits(await town.run('ask', 'answer', id, 'seen'), 3, /no question .* is open/);
  exits(await town.run('answer', number!, 'seen'), 2, /no open question/);
  exits(await town.run('ack', number!), 2, /there is no open alert/);
  exits(await town.run('ack', id), 2, /there is no open alert/);
  does(await town.run('ask', 'answer', await idNow(), 'seen'));
  expect(await town.data('ask', 'list')).toMatchObject([{ acknowledged: true }]);
});

// Rules: A-1, I-9.
test('a program answers by the whole id alone: a beginning of it, a number, a session or an alert may mean another by then', async () => {
  await fill();
  const { id, number } = await oneOf('gate');
  for (const word of [id.slice(0, -1), number, `escalation/${id}-overdue`])
    exits(await town.run('ask', 'answer', word, 'open'), 2, new RegExp(`write the whole id: town ask answer ${id},`));
  exits(await town.run('ask', 'answer', 'tw-nothing', 'open'), 3, /no question .* is open/);
  for (const word of [id.slice(0, -1), number]) expect(await town.data('ask', 'show', word)).toMatchObject({ id });
  does(await town.run('ask', 'answer', id, 'open'));
});

test('an alert names its question: a case, a gate, or an escalation', async () => {
  await fill();
  const gate = await oneOf('gate');
  const kindOf = async (word: string) => (await town.data<{ kind: string; shows: string[] }>('ask', 'show', word)).kind;
  const { id } = await oneOf('case');
  expect(await kindOf(`escalation/${id}-undecided`)).toBe('case');
  expect(await kindOf(`escalation/${gate.id}-overdue`)).toBe('gate');
  expect(await kindOf(`escalation/${(await oneOf('escalation')).id}`)).toBe('escalation');
  does(await town.run('bead', 'update', id, '--description', 'it hangs\nfor an hour'));
  expect(await town.data('ask', 'show', id)).toMatchObject({ shows: ['it hangs', 'for an hour'] });
});
