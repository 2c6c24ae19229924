/**
 * The hooks of Claude Code that bring its words to the town: one that the town starts gets them at its start, beside those of its user,
 * without a change to a file of its user's. Those that a person installs for adopted agents stand in the user's own settings.
 * 1. A hook is a command that calls the town's socket by curl: where the town is down it says nothing, and no line of it shows in the
 *    transcript. A hook of type `http` would leave two red lines there each time.
 * 2. A question is held until it is answered. While the town is away the command tries again, so a question outlives the town.
 *    It tries for a few seconds to say why a turn halted: a town that starts again is usually back by then. A start waits for no town.
 * 3. It proves its life by what its environment holds: nothing secret stands in the file or on a command line.
 * 4. It speaks only to a socket of its own user. A root with a long path has it in a folder for all users, where another one could
 *    put theirs while the town is away.
 * 5. An installed hook does nothing in an agent that the town started, and never tries again: most of its agents are in no town.
 */
import { request } from 'node:http';
import * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import type { Settings } from '../config/settings.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { quote } from '../tmux/quoting.ts';
import { HALT } from '../../state/sessions/halts.ts';
import { HELD, NONE_HELD, type HeldQuestions } from './held-questions.ts';
import { CALLER_HEADERS, MARK } from './hook-caller.ts';
import { SOURCES } from './policy.ts';

export const HOOK_PATHS = { hook: '/hook', held: '/held', halt: '/halt', heard: '/heard' } as const;
export const HOLDER_HEADERS = { uuid: 'x-town-life', token: 'x-town-token' } as const;

/** The program that carries a hook to the town. */
export const HOOK_PROGRAM = 'curl';

/** A day: how long Claude Code waits for a hook's command at most. Its dialog stands all the time. */
export const HOLD_SECONDS = 86_400;
/** The same for a hook that only tells: longer than its command takes at most. */
const HOOK_SECONDS = 10;
const SECOND = 1_000;

/** Absolute, for both sides. */
export const hooksSocket = ({ root, process }: Pick<Settings, 'root' | 'process'>): string =>
  socketPath(root, process.maxSocketPathBytes, 'hooks');

/** The text of the file behind `claude --settings`. `socket` is absolute. */
export function claudeSettings(socket: string): string {
  const again = ['--retry', '1000000', '--retry-delay', '1', '--retry-all-errors'];
  const once = ['--max-time', String(SOURCES.answerMs / SECOND)];
  const held = [{ hooks: [{ type: 'command', command: callBy(socket, again), timeout: HOLD_SECONDS }] }];
  const started = [{ hooks: [{ type: 'command', command: callBy(socket, once), timeout: HOOK_SECONDS }] }];
  const halted = [
    { hooks: [{ type: 'command', command: callBy(socket, [...once, ...FOR_A_WHILE]), timeout: HOOK_SECONDS }] },
  ];
  const hooks = { PermissionRequest: held, StopFailure: halted, PermissionDenied: halted, [START]: started };
  return `${JSON.stringify({ hooks }, null, 2)}\n`;
}

const SECONDS = String(SOURCES.haltTriesMs / SECOND);
/** Tries again each second after any fault, a connection that ended without an answer included. The agent waits meanwhile. */
const FOR_A_WHILE = ['--retry', SECONDS, '--retry-delay', '1', '--retry-max-time', SECONDS, '--retry-all-errors'];

/** What tells a command of ours from others. */
const ADDRESS = `http://town${HOOK_PATHS.hook}`;

/** A hook's words to the town, for `sh`. The third descriptor brings its headers. */
function callOf(socket: string, more: readonly string[]): string {
  const words = ['-q', '-s', '-K', '/dev/fd/3', '--unix-socket', socket, '--noproxy', '*', '--data-binary', '@-'];
  return [HOOK_PROGRAM, ...words, ...more, ADDRESS].map(quote).join(' ');
}

/** A command for `sh` that brings its input to the town and prints the answer. */
function callBy(socket: string, more: readonly string[]): string {
  return `[ -e ${quote(socket)} ] && [ ! -O ${quote(socket)} ] || ${callOf(socket, more)} 2>/dev/null 3<<END || :
header = "${HOLDER_HEADERS.uuid}: $TOWN_INCARNATION"
header = "${HOLDER_HEADERS.token}: $TOWN_TOKEN"
END`;
}

export interface Hook {
  readonly event: string;
  readonly command: string;
  /** Seconds that Claude Code waits for it. */
  readonly timeout: number;
}

/** The hooks that a person installs for adopted agents. The first line of each command says which version wrote it. */
export function installedHooks(socket: string, version: string): readonly Hook[] {
  const once = ['--max-time', String(SOURCES.answerMs / SECOND)];
  const told = { command: callAsProcess(socket, once, version), timeout: HOOK_SECONDS };
  const held = { command: callAsProcess(socket, [], version), timeout: HOLD_SECONDS };
  const events = ['StopFailure', 'PermissionDenied', START].map((event) => ({ event, ...told }));
  return [{ event: 'PermissionRequest', ...held }, ...events];
}

const WRITER = '# townwatch ';

/** The version that wrote this command, and whether it calls this socket; null = it is none of ours. */
export function installedBy(
  command: string,
  socket: string,
): { readonly version: string; readonly isHere: boolean } | null {
  if (!command.startsWith(WRITER) || !command.includes(ADDRESS)) return null;
  const [line = ''] = command.split('\n');
  return { version: line.slice(WRITER.length), isHere: command.includes(` ${quote(socket)} `) };
}

/** The inner shell becomes the program that calls, so that its number is the caller's, and its mark stands in that process's environment. */
const callAsProcess = (socket: string, more: readonly string[], version: string): string => `${WRITER}${version}
[ -n "$TOWN_TOKEN" ] || [ ! -O ${quote(socket)} ] || {
read -r ${MARK} </proc/sys/kernel/random/uuid && export ${MARK} &&
sh -c 'exec "$@" 3<<END
header = "${CALLER_HEADERS.process}: $$"
header = "${CALLER_HEADERS.mark}: $${MARK}"
END' sh ${callOf(socket, more)}
} 2>/dev/null || :`;

/** What the town heard from installed hooks since it began. */
const HEARD = z.object({
  /** Wall ms. */
  since: z.number(),
  /** By the uuid of an adopted life. */
  adopted: z.record(z.string(), z.object({ events: z.int(), at: z.number() })),
  /** Hooks of programs that no session of the town has. */
  unwatched: z.int(),
  /** Hooks that no process was found for. */
  unproved: z.int(),
});
export type HooksHeard = z.output<typeof HEARD>;

/** null = the town is down, or older. Never rejects. */
export const hooksHeard = async (settings: Pick<Settings, 'root' | 'process'>): Promise<HooksHeard | null> =>
  HEARD.safeParse(await askTown(hooksSocket(settings), HOOK_PATHS.heard, {})).data ?? null;

/** A hook's event: its program starts, or goes on with a conversation. What its command prints comes before the model. */
export const START = 'SessionStart';
const STARTED = z.object({ hook_event_name: z.literal(START), session_id: z.uuid() });
export const isStart = (body: string): boolean => STARTED.safeParse(orNull(() => JSON.parse(body) as unknown)).success;

/** What the running town holds, for a process beside it that only shows it. `tokenOf`: of a life; null = it cannot be told. */
export function heldByTown(
  settings: Pick<Settings, 'root' | 'process'>,
  tokenOf: (uuid: string) => Promise<string | null>,
): HeldQuestions {
  const ask = async (path: string, uuid: string): Promise<unknown> => {
    const token = await tokenOf(uuid);
    const headers = { [HOLDER_HEADERS.uuid]: uuid, [HOLDER_HEADERS.token]: token ?? '' };
    return token === null ? null : askTown(hooksSocket(settings), path, headers);
  };
  return {
    ...NONE_HELD,
    of: async (uuid) => LIST.safeParse(await ask(HOOK_PATHS.held, uuid)).data ?? [],
    haltOf: async (uuid) => HALT.safeParse(await ask(HOOK_PATHS.halt, uuid)).data ?? null,
  };
}

const LIST = z.array(HELD);

/** null where the town is down or does not answer. */
function askTown(socketPath: string, path: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(SOURCES.answerMs);
    const call = request({ socketPath, path, headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(null));
      response.on('end', () => resolve(orNull(() => JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown)));
    });
    call.on('error', () => resolve(null));
    call.end();
  });
}
