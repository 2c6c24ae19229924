/**
 * TOWN_TOKEN: what an agent proves with which life it is. Derived from a secret of the root and the life's uuid, so that a
 * start that is done twice gives the same token. Records keep its hash only.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionRecord } from '../../machines/protocol.ts';
import { NotReadable, unreadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Quarantine } from '../files/quarantine.ts';

const SECRET_BYTES = 32;
const SECRET = /^[0-9a-f]{64}\n?$/;
const MAX_BYTES = 128;

async function readSecret(disk: Disk): Promise<string | null> {
  const text = await disk.read(FILES.secret, MAX_BYTES);
  if (text === null) return null;
  if (!SECRET.test(text)) throw new NotReadable(`it is no secret of ${SECRET_BYTES} bytes`);
  return text.trim();
}

/**
 * The secret of this root, made when there is none. A broken one goes to quarantine: tokens given before stay valid, as
 * their hashes are in the records. Only the holder of the lock may call this.
 */
export async function rootSecret(disk: Disk, quarantine: Quarantine): Promise<string> {
  try {
    const secret = await readSecret(disk);
    if (secret !== null) return secret;
  } catch (error) {
    const why = unreadable(error);
    const stat = why === null ? null : await disk.stat(FILES.secret);
    if (stat === null || why === null) throw error;
    await quarantine.move(FILES.secret, stat, why);
  }
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  await writeFiles(disk, [{ path: FILES.secret, text: `${secret}\n` }]);
  return secret;
}

export function tokenFor(secret: string, uuid: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(uuid).digest('hex');
}

/** What a record keeps of a token. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The session whose present life has this token; null = none. */
export function ownerOf(token: string, sessions: readonly SessionRecord[]): SessionRecord | null {
  const hash = Buffer.from(hashOf(token), 'hex');
  return (
    sessions.find(({ tokenHash }) => {
      const kept = Buffer.from(tokenHash ?? '', 'hex');
      return kept.length === hash.length && timingSafeEqual(kept, hash);
    }) ?? null
  );
}
