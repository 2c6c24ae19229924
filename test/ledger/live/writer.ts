/** A process that writes to a ledger until it is killed, and says what was acknowledged. argv: root, name, how, beads. */
import { setImmediate as breathe } from 'node:timers/promises';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { bead } from '../beads.ts';

const [root = '', name = '', how = '', count = '0'] = process.argv.slice(2);
const ledger = openLedger({ root, wall: Date.now });

/** One bead after the other, each told once it is acknowledged. */
async function create(): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `${name}-${n}`;
    await ledger.put(bead(id, { labels: ['crash'], description: 'x'.repeat(2_000) }), { expects: 0, write: `w-${id}` });
    process.stdout.write(`${id}\n`);
    await breathe();
  }
}

/** Counts one bead up by compare and set, so many times. */
async function countUp(): Promise<void> {
  for (let done = 0; done < Number(count);) {
    const [read] = await ledger.beads(['counter']);
    if (read === undefined) throw new Error('there is no counter');
    const put = await ledger.put(
      { ...read, attempts: read.attempts + 1 },
      { expects: read.version, write: `${name}-${done}` },
    );
    if (put.is === 'done') done += 1;
    await breathe();
  }
  process.stdout.write('done\n');
}

await (how === 'create' ? create() : countUp());
ledger.close();
