/** The thread of the patrols: one question after another goes to the executor, each gets one answer. What it wants of the town it asks the same way. */
import { workerData } from 'node:worker_threads';
import type { Damage } from '../../../state/ledger/file.ts';
import type { Settings } from '../../config/settings.ts';
import { inTownTime } from '../../overview/known-time.ts';
import { answerEach, say } from '../../proc/thread-side.ts';
import { clientOver, type Granted, type Wish } from './client.ts';
import { PatrolExecutor, type PatrolOrder } from './executor.ts';

/** What it is started with. */
export interface Given {
  readonly settings: Settings;
}
export type Question = { readonly do: 'open' | 'backUp' } | { readonly do: 'order'; readonly order: PatrolOrder };
/** What the town hears besides answers. */
export type Said = { readonly note: string } | { readonly damage: Damage } | { readonly configured: Settings } | Wish;

const { settings } = workerData as Given;
const client = clientOver((wish) => say(wish satisfies Said));
const note = (text: string): void => say({ note: text } satisfies Said);
const executor = new PatrolExecutor({ settings, client, note, inTime: inTownTime });

function done(question: Question): unknown {
  switch (question.do) {
    case 'order':
      return executor.perform(question.order);
    case 'open':
      return executor.open();
    case 'backUp':
      return executor.backUp();
  }
}

function report(): void {
  const [damage, configured] = [executor.damage(), executor.configured()];
  if (damage !== null) say({ damage } satisfies Said);
  if (configured !== null) say({ configured } satisfies Said);
}

answerEach({ work: done, before: report, other: (granted: Granted) => client.take(granted) });
