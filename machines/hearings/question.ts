/**
 * The words of a hearing (D-2): four lines as in the seed and a fifth that says how to answer.
 * Foreign words stand in it as words only: a shell that reads the question runs nothing of it.
 * The literal answer, `ALIVE K73F`, never occurs in the question: the code is printed as `K7-3F`, so an echo proves nothing.
 */
import type { Incarnation, Ms, Warrant } from '../protocol.ts';
import { plainWords } from '../kernel/shell-safe-text.ts';
import { showInvisible } from '../kernel/visible-text.ts';

/** How an agent calls the town: the bare command where its PATH has it, an absolute one with --root where not. */
export interface AliveCommand {
  readonly started: string;
  readonly adopted: string;
}

/** `K73F` as it is printed: `K7-3F`. */
export const printCode = (code: string): string => `${code.slice(0, 2)}-${code.slice(2)}`;

/** `K7-3F`, `k73f` or ` K7-3F ` as the code it means; null when it cannot be one. */
export function readCode(text: string): string | null {
  const code = text.trim().toUpperCase().replace('-', '');
  return /^[A-Z][A-Z0-9]{3}$/.test(code) ? code : null;
}

/** Foreign words in our question: one line, not endless, nothing for a shell, and no key that a pane would obey (Ctrl-C, the end of a paste). */
const MAX_WORDS = 300;
const oneLine = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return plainWords(showInvisible((line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line).toWellFormed()));
};

export function question(
  target: Incarnation,
  warrant: Warrant,
  attempt: { number: number; of: number; windowMs: Ms; code: string },
  command: AliveCommand,
): string[] {
  return [
    `[DOG] HEALTH CHECK: Session ${target.session}, respond ALIVE within ${Math.ceil(attempt.windowMs / 1_000)}s or face termination.`,
    `Warrant reason: ${oneLine(warrant.reason)}`,
    `Filed by: ${oneLine(warrant.requester)}`,
    `Attempt: ${attempt.number}/${attempt.of}`,
    `To answer, run: ${command[target.origin === 'adopted' ? 'adopted' : 'started']} ${printCode(attempt.code)} – or print one line: ALIVE, a space, and that code without its dash`,
  ];
}
