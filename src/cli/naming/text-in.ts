/** A text that stands behind a command, or in a file, and other files that a person names. */
import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs';
import { textOf } from '../../../state/files/disk.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { SYSTEM } from '../../../state/files/system-words.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { quoteName } from './names.ts';

/** `-` is the standard input. Throws Failure (2). */
export function textIn(words: readonly string[], file: string | undefined): string {
  const text = words.join(' ').trim();
  if (file === undefined) return text;
  if (text !== '') throw new Failure(EXIT.usage, 'two_texts', 'there is a text and --file; leave one of them out');
  refusePipe(file);
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** A file that a person named: what the system says of the town's own files is no advice for it. */
function unreadable(path: string, error: unknown): Failure {
  const { code = '' } = error as NodeJS.ErrnoException;
  const why = SYSTEM[code]?.[0] ?? textOf(error);
  const text = `${quoteName(path)} cannot be read: ${why}; give a file that is there`;
  return new Failure(EXIT.usage, 'unreadable', text);
}

/** Opening a named pipe waits for ever where nothing writes to it. One that a shell made has no name: `<(…)`, /dev/stdin. Throws Failure (2). */
function refusePipe(path: string): void {
  const isPipe = orNull(() => statSync(path).isFIFO() && realpathSync.native(path) !== '');
  if (isPipe !== true) return;
  const text = `${quoteName(path)} is no regular file but a named pipe; give a file, or - for the standard input`;
  throw new Failure(EXIT.usage, 'unreadable', text);
}

/** The bytes of a file that a person named; `-` is the standard input. Throws Failure (2). */
export async function* bytesIn(path: string): AsyncGenerator<Buffer> {
  refusePipe(path);
  const source: AsyncIterable<Buffer> = path === '-' ? process.stdin : createReadStream(path);
  try {
    yield* source;
  } catch (error) {
    throw unreadable(path, error);
  }
}
