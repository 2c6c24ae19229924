/** How a thing that gives no orders is refused: whose it is, the line that mends it, and what else to do. */
import { mendOf, type Fault } from '../../state/files/ownership.ts';
import { shellWord } from '../../state/files/show-text.ts';

export const UNREAD = 'not a byte of it was read';

/** One sentence; `so` = what was not done, `or` = what else helps. */
export function refusalText(fault: Fault, so: string, ...or: readonly string[]): string {
  const line = mendOf(fault);
  const mend = line === null ? [] : [`\`${line} ${shellWord(fault.path)}\` mends that`];
  return `${fault.path} ${fault.why}: ${so}; ${[...mend, ...or].join(', or ')}`;
}
