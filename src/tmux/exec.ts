/**
 * One call of the tmux program: arguments as an array, no shell, a limit, the folder / and a clean environment.
 * 1. An argument that ends in `;` separates commands; here it never does. Sequences are made of whole commands.
 * 2. It is Node's own spawn: to load execa costs as much as eight calls.
 * 3. It never calls a socket that another user owns or could replace (state/files/ownership.ts).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../machines/protocol.ts';
import { codeOf } from '../../state/files/disk.ts';
import { TmuxError, faultOf } from './errors.ts';
import { asLabel, foreignSocket } from './socket.ts';
import { span } from '../../machines/kernel/span.ts';

/** Where tmux is and how it is called. */
export interface Place {
  readonly binary: string;
  /** Absolute. */
  readonly socketPath: string;
  /** What the client hands to the server; a server that it starts keeps it. */
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: Ms;
}

/** What a call brought. `refused` = an error of tmux's own or of a hook of the user's; what was printed still stands. */
export interface Answer {
  readonly stdout: string;
  readonly refused: string | null;
}

/** The words for one command line argument each; a `;` at a word's end stays text. */
export function words(commands: readonly (readonly string[])[]): string[] {
  return commands.flatMap((command, at) => [...(at === 0 ? [] : [';']), ...command.map(plain)]);
}

function plain(word: string): string {
  return word.endsWith(';') ? `${word.slice(0, -1)}\\;` : word;
}

/** Runs the commands in order in one go, none after one that failed; never starts a server. Throws TmuxError, except for `refused`. */
export async function runOnce(place: Place, commands: readonly (readonly string[])[], input?: string): Promise<Answer> {
  mustBeOurSocket(place);
  const args = ['-u', '-N', '-S', place.socketPath, ...words(commands)];
  return answerOf(place, await run(place, place.env, args, input));
}

/** What `tmux -V` prints; makes no connection. Throws TmuxError. */
export async function versionOf(place: Place): Promise<string> {
  return answerOf(place, await run(place, place.env, ['-V'])).stdout.trim();
}

/** Throws TmuxError `unknown`. */
export function mustBeOurSocket({ socketPath }: Pick<Place, 'socketPath'>): void {
  const why = foreignSocket(socketPath);
  if (why !== null) throw new TmuxError('unknown', why);
}

/** tmux makes the folder of a named socket only for `-L`; with `-S` a first start would fail. */
export async function makeSocketFolder(place: Place): Promise<void> {
  const named = asLabel(place.socketPath);
  if (named === null || existsSync(dirname(place.socketPath))) return;
  mustBeOurSocket(place);
  const env = { ...place.env, TMUX_TMPDIR: named.tmpdir };
  await run(place, env, ['-N', '-L', named.label, 'list-sessions']);
}

/** How a call ended; null = the limit was over first. */
type Ran = Ended | null;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** null = it did not come to an end by itself. */
  readonly exitCode: number | null;
  /** Why it did not. */
  readonly why: string | null;
  /** It could not even be started. */
  readonly cause?: unknown;
}

async function run(
  place: Place,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const { child, ended } = spawned(place.binary, args, env, input);
  const over = new AbortController();
  const limit = pause(place.limitMs, null, { signal: over.signal }).catch(() => null); // Aborted: the answer was first.
  const ran = await Promise.race([ended, limit]);
  over.abort();
  if (ran !== null) return ran;
  // A client hands its output to the server, so a silent server holds the pipe open after the client's end.
  child?.kill('SIGKILL');
  child?.stdout?.destroy();
  child?.stderr?.destroy();
  return null;
}

function spawned(
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
): { readonly child: ChildProcess | null; readonly ended: Promise<Ended> } {
  let child: ChildProcess;
  try {
    child = spawn(binary, args, { cwd: '/', env });
  } catch (cause) {
    return { child: null, ended: Promise.resolve(notStarted(cause)) };
  }
  // Without a descriptor left there are no streams.
  const [stdout, stderr] = [gathered(child.stdout), gathered(child.stderr)];
  child.stdin?.on('error', () => undefined).end(input); // Who reads nothing tells by its end.
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (cause) => resolve(notStarted(cause)));
    child.once('close', (exitCode, why) => resolve({ stdout: stdout(), stderr: stderr(), exitCode, why }));
  });
  return { child, ended };
}

function notStarted(cause: unknown): Ended {
  return { stdout: '', stderr: '', exitCode: null, why: codeOf(cause) || null, cause };
}

/** What came so far. Letters are put together only in the end: one may be in two pieces. */
function gathered(stream: ChildProcess['stdout']): () => string {
  const chunks: Buffer[] = [];
  stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function answerOf(place: Place, ran: Ran): Answer {
  const { socketPath, limitMs, binary } = place;
  if (ran === null) throw new TmuxError('unknown', `tmux on ${socketPath} did not answer within ${span(limitMs)}`);
  if (ran.exitCode === 0) return { stdout: ran.stdout, refused: null };
  if (ran.why === 'ENOENT')
    throw new TmuxError('absent', `there is no program ${JSON.stringify(binary)} in PATH; install tmux 3.2 or newer`);
  if (ran.exitCode === null)
    throw new TmuxError('unknown', `tmux on ${socketPath} gave no answer (${ran.why ?? 'no reason'})`, {
      cause: ran.cause,
    });
  const said = ran.stderr.trim();
  const fault = faultOf(said);
  if (fault === 'refused') return { stdout: ran.stdout, refused: said };
  throw new TmuxError(fault, said === '' ? `tmux on ${socketPath} ended with ${ran.exitCode} and no word` : said);
}
