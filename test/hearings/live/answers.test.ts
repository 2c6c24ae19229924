import { describe, expect, test } from 'vitest';
import { Court } from './court.ts';
import { agent, attemptOf, bash, claude, question } from './questions.ts';
import { courtAsking, courtWith } from './courts.ts';

describe('D-3: echo is no answer', () => {
  // Rules: D-3, I-7.
  test.each([40, 80, 200])('deaf with tty echo at %i columns', async (width) => {
    const { court, target, attempts } = await courtAsking(['sleep', '100000'], { width });
    await court.until(async () => (await court.text(target)).includes('K7-3F'), 'the echo');
    expect(await court.watch(target, attempts, 'evidence')).toEqual(new Set(['silent']));
  });

  test.each([
    ['cat', 'cat'],
    ['a program that quotes its input', agent('echoing')],
  ])('%s shows it twice', async (_name, program) => {
    const { court, target, attempts } = await courtAsking([program], { width: 40 });
    expect(await court.watch(target, attempts, 'evidence')).toEqual(new Set(['silent']));
  });

  // Rules: D-3.
  test('a composer that keeps the question in a box of its own', async () => {
    const { court, target, attempts } = await courtAsking(claude('deaf'), { width: 40, ready: 'Ready' });
    expect(await court.watch(target, attempts, 'evidence')).toEqual(new Set(['silent']));
  });

  // Rules: I-7.
  test('a reason that speaks of ALIVE, and an ALIVE in the scrollback', async () => {
    const { court, target } = await courtWith(bash('echo ALIVE; seq 50; echo ALIVE; exec cat'), {
      width: 40,
      ready: '50',
    });
    const lines = question('K73F', 'ALIVE ALIVE ALIVE ALIVE ALIVE ALIVE ALIVE');
    const attempts = [await court.asked(target, 'K73F', lines)];
    expect(await court.watch(target, attempts, 'answer', 4)).toEqual(new Set(['silent']));
    await court.type(target, 'ALIVE', 'Enter');
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'bare ALIVE' });
  });
});

describe('D-4: answers', () => {
  test.each([
    ['a line reader', 'code', [agent('reader')], ''],
    ['a line reader', 'bare ALIVE', [agent('reader'), 'bare'], ''],
    ['a composer', 'code', claude('answer'), 'Ready'],
    ['a composer', 'bare ALIVE', claude('bare'), 'Ready'],
  ])('%s: %s', async (_name, by, command, ready) => {
    const { court, target, attempts } = await courtAsking(command, { width: 60, ready });
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by });
  });

  // Rules: D-4.
  test('an old code pardons nothing, `town alive` does', async () => {
    const { court, target } = await courtWith(['cat']);
    const attempts = [await court.asked(target, 'AB12'), await court.asked(target, 'K73F')];
    await court.type(target, 'ALIVE AB12', 'Enter');
    expect(await court.watch(target, attempts, 'answer', 4)).toEqual(new Set(['silent']));
    court.filed.add('K73F');
    expect(await court.look(target, attempts)).toMatchObject({ kind: 'answered', by: 'town alive' });
  });

  test('on the alternate screen the old word is none, the new one is', async () => {
    const { court, target: deaf } = await courtWith([agent('fullscreen')], { ready: 'ALIVE' });
    const good = await court.start([agent('fullscreen'), 'answers'], { ready: 'ALIVE' });
    expect(await court.watch(deaf, [await court.asked(deaf)], 'answer', 4)).toEqual(new Set(['silent']));
    expect(await court.sees(good, [await court.asked(good)], 'answered')).toMatchObject({ by: 'bare ALIVE' });
  });
});

describe('D-3: the place of the question', () => {
  test('a resized pane: its answer is found, a deaf one stays silent', async () => {
    const { court, target, attempts } = await courtAsking(bash('echo ALIVE; seq 40; exec cat'), {
      width: 100,
      ready: '40',
    });
    await court.server.tmux('resize-window', '-t', target.paneId, '-x', '57', '-y', '15');
    expect(await court.watch(target, attempts, 'answer', 4)).toEqual(new Set(['silent']));
    court.forget();
    expect(await court.watch(target, attempts, 'answer', 4)).toEqual(new Set(['silent']));
    await court.type(target, 'ALIVE', 'Enter');
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'bare ALIVE' });
  });

  // Rules: D-3.
  test('a full history: rows move, the question is found again; scrolled away, its new rows are a sign of life', async () => {
    await using court = await Court.open({ conf: 'set -g history-limit 60' });
    const script = 'echo ALIVE; seq 200; while read -r n; do seq "$n" 2>&-; done';
    const target = await court.start(bash(script), { width: 100, height: 20, ready: '200' });
    const attempts = [await court.asked(target)];
    expect(await court.look(target, attempts)).toEqual({ kind: 'silent' });
    await court.type(target, '30', 'Enter');
    await court.until(async () => (await court.text(target)).includes('30\n'), 'thirty rows');
    expect(await court.look(target, attempts)).toEqual({ kind: 'silent' });
    await court.type(target, '300', 'Enter');
    await court.until(async () => (await court.text(target)).includes('300\n'), 'three hundred rows');
    await court.sees(target, attempts, 'evidence', 'evidence');
  });

  test('a full history and no echo: the rows above are found again; after a restart the look is unknown, once', async () => {
    await using court = await Court.open({ conf: 'set -g history-limit 60' });
    const script = 'echo ALIVE; seq 200; echo ALIVE; IFS= read -r _; printf "\\e[1A\\e[2K"; exec sleep 100000';
    const target = await court.start(bash(script), { width: 600, height: 20, ready: '200\nALIVE' });
    const attempts = [await court.asked(target)];
    expect(await court.watch(target, attempts, 'answer', 3)).toEqual(new Set(['silent']));
    court.forget();
    expect(await court.look(target, attempts)).toMatchObject({ kind: 'unknown' });
    expect(await court.watch(target, attempts, 'answer', 3)).toEqual(new Set(['silent']));
  });

  test('a window that no client shows is heard like any other', async () => {
    const { court, target } = await courtWith([agent('reader')]);
    await court.server.tmux('new-window', '-t', target.sessionId, 'sleep', '100000');
    await court.server.tmux('split-window', '-Z', '-t', target.sessionId, 'sleep', '100000');
    const attempts = [await court.asked(target)];
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'code' });
  });

  test('a cleared pane is unknown, once', async () => {
    const { court, target, attempts } = await courtAsking(
      bash('seq 10; echo up; read -r _; printf "\\e[H\\e[2J\\e[3J"; cat'),
      { ready: 'up' },
    );
    await court.sees(target, attempts, 'unknown');
    expect(await court.look(target, attempts)).toEqual({ kind: 'silent' });
    await court.type(target, 'ALIVE', 'Enter');
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'bare ALIVE' });
  });

  test('a restart of the town forgets nothing that matters', async () => {
    const { court, target, attempts } = await courtAsking(bash('echo ALIVE; exec cat'), { ready: 'ALIVE' });
    court.forget();
    expect(await court.watch(target, attempts, 'evidence')).toEqual(new Set(['silent']));
    await court.type(target, 'ALIVE K73F', 'Enter');
    expect(await court.sees(target, attempts, 'answered')).toMatchObject({ by: 'code' });
  });

  test('the attempt that was not asked yet has no answers', async () => {
    const { court, target } = await courtWith(bash('echo ALIVE; exec cat'), { ready: 'ALIVE' });
    expect(await court.look(target, [attemptOf('K73F', null)], 'evidence')).toEqual({ kind: 'silent' });
  });
});
