/** A program that ends in its first second is reported by the command that started it (C-6): real agents on real tmux. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { exits, TestTown } from './town.ts';

interface Ended {
  readonly ended: { readonly how: string; readonly is_clean: boolean; readonly last_words: string } | null;
}
/** It prints its words, waits until tmux has read them, and ends. */
const dies = (words: string, code: number): string[] => ['sh', '-c', `echo "${words}"; sleep 0.1; exit ${code}`];

let town: TestTown;
beforeAll(async () => {
  town = new TestTown();
  await town.up();
});

// Rules: C-6.
test.each(['permanent', 'transient', 'temporary'])(
  'a start of a %s one that fails at once exits 1',
  async (restart) => {
    const words = ['session', 'start', restart, '--restart', restart, '--', ...dies('no key is set', 3)];
    const said = new RegExp(`${restart} was started and ended with exit code 3 at once.*last words: no key is set`);
    exits(await town.run(...words), 1, said);
    expect(await town.view(restart)).toMatchObject({ last_words: 'no key is set' });
    await town.run('session', 'stop', restart);
  },
);

test('a clean end is its own wish: exit 0, and it is said', async () => {
  const { ended } = await town.data<Ended>('session', 'start', 'clean', '--', ...dies('all done', 0));
  expect(ended).toMatchObject({ how: 'ended with exit code 0', is_clean: true, last_words: 'all done' });
});

test('one that lives is started, and `--no-wait` looks at none', async () => {
  expect(await town.data<Ended>('session', 'start', 'lives', '--', 'sleep', '1000')).toMatchObject({ ended: null });
  expect((await town.run('session', 'start', 'unseen', '--no-wait', '--', ...dies('gone', 1))).stdout).toBe(
    'unseen is started\n',
  );
});

test('a restart and `up` report it too', async () => {
  const script = join(town.home, 'agent.sh');
  const runs = (line: string): void => writeFileSync(script, `#!/bin/sh\n${line}\n`, { mode: 0o700 });
  runs('exec sleep 1000');
  expect((await town.run('session', 'start', 'turns', '--', script)).code).toBe(0);
  runs('echo "no such module"; sleep 0.1; exit 7');
  exits(
    await town.run('session', 'restart', 'turns'),
    1,
    /turns was started and ended with exit code 7.*no such module/,
  );
  await town.run('down');

  const agent = (name: string, ...command: string[]): string =>
    `[[agents]]\nname = "${name}"\ncommand = ${JSON.stringify(command)}\nrestart = "transient"\n`;
  town.configure(agent('fails', ...dies('wrong option', 2)) + agent('rests', ...dies('nothing to do', 0)));
  const { code, stdout } = await town.run('up');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/ is up: [^]*fails was started and ended with exit code 2.*wrong option/),
  ]);
  expect((await town.run('up')).code).toBe(0);
});
