/**
 * The client of the thread of the patrols, which asks its town over the port between the two: what the town refuses an operator's commands it
 * refuses its patrols. Each question gets one answer, with its number.
 */
import type { Reply, Request } from '../../../machines/protocol.ts';
import type { TownClient } from '../../rigs/sessions.ts';

/** What the thread wants of its town; null = the overview. */
export type Wanted = Request | null;
/** A question of the thread. */
export interface Wish {
  readonly wish: number;
  readonly wanted: Wanted;
}
/** The town's answer to it. */
export type Granted = { readonly wish: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly why: string }
);

export interface ThreadClient extends TownClient {
  /** Takes an answer of the town's. */
  take(granted: Granted): void;
}

export function clientOver(post: (wish: Wish) => void): ThreadClient {
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  const want = (wanted: Wanted): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    open.set((last += 1), answer);
    post({ wish: last, wanted });
    return answer.promise;
  };
  const ask = async (request: Request): Promise<Reply> => (await want(request)) as Reply;
  return {
    ask,
    // The thread lives no longer than its town.
    askIfUp: ask,
    overview: async () => (await want(null)) as Awaited<ReturnType<TownClient['overview']>>,
    unrecorded: 'unknown',
    take: (granted) => {
      const answer = open.get(granted.wish);
      open.delete(granted.wish);
      if (granted.ok) answer?.resolve(granted.value);
      else answer?.reject(new Error(granted.why));
    },
  };
}
