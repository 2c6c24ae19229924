/**
 * A town of the checkout under test, on the stage's tmux server: outside of the stage's namespace, but for programs and channels that
 * it hears on the loopback.
 */
import { execa } from 'execa';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';
import { writeConfig } from '../world/config.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const POLL_MS = 1_000;

export interface Verdict {
  readonly verdict: string;
  readonly reason: string;
}

export interface Start {
  readonly restart?: string;
  readonly tags?: readonly string[];
}

export interface BenchTown {
  readonly root: string;
  /** What a command answers with `--json`. */
  told<T>(...words: string[]): Promise<T>;
  /** `restart` as `town session start` has it; by default it ends for good. */
  start(session: string, command: readonly string[], more?: Start): Promise<void>;
  /** The same for words that name their environment, in any folder. */
  startIn(session: string, dir: string, command: readonly string[], more?: Start): Promise<void>;
  /** A command of an agent's own, by its token. Rejects where the town refuses. */
  byAgent(session: string, ...words: string[]): Promise<void>;
  /** Nudges an agent by its own token, as a program below it may; again while the town refuses, and throws when time is over. */
  relay(session: string, text: string, withinMs: number): Promise<void>;
  /** Files a warrant, `unheard` one that asks for no hearing, and waits; `none` = no verdict within the time. */
  judge(session: string, withinMs: number, unheard: boolean): Promise<Verdict>;
}

const stderrOf = (error: unknown): string => (error as { stderr?: string }).stderr?.trim() ?? String(error);

function tokenOf(stage: Stage, session: string): string {
  const pid = stage.tmux('display-message', '-p', '-t', `=${session}:`, '#{pane_pid}').trim();
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const token = variables.find((variable) => variable.startsWith('TOWN_TOKEN='));
  if (token === undefined) throw new Error(`the session ${session} has no token`);
  return token.slice('TOWN_TOKEN='.length);
}

/** `path`: where the town finds its programs. `isInside`: whether it runs in the stage's namespace. */
export async function openTown(
  stage: Stage,
  settings: string,
  path = process.env['PATH'] ?? '',
  isInside = stage.program.serves === true,
): Promise<BenchTown> {
  const root = join(stage.home, '.town');
  mkdirSync(root);
  const config = `[tmux]\nsocket = ${JSON.stringify(stage.socket)}\n${settings}`;
  const numbers = writeConfig(join(root, 'town.toml'), config, join(root, 'numbers.toml'));
  const ofAgent = { PATH: path, HOME: stage.home, LANG: 'C.UTF-8' };
  const env = { ...ofAgent, ...numbers };
  const node = process.execPath;
  const [program, ...first] = isInside ? ['nsenter', ...stage.enter, node] : [node];
  const calls = (variables: Record<string, string>, words: readonly string[]) =>
    execa(program, [...first, MAIN, '--root', root, ...words], { env: variables, extendEnv: false, cwd: stage.home });
  const town = (...words: string[]) => calls(env, words);
  const told = async <T>(...words: string[]): Promise<T> =>
    (JSON.parse((await town('--json', ...words)).stdout) as { data: T }).data;
  stage.endsWith(async () => {
    await town('down', '--purge');
  });
  await town('up');
  const startIn: BenchTown['startIn'] = async (session, dir, command, { restart = 'temporary', tags = [] } = {}) => {
    const tagged = tags.flatMap((tag) => ['--tag', tag]);
    await town('session', 'start', session, '--dir', dir, '--restart', restart, ...tagged, '--', ...command);
  };
  return {
    root,
    told,
    startIn,
    start: (session, command, more) => {
      const variables = Object.entries(stage.env).map(([name, value]) => `${name}=${value}`);
      return startIn(session, stage.dir, ['env', ...variables, 'TERM=screen-256color', ...command], more);
    },
    byAgent: async (session, ...words) => {
      await calls({ ...ofAgent, TOWN_TOKEN: tokenOf(stage, session) }, words);
    },
    relay: async (session, text, withinMs) => {
      const caller = { ...ofAgent, TOWN_TOKEN: tokenOf(stage, session) };
      for (const end = Date.now() + withinMs; ;) {
        try {
          await calls(caller, ['nudge', session, text]);
          return;
        } catch (error) {
          if (Date.now() > end)
            throw new Error(`${JSON.stringify(text)} was not typed: ${stderrOf(error)}`, { cause: error });
          await pause(POLL_MS);
        }
      }
    },
    judge: async (session, withinMs, unheard) => {
      const words = unheard ? ['session', 'kill', session, '--force'] : ['warrant', 'file', session, '--by', 'bench'];
      const { id } = await told<{ id: string }>(...words, '--reason', 'no output for an hour');
      const end = Date.now() + withinMs;
      while (Date.now() < end) {
        await pause(POLL_MS);
        const { state, verdict, reason } = await told<{ state: string } & Verdict>('warrant', 'show', id);
        if (state === 'closed') return { verdict, reason };
      }
      const { note } = await told<{ note?: string }>('warrant', 'show', id);
      return { verdict: 'none', reason: note ?? 'no verdict in time' };
    },
  };
}
