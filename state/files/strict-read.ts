/** Reading of a record that its readers write back, and of which a damage is a person's to see to: it is never overwritten. */
import { NotReadable, unreadable, type Disk } from './disk.ts';
import type { RecordKind } from './record-kind.ts';

/** null = there is none. Rejects with `NotReadable` where one stands there that does not count. */
export async function readStrictly<T>(
  disk: Pick<Disk, 'read'>,
  path: string,
  kind: Pick<RecordKind<T>, 'decode'>,
  maxBytes: number,
): Promise<T | null> {
  const text = await disk.read(path, maxBytes).catch((error: unknown) => {
    const why = unreadable(error);
    throw why === null ? error : new NotReadable(`${path} does not count: ${why}`, { cause: error });
  });
  if (text === null) return null;
  const decoded = kind.decode(text, path.slice(path.lastIndexOf('/') + 1));
  if (decoded.ok) return decoded.value;
  throw new NotReadable(`${path} does not count: ${decoded.why}; look at it, mend it or move it away`);
}
