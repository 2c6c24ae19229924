/** What the keeper of the ledger tells for as long as it is so; and who is not patrolled any more, so that no patrol of theirs fails. */
import type { Level, Standing } from '../alerts/levels.ts';
import { PATROL_CANNOT, PATROL_FAILS, PATROL_RESTS, STAND_LEVELS, STEP_LEVELS } from '../patrols/alerts.ts';
import type { Declared } from '../protocol.ts';
import { claimOf, ESCALATION } from './escalations.ts';
import { GATE } from './gates.ts';
import type { Ctx } from './keeper.ts';

const FAILS = {
  open: {
    text: (why: string) =>
      `The ledger cannot be opened: ${why}. No rig is patrolled until it can; it is tried again every minute.`,
    over: 'The ledger is open.',
  },
  backup: {
    text: (why: string) => `The ledger cannot be backed up: ${why}. It is tried again.`,
    over: 'The ledger is backed up again.',
  },
} as const;
const NONE = claimOf([]);
const UNWANTED = 'There is no ledger any more, and no rig.';

/** They end with the patrol. */
const OF_PATROLS: readonly Declared[] = [PATROL_CANNOT, PATROL_FAILS, PATROL_RESTS, ...STEP_LEVELS, ...STAND_LEVELS];

export const LEDGER_LEVELS: readonly Level<Ctx>[] = [
  {
    kind: 'ledger-fails',
    asks: () => ['town doctor', 'town daemon logs'],
    claim: ({ whyNot, isWanted }) => {
      if (isWanted === null) return null;
      const tried = isWanted ? (['open', 'backup'] as const) : [];
      return {
        stands: tried.flatMap((what): Standing[] => {
          const why = whyNot[what] ?? null;
          return why === null ? [] : [{ name: what, severity: 'high', session: null, text: FAILS[what].text(why) }];
        }),
        only: tried.filter((what) => !(what in whyNot)),
      };
    },
    ended: (name, { isWanted }) =>
      isWanted === true && name !== null ? FAILS[name as keyof typeof FAILS].over : UNWANTED,
  },
  {
    ...ESCALATION,
    claim: ({ escalations, isWanted }) => (isWanted === false ? NONE : escalations),
    ended: () => 'It is closed, or what it is about is over.',
  },
  {
    ...GATE,
    claim: ({ gates, isWanted }) => (isWanted === false ? NONE : gates),
    ended: () => 'The gate is open.',
  },
  ...OF_PATROLS.map((declared): Level<Ctx> => ({
    ...declared,
    claim: ({ announced, rigs, isWanted }) => {
      if (announced === null) return isWanted === false ? { stands: [], only: [] } : null;
      return { stands: [], only: ['deacon', ...rigs] };
    },
    ended: () => 'The rig is not patrolled any more.',
  })),
];
