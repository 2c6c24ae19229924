/** The hooks of polecats, which are the ledger's: a bead on one is worked on by that polecat alone. */
import { addressOf, polecatIn } from '../../machines/rigs/names.ts';
import { holderOf, hook, unhook } from '../../machines/ledger/changes.ts';
import { EXIT, Failure } from '../terminal/failure.ts';
import type { Hooks } from '../rigs/yard.ts';
import type { Context } from './context.ts';
import { beadCalled, change, now, withLedger } from './ledger.ts';

const refusal = (id: string, is: 'taken' | 'closed' | 'free', by: string): Failure => {
  const why = is === 'closed' ? 'is closed; reopen it' : `is on the hook of ${by}; take it off`;
  return new Failure(
    EXIT.refused,
    `bead_${is}`,
    `${id} ${why} first: town bead ${is === 'closed' ? 'reopen' : 'unhook'} ${id}`,
  );
};

export const ledgerHooks = (context: Context): Hooks => ({
  check: (word) =>
    withLedger(context, async (ledger) => {
      const bead = await beadCalled(ledger, word);
      const holder = holderOf(bead);
      if (bead.status === 'closed') throw refusal(bead.id, 'closed', '');
      if (holder !== null) throw refusal(bead.id, 'taken', holder);
    }),
  hook: async (word, agent) => {
    await withLedger(context, (ledger) =>
      change(ledger, word, (bead) => {
        const done = hook(bead, agentOf(agent), now());
        if (!done.ok) throw refusal(bead.id, done.is, done.by);
        return done.bead;
      }),
    );
  },
  unhook: async (word, agent) => {
    await withLedger(context, (ledger) =>
      change(ledger, word, (bead) => {
        const done = unhook(bead, agentOf(agent), now());
        return done.ok ? done.bead : bead;
      }),
    );
  },
});

const agentOf = (agent: string): string => {
  const name = polecatIn(agent);
  return name === null ? agent : addressOf(name);
};
