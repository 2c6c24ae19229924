/** What the town knows of the program that an agent runs, by its process: of one that it started before, and of one that a person started. */
import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProgramFile } from '../../../machines/protocol.ts';
import { markOf } from '../../../src/proc/node.ts';
import { TestTown, until as untilSeen } from '../../cli/town.ts';
import { town } from '../../tmux/over.ts';
import { argvOf, until } from '../../tmux/yard.ts';

function put(from: string, path: string): void {
  copyFileSync(from, `${path}.new`);
  chmodSync(`${path}.new`, 0o755);
  renameSync(`${path}.new`, path);
}
const script = (path: string, text: string): void => writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
const programOf = (outcome: object): ProgramFile | null =>
  'program' in outcome ? (outcome.program as ProgramFile) : null;

describe('a start that is repeated, as after a crash of the town', () => {
  interface Case {
    readonly what: string;
    readonly install: (program: string) => void;
    /** Between the start and its repetition. */
    readonly change: (program: string) => void;
    /** What runs is what the start found, not what stands there now. */
    readonly isAsBefore: boolean;
  }
  const sleep = (program: string): void => put('/usr/bin/sleep', program);
  const nothing = (): void => undefined;

  test.each<Case>([
    { what: 'a program', install: sleep, change: nothing, isAsBefore: true },
    { what: 'a program that was replaced', install: sleep, change: sleep, isAsBefore: true },
    { what: 'a program that was deleted', install: sleep, change: (program) => rmSync(program), isAsBefore: true },
    { what: 'a script', install: (program) => script(program, 'sleep 1000; :'), change: nothing, isAsBefore: true },
    {
      what: 'a script that becomes another program',
      install: (program) => script(program, 'exec sleep 1000'),
      change: nothing,
      isAsBefore: true,
    },
    {
      what: 'a script that was replaced, which no process holds',
      install: (program) => script(program, 'sleep 1000; :'),
      change: (program) => {
        rmSync(program);
        script(program, 'exit 3');
      },
      isAsBefore: false,
    },
  ])('$what', async ({ install, change, isAsBefore }) => {
    const { server, start } = await town();
    const program = join(server.dir, 'agent');
    install(program);
    const spec = { name: 'once', command: [program, '1000'] };
    const first = await start(spec, 'uuid-2');
    if (first.type !== 'SESSION_STARTED') throw new Error(JSON.stringify(first));
    // The pane's process is tmux, then env, then the program.
    await until(() => [program, '/bin/sh', 'sleep'].includes(argvOf(first.incarnation.agent.pid)[0] ?? ''));
    change(program);
    const again = await start(spec, 'uuid-2');
    expect(programOf(first)).toMatchObject({ file: program, mark: expect.any(String) as string });
    expect(programOf(again)).toEqual(isAsBefore ? programOf(first) : { ...programOf(first), mark: markOf(program) });
  });
});

describe('an agent that a person started', () => {
  /** As a version manager installs it: a link to a folder whose name has the version. */
  function install(dir: string, version: string): string {
    const file = join(dir, 'versions', version, 'claude');
    mkdirSync(dirname(file), { recursive: true });
    put('/usr/bin/sleep', file);
    symlinkSync(file, join(dir, 'link.new'));
    renameSync(join(dir, 'link.new'), join(dir, 'claude'));
    return file;
  }

  async function adopted(word: (dir: string) => string, change: (dir: string) => void) {
    const made = await town();
    const { dir, tmux } = made.server;
    const file = install(dir, '2.1.0');
    const mark = markOf(file);
    const env = ['env', `PATH=${dir}:/usr/bin:/bin`];
    const pid = await tmux('new-session', '-d', '-P', '-F', '#{pane_pid}', '-s', 'mine', ...env, word(dir), '1000');
    await until(() => argvOf(Number(pid))[0] === word(dir));
    change(dir);
    return { program: programOf(await made.adopt('mine', 'claude')), mark, file, link: join(dir, 'claude') };
  }
  const nothing = (): void => undefined;
  const upgrade = (dir: string): unknown => install(dir, '2.2.0');

  test.each([
    ['by its name', () => 'claude'],
    ['by its path', (dir: string) => join(dir, 'claude')],
  ])('%s: the path that leads to its file, which an upgrade changes', async (_, word) => {
    const { program, mark, link } = await adopted(word, nothing);
    expect(program).toEqual({ file: link, mark, version: '2.1.0' });
  });

  test.each([
    ['upgraded', upgrade],
    ['removed', (dir: string) => rmSync(join(dir, 'versions'), { recursive: true })],
  ])('%s before the adoption: the file of its process', async (_, change) => {
    const { program, mark, file } = await adopted(() => 'claude', change);
    expect(program).toEqual({ file, mark, version: '2.1.0' });
  });
});

// Rules: C-6.
test('in a real town: what becomes of the program of an adopted agent stands in health, and no person is alerted', async () => {
  const made = await new TestTown('[sessions]\nscan_every = "200ms"\n').up();
  const program = join(made.home, 'claude');
  put('/usr/bin/sleep', program);
  made.tmux('new-session', '-d', '-s', 'mine', program, '1000');
  expect((await made.run('session', 'adopt', 'mine')).code).toBe(0);
  expect(made.record('mine')).toMatchObject({ state: 'observed', program: { file: program, mark: markOf(program) } });
  rmSync(program);
  await made.run('restart');
  const changes = await untilSeen(
    async () => (await made.data<{ readonly changes: readonly string[] }>('health')).changes,
    (all) => all.length > 0,
  );
  expect(changes).toEqual([
    `the program of mine (${program}) was removed; the agent runs on with the one that it was started from`,
  ]);
  expect(await made.episodes()).toEqual([]);
});
