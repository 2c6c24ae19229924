/** The questions of a hearing, one line each: when each was asked, how long its window was, and what was seen (D-14). */
import type { Dance } from '../../machines/protocol.ts';
import { clean } from '../terminal/print.ts';
import { when } from './when.ts';

const MS = 1_000;

/** Where the hearing is closed, what did not happen will not. */
export function attemptLines({ attempts, closedAt }: Pick<Dance, 'attempts' | 'closedAt'>): string[] {
  const isOpen = closedAt === null;
  return attempts.map(({ askedAt, windowMs, seen }, index) => {
    if (askedAt === null && seen === '' && !isOpen) return `question ${index + 1}  never asked`;
    const asked = askedAt === null ? 'not yet' : when(askedAt);
    const what = seen === '' ? (isOpen ? 'nothing yet' : 'nothing') : clean(seen);
    return `question ${index + 1}  asked ${asked}, window ${windowMs / MS} s: ${what}`;
  });
}
