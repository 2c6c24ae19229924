import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { TmuxError } from '../../../src/tmux/errors.ts';
import { withServer } from '../../tmux/server.ts';
import { Court } from './court.ts';
import { agent, bash, claude, question } from './questions.ts';
import { courtWith } from './courts.ts';

const RUNNING = { ready: 'Ready' };

describe('D-6: undelivered is unasked', () => {
  // Rules: D-6.
  test('copy mode: not a key is sent, and afterwards it is asked', async () => {
    const { court, target } = await courtWith(['cat']);
    await court.server.tmux('copy-mode', '-t', target.paneId);
    expect(await court.ask(target)).toMatchObject({
      type: 'NOT_ASKED',
      obstacle: { kind: 'busy', what: 'the pane is in copy mode' },
    });
    expect(await court.text(target)).not.toContain('DOG');
    await court.server.tmux('send-keys', '-t', target.paneId, '-X', 'cancel');
    expect(await court.ask(target)).toMatchObject({ type: 'ASKED' });
  });

  // Rules: D-6.
  test.each([
    ['a dialog', claude('dialog'), 'Do you want to proceed?', 'Do you want to proceed?'],
    ['a yes-or-no', [agent('waiting')], 'y/N', 'Overwrite build/? [y/N]'],
  ])('%s is not answered: neither text nor Enter', async (_name, command, ready, what) => {
    const { court, target } = await courtWith(command, { ready });
    const before = await court.text(target);
    expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what } });
    expect(await court.text(target)).toBe(before);
    expect(await court.look(target, [])).toEqual({ kind: 'dialog', what });
  });

  // Rules: law 6.
  test('a half-typed line of a person stays as it is', async () => {
    const { court, target } = await courtWith(claude('answer', 'please do not'), RUNNING);
    expect(await court.ask(target)).toEqual({
      type: 'NOT_ASKED',
      obstacle: { kind: 'busy', what: 'a half-typed line (13 characters)' },
    });
    expect(await court.text(target)).toContain('❯\u00a0please do not\n');
  });

  test('Enter is pressed until the composer is empty, or it was not submitted', async () => {
    const { court, target: slow } = await courtWith(claude('answer', '', '2'), {
      ...RUNNING,
      policy: { maxEnters: 3 },
    });
    const stuck = await court.start(claude('answer', '', '1000'), RUNNING);
    expect(await court.ask(slow)).toMatchObject({ type: 'ASKED' });
    const outcome = await court.ask(stuck);
    expect(outcome).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(JSON.stringify(outcome)).toContain('not submitted');
  });

  test('a program that shows nothing of our text gets no Enter', async () => {
    await using court = await Court.open({ policy: { pasteShownMs: 500 } });
    const swallows = `stty raw -echo; printf 'ready\\r\\n> '; while IFS= read -rN1 c; do [[ $c == [$'\\r\\n'] ]] && printf 'entered\\r\\n'; done`;
    const target = await court.start(bash(swallows), { ready: 'ready' });
    const outcome = await court.ask(target);
    expect(outcome).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(JSON.stringify(outcome)).toContain('does not show the text');
    await court.type(target, '', 'Enter'); // earlier rows would stand above it
    await court.until(async () => (await court.text(target)).includes('entered'), 'the Enter of the test');
    expect((await court.text(target)).match(/entered/g)).toHaveLength(1);
  });

  test('a program that takes our text before its end gets no Enter for what it asks then', async () => {
    await using court = await Court.open({ policy: { pasteShownMs: 500 } });
    const takes = 'read -rsp "> " -n 40; printf "\\ndone, next\\n"; read -r; printf "entered\\n"; read -r';
    const target = await court.start(bash(takes), { ready: '>' });
    const outcome = await court.ask(target);
    expect(JSON.stringify(outcome)).toContain('does not show the text');
    await court.until(async () => (await court.text(target)).includes('next'), 'what comes behind it');
    expect(await court.text(target)).not.toContain('entered');
  });

  test('words that come between our text and Enter: it is taken back, and asked anew, once', async () => {
    await using court = await Court.open({ policy: { pasteShownMs: 500 } });
    const talks =
      'while [ ! -e "$1" ]; do echo tick; sleep 0.05; done & read -r line; printf "took: %s|\\n" "$line"; read -r';
    const quiet = join(court.server.dir, 'quiet');
    const target = await court.start(['bash', '-c', talks, '-', quiet], { ready: 'tick' });
    for (let asked = 0; asked < 2; asked += 1)
      expect(JSON.stringify(await court.ask(target))).toContain('does not show the text');
    await writeFile(quiet, '');
    await court.until(async () => (await court.ask(target)).type === 'ASKED', 'the question');
    await court.until(async () => (await court.text(target)).includes('|'), 'the line that was read');
    const text = (await court.text(target)).replaceAll('\n', '');
    expect(text.slice(text.indexOf('took:')).match(/\[DOG\]/g)).toHaveLength(1);
  });

  test('a draft that looks like a suggestion: what was typed before it is taken back, as often as it is tried', async () => {
    await using court = await Court.open();
    const draft = 'Try "fix lint errors"';
    const target = await court.start(claude('home', draft), RUNNING);
    const before = await court.text(target);
    for (let asked = 0; asked < 2; asked += 1) {
      const what = 'a half-typed line that looked like a suggestion of its program';
      expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle: { kind: 'busy', what } });
      await court.until(async () => (await court.text(target)) === before, 'the draft as it was');
    }
    expect(await court.nudge(target)).toMatchObject({ type: 'NOT_NUDGED', obstacle: { kind: 'busy' } });
    await court.until(async () => (await court.text(target)) === before, 'the draft as it was');
  });

  test('a screen that its pack does not know is not typed into', async () => {
    const { court, target } = await courtWith(claude('strange'), RUNNING);
    expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(await court.text(target)).not.toContain('DOG');
  });
});

describe('D-8, law 12: the town types into no shell', () => {
  // Rules: D-8.
  test('an interactive shell in front of a living agent', async () => {
    const { court, target } = await courtWith(['bash', '--norc', '-i']);
    expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'busy' } });
    expect(await court.text(target)).not.toContain('DOG');
    expect(await court.look(target, [])).toEqual({ kind: 'silent' });
  });

  // Rules: law 12.
  test('a script of a shell is an agent like any other', async () => {
    const { court, target } = await courtWith(['bash', agent('reader')]);
    expect(await court.ask(target)).toMatchObject({ type: 'ASKED' });
  });
});

describe('law 6: hands off people', () => {
  // Rules: law 6.
  test('a person at the keys is not typed over; attached alone is no protection', async () => {
    await using court = await Court.open({ policy: { personWithinMs: 3_000 } });
    await using terminal = await withServer();
    const target = await court.start(['cat']);
    const attempts = [await court.asked(target)];
    const attach = ['env', '-u', 'TMUX', 'tmux', '-S', court.server.socketPath, 'attach', '-t', target.sessionId];
    await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
    await court.sees(target, attempts, 'person');
    expect(await court.ask(target)).toMatchObject({ type: 'NOT_ASKED', obstacle: { kind: 'person' } });
    await court.sees(target, attempts, 'silent');
    await terminal.tmux('send-keys', '-t', '=person:', 'x');
    await court.sees(target, attempts, 'person');
  });

  test('a person in a grouped session is at the same pane', async () => {
    await using court = await Court.open();
    await using terminal = await withServer();
    const target = await court.start(['cat']);
    await court.server.tmux('new-session', '-d', '-t', target.sessionId, '-s', 'grouped');
    const attach = ['env', '-u', 'TMUX', 'tmux', '-S', court.server.socketPath, 'attach', '-t', '=grouped'];
    await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
    await court.sees(target, [], 'person');
  });
});

describe('typing cannot be exactly once', () => {
  test('a pane that shows our code was asked: no second text', async () => {
    const { court, target } = await courtWith(['sleep', '100000']);
    const first = await court.asked(target);
    const typed = await court.text(target);
    expect((await court.asked(target)).mark).toEqual(first.mark);
    court.forget();
    expect((await court.asked(target)).mark).toMatchObject({ line: first.mark?.line });
    expect(await court.text(target)).toBe(typed);
  });

  test.each([
    ['a composer', claude('answer'), 'Ready'],
    ['a line reader', [agent('reader')], ''],
  ])('%s that got the text but no Enter gets its Enter', async (_name, command, ready) => {
    const { court, target } = await courtWith(command, { ready });
    await court.type(target, question('K73F').join(' · '));
    await court.until(async () => (await court.text(target)).includes('dash'), 'the text');
    const attempts = [await court.asked(target)];
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'code' });
    expect((await court.text(target)).split('HEALTH').length).toBe(2);
  });

  test('two writers take turns', async () => {
    const { court, target } = await courtWith(['cat'], { width: 500 });
    await Promise.all([court.asked(target, 'AB12', ['one AB-12 end']), court.asked(target, 'CD34', ['two CD-34 end'])]);
    expect((await court.text(target)).trim().split('\n')).toEqual([
      'one AB-12 end',
      'one AB-12 end',
      'two CD-34 end',
      'two CD-34 end',
    ]);
  });
});

// Rules: law 11.
test('foreign words act on nothing: control characters, tmux syntax, marks of direction', async () => {
  const { court, target } = await courtWith(['cat'], { width: 500 });
  await court.asked(target, 'K73F', ['a\u001b[201~\u0003b\u009b\u202ec\nd K7-3F;', '#{pid} $(id) C-c;']);
  expect((await court.text(target)).split('\n')[0]).toBe('a [201~ b <U+202E>c d K7-3F; · #{pid} $(id) C-c;');
});

test('a tmux that refuses the text is an obstacle that counts; one that gives no answer is unknown', async () => {
  const { court, target } = await courtWith(['cat']);
  const call = court.tmux.call.bind(court.tmux);
  const failing = (fault: 'refused' | 'unknown') =>
    vi.spyOn(court.tmux, 'call').mockImplementation((args, input) => {
      const fails = args[0] === 'paste-buffer';
      return fails ? Promise.reject(new TmuxError(fault, 'no')) : call(args, input);
    });
  failing('refused');
  const obstacle = { kind: 'busy', what: 'tmux refused: no' };
  expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle });
  failing('unknown');
  expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'no' } });
  expect(await court.server.tmux('list-buffers')).toBe('');
});
