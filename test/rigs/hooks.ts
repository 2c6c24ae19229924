/** The hooks of polecats in a ledger, as the town has them. */
import { heldBy } from '../../src/ledger/hook.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { hooksOf } from '../../src/rigs/hooks.ts';
import type { Hooks } from '../../src/rigs/yard.ts';
import type { Bead } from '../../machines/ledger/bead.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Ledger } from '../../state/ledger/port.ts';

const must = (id: string, bead: Bead | null | undefined): Bead => {
  if (bead) return bead;
  throw new Error(`there is no bead ${id}`);
};

export const hooksIn = (ledger: Ledger, disk: Disk): Hooks =>
  hooksOf({
    heldBy: (agent) => heldBy(ledger, agent),
    bead: async (id) => must(id, (await ledger.beads([id]))[0]),
    change: async (id, decide) => must(id, await changeBead(ledger, id, decide)),
    disk: () => Promise.resolve(disk),
  });
