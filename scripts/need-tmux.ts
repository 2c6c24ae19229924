/**
 * Sees to it that tmux is there before the tests run (F-3): most of them drive a real one.
 * As root without a terminal (a container, CI) it says so and installs it; at a terminal it asks first; otherwise it
 * names the line to type and exits 1. It never changes a machine that has tmux.
 */
import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline/promises';

export interface Machine {
  readonly tmux: boolean;
  readonly apt: boolean;
  readonly root: boolean;
  readonly terminal: boolean;
}

/** `go`: nothing to do. `install`: without asking. `ask`: after a typed yes. `tell`: name the line and stop. */
export type Step = 'go' | 'install' | 'ask' | 'tell';

export function stepFor({ tmux, apt, root, terminal }: Machine): Step {
  if (tmux) return 'go';
  if (!apt) return 'tell';
  if (terminal) return 'ask';
  return root ? 'install' : 'tell';
}

function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

function aptGet(root: boolean, ...args: string[]): boolean {
  const line = [...(root ? [] : ['sudo']), 'apt-get', ...args];
  const [program = 'apt-get', ...rest] = line;
  const env = { ...process.env, ...(root ? { DEBIAN_FRONTEND: 'noninteractive' } : {}) };
  return spawnSync(program, rest, { stdio: 'inherit', env }).status === 0;
}

/** Installs from the package lists as they are, and only if that fails brings the lists up to date first. */
function install(root: boolean): boolean {
  const packages = ['install', '-y', '--no-install-recommends', 'tmux'];
  return aptGet(root, ...packages) || (aptGet(root, 'update') && aptGet(root, ...packages));
}

async function agreed(question: string): Promise<boolean> {
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await line.question(question);
  line.close();
  return /^y(es)?$/i.test(answer.trim());
}

function tell(apt: boolean, root: boolean): number {
  const line = apt ? `${root ? '' : 'sudo '}apt-get install tmux` : 'brew install tmux';
  const where = apt ? '' : ' (or what your system installs packages with)';
  process.stderr.write(`The tests drive a real tmux, and there is none on the PATH. Type: ${line}${where}\n`);
  return 1;
}

async function main(): Promise<number> {
  const machine = {
    tmux: runs('tmux', '-V'),
    apt: runs('apt-get', '--version'),
    root: process.getuid?.() === 0,
    terminal: process.stdin.isTTY && process.stderr.isTTY,
  };
  const step = stepFor(machine);
  if (step === 'go') return 0;
  if (step === 'tell') return tell(machine.apt, machine.root);
  if (step === 'install')
    process.stderr.write('The tests drive a real tmux; there is none, so apt-get installs it now.\n');
  if (
    step === 'ask' &&
    !(await agreed('The tests drive a real tmux; there is none. Install it with apt-get? [y/N] '))
  ) {
    return tell(machine.apt, machine.root);
  }
  if (install(machine.root) && runs('tmux', '-V')) return 0;
  process.stderr.write('apt-get could not install tmux; what it said stands above.\n');
  return 1;
}

if (import.meta.main) process.exitCode = await main();
