/** The hands that wait for the ledger and for git: they work in threads of their own. */
import type { Refused } from '../../state/files/quarantine.ts';
import type { Damage } from '../../state/ledger/file.ts';
import { type HandsNeeds, notesOf } from '../host/hands-needs.ts';
import { refusedBy, sequelOf } from '../ledger/damage.ts';
import type { Asking } from '../overview/asking.ts';
import { patrolHands, type PatrolHands } from '../patrols/thread/hands.ts';
import type { TownOfThread } from '../patrols/thread/thread.ts';
import { tickleHands, type TickleHands, type TickleTools } from '../tickle/hands.ts';

interface Threads extends Pick<TickleHands, 'spoke' | 'drops'> {
  readonly perform: PatrolHands['perform'] & TickleHands['perform'];
  close(): Promise<void>;
}

interface ThreadTools extends Omit<TickleTools, 'damaged' | 'seen' | 'workedAt' | 'steppedAt'> {
  readonly asking: Asking;
  readonly overview: TownOfThread['overview'];
  readonly refused: (refused: Refused, sequel: string) => Promise<void>;
}

export function threadsOf(needs: HandsNeeds, { overview, refused, asking, ...tools }: ThreadTools): Threads {
  const { settings, host } = needs;
  const damaged = (damage: Damage): void => void refused(refusedBy(damage), sequelOf(damage));
  const log = (text: string): void => host.logger.warn(text);
  const town = { ask: host.ask, overview };
  const tickle = tickleHands(needs, {
    ...tools,
    seen: (uuid) => asking.seen(uuid),
    workedAt: (uuid) => asking.work.lastAt(uuid),
    steppedAt: (uuid) => asking.work.steppedAt(uuid),
    damaged,
  });
  const { holdsWork } = tickle;
  const patrols = patrolHands({ settings, notes: notesOf(needs), log, damaged, town, holdsWork });
  return {
    perform: { ...patrols.perform, ...tickle.perform },
    spoke: tickle.spoke,
    drops: tickle.drops,
    close: async () => {
      await Promise.all([patrols.close(), tickle.close()]);
    },
  };
}
