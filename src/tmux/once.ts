/**
 * One call of the tmux program: arguments as an array, no shell, a limit, the folder / and a clean environment.
 * 1. An argument that ends in `;` separates commands; here it never does. Sequences are made of whole commands.
 * 2. execa is loaded with the first call: a program that only reads files does not pay for it.
 * 3. Nobody is called on a socket that others own or could put theirs in the place of (state/whose.ts).
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { execa as Execa } from 'execa';
import type { Ms } from '../../machines/protocol.ts';
import { TmuxError, faultOf } from './errors.ts';
import { asLabel, foreignSocket } from './socket.ts';

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

/** What `tmux -V` prints; connects to nobody. Throws TmuxError. */
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

/** What execa reports, or null when the limit was over first. */
type Ran = Awaited<ReturnType<typeof spawn>> | null;

async function run(
  place: Place,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<Ran> {
  const { execa } = await import('execa');
  const child = spawn(execa, place.binary, args, env, input);
  const over = new AbortController();
  const limit = pause(place.limitMs, null, { signal: over.signal }).catch(() => null); // Aborted: the answer was first.
  const ran = await Promise.race([child, limit]);
  over.abort();
  if (ran !== null) return ran;
  // A client hands its output to the server, so a silent server holds the pipe open after the client's end.
  child.kill('SIGKILL');
  child.stdout.destroy();
  child.stderr.destroy();
  return null;
}

function spawn(
  execa: typeof Execa,
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input: string,
) {
  return execa(binary, args, {
    reject: false,
    stripFinalNewline: false,
    encoding: 'utf8',
    cwd: '/',
    env: { ...env },
    extendEnv: false,
    input,
  });
}

function answerOf(place: Place, ran: Ran): Answer {
  const { socketPath, limitMs, binary } = place;
  if (ran === null) throw new TmuxError('unknown', `tmux on ${socketPath} did not answer within ${limitMs} ms`);
  if (!ran.failed) return { stdout: ran.stdout, refused: null };
  if (ran.code === 'ENOENT')
    throw new TmuxError('absent', `there is no program ${JSON.stringify(binary)} in PATH; install tmux 3.2 or newer`);
  if (ran.exitCode === undefined)
    throw new TmuxError('unknown', `tmux on ${socketPath} gave no answer (${ran.code ?? ran.signal ?? 'no reason'})`, {
      cause: ran,
    });
  const said = ran.stderr.trim();
  const fault = faultOf(said);
  if (fault === 'refused') return { stdout: ran.stdout, refused: said };
  throw new TmuxError(fault, said === '' ? `tmux on ${socketPath} ended with ${ran.exitCode} and no word` : said);
}
