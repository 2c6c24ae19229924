/**
 * The hooks that a Claude Code gets from the town at its start, beside those of its user, without a change to a file of its user's.
 * 1. A hook is a command that calls the town's socket by curl: where the town is down it says nothing, and no line of it shows in the
 *    transcript. A hook of type `http` would leave two red lines there each time.
 * 2. A question is held until it is answered. While the town is away the command tries again, so a question outlives the town.
 *    It tries for a few seconds to say why a turn halted: a town that starts again is usually back by then. A start waits for no town.
 * 3. It proves its life by what its environment holds: nothing secret stands in the file or on a command line.
 */
import { request } from 'node:http';
import * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import type { Settings } from '../config/settings.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { quote } from '../tmux/quoting.ts';
import { HALT } from '../../state/sessions/halts.ts';
import { HELD, NONE_HELD, type HeldQuestions, type Holder } from './held.ts';
import { SOURCES } from './policy.ts';

export const HOOK_PATHS = { hook: '/hook', held: '/held', halt: '/halt' } as const;
export const HOLDER_HEADERS = { uuid: 'x-town-life', token: 'x-town-token' } as const;

/** The program that carries a hook to the town. */
export const HOOK_PROGRAM = 'curl';

/** A day: how long Claude Code waits for a hook's command at most. Its dialog stands all the time. */
const HOLD_SECONDS = 86_400;
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

/** A command for `sh` that brings its input to the town and prints the answer. */
function callBy(socket: string, more: readonly string[]): string {
  const words = ['-q', '-s', '-K', '/dev/fd/3', '--unix-socket', socket, '--noproxy', '*', '--data-binary', '@-'];
  const call = [HOOK_PROGRAM, ...words, ...more, `http://town${HOOK_PATHS.hook}`].map(quote).join(' ');
  return `${call} 2>/dev/null 3<<END || :
header = "${HOLDER_HEADERS.uuid}: $TOWN_INCARNATION"
header = "${HOLDER_HEADERS.token}: $TOWN_TOKEN"
END`;
}

/** A hook's event: its program starts, or goes on with a conversation. What its command prints comes before the model. */
export const START = 'SessionStart';
const STARTED = z.object({ hook_event_name: z.literal(START), session_id: z.uuid() });
export const isStart = (body: string): boolean => STARTED.safeParse(orNull(() => JSON.parse(body) as unknown)).success;

/** What the running town holds, for a process beside it that only shows it. */
export const heldByTown = (settings: Pick<Settings, 'root' | 'process'>): HeldQuestions => ({
  ...NONE_HELD,
  of: async (holder) => LIST.safeParse(await askTown(hooksSocket(settings), HOOK_PATHS.held, holder)).data ?? [],
  haltOf: async (holder) => HALT.safeParse(await askTown(hooksSocket(settings), HOOK_PATHS.halt, holder)).data ?? null,
});

const LIST = z.array(HELD);

/** null where the town is down or does not answer. */
function askTown(socketPath: string, path: string, { uuid, token }: Holder): Promise<unknown> {
  return new Promise((resolve) => {
    const headers = { [HOLDER_HEADERS.uuid]: uuid, [HOLDER_HEADERS.token]: token };
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
