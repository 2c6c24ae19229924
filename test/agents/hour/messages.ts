/** What an orchestrator is told of the workers in an hour (M-5): each dialog and each error once, a standstill, and nothing else. */
import type { BenchTown } from '../town.ts';
import type { Oracle } from './oracle.ts';

/** Sooner than the town alerts a person that they wait unread. */
const EVERY_MS = 180_000;

interface Told {
  readonly msg_type: string;
  readonly payload: { readonly worker_name: string };
}

/** Kinds of alerts whose causes a message may tell of; null = of none in this hour. A standstill has no cause that the oracle counts. */
const OF: Readonly<Record<string, readonly string[] | null>> = {
  'worker.needs_input': ['needs-input', 'account-logged-out', 'account-limited', 'agent-error'],
  'worker.error': ['agent-error', 'account-logged-out', 'account-limited'],
  'worker.complete': null,
};

export interface Messages {
  /** More messages than causes are false alarms. How many there were, by their kinds. */
  judge(oracle: Oracle, workers: readonly string[]): Promise<string>;
}

/** Reads them now and then, as an orchestrator does, until the signal. */
export function messagesOf(town: BenchTown, signal: AbortSignal): Messages {
  const all: Told[] = [];
  const read = async (): Promise<void> => {
    all.push(...(await town.told<Told[]>('alerts', 'poll', '--for', 'orchestrator').catch(() => [])));
  };
  const timer = setInterval(() => void read(), EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  return {
    judge: async (oracle, workers) => {
      await read();
      for (const [type, kinds] of Object.entries(OF))
        for (const name of workers) judgeOne(all, oracle, { type, kinds, name });
      const counts = Map.groupBy(all, (one) => one.msg_type);
      return [...counts].map(([type, { length }]) => `${type} ${String(length)}`).join(', ') || 'none';
    },
  };
}

interface Judged {
  readonly type: string;
  readonly kinds: readonly string[] | null;
  readonly name: string;
}

function judgeOne(all: readonly Told[], oracle: Oracle, { type, kinds, name }: Judged): void {
  const told = all.filter((one) => one.msg_type === type && one.payload.worker_name === name).length;
  const causes = oracle.causes.filter((one) => one.agent === name && one.kinds.some((kind) => kinds?.includes(kind)));
  if (told > causes.length)
    oracle.fault('false alarm', name, `${String(told)} messages ${type} for ${String(causes.length)} causes`);
}
