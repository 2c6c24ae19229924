/**
 * Tells a person of the guard's alarms. The town may never come up again: the guard sees to the end of a window itself, and has a
 * command deliver what waits for channels while no process of a town does.
 */
import { spawn } from 'node:child_process';
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { CHANNELS } from '../../machines/channels/policy.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import { FILES, FOLDERS, isRecordName } from '../../state/files/layout.ts';
import { lockFile } from '../../state/process/lock.ts';
import { Bell, causeOf } from '../alerts/bell.ts';
import { systemClock } from '../ports/clock.ts';
import { isoOf } from '../../machines/kernel/iso-time.ts';
import { ownProgram } from './launch.ts';
import type { GuardOrders } from './orders.ts';

/** The alarm of this text. Never rejects because of a channel. */
export function tellerOf(
  { root, notify, channels, policy }: GuardOrders,
  disk: Disk,
  say: (text: string) => void,
): (text: string) => Promise<void> {
  const wall = (): number => systemClock.wall();
  const bell = new Bell({ root, disk, command: notify, channels, limitMs: policy.notifyMs, wall });
  const reported = async (ringing: Promise<string | null>): Promise<void> => {
    const failure = await ringing;
    if (failure !== null) say(failure);
  };
  const deliver = delivererOf(root, disk, say);
  let late: NodeJS.Timeout | null = null;
  const ringLate = async (): Promise<void> => {
    await reported(bell.ringLate());
    if (channels) await deliver();
  };
  return async (text) => {
    late ??= setInterval(() => void ringLate(), NOTIFY.lookEveryMs).unref();
    const notice = { schema: 'notice/1', kind: 'guard', text, at: isoOf(wall()), root } as const;
    await reported(bell.ring(notice, causeOf('guard')));
    if (channels) await deliver();
  };
}

/** One at a time, and not again at once. Its secrets are in town.toml and its variables: none is in the guard's own orders. */
function delivererOf(root: string, disk: Disk, say: (text: string) => void): () => Promise<void> {
  let isRunning = false;
  let startedAt = -Infinity;
  return async () => {
    const isDue = !isRunning && systemClock.now() - startedAt >= CHANNELS.guardEveryMs;
    try {
      if (!isDue || !(await disk.list(FOLDERS.spool)).some(isRecordName)) return;
      const lock = await lockFile({ root, disk }, FILES.channelsLock);
      if (lock === null) return; // the town's own process delivers
      lock.release();
    } catch (error) {
      say(`what waits for channels is not known: ${textOf(error)}`);
      return;
    }
    startedAt = systemClock.now();
    isRunning = true;
    const [program, main] = ownProgram('main');
    spawn(program, [main, '--root', root, 'channel', 'deliver'], { cwd: '/', stdio: 'ignore' })
      .on('error', (error) => say(`what waits for channels was not delivered: ${error.message}`))
      .on('close', () => (isRunning = false));
  };
}
