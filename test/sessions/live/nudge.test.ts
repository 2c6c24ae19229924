/** `nudge` on real panes (law 5, law 6): what is typed and what not, its pace, and that a hearing never takes it for an answer. */
import { describe, expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import type { Court } from '../../hearings/live/court.ts';
import { agent, bash, claude, question } from '../../hearings/live/questions.ts';
import { courtWith } from '../../hearings/live/courts.ts';

const RUNNING = { ready: 'Ready' };
const TEXT = 'Boot wake: check your inbox';

/** A reader of lines that shows how each arrived. */
const READER = bash('while IFS= read -r line; do echo "got<$line>"; done');

/** Shows what it read long after the keys, as a program does that queues its input. */
const LATE_ECHO = bash('while IFS= read -r line; do sleep 1.2; echo "> $line"; done');

/** What it shows late would fall into the text that is being typed, which then is not sent. */
const lateEcho = (court: Court, target: Incarnation): Promise<void> =>
  court.until(async () => (await court.text(target)).includes('> [DOG]'), 'the late echo of the question');

const obstacle = (outcome: unknown): unknown => (outcome as { obstacle?: unknown }).obstacle;

describe('a nudge', () => {
  test('arrives whole and once, in a composer and in a reader of lines, and empties the composer', async () => {
    const { court, target: composed } = await courtWith(claude('deaf'), RUNNING);
    const reading = await court.start(READER);
    expect(await court.nudge(composed, TEXT)).toEqual({ type: 'NUDGED' });
    expect(await court.text(composed)).toContain(`> Nudge: ${TEXT}`);
    expect(await court.nudge(reading, `a\u0007b\u001b[201~; kill-server #{pane_id}\nsecond;`)).toEqual({
      type: 'NUDGED',
    });
    await court.until(async () => (await court.text(reading)).includes('got<'), 'the line to arrive');
    expect(await court.text(reading)).toContain('got<Nudge: a b [201~; kill-server #{pane_id}. · Nudge: second;>');
  });

  test.each([
    ['a dialog', claude('dialog'), 'Do you want to proceed?', 'dialog'],
    ['a draft', claude('answer', 'please do not'), 'Ready', 'busy'],
    ['a shell', ['bash', '--norc', '-i'], '', 'busy'],
  ])('is not typed into %s', async (_name, command, ready, kind) => {
    const { court, target } = await courtWith(command, { ready });
    const before = await court.text(target);
    expect(obstacle(await court.nudge(target))).toMatchObject({ kind });
    expect((await court.text(target)).trim()).toBe(before.trim());
  });

  test('is not typed into copy mode, a protected name, a life that is gone or another one', async () => {
    const { court, target } = await courtWith(['cat']);
    await court.server.tmux('copy-mode', '-t', target.paneId);
    expect(obstacle(await court.nudge(target))).toEqual({ kind: 'busy', what: 'the pane is in copy mode' });
    await court.server.tmux('send-keys', '-t', target.paneId, '-X', 'cancel');
    court.isProtected = (name) => name === target.session;
    expect(obstacle(await court.nudge(target))).toMatchObject({ kind: 'protected' });
    court.isProtected = () => false;
    const old: Incarnation = { ...target, agent: { ...target.agent, started: 'before' } };
    expect(['gone', 'replaced']).toContain((obstacle(await court.nudge(old)) as { kind: string }).kind);
    await court.server.tmux('kill-pane', '-t', target.paneId);
    const isGone = async () => (obstacle(await court.nudge(target)) as { kind: string }).kind === 'gone';
    await court.until(isGone, 'the agent to be gone');
  });

  test('begins with a word of the town, and only a raw one is typed as it is', async () => {
    const { court, target } = await courtWith(READER);
    const other = await court.start(READER);
    expect(await court.nudge(target, '\u200b!touch x\n/exit @a/b')).toEqual({ type: 'NUDGED' });
    expect(await court.nudge(other, '/compact', 'overseer', true)).toEqual({ type: 'NUDGED' });
    await court.until(async () => (await court.text(other)).includes('got<'), 'the raw one to arrive');
    expect(await court.text(target)).toContain('got<Nudge: <U+200B>!touch x · Nudge: /exit ＠a/b>');
    expect(await court.text(other)).toContain('got</compact>');
  });

  test('is refused when it is empty, endless, or reads as an answer', async () => {
    const { court, target } = await courtWith(['cat']);
    for (const text of [
      '  ',
      '\u200b\u0301',
      'x'.repeat(court.policy.maxNudgeChars + 1),
      'ALIVE',
      'yes\nALIVE',
      'say ALIVE K73F',
    ])
      expect(obstacle(await court.nudge(target, text))).toMatchObject({ kind: 'unfit' });
    expect((await court.text(target)).trim()).toBe('');
  });

  // Rules: law 5.
  test('takes its turn with a question: neither text gets into the other', async () => {
    const { court, target } = await courtWith(READER);
    const [asked, nudged] = await Promise.all([court.ask(target, 'K73F'), court.nudge(target, TEXT)]);
    expect([asked.type, nudged.type]).toEqual(['ASKED', 'NUDGED']);
    await court.until(async () => (await court.text(target)).includes(`got<Nudge: ${TEXT}>`), 'the nudge to arrive');
    expect((await court.text(target)).replaceAll('\n', '')).toContain(`got<${question('K73F').join(' · ')}>`);
  });
});

describe('law 5: one nudge per life and interval', () => {
  // Rules: law 5.
  test('of any caller, also after a restart of the town, and not for another life', async () => {
    const { court, target } = await courtWith(['cat']);
    const other = await court.start(['cat']);
    const both = await Promise.all([court.nudge(target, TEXT, 'boot'), court.nudge(target, TEXT, 'witness')]);
    expect(both.map(({ type }) => type)).toEqual(['NUDGED', 'NOT_NUDGED']);
    court.forget();
    const again = obstacle(await court.nudge(target, 'something else', 'overseer'));
    expect(again).toMatchObject({ kind: 'recent', what: expect.stringContaining('boot nudged it') as string });
    expect((again as { waitMs: number }).waitMs).toBeLessThanOrEqual(court.policy.nudgeEveryMs);
    expect(await court.nudge(other, TEXT)).toEqual({ type: 'NUDGED' });
    expect(await court.nudge({ ...target, uuid: 'a later life' }, TEXT)).toEqual({ type: 'NUDGED' });
  });

  // Rules: law 5.
  test('the next one goes when the interval is over; an obstacle costs none', async () => {
    const { court, target } = await courtWith(['cat'], { policy: { nudgeEveryMs: 300 } });
    await court.server.tmux('copy-mode', '-t', target.paneId);
    expect((await court.nudge(target, TEXT)).type).toBe('NOT_NUDGED');
    await court.server.tmux('send-keys', '-t', target.paneId, '-X', 'cancel');
    expect((await court.nudge(target, TEXT)).type).toBe('NUDGED');
    await court.until(async () => (await court.nudge(target, TEXT)).type === 'NUDGED', 'the interval to end');
  });
});

describe('a health check (C-15)', () => {
  // Rules: C-15.
  test('keeps the pace of all typing, also after a restart, and delays no nudge', async () => {
    const { court, target } = await courtWith(['cat']);
    const other = await court.start(['cat']);
    expect((await court.check(target)).type).toBe('ASKED');
    court.forget();
    expect(obstacle(await court.check(target, 'Q4W8'))).toMatchObject({
      what: expect.stringContaining('asked for a sign of life') as string,
    });
    expect(await court.nudge(target, TEXT)).toEqual({ type: 'NUDGED' });
    expect(await court.nudge(other, TEXT)).toEqual({ type: 'NUDGED' });
    expect(obstacle(await court.check(other))).toMatchObject({ what: expect.stringContaining('nudged it') as string });
    expect((await court.ask(other)).type).toBe('ASKED'); // a hearing does not wait for a nudge's turn
  });

  // Rules: law 6.
  test('is typed into no protected name; a hearing is', async () => {
    const { court, target } = await courtWith(['cat']);
    court.isProtected = (name) => name === target.session;
    expect(obstacle(await court.check(target))).toEqual({
      kind: 'busy',
      what: `${target.session} is a protected name`,
    });
    expect((await court.text(target)).trim()).toBe('');
    expect((await court.ask(target)).type).toBe('ASKED');
  });
});

describe('D-3, D-4: its echo is neither an answer nor a sign of life', () => {
  // Rules: law 5.
  test.each([
    ['a long one', TEXT],
    ['a short one', 'ping'],
  ])('%s, typed under the question to a deaf agent', async (_name, text) => {
    const { court, target } = await courtWith(LATE_ECHO);
    const attempt = await court.asked(target);
    expect(await court.watch(target, [attempt], 'evidence', 6)).toEqual(new Set(['silent']));
    await lateEcho(court, target);
    expect(await court.nudge(target, text)).toEqual({ type: 'NUDGED' });
    expect(await court.watch(target, [attempt], 'evidence', 24)).toEqual(new Set(['silent']));
  });

  // Rules: D-3.
  test.each([
    ['that shows what it reads late', LATE_ECHO],
    ['whose terminal echoes', ['sleep', '1000']],
  ])('a health check, typed under the question to a deaf agent %s, and after a restart', async (_name, command) => {
    const { court, target } = await courtWith(command);
    const attempt = await court.asked(target);
    expect(await court.watch(target, [attempt], 'evidence', 6)).toEqual(new Set(['silent']));
    if (command === LATE_ECHO) await lateEcho(court, target);
    expect(await court.check(target)).toMatchObject({ type: 'ASKED' });
    expect(await court.watch(target, [attempt], 'evidence', 24)).toEqual(new Set(['silent']));
    court.forget();
    expect(await court.watch(target, [attempt], 'evidence', 12)).toEqual(new Set(['silent']));
  });

  test('words that hold the answer are ours however a program wraps them, also after a restart', async () => {
    const { court, target } = await courtWith([agent('echoing')]);
    const attempt = await court.asked(target);
    const text = `${'a'.repeat(29)} ALIVE ${'b'.repeat(29)}`;
    expect(await court.nudge(target, text)).toEqual({ type: 'NUDGED' });
    await court.until(async () => (await court.text(target)).includes('> ALIVE'), 'the wrapped echo');
    expect(await court.watch(target, [attempt], 'evidence', 6)).toEqual(new Set(['silent']));
    court.forget();
    expect(await court.watch(target, [attempt], 'answer', 4)).toEqual(new Set(['silent']));
  });

  test('what the agent says to it is a sign of life', async () => {
    const { court, target } = await courtWith([
      'bash',
      '-c',
      'while read -r l; do sleep 2; echo "very well, at once"; done',
    ]);
    const attempt = await court.asked(target);
    await court.nudge(target, TEXT);
    await court.sees(target, [attempt], 'evidence', 'evidence');
  });
});
