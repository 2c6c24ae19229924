/**
 * TOWN_TOKEN: what an agent proves with which life it is. Derived from a secret of the root and the life's uuid, so that a
 * start that is done twice gives the same token. Records keep its hash only.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionRecord } from '../../machines/protocol.ts';
import { NotReadable, readIfReadable, unreadable, type Disk } from '../files/disk.ts';
import { FILES } from '../files/layout.ts';
import { writeFiles } from '../files/atomic-write.ts';
import type { Quarantine } from '../files/quarantine.ts';

const SECRET_BYTES = 32;
const SECRET = /^[0-9a-f]{64}\n?$/;
const TOKEN = /^[0-9a-f]{64}$/;
const MAX_BYTES = 128;

async function readSecret(disk: Disk, path: string): Promise<string | null> {
  const text = await disk.read(path, MAX_BYTES);
  if (text === null) return null;
  if (!SECRET.test(text)) throw new NotReadable(`it is no secret of ${SECRET_BYTES} bytes`);
  return text.trim();
}

async function newSecret(disk: Disk, path: string): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  await writeFiles(disk, [{ path, text: `${secret}\n` }]);
  return secret;
}

/**
 * The secret of this root, made when there is none. A broken one goes to quarantine: tokens given before stay valid, as
 * their hashes are in the records. Only the holder of the lock may call this.
 */
export async function rootSecret(disk: Disk, quarantine: Quarantine): Promise<string> {
  try {
    const secret = await readSecret(disk, FILES.secret);
    if (secret !== null) return secret;
  } catch (error) {
    const why = unreadable(error);
    const stat = why === null ? null : await disk.stat(FILES.secret);
    if (stat === null || why === null) throw error;
    await quarantine.move(FILES.secret, stat, why);
  }
  return newSecret(disk, FILES.secret);
}

/** The token of a life by the secret on this disk, for the operator who looks beside the town; null = none can be told. */
export async function tokenOnDisk(disk: Disk, uuid: string): Promise<string | null> {
  const secret = await readSecret(disk, FILES.secret).catch(() => null);
  return secret && tokenFor(secret, uuid);
}

/** Writes a new token of the operator for MCP over HTTP in place of the last one, which is void from then on. */
export async function renewMcpToken(disk: Disk): Promise<void> {
  await newSecret(disk, FILES.mcpToken);
}

/** Whether it is the operator's token for MCP over HTTP, as its file says now: a file that is gone or broken proves none. */
export async function isMcpToken(disk: Disk, token: string): Promise<boolean> {
  const text = await readIfReadable(disk, FILES.mcpToken, MAX_BYTES);
  if (text === null || !SECRET.test(text)) return false;
  return timingSafeEqual(Buffer.from(hashOf(text.trim())), Buffer.from(hashOf(token)));
}

/** Whether it has the form of a token of an agent or the operator: 64 hex digits. */
export const isTokenForm = (text: string): boolean => TOKEN.test(text);

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
