/**
 * The hooks that a Claude Code gets from the town at its start, beside those of its user, without a change to a file of its user's.
 * 1. A hook is a command that calls the town's socket by curl: where the town is down it says nothing, and no line of it shows in the
 *    transcript. A hook of type `http` would leave two red lines there each time.
 * 2. A question is held until it is answered. While the town is away the command tries again, so a question outlives the town.
 * 3. It proves its life by what its environment holds: nothing secret stands in the file or on a command line.
 */
import { request } from 'node:http';
import * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import type { Settings } from '../config/settings.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { quote } from '../tmux/quoting.ts';
import { HELD, NONE_HELD, type HeldQuestion, type HeldQuestions, type Holder } from './held.ts';
import { SOURCES } from './policy.ts';

export const HOOK_PATHS = { hook: '/hook', held: '/held' } as const;
export const HOLDER_HEADERS = { uuid: 'x-town-life', token: 'x-town-token' } as const;

/** The program that carries a hook to the town. */
export const HOOK_PROGRAM = 'curl';

/** A day: how long Claude Code waits for a hook's command at most. Its dialog stands all the time. */
const HOLD_SECONDS = 86_400;

/** Absolute, for both sides. */
export const hooksSocket = ({ root, process }: Pick<Settings, 'root' | 'process'>): string =>
  socketPath(root, process.maxSocketPathBytes, 'hooks');

/** The text of the file behind `claude --settings`. `socket` is absolute. */
export function claudeSettings(socket: string): string {
  const words = ['-q', '-s', '-K', '/dev/fd/3', '--unix-socket', socket, '--noproxy', '*', '--data-binary', '@-'];
  const again = ['--retry', '1000000', '--retry-delay', '1', '--retry-all-errors'];
  const call = [HOOK_PROGRAM, ...words, ...again, `http://town${HOOK_PATHS.hook}`].map(quote).join(' ');
  const command = `${call} 2>/dev/null 3<<END || :
header = "${HOLDER_HEADERS.uuid}: $TOWN_INCARNATION"
header = "${HOLDER_HEADERS.token}: $TOWN_TOKEN"
END`;
  const hooks = { PermissionRequest: [{ hooks: [{ type: 'command', command, timeout: HOLD_SECONDS }] }] };
  return `${JSON.stringify({ hooks }, null, 2)}\n`;
}

/** What the running town holds, for a process beside it that only shows it. */
export const heldByTown = (settings: Pick<Settings, 'root' | 'process'>): HeldQuestions => ({
  ...NONE_HELD,
  of: (holder) => askTown(hooksSocket(settings), holder),
});

const LIST = z.array(HELD);

/** Empty where the town is down or does not answer. */
function askTown(socketPath: string, { uuid, token }: Holder): Promise<readonly HeldQuestion[]> {
  return new Promise((resolve) => {
    const headers = { [HOLDER_HEADERS.uuid]: uuid, [HOLDER_HEADERS.token]: token };
    const signal = AbortSignal.timeout(SOURCES.answerMs);
    const call = request({ socketPath, path: HOOK_PATHS.held, headers, signal }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve([]));
      response.on('end', () => {
        const json = orNull(() => JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown);
        resolve(LIST.safeParse(json).data ?? []);
      });
    });
    call.on('error', () => resolve([]));
    call.end();
  });
}
