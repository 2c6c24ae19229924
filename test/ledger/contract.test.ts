/** The contract of the ledger, by each store that there is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLedger } from '../../state/ledger/sqlite.ts';
import { bead } from './beads.ts';
import { contractOf } from './contract.ts';
import { farAway } from './far-away.ts';
import { MemoryLedger } from './memory.ts';

describe('the contract of a ledger', () => {
  contractOf('in memory', () => ({ ledger: new MemoryLedger(), end: () => undefined }));

  contractOf('far away', () => ({ ledger: farAway(new MemoryLedger()), end: () => undefined }));
  contractOf('in a file', () => inFile(0));
  contractOf('in a file, keeping what was read', () => inFile(8_192));
  contractOf('in a file, keeping two beads', () => inFile(2));
});

describe('what is kept is what stands there', () => {
  test('after a write by another process, and where a bead of the same id is made anew', async () => {
    const { root, ledger, end } = inFile(8_192);
    const other = openLedger({ root, wall: Date.now });
    const put = (title: string, expects: number) =>
      other.put(bead('tw-1', { title }), { expects, write: `w-${title}` });
    const read = async () => (await ledger.beads(['tw-1'])).map(({ title, version }) => `${title} ${version}`);
    await put('one', 0);
    expect(await read()).toEqual(['one 1']);
    await put('two', 1);
    expect(await read()).toEqual(['two 2']);
    await other.remove('tw-1', 2);
    expect(await read()).toEqual([]);
    await put('other-one', 0);
    expect(await read()).toEqual(['other-one 1']);
    other.close();
    end();
  });
});

function inFile(keeps: number) {
  const root = mkdtempSync(join(tmpdir(), 'town-ledger-'));
  const ledger = openLedger({ root, wall: Date.now, keeps });
  const end = () => {
    ledger.close();
    rmSync(root, { recursive: true });
  };
  return { root, ledger, end };
}
