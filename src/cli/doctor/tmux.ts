/** Checks of tmux: is it there, new enough, and does the person's configuration bite? */
import { textOf } from '../../../state/files/disk.ts';
import { homeFolder } from '../../../state/files/user.ts';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { listedEnvironment } from '../../proc/environment.ts';
import { isFault } from '../../tmux/errors.ts';
import { runOnce, versionOf } from '../../tmux/exec.ts';
import type { Holder } from '../../../state/process/socket-claim.ts';
import { heldText } from '../../tmux/socket-hold.ts';
import { impossibleSocket } from '../../tmux/socket.ts';
import type { Pin } from '../../tmux/pinned.ts';
import { bad, good, linesOf, unknown, warn, type Finding } from './finding.ts';

const LEAST = 3.2;

/** Options that change what happens to a detached agent, and the value that does. */
const HOSTILE: readonly (readonly [line: RegExp, harm: string])[] = [
  [/^(set\S*\s+(-\S+\s+)*)?destroy-unattached\s+(on|keep\S*)\b/, 'destroys a session as soon as no client is attached'],
  [
    /^(set\S*\s+(-\S+\s+)*)?exit-unattached\s+on\b/,
    'ends the server, and every agent, as soon as no client is attached',
  ],
  [
    /^(set\S*\s+(-\S+\s+)*)?default-command\s+["']?[^\s"']/,
    'runs in every new pane of yours; sessions of the town start their own command',
  ],
  [/^(set\S*\s+(-\S+\s+)*)?detach-on-destroy\s+off\b/, 'moves you into another session when an agent ends'],
  [
    /^(set-hook\s+(-\S+\s+)*)(after-new-session|session-created|window-linked|after-new-window)\b/,
    'acts on every new session, also on agents',
  ],
];

/** The place of the town's sessions. */
export interface Place {
  readonly settings: Settings;
  /** Absolute. */
  readonly socketPath: string;
}

const called = ({ settings, socketPath }: Place) => ({
  binary: 'tmux',
  socketPath,
  env: listedEnvironment('tmux client', process.env),
  limitMs: settings.hands.tmuxAnswerMs,
});

async function ask(place: Place, ...command: string[]): Promise<string> {
  const { stdout, refused } = await runOnce(called(place), [command]);
  if (refused !== null) throw new Error(refused);
  return stdout.trim();
}

export async function version(place: Place): Promise<Finding> {
  try {
    const text = await versionOf(called(place));
    const number = Number(/(\d+\.\d+)/.exec(text)?.[1]);
    // A development build is called `tmux next-3.6` or `tmux master`; it is newer than any release.
    if (number >= LEAST || /master|next/.test(text)) return good('tmux', text);
    return bad('tmux', `${text} is too old`, `install tmux ${LEAST} or newer, for example: apt-get install tmux`);
  } catch (error) {
    const next = 'apt-get install tmux (or brew install tmux); until then the town runs degraded';
    if (isFault(error, 'absent')) return bad('tmux', 'there is no tmux', next);
    return unknown('tmux', `tmux -V gave no answer: ${textOf(error)}`, 'try `tmux -V` yourself');
  }
}

/** A town that stands on one socket is not started on another, nor on one that another town has. */
export function socket({ socketPath, settings: { root } }: Place, pin: Pin, by: Holder | null): Finding {
  const refused = 'until then `town up` and `town restart` are refused';
  const never = impossibleSocket(socketPath);
  if (never !== null) return bad('tmux socket', never, refused);
  if (pin.kind === 'held') return bad('tmux socket', pin.why, refused);
  if (by === null) return good('tmux socket', `${socketPath}, which no town holds`);
  if (by.root === root) return good('tmux socket', `${socketPath}, which this town holds`);
  return bad('tmux socket', heldText(by, root, socketPath), refused);
}

function bites(lines: readonly string[], where: string): Finding[] {
  return lines.flatMap((raw) => {
    const line = raw.trim();
    const harm = HOSTILE.find(([pattern]) => pattern.test(line))?.[1];
    if (harm === undefined) return [];
    const next = 'the town sets what its own sessions need; take the line out if yours suffer';
    return [warn('tmux.conf', `${where}: \`${line}\` ${harm}`, next)];
  });
}

/** What the running server has set, and what the configuration files would set on the next one. */
export async function configuration(place: Place): Promise<Finding[]> {
  const home = homeFolder() ?? '/nonexistent'; // A user without one has no configuration there.
  const files = [
    join(home, '.tmux.conf'),
    join(process.env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'tmux/tmux.conf'),
  ];
  const written = files.flatMap((file) => bites(linesOf(file), file));
  try {
    const options = await ask(place, 'show-options', '-g');
    const server = await ask(place, 'show-options', '-s');
    const set = bites([...options.split('\n'), ...server.split('\n')], `the server on ${place.socketPath}`);
    const all = [...set, ...written];
    return all.length === 0 ? [good('tmux.conf', 'nothing in it harms agents')] : all;
  } catch (error) {
    if (isFault(error, 'none') || isFault(error, 'absent')) {
      return written.length === 0
        ? [good('tmux.conf', 'no server runs, and the files hold nothing that harms agents')]
        : written;
    }
    return [...written, unknown('tmux.conf', `tmux did not report its options: ${textOf(error)}`, 'try again')];
  }
}
