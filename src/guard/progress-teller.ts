/**
 * The town's word to its guard: dials the guard's own socket and tells how far its step loop is. A guard that is gone or
 * new is dialled again, and hears the newest word at once.
 */
import { connect, type Socket } from 'node:net';
import type { ProcessPolicy } from '../ports/policy.ts';
import type { Proc } from '../../machines/protocol.ts';
import { socketRefusedAt } from '../../state/files/trusted-roots.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { pace } from '../ports/pace.ts';
import type { ProgressLine } from './ear.ts';

/** A guard that hears this many times per `progressEveryMs` misses no progress by a little lateness. */
const TOLD_PER_PROGRESS = 2;

type TellerPolicy = Pick<ProcessPolicy, 'progressEveryMs' | 'watchEveryMs' | 'maxSocketPathBytes'>;

export interface ProgressTeller {
  /** At most twice per `progressEveryMs`; the newest counts. */
  tell(steps: number, saving: boolean): void;
  close(): void;
}

export function tellerTo(
  root: string,
  { pid, started }: Proc,
  { progressEveryMs, watchEveryMs, maxSocketPathBytes }: TellerPolicy,
): ProgressTeller {
  const path = socketPath(root, maxSocketPathBytes, 'guard');
  let latest: ProgressLine | null = null;
  let guard: Socket | null = null;
  let redial: NodeJS.Timeout | null = null;
  let isClosed = false;
  const write = (): void => {
    if (guard?.readyState === 'open') guard.write(`${JSON.stringify(latest)}\n`);
  };
  const dialLater = (): void => {
    guard = null;
    if (!isClosed) redial = setTimeout(dial, watchEveryMs).unref();
  };
  /** Another user's socket is left alone. */
  const dial = (): void => {
    if (socketRefusedAt(path) !== null) return dialLater();
    guard = connect(path, write)
      .on('error', () => undefined)
      .on('close', dialLater)
      .resume()
      .unref();
  };
  const telling = pace(write, progressEveryMs / TOLD_PER_PROGRESS);
  return {
    tell: (steps, saving) => {
      const isFirst = latest === null;
      latest = { pid, started, steps, saving };
      if (isFirst) dial();
      telling.act('progress');
    },
    close: () => {
      isClosed = true;
      telling.stop();
      clearTimeout(redial ?? undefined);
      guard?.destroy();
    },
  };
}
