/** The hands of the ledger's keeper and of the patrols. A town without rigs and without work in a ledger starts no thread. */
import type { OutcomeBody } from '../../../machines/protocol.ts';
import { FILES } from '../../../state/files/layout.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import { readPatrol } from '../../../state/patrols/records.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import type { NoteOptions } from '../../../state/watchdog/records.ts';
import type { Settings } from '../../config/settings.ts';
import type { Hands } from '../../ports/ports.ts';
import type { PatrolOrder } from './executor.ts';
import { patrolThread, type TownOfThread } from './thread.ts';

export interface PatrolNeeds {
  readonly settings: Settings;
  readonly notes: NoteOptions;
  readonly log: (text: string) => void;
  readonly town: TownOfThread;
  readonly damaged: (damage: Damage) => void;
  /** Whether the ledger that is there may hold work. Never rejects. */
  readonly holdsWork: () => Promise<boolean>;
}

type PatrolOrders =
  | 'readRigs'
  | 'openLedger'
  | 'backUpLedger'
  | 'readEscalations'
  | 'readPatrol'
  | 'patrol'
  | 'step'
  | 'act'
  | 'begin'
  | 'noteCycle';

export interface PatrolHands {
  readonly perform: Pick<Hands, PatrolOrders>;
  close(): Promise<void>;
}

export function patrolHands({ settings, notes, log, town, damaged, holdsWork }: PatrolNeeds): PatrolHands {
  const { disk } = notes;
  const records = new RigRecords({ disk });
  const thread = patrolThread({
    settings,
    limitMs: settings.process.patrolMs,
    log,
    town,
    damaged,
  });
  const perform = (order: PatrolOrder): Promise<OutcomeBody> => thread.ask<OutcomeBody>({ do: 'order', order });
  return {
    perform: {
      readRigs: async () => {
        const { found } = await records.rigs();
        const isThere = (await disk.stat(FILES.ledger)) !== null;
        // The patrols of a rig need it in any case.
        const hasLedger = isThere && (found.length > 0 || (await holdsWork()));
        return { type: 'RIGS_READ', rigs: found.map(({ name }) => name), hasLedger };
      },
      openLedger: async () => ({
        type: 'LEDGER_OPENED',
        ...(await thread.ask<{ backedUpAt: number | null }>({ do: 'open' })),
      }),
      backUpLedger: async () => ({
        type: 'LEDGER_BACKED_UP',
        ...(await thread.ask<{ backedUpAt: number }>({ do: 'backUp' })),
      }),
      readPatrol: async ({ of }) => ({ type: 'PATROL_READ', record: await readPatrol(notes, of) }),
      readEscalations: perform,
      patrol: perform,
      step: perform,
      act: perform,
      begin: perform,
      noteCycle: perform,
    },
    close: () => thread.close(),
  };
}
