/**
 * One act on a ledger in a process of its own, to be killed: argv is the root and the agent whose hook the bead `b` goes onto, off
 * that of the one before. What was acknowledged is told.
 */
import { hook, unhook, type Change } from '../../../machines/ledger/changes.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { AT, bead } from '../beads.ts';

const [root = '', agent = ''] = process.argv.slice(2);
const must = (made: Change) => {
  if (made.ok) return made.bead;
  throw new Error(`the bead is ${made.is} by ${made.by}`);
};

const ledger = openLedger({ root, wall: Date.now });
const [found] = await ledger.beads(['b']);
const read = found ?? bead('b');
const free = read.status === 'hooked' ? must(unhook(read, read.assignee, AT)) : read;
const next = { ...must(hook(free, agent, AT)), labels: [`of:${agent}`] };
const put = await ledger.put(next, { expects: read.version, write: agent });
if (put.is === 'done') process.stdout.write(`${String(put.bead.version)}\n`);
ledger.close();
