/** The hands of the ledger's keeper and of the patrols. A town without rigs and without a ledger starts no thread. */
import type { OutcomeBody } from '../../../machines/protocol.ts';
import { FILES } from '../../../state/files/layout.ts';
import type { Refused } from '../../../state/files/quarantine.ts';
import type { Damage } from '../../../state/ledger/file.ts';
import { readPatrol } from '../../../state/patrols/records.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import type { NoteOptions } from '../../../state/watchdog/records.ts';
import type { Settings } from '../../config/settings.ts';
import { sequelOf } from '../../ledger/damage.ts';
import type { Hands } from '../../ports/ports.ts';
import type { EvidenceAsked, EvidenceFound } from '../../tickle/evidence.ts';
import type { PatrolOrder } from './office.ts';
import { PatrolThread, type TownOfThread } from './thread.ts';

export interface PatrolNeeds {
  readonly settings: Settings;
  readonly notes: NoteOptions;
  readonly log: (text: string) => void;
  readonly town: TownOfThread;
  /** Tells of a file that does not count, and of what took its place. */
  readonly refused: (refused: Refused, sequel: string) => Promise<void>;
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
  | 'noteCycle'
  | 'noteEvidence';

export interface PatrolHands {
  readonly perform: Pick<Hands, PatrolOrders>;
  /** What the stall watch asks of the ledger. */
  readonly evidence: (asked: EvidenceAsked) => Promise<readonly EvidenceFound[]>;
  close(): Promise<void>;
}

export function patrolHands({ settings, notes, log, town, refused }: PatrolNeeds): PatrolHands {
  const { disk } = notes;
  const records = new RigRecords({ disk, policy: settings.state });
  const thread = new PatrolThread({
    settings,
    limitMs: settings.process.patrolMs,
    log,
    town,
    damaged: (damage) => void refused(refusedBy(damage), sequelOf(damage)),
  });
  const perform = (order: PatrolOrder): Promise<OutcomeBody> => thread.ask<OutcomeBody>({ do: 'order', order });
  return {
    perform: {
      readRigs: async () => {
        const { found } = await records.rigs();
        const hasLedger = (await disk.stat(FILES.ledger)) !== null;
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
      noteEvidence: perform,
    },
    evidence: (asked) => thread.ask<readonly EvidenceFound[]>({ do: 'evidence', asked }),
    close: () => thread.close(),
  };
}

const refusedBy = ({ why, movedTo }: Damage): Refused => ({ file: FILES.ledger, why, requester: null, movedTo });
