/** What stays on a terminal: drawn in its own place, at the size that the terminal has, and gone without a trace when it ends. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, TestTown, until } from '../cli/town.ts';

/** A shell in a terminal of its own, beside the tmux server that is watched. */
class Viewer {
  readonly town = new TestTown();
  readonly pidFile = join(this.town.home, 'pid');
  readonly #socket = join(this.town.home, 'viewer');

  constructor() {
    const shell = ['env', 'HISTFILE=', 'PS1=ready$ ', 'bash', '--norc', '--noprofile'];
    this.tmux('new-session', '-d', '-s', 'v', '-x', '120', '-y', '20', ...shell);
  }

  tmux(...words: string[]): string {
    const args = ['-u', '-f', '/dev/null', '-S', this.#socket, ...words];
    return spawnSync('tmux', args, { env: { ...this.town.env(), LC_ALL: 'C.UTF-8' }, encoding: 'utf8' }).stdout;
  }

  type(...words: string[]): void {
    this.typeIn([], words);
  }

  /** With words of Node's own before the program. */
  typeIn(node: readonly string[], words: readonly string[]): void {
    const all = [process.execPath, ...node, MAIN, '--root', this.town.root, ...words].join(' ');
    const command = `sh -c 'echo $$ > ${this.pidFile}; exec ${all}'`;
    this.tmux('send-keys', '-t', 'v', '-l', `${command}; echo ended $?\n`);
  }

  screen = (): string => this.tmux('capture-pane', '-p', '-t', 'v');
  /** Of the terminal: the alternate screen, the cursor, lines that break. */
  modes = (): string =>
    this.tmux('display-message', '-p', '-t', 'v', '#{alternate_on}#{cursor_flag}#{wrap_flag}').trim();
}

const DRAWN = '100';
const AS_BEFORE = '011';

test('watch stays, draws itself again, follows the size of the terminal, and Ctrl-C gives it back', async () => {
  const viewer = new Viewer();
  const { town } = viewer;
  town.tmux('new-session', '-d', '-s', 'a10', 'sleep', '100000');
  viewer.type('watch', '--all', '--interval', '200ms');
  await until(viewer.screen, (text) => text.includes('a10') && text.includes('Ctrl-C ends'));
  expect(viewer.modes()).toBe(DRAWN);
  expect(viewer.screen()).toMatch(/^SESSION +PANE +AGENT +OURS +STATE +WOULD +TITLE/);

  town.tmux('new-session', '-d', '-s', 'a2', 'sleep', '100000');
  await until(viewer.screen, (text) => text.includes('a2 '));
  expect(viewer.screen().match(/^a\d+/gm)).toEqual(['a2', 'a10']);

  viewer.tmux('resize-window', '-t', 'v', '-x', '60', '-y', '3');
  await until(viewer.screen, (text) => !text.includes('TITLE') && /… \d+ more lines; /.test(text));
  expect(viewer.screen()).toContain('SESSION');

  viewer.tmux('send-keys', '-t', 'v', 'C-c');
  await until(viewer.screen, (text) => text.includes('ended 130'));
  expect(viewer.modes()).toBe(AS_BEFORE);
  expect(viewer.screen()).not.toContain('SESSION');
});

test.each([
  ['SIGTERM', 143, ['watch']],
  ['SIGHUP', 129, ['status', '--watch']],
  ['SIGQUIT', 131, ['watch']],
] as const)('%s gives the terminal back', async (signal, code, words) => {
  const viewer = new Viewer();
  viewer.type(...words);
  await until(viewer.screen, (text) => text.includes('Ctrl-C ends'));
  expect(viewer.modes()).toBe(DRAWN);
  process.kill(Number(readFileSync(viewer.pidFile, 'utf8')), signal);
  await until(viewer.screen, (text) => text.includes(`ended ${code}`));
  expect(viewer.modes()).toBe(AS_BEFORE);
});

/** At USR2 the next write to the terminal throws, or something throws that is not caught. */
const FAULTS = {
  'while it draws':
    'const w=process.stdout.write;process.on("SIGUSR2",()=>{process.stdout.write=()=>{process.stdout.write=w;throw new Error("no picture")}})',
  'anywhere else': 'process.on("SIGUSR2",()=>{throw new Error("no picture")})',
};

test.each(Object.entries(FAULTS))('an error %s gives the terminal back and is told there', async (_, fault) => {
  const viewer = new Viewer();
  const preload = join(viewer.town.home, 'fault.mjs');
  writeFileSync(preload, fault);
  viewer.typeIn(['--import', preload], ['watch', '--interval', '200ms']);
  await until(viewer.screen, (text) => text.includes('Ctrl-C ends'));
  expect(viewer.modes()).toBe(DRAWN);
  process.kill(Number(readFileSync(viewer.pidFile, 'utf8')), 'SIGUSR2');
  await until(viewer.screen, (text) => text.includes('ended 1'));
  expect(viewer.modes()).toBe(AS_BEFORE);
  expect(viewer.screen()).toContain('no picture');
});

test('a tmux that ends or does not answer is told in its place, and Ctrl-C gives the terminal back', async () => {
  const viewer = new Viewer();
  const { town } = viewer;
  town.tmux('new-session', '-d', '-s', 'a10', 'sleep', '100000');
  viewer.type('watch', '--all', '--interval', '200ms');
  await until(viewer.screen, (text) => text.includes('a10 '));
  const server = Number(town.tmux('display-message', '-p', '#{pid}'));
  process.kill(server, 'SIGSTOP');
  await until(viewer.screen, (text) => text.includes('no answer this time') && text.includes('a10 '));
  expect(viewer.modes()).toBe(DRAWN);
  process.kill(server, 'SIGCONT');
  await until(viewer.screen, (text) => !text.includes('no answer this time'));
  process.kill(server, 'SIGKILL');
  await until(viewer.screen, (text) => !text.includes('a10 ') && text.includes('nothing in tmux'));
  viewer.tmux('send-keys', '-t', 'v', 'C-c');
  await until(viewer.screen, (text) => text.includes('ended 130'));
  expect(viewer.modes()).toBe(AS_BEFORE);
});

test('Ctrl-Z gives the terminal back for as long as it is stopped', async () => {
  const viewer = new Viewer();
  viewer.type('watch', '--interval', '200ms');
  await until(viewer.screen, (text) => text.includes('Ctrl-C ends'));
  viewer.tmux('send-keys', '-t', 'v', 'C-z');
  await until(viewer.screen, (text) => /Stopped/.test(text));
  expect(viewer.modes()).toBe(AS_BEFORE);
  viewer.tmux('send-keys', '-t', 'v', '-l', 'fg\n');
  await until(viewer.screen, (text) => text.includes('Ctrl-C ends'));
  expect(viewer.modes()).toBe(DRAWN);
  viewer.tmux('send-keys', '-t', 'v', 'C-c');
  await until(viewer.modes, (modes) => modes === AS_BEFORE);
});

test('once tells once, on a terminal too; an interval that is none is refused', async () => {
  const viewer = new Viewer();
  viewer.town.tmux('new-session', '-d', '-s', 'a10', 'sleep', '100000');
  viewer.type('watch', '--all', '--once');
  await until(viewer.screen, (text) => text.includes('ended 0'));
  expect(viewer.screen()).toMatch(/^a10 /m);
  const refused = await viewer.town.run('watch', '--interval', '1x');
  expect([refused.code, refused.stderr]).toEqual([
    2,
    'town: --interval "1x" is no duration of 200ms to 1h; write --interval 5s\n',
  ]);
});
