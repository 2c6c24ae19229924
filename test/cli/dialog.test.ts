/** An agent at a permission dialog in a running town: `status`, the list and an alert name it with what it asks, until it is answered. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HANDS } from '../../src/ports/policy.ts';
import { TestTown, until } from './town.ts';

const CLAUDE = join(import.meta.dirname, '../fixtures/agents/claude');
const ASKS = 'Do you want to proceed?';
const EPISODE = 'needs-input/builder';

interface View {
  readonly name: string;
  readonly asks: string | null;
}
interface Data {
  readonly sessions: readonly View[];
  readonly questions: readonly { readonly text: string; readonly type: readonly string[] }[];
}
interface Told {
  readonly alert: string | undefined;
  readonly question: string | undefined;
  readonly inStatus: string | null | undefined;
  readonly inList: string | null | undefined;
  readonly words: string;
}

const asksIn = (views: readonly View[]) => views.find(({ name }) => name === 'builder')?.asks;

class Town extends TestTown {
  /** What its doors say once its alerts name the builder, or no longer do: each is asked after the alert was seen. */
  async toldOnce(alerted: boolean): Promise<Told> {
    await until(
      () => this.episodes(),
      (episodes) => episodes.includes(EPISODE) === alerted,
    );
    return this.told();
  }

  /** What its doors say of the builder. */
  async told(): Promise<Told> {
    const [{ sessions, questions }, list, alerts, plain] = await Promise.all([
      this.data<Data>('status'),
      this.data<View[]>('session', 'list'),
      this.data<{ episode: string; text: string }[]>('alerts', 'list'),
      this.run('status'),
    ]);
    return {
      alert: alerts.find(({ episode }) => episode === EPISODE)?.text,
      question: questions.find(({ text }) => text.includes('builder'))?.text,
      inStatus: asksIn(sessions),
      inList: asksIn(list),
      words: plain.stdout,
    };
  }
}

// Rules: P-4, law 7.
test('a permission dialog is named by status, list and alert with what it asks, and all three end with its answer', async () => {
  // The numbers of a user's town: they add up to less than a minute.
  expect(HANDS.askingLookMs + HANDS.askingReadMs + HANDS.asksAfterMs).toBeLessThan(60_000);
  const town = await new Town().up();
  await town.agent('other', [CLAUDE, 'bare']);
  await town.agent('builder', [CLAUDE, 'dialog']);
  const told = await town.toldOnce(true);
  expect(told).toMatchObject({
    alert: `builder waits for a person. It asks: "${ASKS}". Answer it: town questions; or in its pane.`,
    question: expect.stringContaining(ASKS) as string,
    inStatus: ASKS,
    inList: ASKS,
  });
  expect(told.words).toMatch(/1 asks you/);
  expect(told.words).not.toContain('nothing asks you anything');
  expect((await town.run('session', 'list')).stdout).toMatch(/builder .*it asks: Do you want to proceed\?/);
  expect(await town.episodes()).toEqual([EPISODE]);
  // As a person does in that pane.
  town.tmux('send-keys', '-t', '=builder:', '1');
  const over = await town.toldOnce(false);
  expect([over.question, over.inStatus, over.inList]).toEqual([undefined, null, null]);
  expect(over.words).not.toMatch(/asks you|waits for a person/);
  expect(await town.episodes()).toEqual([]);
});

// Rules: P-4.
test('status names a dialog that no look of the town was due for yet', async () => {
  const town = await new Town('[hands]\nasking_look = "1h"\nasking_read = "1h"\nasks_after = "1h"').up();
  await town.agent('other', [CLAUDE, 'bare']);
  await until(
    () => town.data<Data>('status'),
    ({ sessions }) => sessions.length === 1,
  );
  await town.agent('builder', [CLAUDE, 'dialog']);
  const { sessions } = await until(
    () => town.data<Data>('status'),
    ({ sessions: views }) => asksIn(views) === ASKS,
  );
  expect(sessions.map(({ name, asks }) => [name, asks])).toEqual([
    ['builder', ASKS],
    ['other', null],
  ]);
  expect(await town.episodes()).toEqual([]);
  // Each list reads the same: the question is there, and can be answered.
  expect(await lists(town)).toEqual({ status: 1, bare: 1, questions: [ASKS] });
  const [{ number } = { number: '' }] = await town.data<Question[]>('questions');
  expect((await town.run('answer', number, 'yes')).code).toBe(0);
  expect(await lists(town)).toEqual({ status: 0, bare: 0, questions: [] });
});

// Rules: A-4.
test('the next dialog has its own number in each list, before a look of the town was due', async () => {
  const town = await new Town('[hands]\nasks_after = "1s"\nasking_look = "1s"').up();
  await town.agent('builder', [join(CLAUDE, '../asking/claude'), 'at-once', 'rm -rf build,make']);
  await town.toldOnce(true);
  const numbers = async (): Promise<string[]> =>
    (await town.data<Data>('status')).questions.flatMap(
      ({ type }) => /^town ack (\d+)$/.exec(type.at(-1) ?? '')?.[1] ?? [],
    );
  const [first] = await numbers();
  town.tmux('send-keys', '-t', '=builder:', '1');
  const [next] = await until(numbers, ([one]) => one !== undefined && one !== first);
  expect((await town.data<Question[]>('questions')).map(({ number }) => number)).toEqual([next]);
  expect((await town.run('answer', next!, 'yes')).code).toBe(0);
});

async function lists(town: Town) {
  const [status, bare, questions] = await Promise.all([
    town.data<Data>('status'),
    town.run(),
    town.data<Question[]>('questions'),
  ]);
  return {
    status: status.questions.length,
    bare: Number(/(\d+) questions? for you/.exec(bare.stdout)?.[1] ?? 0),
    questions: questions.map(({ text }) => text.replace('builder asks: ', '')),
  };
}

interface Question {
  readonly isAcked: boolean;
  readonly id: string;
  readonly number: string;
  readonly kind: string;
  readonly text: string;
  readonly options: readonly { readonly word: string; readonly does: string }[];
  readonly dialog?: { readonly shows: readonly string[]; readonly withheld: readonly string[] };
}

// Rules.
test('the number of a dialog that was answered in its pane acknowledges no later one', async () => {
  const town = await new Town().up();
  await town.agent('builder', [join(CLAUDE, '../asking/claude'), 'at-once', 'rm -rf build,make']);
  await town.toldOnce(true);
  const questions = (): Promise<Question[]> => town.data<Question[]>('questions');
  const [first] = await questions();
  town.tmux('send-keys', '-t', '=builder:', '1');
  const [next] = await until(questions, ([one]) => one !== undefined && one.id !== first!.id);
  const late = await town.run('ack', first!.number);
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('there is no open')]);
  expect(await questions()).toMatchObject([{ id: next!.id, isAcked: false }]);
});

// Rules.
test('a dialog is a question with its own options, is answered by its number, and goes with its cause', async () => {
  const town = await new Town().up();
  await town.agent('builder', [join(CLAUDE, '../asking/claude'), 'at-once', 'rm -rf build,make']);
  await town.toldOnce(true);
  const questions = (): Promise<Question[]> => town.data<Question[]>('questions');
  const [first, ...others] = await questions();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'dialog', text: `builder asks: ${ASKS}` });
  expect(first!.options.map(({ word }) => word)).toEqual(['yes', 'no', 'seen']);
  expect(first!.dialog?.withheld).toEqual(["Yes, and don't ask again for: rm *"]);
  const { number } = first!;
  expect(number).toMatch(/^\d{6,}$/);
  const page = (await town.run('questions')).stdout;
  expect(page).toMatch(/\| +rm -rf build\n/);
  expect(page).toMatch(new RegExp(`town answer ${number} yes +allow this once: choose "Yes"`));
  expect(page).toContain('only in its pane: "Yes, and don\'t ask again');
  expect((await town.run('why', number)).stdout).toContain('builder');

  const asBuilder = await town.as('token-of-builder', 'answer', number, 'yes');
  expect([asBuilder.code, (await questions()).length]).toEqual([5, 1]);
  expect((await town.run('answer', number, 'always')).code).toBe(2);

  // Status has the same number. What was acknowledged stands until it is answered; a few digits are no answer: a later dialog's may end so too.
  const [, ofAlert = ''] = /town ack (\d+)/.exec((await town.run('status')).stdout) ?? [];
  expect(ofAlert).toBe(number);
  expect((await town.data<{ number: string }[]>('alerts', 'list')).map((one) => one.number)).toEqual([number]);
  expect((await town.run('ack', number)).code).toBe(0);
  expect(await questions()).toMatchObject([{ id: first!.id, number, isAcked: true }]);
  expect((await town.run('answer', number.slice(-3), 'yes')).stderr).toContain('no open question');
  const answered = await town.run('answer', number, 'yes');
  expect([answered.code, answered.stderr]).toEqual([0, '']);
  expect(answered.stdout).toContain(`builder was answered with "Yes"; it asks: ${ASKS}`);
  // The same words stand there for another command, which is another question.
  const late = await town.run('answer', number, 'yes');
  expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('no open question')]);
  // The acknowledgement was of the first one alone.
  const [next] = await until(questions, ([one]) => one !== undefined && one.id !== first!.id);
  expect([next!.number === number, next!.isAcked]).toEqual([false, false]);
  expect((await town.run('ask', 'answer', first!.id, 'yes')).code).toBe(5);
  expect((await town.run('ask', 'show', first!.id)).code).toBe(3);
  expect(next!.dialog?.shows.join('\n')).toMatch(/chose Yes for rm -rf build[^]*make/);
  expect((await town.run('answer', next!.number, 'no')).code).toBe(0);
  expect(await questions()).toEqual([]);
  expect((await town.run('ask', 'answer', next!.id, 'yes')).code).toBe(3);
  expect((await town.toldOnce(false)).question).toBeUndefined();
  expect((await town.run('timeline')).stdout).toMatch(/chose "Yes" in its dialog: Do you want to proceed\?/);
});

/** Panes whose screens the program read with these words. */
async function panesRead(town: Town, ...words: string[]): Promise<ReadonlySet<string>> {
  const [bin, log, path] = [town.programs(), join(town.home, 'calls'), process.env['PATH'] ?? ''];
  const shim = `#!/bin/sh\necho "$*" >> ${log}\nPATH='${path}' exec tmux "$@"\n`;
  writeFileSync(join(bin, 'tmux'), shim, { mode: 0o755 });
  writeFileSync(log, '');
  const ran = await town.bare(['--root', town.root, ...words], { env: { PATH: `${bin}:${path}` } });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  return new Set(Array.from(readFileSync(log, 'utf8').matchAll(/capture-pane[^;]* (%\d+)/g), ([, pane = '']) => pane));
}

// Rules: A-1, M-2.
test('what is asked by its whole id reads no screen of another agent that asks', async () => {
  const town = await new Town().up();
  for (const name of ['builder', 'painter']) await town.agent(name, [CLAUDE, 'dialog']);
  const both = await until(
    () => town.data<Question[]>('questions'),
    (all) => all.filter(({ kind }) => kind === 'dialog').length === 2,
  );
  const { id = '' } = both.find(({ text }) => text.startsWith('painter')) ?? {};
  const pane = town.tmux('display-message', '-p', '-t', '=painter:', '#{pane_id}').trim();
  expect((await panesRead(town, 'questions')).size).toBe(2);
  expect(await panesRead(town, 'ask', 'show', id)).toEqual(new Set([pane]));
});
