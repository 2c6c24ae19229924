/** When the calls that wait in a transcript of Claude Code have used up their time (M-3). */
import type { Ms, WallMs } from '../../machines/protocol.ts';
import { callsIn, SUBAGENTS, type Call } from './claude-question.ts';
import type { TranscriptOf } from './claude-transcript.ts';
import type { UntilIn } from './standing-file.ts';
import { SOURCES } from './policy.ts';

/** Never rejects. */
export const untilInTranscript =
  (of: TranscriptOf): UntilIn =>
  async (writtenAt) =>
    untilOf(await callsIn(of), writtenAt);

/** null = none waits. */
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
