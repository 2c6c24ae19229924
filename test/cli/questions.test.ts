/** One list of what waits for a person, and the answers to it: with the town down, by files and ledger alone. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { askName } from '../../machines/channels/answers.ts';
import { episodeOfGate } from '../../machines/ledger/gates.ts';
import { episodeIn } from '../../machines/protocol.ts';
import { ACK, ackPath, ALERTS } from '../../state/alerts/episodes.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { realDisk } from '../../state/files/disk.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { FOLDERS, nameOf } from '../../state/files/layout.ts';
import { putPolecat } from './polecats.ts';
import { exits, TestTown, type Ran } from './town.ts';

interface Question {
  readonly isAcked: boolean;
  readonly number: string;
  readonly kind: string;
  readonly id: string;
  readonly text: string;
  readonly options: readonly { readonly word: string }[];
}

let town: TestTown;
beforeEach(() => {
  town = new TestTown();
  town.session('builder');
});

const does = ({ code, stderr }: Ran): void => expect([code, stderr]).toEqual([0, '']);
const questions = (): Promise<Question[]> => town.data<Question[]>('questions');
/** The kinds of those that no one acknowledged. */
const unseen = async (): Promise<string[]> =>
  (await questions()).flatMap(({ kind, isAcked }) => (isAcked ? [] : [kind]));
const asBuilder = (...words: string[]) => town.as('token-of-builder', ...words);

async function oneOf(kind: string): Promise<Question> {
  const [found, ...more] = (await questions()).filter((one) => one.kind === kind);
  expect(more).toEqual([]);
  return found!;
}

const CASE = ['triage_type=stuck_agent', 'agent_bead_id=shop/polecats/nux', 'context=it hangs'];

const rename = (from: string, to: string): void => renameSync(join(town.root, from), join(town.root, to));

/** An escalation, a letter, a gate and a case; the number of each by its kind. */
async function fill(): Promise<void> {
  does(await asBuilder('escalate', 'Which database?', '--severity', 'high', '--reason', 'two fit'));
  does(await asBuilder('mail', 'send', 'overseer', '--subject', 'May I push?'));
  does(await town.run('bead', 'gate', 'create', 'Release it', '--type', 'human'));
  putPolecat(town, 'nux');
  const metadata = CASE.flatMap((one) => ['--metadata', one]);
  does(await town.run('bead', 'create', 'a case', '--type', 'triage_request', ...metadata));
}

// Rules: A-4.
test('each question stands once, with a number of its own, and leaves the list by its answer', async () => {
  expect((await town.run('questions')).stdout).toBe('nothing asks you anything\n');
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

/** A hearing of the life that `builder` has on record, or of another one, was left to a person. */
function escalatedHearing(life = town.record('builder')?.incarnation?.uuid ?? ''): void {
  town.dance('d-7', 'builder', { stage: 'closed', verdict: 'escalated', reason: 'unclear', closedAt: 3_000 });
  const about = { severity: 'high', session: 'builder', text: 'The hearing of builder needs a person', life } as const;
  const times = { since: 1_000, told_at: 1_000, count: 1, ended_at: null, recovery: null };
  const record = { episode: episodeIn('dance-escalated/builder'), question: 'request:d-7', ...about, ...times };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
}
const filed = () =>
  town.names('deacon/dogs/warrants').map((name) => JSON.parse(town.read(`deacon/dogs/warrants/${name}`)) as Filed);
interface Filed {
  readonly reason: string;
  readonly requester: string;
  readonly force: boolean;
  readonly incarnation: { readonly uuid: string };
}

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
