/**
 * Tells systemd how the town is, through `systemd-notify`: Node has no unix datagram sockets. Silent where there is no
 * NOTIFY_SOCKET. READY=1 once, WATCHDOG=1 after real progress, STOPPING=1 at the end.
 */
import { execFile } from 'node:child_process';
import type { Instant, Ms } from '../../machines/protocol.ts';
import { listedEnvironment } from '../proc/environment.ts';

export interface Systemd {
  /** A service manager started this process, and starts it again where it ends with an exit code of its own other than 0. */
  readonly restarts: boolean;
  ready(): void;
  /** Call it after real progress, as often as you like: it is passed on at the pace that systemd asked for. */
  progress(now: Instant): void;
  stopping(): void;
}

const US_PER_MS = 1_000;
/** What the names of our services begin with (src/service/manager.ts); launchd tells a process the name of its own. */
const LAUNCHD = 'dev.townwatch-';
/** systemd advises to report at half its limit; a third leaves room for one that is lost. */
const TIMES_PER_LIMIT = 3;

/** Reads NOTIFY_SOCKET and WATCHDOG_USEC; `complain` gets the first failure. */
export function createSystemd(
  env: Readonly<Record<string, string | undefined>>,
  limitMs: Ms,
  complain: (text: string) => void,
): Systemd {
  const socket = env['NOTIFY_SOCKET'];
  const everyMs = Number(env['WATCHDOG_USEC'] ?? Infinity) / US_PER_MS / TIMES_PER_LIMIT;
  let toldAt = -Infinity;
  let complained = false;
  const tell = (word: string): void => {
    if (socket === undefined) return;
    const options = { timeout: limitMs, env: { ...listedEnvironment('tool', env), NOTIFY_SOCKET: socket } };
    execFile('systemd-notify', [`--pid=${String(process.pid)}`, word], options, (error) => {
      if (error === null || complained) return;
      complained = true;
      complain(`Townwatch could not report ${word} to systemd: ${error.message}`);
    });
  };
  return {
    restarts: socket !== undefined || (env['XPC_SERVICE_NAME'] ?? '').startsWith(LAUNCHD),
    ready: () => tell('READY=1'),
    progress: (now) => {
      if (!Number.isFinite(everyMs) || now - toldAt < everyMs) return;
      toldAt = now;
      tell('WATCHDOG=1');
    },
    stopping: () => tell('STOPPING=1'),
  };
}
