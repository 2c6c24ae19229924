/** What happens often, and is done or told seldom. */
import type { Ms } from '../../machines/protocol.ts';

export interface Pace<What> {
  act(what: What): void;
  stop(): void;
}

export interface Complaints {
  /** `kind`: one of few, never a caller's words. */
  about(kind: string, text: string): void;
  stop(): void;
}

/**
 * Performs a request at once. Further requests for the same within `everyMs` become one more at its end, with their number. So many
 * wake-ups for one folder are two, the guard hears the newest progress, and a flood of one complaint is a line in `everyMs`.
 */
export function pace<What>(perform: (what: What, times: number) => void, everyMs: Ms): Pace<What> {
  const waiting = new Map<What, { timer: NodeJS.Timeout; more: number }>();
  const act = (what: What, times = 1): void => {
    const before = waiting.get(what);
    if (before !== undefined) {
      before.more += times;
      return;
    }
    perform(what, times);
    const timer = setTimeout(() => {
      const more = waiting.get(what)?.more ?? 0;
      waiting.delete(what);
      if (more > 0) act(what, more);
    }, everyMs).unref();
    waiting.set(what, { timer, more: 0 });
  };
  return { act: (what) => act(what), stop: () => waiting.forEach(({ timer }) => clearTimeout(timer)) };
}

/** Complaints of a few kinds: the first of a kind at once, then one line in `everyMs`, the newest, with their number. */
export function complaintsTo(complain: (text: string) => void, everyMs: Ms): Complaints {
  const newest = new Map<string, string>();
  const telling = pace<string>((kind, times) => {
    const text = newest.get(kind) ?? kind;
    complain(times === 1 ? text : `${text} (${String(times)} times since the last line of this kind)`);
  }, everyMs);
  return {
    about: (kind, text) => {
      newest.set(kind, text);
      telling.act(kind);
    },
    stop: telling.stop,
  };
}
