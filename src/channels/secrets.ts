/** Secrets of channels: as text, or the first line of a file that is read anew for each message, so that a new one counts at once. */
import { readFileSync, statSync } from 'node:fs';
import { Undelivered } from './port.ts';

/** null = none is configured. Throws `Undelivered`. `of`: its key, for the sentence. */
export function secretOf(text: string | null, file: string | null, of: string): string | null {
  if (text !== null || file === null) return text;
  try {
    // Another kind may be without an end, or wait for a writer for ever.
    if (!statSync(file).isFile()) throw new Undelivered('');
    return readFileSync(file, 'utf8').split('\n', 1)[0]?.trim() ?? '';
  } catch {
    throw new Undelivered(`${of} = ${file} is no file that can be read`);
  }
}

/** Throws `Undelivered`. */
export function mustBe(text: string | null, key: string): string {
  if (text !== null && text !== '') return text;
  throw new Undelivered(`${key} is not set`);
}
