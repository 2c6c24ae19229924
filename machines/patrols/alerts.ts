/** Cycles that come to nothing: each patrol claims its own; the keeper of the ledger knows who is patrolled at all. */
import type { Declared, Level } from '../alerts/levels.ts';
import type { Ctx } from './round.ts';

const whose = (of: string): string => (of === 'deacon' ? "The Deacon's patrol" : `The patrol of the rig ${of}`);

export const PATROL_FAILS: Declared = {
  kind: 'patrol-fails',
  asks: ({ of }) => (of === 'deacon' ? ['town deacon patrol'] : [`town witness patrol ${of}`]),
};

export const PATROL_LEVELS: readonly Level<Pick<Ctx, 'of' | 'policy' | 'record'>>[] = [
  {
    ...PATROL_FAILS,
    claim: ({ of, policy: { maxFailures }, record }) => {
      if (record === null) return null;
      if (record.failures < maxFailures) return { stands: [], over: [of] };
      const text = `${whose(of)} came to nothing ${maxFailures} times in a row: ${record.why ?? ''}. It is tried again; the other patrols go on.`;
      return { stands: [{ name: of, severity: 'high', session: null, text }] };
    },
    ended: (_, { of }) => `${whose(of)} works again.`,
  },
];
