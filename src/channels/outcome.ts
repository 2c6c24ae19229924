/** What came of an answer, as its person reads it. */
import type { Reply } from '../../machines/protocol.ts';

const OVER = 3;
const ANOTHER = 5;

/** `proof`: how it is known to be given. */
export function outcomeOf(reply: Reply, option: string, proof: 'proved' | 'on record' = 'proved'): string {
  if (reply.ok) {
    const { then = '' } = (reply.value ?? {}) as { readonly then?: string };
    return `answered with ${JSON.stringify(option)}, ${proof}; ${then}`;
  }
  const { exit, text } = reply;
  if (exit === OVER) return `over: ${text}`;
  return exit === ANOTHER ? `another question stands there: ${text}` : `not proved: ${text}`;
}
