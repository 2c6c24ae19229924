/**
 * triage/run.json: the run of the reasoner that is under way, or was the last. The holder of triage/lock.db writes it.
 * Its token counts while the run has not ended and its time is not over; only the hash of the token is kept.
 */
import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import { readIfReadable, type Disk } from '../files/disk.ts';
import { FILES, FOLDERS } from '../files/layout.ts';
import { recordKind } from '../files/record-kind.ts';
import { count, wall } from '../files/shapes.ts';
import { writeFiles } from '../files/atomic-write.ts';
import { lockFile, type Lock } from '../process/lock.ts';
import { hashOf } from '../sessions/tokens.ts';

const runFile = z.strictObject({
  id: z.string().min(1),
  startedAt: wall,
  deadlineAt: wall,
  tokenHash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Its role may decide these, and speak to these agents, by the names of their sessions too. */
  cases: z.array(z.string()).readonly(),
  agents: z.array(z.string()).readonly(),
  /** By case: the mark of what its prompt shows that COMMIT_AND_PUSH would publish. Absent = not all of it is shown. */
  shown: z.record(z.string(), z.string()).readonly().optional(),
  /** Calls of its tools that it may make. */
  maxCalls: count,
  /** null = it has not ended, as far as anybody wrote. */
  endedAt: wall.nullable(),
});
export type TriageRun = Readonly<z.infer<typeof runFile>>;
const RUN = recordKind<TriageRun>('triage-run', { shape: runFile });

/** null = there was none, or the file is invalid: then no run has its token. */
export async function readRun(disk: Disk): Promise<TriageRun | null> {
  const text = await readIfReadable(disk, FILES.triageRun, RUN.maxBytes);
  const decoded = text === null ? null : RUN.decode(text, '');
  return decoded?.ok === true ? decoded.value : null;
}

/** Durable when it resolves. */
export const saveRun = (disk: Disk, run: TriageRun): Promise<void> =>
  writeFiles(disk, [{ path: FILES.triageRun, text: RUN.text(run) }]);

/** What the reasoner reads, and how a program that speaks MCP reaches its tools; the second holds its token. */
export async function saveWords(disk: Disk, words: { readonly prompt: string; readonly mcp: object }): Promise<void> {
  const { prompt, mcp } = words;
  await writeFiles(disk, [
    { path: FILES.triagePrompt, text: prompt },
    { path: FILES.triageMcp, text: `${JSON.stringify(mcp)}\n` },
  ]);
}

export async function removeWords(disk: Disk): Promise<void> {
  for (const path of [FILES.triagePrompt, FILES.triageMcp]) await disk.remove(path);
}

/** Only the holder may run the reasoner; null = another process holds it. */
export async function lockTriage(root: string, disk: Disk): Promise<Lock | null> {
  await disk.mkdir(FOLDERS.triage);
  return lockFile({ root, disk }, FILES.triageLock);
}

/** Whether this token is the one of this run now. */
export function isTokenOf({ tokenHash, endedAt, deadlineAt }: TriageRun, token: string, now: WallMs): boolean {
  if (endedAt !== null || now >= deadlineAt) return false;
  return timingSafeEqual(Buffer.from(tokenHash, 'hex'), Buffer.from(hashOf(token), 'hex'));
}
