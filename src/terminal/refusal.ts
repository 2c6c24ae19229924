/** How a thing that gives no orders is refused: whose it is, the line that mends it, and what else to do. */
import type { Fault } from '../../state/files/ownership.ts';
import { shellWord } from './shell-word.ts';

export const UNREAD = 'not a byte of it was read';

/** One sentence; `so` = what was not done, `or` = what else helps. */
export function refusalText({ path, why, mends }: Fault, so: string, ...or: readonly string[]): string {
  const uid = process.getuid?.() ?? 0;
  const line = { chown: `${uid === 0 ? '' : 'sudo '}chown ${String(uid)}`, chmod: 'chmod go-w' };
  const mend = mends === null ? [] : [`\`${line[mends]} ${shellWord(path)}\` mends that`];
  return `${path} ${why}: ${so}; ${[...mend, ...or].join(', or ')}`;
}
