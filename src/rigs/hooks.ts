/** The hooks of polecats, which are the ledger's: a bead on one is worked on by that polecat alone. */
import type { Bead } from '../../machines/ledger/bead.ts';
import { holderOf, hook, leave } from '../../machines/ledger/changes.ts';
import { addressOf, polecatIn } from '../../machines/rigs/names.ts';
import { withBranch } from '../ledger/branches.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import { keepWork, lastBegun, workOn } from '../../state/rigs/work.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Hooks } from './yard.ts';

/** The ledger's part of a hook. */
export interface Beads {
  /** Rejects with `Failure` where there is no such bead. */
  bead(word: string): Promise<Bead>;
  /** As it was stored. Rejects with what `decide` throws. */
  change(word: string, decide: (bead: Bead) => Bead): Promise<Bead>;
  /** What this agent holds, the oldest first. */
  heldBy(agent: string): Promise<readonly Bead[]>;
  /** With what an older town kept in the ledger. */
  readonly disk: () => Promise<Disk>;
}

const now = (): string => new Date().toISOString();

const refusal = (id: string, is: 'taken' | 'closed' | 'free', by: string): Failure => {
  const why = is === 'closed' ? 'is closed; reopen it' : `is on the hook of ${by}; take it off`;
  const verb = is === 'closed' ? 'reopen' : 'unhook';
  return new Failure(EXIT.refused, `bead_${is}`, `${id} ${why} first: town bead ${verb} ${id}`);
};

export const hooksOf = (beads: Beads): Hooks => ({
  bead: (word) => beads.bead(word),
  check: async (word) => {
    const bead = await beads.bead(word);
    const holder = holderOf(bead);
    if (bead.status === 'closed') throw refusal(bead.id, 'closed', '');
    if (holder !== null) throw refusal(bead.id, 'taken', holder);
  },
  hook: async (word, agent) => {
    await beads.change(word, (bead) => {
      const done = hook(bead, agentOf(agent), now());
      if (!done.ok) throw refusal(bead.id, done.is, done.by);
      return done.bead;
    });
  },
  unhook: async (word, agent) => {
    await beads.change(word, (bead) => leave(bead, agentOf(agent), now()));
  },
  heldBy: (agent) => beads.heldBy(agent),
  lastBranch: async (rig, of) => lastBegun(await workOn(await beads.disk(), { rig, of })),
  keepBranch: async (rig, bead, kept) => {
    await keepWork(await beads.disk(), { rig, of: bead }, { begun: [{ ...kept, at: Date.now() }] });
    const { branch, start } = kept;
    // The bead too names what was saved of this attempt, for its readers.
    if (start?.branch !== branch) return;
    await beads.change(bead, (one) => (one.status === 'closed' ? one : withBranch(one, branch, start.commit)));
  },
});

const agentOf = (agent: string): string => {
  const name = polecatIn(agent);
  return name === null ? agent : addressOf(name);
};
