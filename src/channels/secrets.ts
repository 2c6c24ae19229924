/** Secrets of channels: as text, or in a file (of most its first line) that is read anew for each message, so that a new one counts at once. */
import { readFileSync, statSync } from 'node:fs';
import { Undelivered } from './port.ts';
import type { Secret } from './settings.ts';

/** null = none is configured. Throws `Undelivered`. `key`: where it stands in town.toml, for the sentence. */
export function secretOf(secret: Secret | null, key: string): string | null {
  const text = wholeOf(secret, key);
  return secret === null || typeof secret === 'string' ? text : (text?.split('\n', 1)[0]?.trim() ?? '');
}

/** As `secretOf`, all lines of its file. */
export function wholeOf(secret: Secret | null, key: string): string | null {
  if (secret === null || typeof secret === 'string') return secret;
  const { file } = secret;
  try {
    // Another kind may be without an end, or wait for a writer for ever.
    if (!statSync(file).isFile()) throw new Undelivered('');
    return readFileSync(file, 'utf8');
  } catch {
    throw new Undelivered(`${key} stands in ${file}, which is no file that can be read`);
  }
}

/** Throws `Undelivered`. */
export function mustBe(text: string | null, key: string): string {
  if (text !== null && text !== '') return text;
  throw new Undelivered(`${key} is not set`);
}
