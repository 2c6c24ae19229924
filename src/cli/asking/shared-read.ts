/** One read at a time for many callers: programs that prove nothing can ask as often as they like, and it costs no more than that. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Ms } from '../../../machines/protocol.ts';

/** A rest follows each read. Each caller gets a read that began after it asked. */
export function sharedRead<T>(read: () => Promise<T>, restMs: Ms): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const now = read();
    last = now.catch(() => undefined).then(() => pause(restMs));
    return now;
  };
  return () => (next ??= last.then(begin));
}
