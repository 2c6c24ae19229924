/** A ledger behind a wire: what goes there and comes back is text, takes its time, and may overtake what was sent before it. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { Ledger } from '../../state/ledger/port.ts';

const MAX_HOPS = 4;
const overTheWire = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));

export function farAway(there: Ledger): Ledger {
  let calls = 0;
  const travel = async (): Promise<void> => {
    for (let hops = (calls += 1) % MAX_HOPS; hops > 0; hops -= 1) await breathe();
  };
  return new Proxy(there, {
    get: (_, name: keyof Ledger) => {
      if (name === 'within') return () => farAway(there);
      if (name === 'close') return () => there.close();
      return async (...given: unknown[]) => {
        const sent = overTheWire(given);
        await travel();
        const answer: unknown = await Reflect.apply(there[name], there, sent);
        await travel();
        return overTheWire(answer);
      };
    },
  });
}
