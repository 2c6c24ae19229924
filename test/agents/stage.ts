/**
 * One stage: a network namespace without a way out, in it the rote model and a tmux server on a socket of its own, around
 * it a scratch HOME with a git project. `close` ends whatever still lives in that namespace and removes the folder.
 */
import { execa, execaSync } from 'execa';
import { mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { binOf } from './install.ts';
import { setUp, type Program, type Variant } from './program.ts';

const MODEL = join(import.meta.dirname, 'model', 'main.ts');
const END_MS = 2_000;

export interface Stage {
  readonly home: string;
  readonly dir: string;
  readonly socket: string;
  readonly program: Program;
  readonly env: Record<string, string>;
  /** What the model does about a question of the town: the words behind `MODE:`. */
  health(mode: string): void;
  tmux(...args: string[]): string;
  /** Loads a text and pastes it as one. */
  paste(target: string, text: string): void;
  log(): string;
  /** Every process in the namespace. */
  inhabitants(): readonly { readonly pid: number; readonly command: string }[];
  close(): Promise<void>;
}

/** As long as `/home/dev`, which stands for it in what is recorded: no column moves. */
function scratch(): string {
  for (;;) {
    const home = `/tmp/${Math.random().toString(36).slice(2, 6).padEnd(4, 'x')}`;
    try {
      mkdirSync(home, { mode: 0o700 });
      return home;
    } catch (error) {
      if (!String(error).includes('EEXIST')) throw error;
    }
  }
}

function project(dir: string): void {
  mkdirSync(dir);
  writeFileSync(join(dir, 'app.py'), 'def add(a, b):\n    return a + b\n');
  writeFileSync(join(dir, 'README.md'), '# Shop\n');
  const git = (...args: string[]) => execaSync('git', ['-c', 'commit.gpgsign=false', ...args], { cwd: dir });
  git('init', '-q', '-b', 'main', '.');
  git('config', 'user.email', 'dev@example.org');
  git('config', 'user.name', 'dev');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

const netOf = (pid: number | string): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return null;
  }
};

/** Every process in the namespace. */
const inhabitants = (net: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && netOf(name) === net)
    .map(Number);

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
};

async function empty(net: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const pid of inhabitants(net)) {
      try {
        process.kill(pid, signal);
      } catch {
        continue;
      }
    }
    const end = Date.now() + END_MS;
    while (inhabitants(net).length > 0 && Date.now() < end) await pause(50);
  }
}

const open = new Set<Stage>();

/** Ends what is still open: for a bench that is interrupted. */
export async function closeStages(): Promise<void> {
  await Promise.all([...open].map((stage) => stage.close()));
}

export async function openStage(program: Program, variant: Variant = 'ready'): Promise<Stage> {
  const home = scratch();
  const dir = join(home, 'shop');
  const bench = join(home, '.bench');
  for (const folder of [bench, join(home, 'bin'), join(home, 'tmp')]) mkdirSync(folder);
  project(dir);
  writeFileSync(join(bench, 'dir'), dir);
  writeFileSync(join(bench, 'log'), '');
  symlinkSync(process.execPath, join(home, 'bin', 'node'));
  symlinkSync(binOf(program), join(home, 'bin', program.bin));
  const place = { home, dir, variant };
  setUp(program, place);
  const env = {
    ...{ HOME: home, PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`, TERM: 'screen-256color', LANG: 'C.UTF-8' },
    ...{ SHELL: '/bin/bash', TMPDIR: `${home}/tmp`, PS1: 'dev@box:\\w$ ' },
    ...program.env(place),
  };
  const inside = ['-c', 'ip link set lo up && exec "$0" "$@"', process.execPath, MODEL, bench];
  const model = execa('unshare', ['-n', 'sh', ...inside], { env, extendEnv: false, reject: false });
  await new Promise<void>((ready, fail) => {
    model.stdout.once('data', () => ready());
    void model.then(({ stderr }) => fail(new Error(`the model did not start: ${stderr}`)));
  });
  const pid = model.pid ?? 0;
  const net = netOf(pid) ?? '';
  if (net === '' || net === netOf('self')) throw new Error('the model is in no namespace of its own');
  const socket = join(bench, 'tmux');
  const base = ['-S', socket, '-f', '/dev/null'];
  const hold = ['new-session', '-d', '-s', 'hold', '-x', '80', '-y', '24', 'sleep 100000'];
  execaSync('nsenter', ['-t', String(pid), '-n', 'tmux', ...base, ...hold], { env, extendEnv: false });
  const tmux = (...args: string[]) =>
    execaSync('tmux', ['-S', socket, ...args], { env, extendEnv: false, stripFinalNewline: false }).stdout;
  tmux('set', '-g', 'history-limit', '5000');
  const stage: Stage = {
    ...{ home, dir, socket, program, env, tmux },
    health: (mode) => writeFileSync(join(bench, 'health'), mode),
    paste: (target, text) => {
      execaSync('tmux', ['-S', socket, 'load-buffer', '-b', 'bench', '-'], { input: text });
      tmux('paste-buffer', '-p', '-d', '-b', 'bench', '-t', target);
    },
    log: () => readFileSync(join(bench, 'log'), 'utf8'),
    inhabitants: () => inhabitants(net).map((one) => ({ pid: one, command: commandOf(one) })),
    close: async () => {
      open.delete(stage);
      execaSync('tmux', ['-S', socket, 'kill-server'], { reject: false });
      await empty(net);
      await model;
      rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
  open.add(stage);
  return stage;
}
