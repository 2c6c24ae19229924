/**
 * The stage: a temporary root with its town.toml, the programs, a tmux socket of its own. Owns all of it and its removal.
 * 1. Nothing of the user's is read or written: HOME is a folder of the stage, variables of other towns are dropped.
 * 2. The town is driven by its own command only, each in a process group of its own: Ctrl-C is for the demo to answer.
 * 3. `strike` ends whatever lives: town, guard, tmux server, agents that ignore its end, also those that no record names yet.
 *    All were started with the stage's HOME. Each pid is verified first.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Proc } from '../../machines/protocol.ts';
import { realDisk, type Disk } from '../../state/disk.ts';
import { systemClock } from '../clock.ts';
import { ownProgram } from '../guard/launch.ts';
import type { Processes } from '../ports.ts';
import { createProcesses, type ProcessTable } from '../proc/processes.ts';
import { scrubbedEnvironment } from '../tmux/environment.ts';
import type { Player } from './cast.ts';
import { COMMAND_MS, configOf } from './times.ts';
import { look } from './watch.ts';

/** A command of the town ended otherwise than it should. The message says which, how, and what it said. */
class StageFailed extends Error {
  override readonly name = 'StageFailed';
}

export interface Stage {
  readonly root: string;
  readonly disk: Disk;
  readonly processes: Processes;
  /** The town's command as words. */
  readonly command: readonly string[];
  /** Runs `town … --json` and resolves with its `data`. Rejects with `StageFailed` for an exit code that is not expected. */
  town(args: readonly string[], exits?: readonly number[]): Promise<unknown>;
  /** Starts a player's session in a folder of its own. Resolves with whether there is uncommitted work in it. */
  enter(player: Player): Promise<boolean>;
  /** Ends all that was started. Resolves with what would not go, in words; empty = nothing is left. */
  strike(keep: boolean): Promise<string[]>;
}

/** Not handed to anything of a demo: another town's variables would change this one. */
const OTHERS = /^(TOWN|GT|FUGUE)_/;
const GONE_EVERY_MS = 20;
/** After KILL a process is gone as soon as the system gets to it. */
const GONE_MS = 3_000;
const QUOTED = 300;

/** Builds it. `signal` ends every command that runs, but not the ones that strike it. */
export function setStage(speed: number, signal: AbortSignal): Stage {
  const root = mkdtempSync(join(tmpdir(), 'town-demo-'));
  const socket = join(root, 'tmux');
  const home = join(root, 'home');
  mkdirSync(home);
  writeFileSync(join(root, 'town.toml'), configOf(speed, socket));
  const env = environmentFor(home);
  const disk = realDisk(root, performance.timeOrigin);
  const processes = createProcesses();
  const command = [...ownProgram('main'), '--root', root];
  const town = (args: readonly string[], exits: readonly number[] = [0]): Promise<unknown> =>
    runTown(command, args, { env, exits, cwd: root, signal });
  return {
    root,
    disk,
    processes,
    command,
    town,
    enter: async (player) => {
      const dir = join(root, 'work', player.name);
      mkdirSync(dir, { recursive: true });
      const hasWork = player.hasWork && (await leaveWork(dir, env));
      const program = fileURLToPath(new URL(`./agents/${player.name}`, import.meta.url));
      const words = ['bash', program, ...(player.callsTown ? command : [])];
      await town(['session', 'start', player.name, '--dir', dir, '--', ...words]);
      return hasWork;
    },
    strike: async (keep) => {
      const left: string[] = [];
      const tried = <T>(work: Promise<T>): Promise<T | null> =>
        work.catch((error: unknown) => {
          left.push(error instanceof Error ? error.message : String(error));
          return null;
        });
      // Also those that dropped the environment they were started with; whose parents end with tmux, nothing else proves.
      const agents = (await tried(agentsOf(disk, processes))) ?? [];
      await tried(runTown(command, ['down', '--purge'], { env, exits: [0], cwd: root }));
      await execa('tmux', ['-S', socket, 'kill-server'], { env, extendEnv: false, cwd: '/', reject: false });
      left.push(...((await tried(endAll(agents, `HOME=${home}`, processes))) ?? []));
      if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
      return left;
    },
  };
}

function environmentFor(home: string): Record<string, string> {
  const kept = Object.entries(scrubbedEnvironment(process.env)).filter(([name]) => !OTHERS.test(name));
  return { ...Object.fromEntries(kept), HOME: home, XDG_CONFIG_HOME: home };
}

interface Call {
  readonly env: Readonly<Record<string, string>>;
  readonly exits: readonly number[];
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

async function runTown(command: readonly string[], args: readonly string[], call: Call): Promise<unknown> {
  const [node = '', ...before] = command;
  const { env, exits, cwd, signal } = call;
  const end = args.indexOf('--');
  const words = end < 0 ? [...args, '--json'] : [...args.slice(0, end), '--json', ...args.slice(end)];
  const ran = await execa(node, [...before, ...words], {
    ...{ env, cwd, extendEnv: false, reject: false, stdin: 'ignore', timeout: COMMAND_MS, detached: true },
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  const how = ran.timedOut ? `did not end within ${COMMAND_MS} ms` : `ended with exit code ${ran.exitCode ?? 'none'}`;
  if (ran.exitCode === undefined || !exits.includes(ran.exitCode)) {
    throw new StageFailed(`\`town ${args.join(' ')}\` ${how}: ${saidBy(ran.stderr)}`);
  }
  try {
    return (JSON.parse(ran.stdout) as { readonly data?: unknown }).data;
  } catch (error) {
    throw new StageFailed(`\`town ${args.join(' ')}\` printed no JSON: ${ran.stdout.slice(0, QUOTED)}`, {
      cause: error,
    });
  }
}

/** The message of a JSON error, or what else was said. */
function saidBy(stderr: string): string {
  const line = stderr.split('\n').find((text) => text.startsWith('{"schema":"error/1"'));
  if (line === undefined) return stderr.trim().slice(-QUOTED);
  return (JSON.parse(line) as { readonly error: { readonly message: string } }).error.message;
}

/** A commit, and an uncommitted file beside it: what an execution may not lose. False where there is no git. */
async function leaveWork(dir: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const git = (...args: string[]) => execa('git', args, { env, extendEnv: false, cwd: dir });
  const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];
  const begun = await execa('git', ['init', '-q'], { env, extendEnv: false, cwd: dir, reject: false });
  if (begun.code === 'ENOENT') return false;
  if (begun.failed) throw new StageFailed(`git made no repository in ${dir}: ${begun.stderr}`);
  await git(...author, 'commit', '-q', '--allow-empty', '-m', 'Begin');
  writeFileSync(join(dir, 'draft.txt'), 'Nobody has committed this yet.\n');
  return true;
}

/** Every process of every session, whatever became of its parent. */
async function agentsOf(disk: Disk, processes: Processes): Promise<Proc[]> {
  const { sessions } = await look(disk, processes);
  const lives = [...sessions.values()].flatMap(({ incarnation }) => (incarnation === null ? [] : [incarnation]));
  return (await Promise.all(lives.map((life) => processes.treeOf(life, null)))).flat();
}

/** Those given and all with this entry in their environment, again and again: who is listed may start another first. */
async function endAll(given: readonly Proc[], entry: string, processes: ProcessTable): Promise<string[]> {
  const until = systemClock.now() + GONE_MS;
  for (;;) {
    const living = [...given.filter((proc) => processes.alive(proc)), ...(await processes.carrying(entry))];
    if (living.length === 0) return [];
    if (systemClock.now() >= until) return living.map(({ pid }) => `pid ${pid} is still there`);
    for (const proc of living) processes.signal(proc, 'KILL');
    await systemClock.sleep(GONE_EVERY_MS);
  }
}
