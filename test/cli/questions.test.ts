/** One list of what waits for a person, and the answers to it: with the town down, by files and ledger alone. */
import { expect, test } from 'vitest';
import { askName } from '../../machines/channels/answers.ts';
import { episodeOfGate } from '../../machines/ledger/gates.ts';
import { episodeIn } from '../../machines/protocol.ts';
import { ALERTS } from '../../state/alerts/episodes.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { FOLDERS, nameOf } from '../../state/files/layout.ts';
import { exits } from './town.ts';
import { asBuilder, does, escalatedHearing, fill, oneOf, questions, town, unseen, useTown } from './asked.ts';

useTown();

// Rules: A-4.
test('each question stands once, with a number of its own, and leaves the list by its answer', async () => {
  for (const words of [['questions'], ['ask', 'list']]) {
    const { stdout, stderr } = await town.run(...words);
    expect(stdout).toBe('no question is open, and no town looks at its panes\n');
    expect(stderr).toContain(`The town of ${town.root} is down`);
  }
  await fill();
  const all = await questions();
  expect(all.map(({ kind }) => kind).toSorted()).toEqual(['case', 'escalation', 'gate', 'letter']);
  expect(new Set(all.map(({ number }) => number)).size).toBe(4);
  const page = (await town.run('questions')).stdout;
  for (const { number, text, options } of all) {
    expect(page).toContain(`${number}  ${text}`);
    for (const { word } of options) expect(page).toContain(`town answer ${number} ${word}`);
  }
  does(await town.run('answer', (await oneOf('escalation')).number, 'seen'));
  does(await town.run('answer', (await oneOf('letter')).number, 'seen'));
  does(await town.run('answer', (await oneOf('gate')).number, 'open'));
  expect(await unseen()).toEqual(['case']);
  expect(await town.data('bead', 'gate', 'list')).toEqual([]);
});

// Rules: A-4.
test('the alert that counts further escalations is no question beside them', async () => {
  for (const nth of [1, 2])
    does(await asBuilder('escalate', `Which one of ${nth}?`, '--severity', 'high', '--reason', 'x'));
  const counting = {
    severity: 'high',
    session: null,
    text: '2 more like this one',
    since: 1_000,
    told_at: 1_000,
  } as const;
  const record = { episode: episodeIn('escalation/+'), ...counting, count: 2, ended_at: null, recovery: null };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
  expect(await town.episodes()).toEqual(['escalation/+']);
  expect((await questions()).map(({ kind }) => kind)).toEqual(['escalation', 'escalation']);
});

test('the number is taken by ack and why, too', async () => {
  await fill();
  const { number, id } = await oneOf('escalation');
  expect((await town.run('why', number)).stdout).toContain('Which database?');
  expect((await town.run('ack', number)).stdout).toContain(`${id} is acknowledged`);
  // Its cause goes on: it stands last, and can still be closed.
  const last = (await questions()).at(-1)!;
  expect([last.id, last.number, last.isAcked, last.options.map(({ word }) => word)]).toEqual([
    id,
    number,
    true,
    ['close'],
  ]);
  expect((await town.run('questions')).stdout).toMatch(new RegExp(`\\n${number}  .*\\(for [^)]*, acknowledged\\)`));
  exits(await town.run('answer', number, 'seen'), 3, /was acknowledged before; it stays in the list/);
  does(await town.run('answer', number, 'close'));
  expect((await questions()).map(({ kind }) => kind)).not.toContain('escalation');
});

// Rules: A-4.
test('why tells of an escalation what became of the bead that it is about', async () => {
  const { id } = await town.data<{ id: string }>('bead', 'create', 'T3 broken');
  does(await asBuilder('escalate', 'It fails', '--bead', id, '--reason', 'x'));
  const { number } = await oneOf('escalation');
  expect((await town.run('why', number)).stdout).toContain(`${id} (T3 broken) is open`);
});

// Rules: A-4.
test('the number of a case is taken by why, triage show and triage list, also once its agent is gone', async () => {
  await fill();
  const { id, number } = await oneOf('case');
  expect(await town.data('triage', 'show', number)).toMatchObject({ id });
  expect((await town.run('why', number)).stdout).toContain(id);
  expect((await town.run('triage', 'list')).stdout).toMatch(new RegExp(`^\\d*${number} +${id} `, 'm'));
});

// Rules: A-4.
test('the number of a gate is taken by ack while an alert tells of it, and it stays in the list', async () => {
  await fill();
  const { id, number } = await oneOf('gate');
  exits(await town.run('ack', number), 1, /no alert tells of .*, so there is nothing to acknowledge/);
  const told = { severity: 'high', session: null, text: 'x', since: 1_000, told_at: 1_000 } as const;
  const record = { episode: episodeOfGate(id), ...told, count: 1, ended_at: null, recovery: null };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
  does(await town.run('ack', number));
  expect(await oneOf('gate')).toMatchObject({ number, isAcked: true });
  expect(await unseen()).not.toContain('gate');
});

// Rules.
test('the number in a message on a channel means that very question at the desk, and none once it is over', async () => {
  await fill();
  const disk = realDisk(town.root, 0);
  await disk.mkdir(FOLDERS.daemon);
  const book = new AskBook({ disk, quarantine: new Quarantine({ disk, wall: Date.now, onRefused: () => undefined }) });
  const offered = async (kind: 'gate' | 'escalation' | 'letter'): Promise<string> => {
    const { id, text: question } = await oneOf(kind);
    const about = { session: null, life: '', dialog: id, question, kind, tags: [], options: [] };
    return askName((await book.add({ at: 1_000, ...about })).number);
  };
  const [gate, escalation, letter] = [await offered('gate'), await offered('escalation'), await offered('letter')];
  does(await town.run('answer', gate, 'open'));
  exits(await town.run('answer', gate, 'open'), 2, /there is no open question "q\d+"/);
  exits(await town.run('ack', gate), 2, /there is no open question "q\d+"/);
  expect((await town.run('why', escalation)).stdout).toContain('Which database?');
  does(await town.run('ack', escalation));
  does(await town.run('answer', letter.toUpperCase(), 'reply', 'Yes'));
  expect(await unseen()).toEqual(['case']);
});

test('a choice of a case is carried out as triage resolve does it', async () => {
  await fill();
  const { number, id, options } = await oneOf('case');
  expect(options.map(({ word }) => word)).toEqual(['NUDGE', 'RESTART', 'RESTART_WITH_BACKOFF', 'ESCALATE']);
  does(await town.run('answer', number, 'escalate', 'look', 'at', 'it'));
  expect(await town.data('triage', 'show', id)).toMatchObject({
    resolution: { choice: 'ESCALATE', note: 'look at it' },
  });
  const { id: escalation } = (await questions()).find(({ text }) => text.includes('stuck_agent'))!;
  expect(escalation).toBe(`${id}-escalated`);
});

test('a case that the town puts before a person stands once, and an escalation that only names it stands beside it', async () => {
  await fill();
  const { id } = await oneOf('case');
  does(await town.run('triage', 'run'));
  const related = (await town.data<{ id: string }[]>('escalation', 'list')).map((one) => one.id);
  expect(related).toContain(`${id}-undecided`);
  does(await asBuilder('escalate', 'Look at that case', '--severity', 'high', '--bead', id));
  const kinds = (await questions()).map(({ kind }) => kind).toSorted();
  expect(kinds).toEqual(['case', 'escalation', 'escalation', 'gate', 'letter']);
});

function alertAbout(episode: string, since: number): void {
  const about = { severity: 'high', session: null, text: `of ${episode}` } as const;
  const times = { since, told_at: since, count: 1, ended_at: null, recovery: null };
  const record = { episode: episodeIn(episode), ...about, ...times };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
}

// Rules: A-4.
test('status, report and alerts name the number and the options of what waits, as the list of questions does', async () => {
  await fill();
  does(await town.run('triage', 'run'));
  escalatedHearing();
  const [gate, of] = [(await oneOf('gate')).id, (await oneOf('case')).id];
  const { id } = (await questions()).find(({ kind }) => kind === 'escalation')!;
  for (const [nth, episode] of [`escalation/${id}`, `escalation/${of}-undecided`, `gate/${gate}`].entries())
    alertAbout(episode, 2_000 + nth);
  interface Asked {
    readonly questions: readonly { readonly id: string; readonly type: readonly string[] }[];
  }
  const inStatus = (await town.data<Asked>('status')).questions;
  const inReport = (await town.data<Asked>('report')).questions;
  expect(inReport).toEqual(inStatus);
  const typed = new Map(inStatus.map((one) => [one.id, one.type]));
  const listed = await town.data<{ episode: string; type: string[] }[]>('alerts', 'list');
  for (const { episode, type } of listed) expect(type).toEqual(typed.get(episode));
  const page = (await town.run('questions')).stdout;
  for (const [episode, options] of [
    [`escalation/${id}`, ['close']],
    [`escalation/${of}-undecided`, ['NUDGE', 'RESTART', 'RESTART_WITH_BACKOFF', 'ESCALATE']],
    [`gate/${gate}`, ['open']],
    ['dance-escalated/builder', ['pardon', 'hear', 'execute']],
  ] as const) {
    const lines = (typed.get(episode) ?? []).filter((line) => line.startsWith('town answer '));
    expect(lines.map((line) => line.split(' ').slice(3).join(' '))).toEqual(options);
    for (const line of lines) expect(page).toContain(line);
  }
  const [line = ''] = typed.get(`escalation/${of}-undecided`) ?? [];
  does(await town.run(...line.split(' ').slice(1)));
  expect(await town.data('triage', 'show', of)).toMatchObject({ resolution: { choice: 'NUDGE' } });
});

test('a wrong answer changes nothing and says what fits', async () => {
  await fill();
  const { number } = await oneOf('gate');
  exits(await town.run('answer', number, 'yes'), 2, `question ${number} has no option "yes"; it has open`);
  exits(await town.run('answer', '000000', 'seen'), 2, /there is no open question "000000"; see `town questions`/);
  exits(await town.run('answer', number, 'open', 'now'), 2, /takes no text: leave "now" out/);
  exits(await asBuilder('questions'), 5, /town questions is for the operator/);
  exits(await asBuilder('answer', number, 'open'), 5, /town answer is for the operator/);
  expect(await questions()).toHaveLength(4);
});
