/** `town send --all` and `--tag` on a real tmux: a piece for each session, each with its own outcome. */
import { expect, test } from 'vitest';
import { exits, prints, TestTown, until } from '../../cli/town.ts';

interface Sent {
  readonly session: string;
  readonly id: string | null;
  readonly delivered: boolean;
  readonly typed: boolean;
  readonly why: string | null;
}

test('each session gets the work once, also when the request comes again, and those that cannot have it are named', async () => {
  const town = await new TestTown('[town]\nprotected = ["prod*"]\n').up();
  for (const name of ['w1', 'w2', 'other', 'prod-1', 'gone'])
    await town.agent(name, ['cat'], ...(name === 'other' ? [] : ['--tag', 'crew']), '--restart', 'temporary');
  await town.agent('watchdog', ['cat'], '--tag', 'watchdog', '--tag', 'crew');
  town.tmux('kill-session', '-t', '=gone');
  await until(
    () => town.data<{ state: string }>('session', 'status', 'gone'),
    ({ state }) => state === 'ended',
  );
  town.tmux('new-session', '-d', '-s', 'mine', 'cat');
  const seen = (session: string): number =>
    town
      .tmux('capture-pane', '-p', '-t', `=${session}:`)
      .split('\n')
      .filter((row) => row === 'do it').length;
  exits(await town.run('send', '--all', '--tag', 'crew', 'x'), 2, 'write one');
  exits(await town.run('send', '--tag', 'nothing', 'x'), 2, 'no session has the tag "nothing"');
  exits(await town.run('send', '--tag', 'crew'), 2, 'no work for --tag crew');
  exits(await town.run('send', 'w1', '--tag', 'crew', 'x'), 2, 'w1 is a session, and --tag crew chooses sessions too');
  exits(await town.run('send', 'mine', '--all', '-f', 'task.md'), 2, 'mine is a session, and --all chooses');
  const send = ['send', '--tag', 'crew', '--request', 'monday-1'] as const;
  const sent = await town.data<Sent[]>(...send, '--wait', 'do it');
  const gets = (session: string): Sent | undefined => sent.find((one) => one.session === session);
  expect(sent.map(({ session }) => session).sort()).toEqual(['gone', 'prod-1', 'w1', 'w2', 'watchdog']);
  expect(gets('w1')).toMatchObject({ id: 'monday-1/w1', delivered: true, typed: true, why: null });
  expect(gets('w2')).toMatchObject({ id: 'monday-1/w2', typed: true, why: null });
  expect(gets('gone')).toMatchObject({ id: null, why: 'it has ended; start it first' });
  expect(gets('prod-1')).toMatchObject({ id: null, why: 'it is protected by "prod*" in [town] protected' });
  expect(gets('watchdog')).toMatchObject({
    id: null,
    delivered: false,
    why: 'it serves the town itself; for it alone: town send watchdog',
  });
  // The terminal shows a line as it is typed, and cat prints it.
  await until(() => seen('w1') === 2 && seen('w2') === 2);
  expect((await town.data<Sent[]>(...send, '--wait', 'do it')).filter(({ typed }) => typed).length).toBe(2);
  const all = await town.run('send', '--all', '--wait', 'do more');
  prints(all, 0, /mine +not typed: it is no session of this town/);
  prints(all, 0, /other +\S+ +typed/);
  expect([seen('w1'), seen('w2'), seen('other')]).toEqual([2, 2, 0]);
  exits(await town.run('send', '--all', '--request', 'no id', 'x'), 2, '--request "no id" is no id');
});

// Rules: F-4.
test('what its program would take for a command is refused before it is on record; another program gets it', async () => {
  const town = new TestTown();
  const spec = { name: 'builder', dir: '/', tags: [], restart: 'transient', process: null } as const;
  town.session('builder', { spec: { ...spec, command: ['claude'] } });
  exits(
    await town.run('send', 'builder', '/exit'),
    5,
    /Claude Code takes what begins with "\/" for a command, so it is never typed/,
  );
  exits(await town.run('send', '--all', 'exit'), 1, '');
  expect(await town.data<Sent[]>('send', '--all', 'exit')).toMatchObject([
    { id: null, why: 'Claude Code takes what begins with "exit" for a command' },
  ]);
  for (const command of [['codex'], ['cat']]) {
    town.session('builder', { spec: { ...spec, command } });
    exits(await town.run('send', 'builder', '/exit'), 3, /not running/);
  }
  town.session('builder', { spec: { ...spec, command: ['claude'] } });
  exits(await town.run('send', 'builder', 'see /etc/hosts'), 3, /not running/);
});
