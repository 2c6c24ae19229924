/** Takes the lock of the root in argv[2] and begins an epoch; says `held <epoch>` or `refused <pid>`, holds until stdin ends. */
import { STATE } from '../../../state/files/policy.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { beginEpoch } from '../../../state/process/epoch.ts';
import { LockRefused, takeLock } from '../../../state/process/lock.ts';
import { Quarantine } from '../../../state/files/quarantine.ts';

const root = process.argv[2] ?? '';
const disk = realDisk(root, performance.timeOrigin);
const quarantine = new Quarantine({ disk, wall: Date.now, onRefused: ({ why }) => process.stderr.write(`${why}\n`) });
try {
  await takeLock({ root, disk, isAlive: () => true, maxBytes: STATE.maxRecordBytes });
  process.stdout.write(`held ${await beginEpoch(disk, quarantine, Date.now())}\n`);
  process.stdin.resume();
} catch (error) {
  if (!(error instanceof LockRefused)) throw error;
  process.stdout.write(`refused ${error.pid}\n`);
}
