/** A text that stands behind a command, or in a file. */
import { readFileSync } from 'node:fs';
import { textOf } from '../../../state/files/disk.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from './names.ts';

/** `-` is the standard input. Throws Failure (2). */
export function textIn(words: readonly string[], file: string | undefined): string {
  const text = words.join(' ').trim();
  if (file === undefined) return text;
  if (text !== '') throw new Failure(EXIT.usage, 'two_texts', 'there is a text and --file; leave one of them out');
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (error) {
    throw new Failure(EXIT.usage, 'unreadable', `${quoteName(file)} cannot be read: ${textOf(error)}`);
  }
}
