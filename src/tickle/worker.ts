/** The thread in which the stall watch reads and writes the ledger: it looks every minute, and needs a fraction of what patrols load. */
import { workerData } from 'node:worker_threads';
import type { Entry } from '../../machines/protocol/tickle.ts';
import { realDisk } from '../../state/files/disk.ts';
import type { Damage } from '../../state/ledger/file.ts';
import type { Evidence, Ledger } from '../../state/ledger/port.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import type { AgentCaller } from '../ledger/authority.ts';
import { asAgent } from '../ledger/doors.ts';
import { inTownTime } from '../overview/known-time.ts';
import { answerEach, say } from '../proc/thread-side.ts';
import { evidenceNow, hasBeads, writeEntries, type EvidenceAsked } from './evidence.ts';

/** What it is started with. */
export interface Given {
  readonly root: string;
}
export type Question =
  | { readonly do: 'read'; readonly asked: EvidenceAsked }
  | { readonly do: 'findWork' }
  /** `as`: the agent whose token proved it; null = the town heard it. */
  | { readonly do: 'add'; readonly as: AgentCaller | null; readonly evidence: Evidence }
  | { readonly do: 'write'; readonly entries: readonly Entry[] };
/** What the town hears besides answers. */
export type Said = { readonly note: string } | { readonly damage: Damage };

const { root } = workerData as Given;
const disk = realDisk(root, performance.timeOrigin);
const note = (text: string): void => say({ note: text } satisfies Said);
let opened: SqliteLedger | null = null;
let damage: Damage | null = null;

const done = (question: Question): Promise<unknown> =>
  inTownTime<unknown>(disk, note, () => {
    opened ??= openLedger({ root, wall: Date.now });
    if (question.do === 'add') return added(opened, question);
    if (question.do === 'findWork') return hasBeads(opened);
    return question.do === 'read'
      ? evidenceNow(opened, question.asked, Date.now())
      : writeEntries(opened, question.entries);
  });

function added(ledger: Ledger, { as, evidence }: Extract<Question, { readonly do: 'add' }>): Promise<unknown> {
  return (as === null ? ledger : asAgent(ledger, () => Promise.resolve(as))).addEvidence(evidence);
}

function report(): void {
  const now = opened?.damage ?? null;
  if (now !== null && now !== damage) say({ damage: now } satisfies Said);
  damage = now;
}

answerEach({ work: done, before: report });
