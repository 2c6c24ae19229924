/** How a thing that gives no orders is refused: whose it is, the line that mends it, and what else to do. */
import type { Fault } from '../state/whose.ts';
import { shellWord } from './shell-word.ts';

/** One sentence; `or` = what else helps, in words. */
export function refusalText({ path, why, mends }: Fault, ...or: readonly string[]): string {
  const uid = process.getuid?.() ?? 0;
  const line = { chown: `${uid === 0 ? '' : 'sudo '}chown ${String(uid)}`, chmod: 'chmod go-w' };
  const mend = mends === null ? [] : [`\`${line[mends]} ${shellWord(path)}\` mends that`];
  return `${path} ${why}: not a byte of it was read; ${[...mend, ...or].join(', or ')}`;
}
