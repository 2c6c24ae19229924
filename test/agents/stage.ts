/**
 * One stage: a network namespace without a way out, in it the rote model and a tmux server on a socket of its own, around
 * it a scratch HOME with a git project. `close` ends all that still lives in that namespace and removes the folder.
 */
import { execaSync } from 'execa';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binOf } from './install.ts';
import { minded } from './janitor.ts';
import { openNamespace, type Inhabitant } from './namespace.ts';
import { setUp, type Place, type Program, type Variant } from './program.ts';

export const MODEL = join(import.meta.dirname, 'model', 'main.ts');

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
  /** Words of `nsenter` before a command that has to run in the namespace. */
  readonly enter: readonly string[];
  /** Runs a program in the namespace, as the agent's would be. What it prints. */
  run(...command: readonly string[]): string;
  /** Every process in the namespace. */
  inhabitants(): readonly Inhabitant[];
  /** What has to be ended before the rest. */
  endsWith(close: () => Promise<void>): void;
  close(): Promise<void>;
}

/** As long as `/home/dev`, which stands for it in what is recorded: no column moves. */
export function scratch(): string {
  for (;;) {
    const home = `/tmp/${Math.random().toString(36).slice(2, 6).padEnd(4, 'x')}`;
    try {
      mkdirSync(home, { mode: 0o700 });
      gone.set(home, minded(home));
      return home;
    } catch (error) {
      if (!String(error).includes('EEXIST')) throw error;
    }
  }
}

const gone = new Map<string, () => void>();

/** A folder of `scratch`. */
export async function removed(home: string): Promise<void> {
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  gone.get(home)?.();
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

/** How to end what is open; one that fails or is interrupted leaves nothing either. */
const open = new Set<() => Promise<void>>();

/** Ends what is still open: for a bench that is interrupted. */
export async function closeStages(): Promise<void> {
  await Promise.all([...open].map((close) => close()));
}

/** Runs the steps in reverse, once, for all callers. */
function closing(): { first(step: () => Promise<void>): void; close(): Promise<void> } {
  const steps: (() => Promise<void>)[] = [];
  let ended: Promise<void> | null = null;
  const all = async () => {
    for (let step = steps.pop(); step !== undefined; step = steps.pop())
      await step().catch((error: unknown) => process.stderr.write(`left behind: ${String(error)}\n`));
    open.delete(close);
  };
  const close = () => (ended ??= all());
  open.add(close);
  return { first: (step) => void steps.push(step), close };
}

export async function openStage(program: Program, variant: Variant = 'ready'): Promise<Stage> {
  const end = closing();
  const home = scratch();
  end.first(() => removed(home));
  try {
    return await furnish(program, { home, dir: join(home, 'shop'), variant }, end);
  } catch (error) {
    await end.close();
    throw error;
  }
}

/** Makes the home of a program, with a project in it. What its environment is. */
export function furnishHome(program: Program, place: Place): Record<string, string> {
  const { home, dir } = place;
  const bench = join(home, '.bench');
  for (const folder of [bench, join(home, 'bin'), join(home, 'tmp')]) mkdirSync(folder);
  project(dir);
  writeFileSync(join(bench, 'dir'), dir);
  writeFileSync(join(bench, 'log'), '');
  symlinkSync(process.execPath, join(home, 'bin', 'node'));
  symlinkSync(binOf(program), join(home, 'bin', program.id));
  setUp(program, place);
  return {
    HOME: home,
    PATH: `${home}/bin:/usr/local/bin:/usr/bin:/bin`,
    TERM: 'screen-256color',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    TMPDIR: `${home}/tmp`,
    PS1: 'dev@box:\\w$ ',
    ...program.env(place),
  };
}

async function furnish(program: Program, place: Place, end: ReturnType<typeof closing>): Promise<Stage> {
  const { home, dir } = place;
  const bench = join(home, '.bench');
  const env = furnishHome(program, place);
  const namespace = await openNamespace([process.execPath, MODEL, bench], env);
  end.first(namespace.empty);
  const socket = join(bench, 'tmux');
  const hold = ['new-session', '-d', '-s', 'hold', '-x', '80', '-y', '24', 'sleep 100000'];
  namespace.run('tmux', '-S', socket, '-f', '/dev/null', ...hold);
  end.first(async () => void execaSync('tmux', ['-S', socket, 'kill-server'], { reject: false }));
  const bare = { env, extendEnv: false } as const;
  const tmux = (...args: string[]) =>
    execaSync('tmux', ['-S', socket, ...args], { ...bare, stripFinalNewline: false }).stdout;
  tmux('set', '-g', 'history-limit', '5000');
  return {
    home,
    dir,
    socket,
    program,
    env,
    tmux,
    endsWith: end.first,
    close: end.close,
    health: (mode) => writeFileSync(join(bench, 'health'), mode),
    paste: (target, text) => {
      execaSync('tmux', ['-S', socket, 'load-buffer', '-b', 'bench', '-'], { ...bare, input: text });
      tmux('paste-buffer', '-p', '-d', '-b', 'bench', '-t', target);
    },
    log: () => readFileSync(join(bench, 'log'), 'utf8'),
    enter: namespace.enter,
    run: namespace.run,
    inhabitants: namespace.inhabitants,
  };
}
