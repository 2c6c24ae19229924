/** Reading of a record that its readers write back, and of which a damage is a person's to see to: it is never overwritten. */
import { codeOf, NotReadable, unreadable, wordsOf, type Disk } from './disk.ts';
import type { RecordKind } from './record-kind.ts';

/** A record stands there that does not count: what it says is unknown, and it may say anything. */
export class RecordUnread extends NotReadable {
  readonly path: string;

  constructor(path: string, why: string, options: ErrorOptions = {}) {
    super(`${path} does not count: ${why}`, options);
    this.path = path;
  }
}

/** null = there is none. Rejects with `RecordUnread` where one stands there that does not count. */
export async function readStrictly<T>(
  disk: Pick<Disk, 'read'>,
  path: string,
  kind: Pick<RecordKind<T>, 'decode' | 'maxBytes'>,
): Promise<T | null> {
  const text = await disk.read(path, kind.maxBytes).catch((error: unknown) => {
    // A disk that cannot read this file may read all others.
    const why = codeOf(error) === 'EIO' ? wordsOf(error) : unreadable(error);
    throw why === null ? error : new RecordUnread(path, why, { cause: error });
  });
  if (text === null) return null;
  const decoded = kind.decode(text, path.slice(path.lastIndexOf('/') + 1));
  if (decoded.ok) return decoded.value;
  throw new RecordUnread(path, `${decoded.why}; look at it, mend it or move it away`);
}

/**
 * What `reading` resolves with, or what `unknown` makes of a record that does not count. A look at many things reads each of them by this,
 * so that one damaged record leaves that one thing unknown and hides no other.
 */
export async function ifUnread<T, U>(reading: Promise<T>, unknown: (unread: RecordUnread) => U): Promise<T | U> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RecordUnread) return unknown(error);
    throw error;
  }
}
