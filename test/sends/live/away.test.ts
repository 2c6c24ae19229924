/** `town send --all` with a town that goes away meanwhile, that does not answer, and that is down. */
import { expect, test } from 'vitest';
import { MONITOR_TAG, WATCHDOG } from '../../../machines/monitor/policy.ts';
import { DEACON_TAG, WATCHDOG as CHAIN } from '../../../machines/watchdog/policy.ts';
import { inside } from '../../cli/inside.ts';
import { exits, prints, TestTown, until } from '../../cli/town.ts';

test('each piece says what the town said of it before it went away, and the same request gives each once', async () => {
  const town = await new TestTown().up();
  for (const name of ['w1', 'w2']) await town.agent(name, ['cat']);
  const rowsOf = (session: string, work: string): number =>
    town
      .tmux('capture-pane', '-p', '-t', `=${session}:`)
      .split('\n')
      .filter((row) => row === work).length;
  const waiting = (): Promise<{ session: string }[]> => town.data('send', '--list');
  // A half-typed line keeps the work of w1 waiting.
  town.tmux('send-keys', '-t', '=w1:', 'half');
  const first = ['send', '--all', '--request', 'one', '--wait', 'do it'] as const;
  const sent = town.run(...first);
  // Not listed any more, and not only not listed yet.
  await until(() => rowsOf('w2', 'do it') > 0);
  await until(waiting, (all) => all.map(({ session }) => session).join() === 'w1');
  prints(await town.run('down'), 0, 'the town is down');
  const cut = await sent;
  for (const name of ['w1', 'w2'])
    prints(
      cut,
      3,
      new RegExp(`^${name} +one/${name} +unknown: the town has it on record, and went away before it said`, 'm'),
    );
  exits(cut, 3, 'town send --all --request one');
  await town.up();
  town.tmux('send-keys', '-t', '=w1:', 'C-u');
  prints(await town.run(...first), 0, /w1 +one\/w1 +typed\nw2 +one\/w2 +typed/);
  // The terminal shows a line as it is typed, and cat prints it.
  await until(() => rowsOf('w1', 'do it') === 2 && rowsOf('w2', 'do it') === 2);

  const { pid } = await town.status();
  process.kill(pid, 'SIGSTOP');
  const second = ['send', '--all', '--request', 'two', 'do more'] as const;
  const unheard = await town.run(...second);
  process.kill(pid, 'SIGCONT');
  for (const name of ['w1', 'w2'])
    prints(unheard, 3, new RegExp(`^${name} +unknown: the town went away before it said that it has this`, 'm'));
  prints(await town.run(...second, '--wait'), 0, /w1 +two\/w1 +typed\nw2 +two\/w2 +typed/);
  await until(() => rowsOf('w1', 'do more') === 2 && rowsOf('w2', 'do more') === 2);
  expect([rowsOf('w1', 'do it'), rowsOf('w2', 'do it'), await waiting()]).toEqual([2, 2, []]);
});

test('agents that serve the town itself get none of the work for all', async () => {
  const town = new TestTown();
  const add = (name: string, ...tags: readonly string[]): void => {
    const { spec } = town.session(name);
    town.session(name, { spec: { ...spec, tags } });
  };
  add(CHAIN.deacon.session, DEACON_TAG);
  add(WATCHDOG, MONITOR_TAG);
  add('gt-shop-witness', 'witness', 'rig:shop');
  add('gt-shop-refinery', 'refinery', 'rig:shop');
  add('gt-shop-nux', 'polecat', 'rig:shop');
  // A person's own agents, though their names or tags are alike.
  add('deacon', DEACON_TAG);
  add('witness', 'witness');
  const { stdout } = await inside(town.root, 'send --all x');
  const own = [...stdout.matchAll(/^(\S+) +not typed: it serves the town itself/gm)].map(([, name]) => name);
  expect(own.toSorted()).toEqual(['gt-shop-refinery', 'gt-shop-witness', 'hq-deacon', 'watchdog']);
});
