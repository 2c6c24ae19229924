/** What came of an answer, as its person reads it. */
import type { Reply } from '../../machines/protocol.ts';

/** Nothing reached the question, and it stands: the same answer may come again. */
export const isUngiven = (reply: Reply): boolean => !reply.ok && reply.code === 'not_given';

const OVER = 3;
const ANOTHER = 5;

/** Nothing reached the question: another one stands in its place. */
export const isReplaced = (reply: Reply): boolean => !reply.ok && reply.exit === ANOTHER;

/** `proof`: how it is known to be given. */
export function outcomeOf(reply: Reply, option: string, proof: 'proved' | 'on record' = 'proved'): string {
  if (reply.ok) {
    const { then = '' } = (reply.value ?? {}) as { readonly then?: string };
    return `answered with ${JSON.stringify(option)}, ${proof}; ${then}`;
  }
  const { exit, text } = reply;
  if (isUngiven(reply)) return `nothing was pressed: ${text}; the same answers count again`;
  if (exit === OVER) return `over: ${text}`;
  return exit === ANOTHER ? `another question stands there: ${text}` : `not proved: ${text}`;
}
