/** The thread of the patrols: one question after another goes to the office, each gets one answer. What it wants of the town it asks the same way. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Damage } from '../../../state/ledger/file.ts';
import type { Settings } from '../../config/settings.ts';
import type { EvidenceAsked } from '../../tickle/evidence.ts';
import { doorOver, type Granted, type Wish } from './door.ts';
import { Office, type PatrolOrder } from './office.ts';

/** What it is started with. */
export interface Given {
  readonly settings: Settings;
}
export interface Asked {
  readonly id: number;
  readonly question:
    | { readonly do: 'open' | 'backUp' }
    | { readonly do: 'order'; readonly order: PatrolOrder }
    | { readonly do: 'evidence'; readonly asked: EvidenceAsked };
}
export type Said =
  | { readonly note: string }
  | Wish
  | ({ readonly id: number; readonly ok: true; readonly value: unknown } & Besides)
  | ({ readonly id: number; readonly ok: false; readonly why: string } & Besides);
/** What the town hears besides an answer: null = nothing new. */
interface Besides {
  readonly damage: Damage | null;
  readonly configured: Settings | null;
}

const port = parentPort;
const say = (said: Said): void => port?.postMessage(said);
const { settings } = workerData as Given;
const door = doorOver(say);
const office = new Office({ settings, door, note: (note) => say({ note }) });

function done(question: Asked['question']): unknown {
  switch (question.do) {
    case 'order':
      return office.perform(question.order);
    case 'evidence':
      return office.evidence(question.asked);
    case 'open':
      return office.open();
    case 'backUp':
      return office.backUp();
  }
}

const besides = (): Besides => ({ damage: office.damage(), configured: office.configured() });

async function answer({ id, question }: Asked): Promise<void> {
  try {
    const value = await done(question);
    say({ id, ok: true, value, ...besides() });
  } catch (error) {
    say({ id, ok: false, why: error instanceof Error ? error.message : String(error), ...besides() });
  }
}

port?.on('message', (said: Asked | Granted) => {
  if ('wish' in said) door.take(said);
  else void answer(said);
});
