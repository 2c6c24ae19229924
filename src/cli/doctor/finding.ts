/** The result of one check of `town doctor`. */
import { readFileSync } from 'node:fs';

/** `unknown`: it could not be found out, which is no failure. */
export type Health = 'ok' | 'warn' | 'bad' | 'unknown';

export interface Finding {
  readonly check: string;
  readonly health: Health;
  readonly text: string;
  /** What to do; null = nothing. */
  readonly next: string | null;
}

export const good = (check: string, text: string): Finding => ({ check, health: 'ok', text, next: null });
const finding =
  (health: Health) =>
  (check: string, text: string, next: string): Finding => ({ check, health, text, next });
export const warn = finding('warn');
export const bad = finding('bad');
export const unknown = finding('unknown');

/**
 * The lines of a settings file. A file that is missing or closed to us counts as empty: its reader uses the defaults.
 */
export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
