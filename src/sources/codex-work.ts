/**
 * What a thread's file of Codex tells of its work, as seen with 0.169: a line for each call and its output, and for each message.
 * 1. When the calls that wait have used up their time (M-3). A command hands back after half a minute and is waited for again, so any call
 *    has the time of a tool.
 * 2. When its agent did something last (T-1). The thread's own date moves with words that are typed to it, and with a turn that was refused.
 */
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { readTail } from '../../state/files/changing-file.ts';
import { patientFile } from '../../state/files/patient-file.ts';
import type { UntilIn } from './standing-file.ts';
import { SOURCES } from './policy.ts';

const LINE = z.object({
  timestamp: z.string(),
  payload: z.object({ type: z.string(), call_id: z.string() }),
});
const CALL = /_call$/;
const OUTPUT = /_call_output$/;

/** Never rejects. */
export const untilInRollout =
  (file: string): UntilIn =>
  async (writtenAt) => {
    const end = await readTail(file, SOURCES.transcriptBytes);
    const calls = new Map<string, number>();
    // The first line may be cut, and the last one torn: neither is JSON, and neither counts.
    for (const line of (end ?? '').split('\n')) {
      if (!line.includes('_call')) continue;
      const { data } = LINE.safeParse(orNull(() => JSON.parse(line) as unknown));
      if (data === undefined) continue;
      const { type, call_id: id } = data.payload;
      if (CALL.test(type)) calls.set(id, Date.parse(data.timestamp) || writtenAt);
      if (OUTPUT.test(type)) calls.delete(id);
    }
    const { otherMs, graceMs } = SOURCES.tools;
    return calls.size === 0 ? null : Math.max(...calls.values()) + otherMs + graceMs;
  };

const ACT = z.object({
  timestamp: z.string(),
  type: z.literal('response_item'),
  payload: z.union([
    z.object({ type: z.string().regex(/_call(?:_output)?$/) }),
    z.object({ type: z.literal('message'), role: z.literal('assistant') }),
  ]),
});

/** null = its end tells of nothing that its agent did. */
async function lastActIn(path: string): Promise<WallMs | null> {
  const lines = ((await readTail(path, SOURCES.transcriptBytes)) ?? '').split('\n');
  for (const line of lines.reverse()) {
    if (!line.includes('"response_item"')) continue;
    const at = Date.parse(ACT.safeParse(orNull(() => JSON.parse(line) as unknown)).data?.timestamp ?? '');
    if (!Number.isNaN(at)) return at;
  }
  return null;
}

/** When the last act of all these files was; null = none is told. A file that did not change is not read again. Never rejects. */
export function lastActs(): (paths: readonly string[]) => Promise<WallMs | null> {
  let known = new Map<string, Read>();
  return async (paths) => {
    known = new Map(paths.map((path) => [path, known.get(path) ?? { file: patientFile(path), as: '', at: null }]));
    const all = await Promise.all(Array.from(known, ([path, read]) => lookAt(path, read)));
    const times = all.filter((at) => at !== null);
    return times.length === 0 ? null : Math.max(...times);
  };
}
interface Read {
  readonly file: ReturnType<typeof patientFile>;
  /** Its size and date when it was read. */
  as: string;
  at: WallMs | null;
}

async function lookAt(path: string, read: Read): Promise<WallMs | null> {
  const found = await read.file.stat().catch(() => null);
  if (found?.isFile() !== true) return null;
  const as = `${found.size} ${found.mtimeMs}`;
  if (read.as !== as) {
    read.at = await lastActIn(path).catch(() => null);
    read.as = as;
  }
  return read.at;
}
