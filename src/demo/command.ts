/** One command of the demo's town: the shipped program with --json, in a process group of its own. */
import { execa } from 'execa';
import { COMMAND_MS } from './times.ts';

const QUOTED = 300;

/** A command of the town ended otherwise than it should. The message says which, how, and what it said. */
export class StageFailed extends Error {
  override readonly name = 'StageFailed';
}

interface Call {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** Resolves with its `data`. Rejects with `StageFailed` for an exit code that is not 0. */
export async function runTown(command: readonly string[], args: readonly string[], call: Call): Promise<unknown> {
  const [node = '', ...before] = command;
  const { env, cwd, signal } = call;
  const end = args.indexOf('--');
  const words = end < 0 ? [...args, '--json'] : [...args.slice(0, end), '--json', ...args.slice(end)];
  const ran = await execa(node, [...before, ...words], {
    env,
    cwd,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: COMMAND_MS,
    detached: true,
    ...(signal !== undefined && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (ran.exitCode !== 0) {
    const how = ran.timedOut ? `did not end within ${COMMAND_MS} ms` : `ended with exit code ${ran.exitCode ?? 'none'}`;
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
