/**
 * A process that writes to a ledger until it is killed, or refused, and says what was acknowledged. argv: root, name, how, and how often
 * or how many signs.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { LedgerFault } from '../../../state/ledger/fault.ts';
import { openLedger } from '../../../state/ledger/sqlite.ts';
import { bead } from '../beads.ts';

const [root = '', name = '', how = '', count = '0'] = process.argv.slice(2);
const ledger = openLedger({ root, wall: Date.now });

/** A bead that waits for its turn behind many writers, however long: it is written. */
async function put(id: string, signs: number): Promise<void> {
  for (;;) {
    try {
      const made = bead(id, { labels: ['crash'], description: 'x'.repeat(signs) });
      await ledger.put(made, { expects: 0, write: `w-${id}` });
      return;
    } catch (error) {
      if (!(error instanceof LedgerFault) || error.code !== 'ledger_busy') throw error;
    }
  }
}

/** One bead after the other, each told once it is acknowledged. */
async function create(signs: number): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `${name}-${n}`;
    await put(id, signs);
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

const acts: Readonly<Record<string, () => Promise<unknown>>> = {
  create: () => create(Number(count) || 2_000),
  count: countUp,
  back: () => ledger.backUp(1_000),
};
try {
  await acts[how]?.();
} catch (error) {
  if (!(error instanceof LedgerFault)) throw error;
  process.stderr.write(error.code);
}
ledger.close();
