/**
 * How far a busy Claude Code is, by its transcript (M-3): its size tells each step, and a call without a result that a tool
 * runs. Of a transcript that grows nothing is read; of one that stands still its end, once.
 */
import { stat } from 'node:fs/promises';
import type { Ms, WallMs } from '../../machines/protocol.ts';
import { callsIn, SUBAGENTS, type Call } from './claude-question.ts';
import { transcriptFile, type TranscriptOf } from './claude-transcript.ts';
import type { Heard } from './port.ts';
import { SOURCES } from './policy.ts';

type Work = Pick<Heard, 'progress' | 'hasTool'>;

/** Never rejects. */
export function workReader(): (of: TranscriptOf, now: WallMs) => Promise<Work> {
  let last = { progress: '', isRead: false, until: null as WallMs | null };
  return async (of, now) => {
    const found = await stat(transcriptFile(of)).catch(() => null);
    if (found === null) return {};
    const progress = `${found.size} ${found.mtimeMs}`;
    if (last.progress !== progress) last = { progress, isRead: false, until: null };
    if (!last.isRead && now - found.mtimeMs >= SOURCES.stillMs) {
      const until = untilOf(await callsIn(of), found.mtimeMs);
      // Another caller may have asked meanwhile.
      if (last.progress === progress) last = { progress, isRead: true, until };
    }
    return { progress, ...(last.until !== null && now < last.until && { hasTool: true }) };
  };
}

/** When the last of these calls has used up its time; null = none waits. */
function untilOf(calls: readonly Call[], writtenAt: WallMs): WallMs | null {
  const ends = calls.map((call) => (Date.parse(call.at ?? '') || writtenAt) + limitOf(call));
  return ends.length === 0 ? null : Math.max(...ends);
}

/** How long a tool may run, as its program ends it, and a moment to say so. */
function limitOf({ name, input }: Call): Ms {
  const { shellMs, otherMs, subagentMs, graceMs } = SOURCES.tools;
  if (SUBAGENTS.includes(name)) return subagentMs + graceMs;
  if (name !== 'Bash') return otherMs + graceMs;
  const { timeout } = input;
  return (typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, otherMs) : shellMs) + graceMs;
}
