/**
 * One act on a polecat in a process of its own, to be killed: argv[2] is what, argv[3] the folder of the test, argv[4] the name and
 * that of its bead. Its session is a file that a start makes; hooks are those of the ledger.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nuke } from '../../../src/rigs/nuke.ts';
import { spawn } from '../../../src/rigs/spawn.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import { hooksIn } from '../hooks.ts';

const [what = '', root = '', name = ''] = process.argv.slice(2);
const town = join(root, 'town');
const repo = join(root, 'work');
const rig = { name: 'shop', repo, commonDir: join(repo, '.git'), agent: null, base: null, addedAt: 1 };
const records = new RigRecords({ disk: realDisk(town, performance.timeOrigin) });
const session = join(root, `session-${name}`);
const ledger = openLedger({ root: town, wall: Date.now });
const yard = {
  root: town,
  records,
  wall: () => 1_000,
  standingIn: () => Promise.resolve([]),
  note: () => undefined,
  hooks: hooksIn(ledger, realDisk(town, performance.timeOrigin)),
  sessions: {
    start: (): Promise<void> => {
      writeFileSync(session, '');
      return Promise.resolve();
    },
    standing: () => Promise.resolve(what === 'spawn' && existsSync(session) ? ('lives' as const) : ('ended' as const)),
    forget: () => Promise.resolve(),
  },
};
const at = { yard, rig };
const lock = await records.lock(town, 'shop');
if (lock === null) throw new Error('the lock of one that was killed is held');
if (what === 'spawn') {
  await spawn(at, { rig: 'shop', name, command: ['sleep', '1'], bead: name, from: null, maxPolecats: 1_000 });
} else {
  const record = await records.polecat({ rig: 'shop', name });
  if (record !== null) await nuke(at, record, { pushes: false });
}
lock.release();
ledger.close();
