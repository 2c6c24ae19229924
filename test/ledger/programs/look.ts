/** Looks at the work of a rig as the thread of the patrols does, and posts how many beads it saw. */
import { parentPort, workerData } from 'node:worker_threads';
import { workOf } from '../../../src/patrols/witness/work.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';

const { root } = workerData as { readonly root: string };
const ledger = openLedger({ root, wall: Date.now, keeps: LEDGER.keptBytes });
parentPort?.postMessage((await workOf(ledger, 'shop', Date.now())).length);
