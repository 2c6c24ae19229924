/** The hooks of polecats for a command: the ledger is opened for each. */
import { hooksOf } from '../rigs/hooks.ts';
import type { Hooks } from '../rigs/yard.ts';
import type { Context } from './context.ts';
import { beadCalled, change, withLedger } from './ledger.ts';

export const ledgerHooks = (context: Context): Hooks =>
  hooksOf({
    bead: (word) => withLedger(context, (ledger) => beadCalled(ledger, word)),
    change: (word, decide) => withLedger(context, (ledger) => change(ledger, word, decide)),
  });
