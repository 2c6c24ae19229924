/** The hands of the stall watch. */
import { readNote } from '../../state/watchdog/records.ts';
import { type HandsNeeds, notesOf } from '../host/hands-needs.ts';
import type { Hands } from '../ports/ports.ts';
import { runCommand } from '../proc/command-with-line.ts';
import { rulesOf } from '../socket/permission.ts';
import { lookAtAgents, type LookNeeds } from './look.ts';

/** What the town looks at sessions with, and the way to the ledger. */
export type TickleTools = Omit<LookNeeds, 'sessions' | 'deacon'>;

type TickleOrders = 'readTickle' | 'readEvidence' | 'ringBell';

export function tickleHands(needs: HandsNeeds, tools: TickleTools): Pick<Hands, TickleOrders> {
  const { settings, store } = needs;
  const looking = { ...tools, sessions: () => store.readSessions(), deacon: rulesOf(settings).deacon };
  return {
    readTickle: async () => ({ type: 'TICKLE_READ', record: await readNote(notesOf(needs), 'tickle') }),
    readEvidence: (order) => lookAtAgents(looking, order),
    ringBell: async ({ agent, session, command, limitMs }) => {
      const bell = { schema: 'bell/1', agent, session };
      return { type: 'BELL_RUNG', error: await runCommand({ of: '[tickle] bell', command, limitMs }, bell) };
    },
  };
}
