/** `@town_status`, and the keys of townwatch.tmux: on real tmux, with a person's client on a terminal that is a pane of another one. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exits, MAIN, TestTown, until } from './town.ts';

const AGENTS = join(import.meta.dirname, '../fixtures/agents');
const DIALOG = [join(AGENTS, 'claude'), 'dialog'];

class Town extends TestTown {
  /** The package as it is installed, in a folder whose name a shell and tmux would take apart. */
  readonly plugin = join(this.home, "it's #{pid} %d #1; dir", 'townwatch.tmux');
  readonly #desk = join(this.home, 'desk');

  install(): void {
    const dist = join(this.plugin, '../dist');
    mkdirSync(dist, { recursive: true });
    copyFileSync(join(import.meta.dirname, '../../townwatch.tmux'), this.plugin);
    writeFileSync(join(dist, 'town.cjs'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    for (const file of [this.plugin, join(dist, 'town.cjs')]) chmodSync(file, 0o755);
  }

  /** Runs the plugin as tmux does, with these programs before all others on the PATH; what it says on stderr. */
  bind(first = ''): string {
    const env = this.env({ TMUX: `${this.socket},1,0` });
    const PATH = first === '' ? env['PATH'] : `${first}:${env['PATH'] ?? ''}`;
    return spawnSync(this.plugin, { env: { ...env, PATH }, encoding: 'utf8' }).stderr;
  }

  key(name: string): string {
    const rows = this.tmux('list-keys', '-T', 'prefix').split('\n');
    return rows.find((row) => new RegExp(`^bind-key +-T prefix +${name} `).test(row)) ?? '';
  }

  desk(...words: string[]): string {
    return spawnSync('tmux', ['-f', '/dev/null', '-S', this.#desk, ...words], { env: this.env(), encoding: 'utf8' })
      .stdout;
  }

  /** A person's terminal at this session. */
  async sit(session: string): Promise<void> {
    const attach = ['env', '-u', 'TMUX', 'tmux', '-S', this.socket, 'attach-session', '-t', `=${session}`];
    this.desk('new-session', '-d', '-x', '120', '-y', '50', ...attach);
    await until(
      () => this.at(),
      (at) => at === session,
    );
  }

  /** The session that the person sees. */
  at(): string {
    const clients = this.tmux('list-clients', '-F', '#{client_control_mode} #{session_name}').split('\n');
    return clients.find((row) => row.startsWith('0 '))?.slice(2) ?? '';
  }

  /** What the person's terminal shows, once it shows this. */
  shown(words: RegExp): Promise<string> {
    return until(
      () => this.desk('capture-pane', '-p'),
      (text) => words.test(text),
    );
  }

  press(...keys: string[]): void {
    this.desk('send-keys', ...keys);
  }

  option(): string {
    return this.tmux('-u', 'show-options', '-sv', '@town_status').trim();
  }

  becomes(text: string): Promise<string> {
    return until(
      () => this.option(),
      (now) => now === text,
    );
  }
}

let town: Town;
beforeEach(() => {
  town = new Town();
  town.tmux('new-session', '-d', '-x', '120', '-y', '50', '-s', 'mine', 'sleep', '1000');
});

// Rules: C-12, F-2.
test('@town_status tells who asks and who works, within a look; it is gone while nothing is so and when the town goes', async () => {
  const before = town.tmux('show-options', '-s');
  await town.up();
  await town.agent('builder', DIALOG);
  await town.becomes('1 ask');
  await town.agent('writer', [join(AGENTS, 'claude'), 'busy']);
  await town.becomes('1 ask · 1 work');
  expect(town.tmux('-u', 'display-message', '-p', '#{@town_status}').trim()).toBe('1 ask · 1 work');
  town.tmux('send-keys', '-t', '=builder:', '1');
  await town.becomes('1 work');
  expect((await town.run('down')).code).toBe(0);
  expect(town.tmux('show-options', '-s')).not.toContain('@town_status');
  await town.up();
  await town.becomes('1 work');
  // A town that fell leaves its last words, and the purge takes them.
  expect((await town.run('down')).code).toBe(0);
  town.tmux('set-option', '-s', '@town_status', '7 ask');
  expect(await town.run('down', '--purge')).toMatchObject({ code: 0, stderr: '' });
  expect(town.tmux('show-options', '-s')).toBe(before);
});

test('the next town takes the last words of one that fell', async () => {
  town.tmux('set-option', '-s', '@town_status', '7 ask');
  await town.up();
  await until(() => !town.tmux('show-options', '-s').includes('@town_status'));
});

test('keys are bound by the plugin alone, to those that the person names, and a tmux without popups gets a split', () => {
  town.install();
  const before = [town.key('T'), town.key('J')];
  expect(before).toEqual(['', '']);
  expect(town.bind()).toBe('');
  expect(town.key('T')).toMatch(/display-popup -E .*townwatch\.tmux.* questions/);
  expect(town.key('J')).toMatch(/run-shell -b .*townwatch\.tmux.* jump /);
  town.tmux('unbind-key', 'T');
  town.tmux('set-option', '-g', '@town_questions_key', 'M-q');
  town.tmux('set-option', '-g', '@town_jump_key', 'C-j');
  expect(town.bind()).toBe('');
  expect([town.key('T'), town.key('M-q'), town.key('C-j')]).toEqual([
    '',
    expect.stringContaining(' questions'),
    expect.stringContaining(' jump '),
  ]);
  const old = town.programs('sed');
  const real = spawnSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).stdout.trim();
  const hides = `#!/bin/sh\nif [ "$1" = list-commands ]; then '${real}' "$@" | grep -v display-popup; else exec '${real}' "$@"; fi\n`;
  writeFileSync(join(old, 'tmux'), hides);
  chmodSync(join(old, 'tmux'), 0o755);
  expect(town.bind(old)).toBe('');
  expect(town.key('M-q')).toMatch(/split-window .*townwatch\.tmux.* questions/);
});

// Rules: A-4.
test('in the popup a person reads the questions, types a number and an option, and the agent has its answer', async () => {
  town.install();
  await town.up();
  await town.agent('builder', [join(AGENTS, 'asking/claude'), 'at-once', 'rm -rf build']);
  await until(
    () => town.episodes(),
    (open) => open.includes('needs-input/builder'),
  );
  expect(town.bind()).toBe('');
  await town.sit('mine');
  town.press('C-b', 'T');
  const page = await town.shown(/number and option/);
  const number = /town answer (\d+) yes/.exec(page)?.[1] ?? '';
  town.press(number, 'Space', 'maybe', 'Enter');
  await town.shown(/has no option "maybe"/);
  town.press(number, 'Space', 'yes', 'Enter');
  await town.shown(/builder was answered with "Yes"[^]*nothing asks you anything/);
  town.press('Enter');
  await until(
    () => town.desk('capture-pane', '-p'),
    (text) => !text.includes('number and option'),
  );
});

test('the popup says where no town holds this tmux', async () => {
  town.install();
  expect(town.bind()).toBe('');
  await town.sit('mine');
  town.press('C-b', 'T');
  await town.shown(/no town holds this tmux/);
});

test('the jump goes around the sessions that ask, and says so where none does', async () => {
  town.install();
  await town.up();
  expect(town.bind()).toBe('');
  await town.sit('mine');
  town.press('C-b', 'J');
  await town.shown(/no session that could be seen asks you anything/);
  for (const name of ['b-1', 'b-2']) await town.agent(name, DIALOG);
  await town.agent('b-3', [join(AGENTS, 'claude'), 'busy']);
  await town.becomes('2 ask · 1 work');
  for (const name of ['b-1', 'b-2', 'b-1']) {
    town.press('C-b', 'J');
    await until(
      () => town.at(),
      (at) => at === name,
    );
  }
});

test('answers come line by line from a pipe too, and the last one tells how it went', async () => {
  exits(await town.run('session', 'attach'), 2, 'either the name of a session or --next-asking');
  exits(await town.run('session', 'attach', 'x', '--next-asking'), 2, 'either the name of a session or --next-asking');
  exits(await town.run('session', 'attach', '--next-asking'), 1, 'no session that could be seen asks');
  exits(await town.run('questions', '--answer', '--json'), 2, 'town ask answer');
  town.session('builder');
  const sent = await town.as('token-of-builder', 'mail', 'send', 'overseer', '--subject', 'May I?', '--needs-response');
  expect(sent.code).toBe(0);
  const [{ number } = { number: '' }] = await town.data<{ number: string }[]>('questions');
  const type = (input: string) =>
    spawnSync(process.execPath, [MAIN, '--root', town.root, 'questions', '--answer'], {
      input,
      env: town.env(),
      encoding: 'utf8',
    });
  expect(type(`${number}\n`)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('write an option') as string,
  });
  expect(type(`\n${number} seen\n`).status).toBe(0);
  expect(await town.data('questions')).toHaveLength(1);
  expect(type(`000 seen\n${number} seen\n`)).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('000') as string,
  });
  expect(await town.data('questions')).toEqual([]);
});
