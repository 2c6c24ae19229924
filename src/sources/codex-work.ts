/**
 * When the calls that wait in a thread's file of Codex have used up their time (M-3), as seen with 0.169: a line for each call, and one
 * for its output. A command hands back after half a minute and is waited for again, so any call has the time of a tool.
 */
import * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import { readTail } from '../../state/files/changing-file.ts';
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
