/**
 * Strikes a stage: ends town, guard, tmux server and all agents, also agents that ignore their end or are not on record
 * yet. All were started with the stage's HOME, and each pid is verified first. It knows a stage by its root alone, so
 * that another process can strike it too.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Proc } from '../../machines/protocol.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { systemClock } from '../ports/clock.ts';
import { ownProgram } from '../guard/launch.ts';
import type { Processes } from '../ports/ports.ts';
import { createProcesses, type ProcessTable } from '../proc/processes.ts';
import { scrubbedEnvironment } from '../proc/environment.ts';
import { runTown } from './command.ts';
import { look } from './watch.ts';

/** Not handed to anything of a demo: another town's variables would change this one. */
const OTHERS = /^(TOWN|GT|FUGUE)_/;
const GONE_EVERY_MS = 20;
/** After KILL a process is gone as soon as the system gets to it. */
const GONE_MS = 3_000;

/** What a stage is made of. */
export interface Boards {
  readonly root: string;
  /** Path of the tmux socket. */
  readonly socket: string;
  readonly home: string;
  /** In which everything of the stage is started. */
  readonly env: Readonly<Record<string, string>>;
  /** The town's command as words. */
  readonly command: readonly string[];
  readonly disk: Disk;
  readonly processes: ProcessTable;
}

export function boardsOf(root: string): Boards {
  const home = join(root, 'home');
  return {
    root,
    home,
    socket: join(root, 'tmux'),
    env: environmentFor(home),
    command: [...ownProgram('main'), '--root', root],
    disk: realDisk(root, performance.timeOrigin),
    processes: createProcesses(),
  };
}

/** Ends all that was started. Resolves with what would not go, in words; empty = nothing is left. */
export async function strike(
  { root, socket, home, env, command, disk, processes }: Boards,
  keep: boolean,
): Promise<string[]> {
  const left: string[] = [];
  const tried = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      left.push(error instanceof Error ? error.message : String(error));
      return null;
    });
  // Also those that dropped the environment they were started with; whose parents end with tmux, nothing else proves.
  const agents = (await tried(agentsOf(disk, processes))) ?? [];
  await tried(runTown(command, ['down', '--purge'], { env, cwd: root }));
  await execa('tmux', ['-S', socket, 'kill-server'], { env, extendEnv: false, cwd: '/', reject: false });
  left.push(...((await tried(endAll(agents, `HOME=${home}`, processes))) ?? []));
  if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  return left;
}

function environmentFor(home: string): Record<string, string> {
  const kept = Object.entries(scrubbedEnvironment(process.env)).filter(([name]) => !OTHERS.test(name));
  return { ...Object.fromEntries(kept), HOME: home, XDG_CONFIG_HOME: home };
}

/** Every process of every session, also those without a living parent. */
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
