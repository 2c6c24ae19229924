/**
 * A transcript of Claude Code, line by line, as seen with 2.1: the lines of one message stand one after the other, one for each part of
 * it, and each carries the sums of the message so far. It names no price.
 */
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { CALL, questionOf } from '../sources/claude-question.ts';
import { COSTS } from './policy.ts';
import { less, NOTHING, type Sums, type Tally } from './tally.ts';

const COUNT = z.number().nonnegative();
const USAGE = z.object({
  input_tokens: COUNT,
  output_tokens: COUNT,
  cache_creation_input_tokens: COUNT.nullish(),
  cache_read_input_tokens: COUNT.nullish(),
});
const LINE = z.object({
  type: z.literal('assistant'),
  timestamp: z.string().optional(),
  requestId: z.string().optional(),
  message: z.object({ id: z.string(), content: z.array(z.unknown()), usage: USAGE.optional() }),
});
const TEXT = z.object({ type: z.literal('text'), text: z.string() });

/** By its type alone: a schema that does not fit costs ten times one that does. */
const PART = z.discriminatedUnion('type', [TEXT, CALL]);

/** Calls that wait for what runs in the background: the same words again are no sign of anything. */
const WAITS: readonly string[] = ['BashOutput', 'TaskOutput', 'AgentOutputTool'];
const ASSISTANT = '"assistant"';

/** A reader of lines into `tally`. A line of another form counts as nothing. */
export function claudeLines(tally: Tally): (bytes: Buffer) => void {
  const messages = new Map<string, Sums>();
  return (bytes) => {
    if (!bytes.includes(ASSISTANT)) return;
    const { data } = LINE.safeParse(orNull(() => JSON.parse(bytes.toString('utf8')) as unknown));
    if (data === undefined) return;
    const { id, usage, content } = data.message;
    if (usage !== undefined) {
      const key = `${id} ${data.requestId ?? ''}`;
      const before = messages.get(key) ?? NOTHING;
      const now = most(before, sumsIn(usage));
      messages.delete(key);
      messages.set(key, now);
      forgetOldest(messages);
      tally.spent(timeOf(data.timestamp), less(now, before));
    }
    for (const part of content) {
      const { data: one } = PART.safeParse(part);
      if (one?.type === 'text') tally.said(one.text);
      const call = one?.type === 'tool_use' ? one : undefined;
      if (call !== undefined && !WAITS.includes(call.name))
        tally.called({ ...call, subject: (questionOf(call) ?? '').replace(`${call.name}: `, '') });
    }
  };
}

const sumsIn = (usage: z.infer<typeof USAGE>): Sums => ({
  input: usage.input_tokens + (usage.cache_creation_input_tokens ?? 0),
  cached: usage.cache_read_input_tokens ?? 0,
  output: usage.output_tokens,
  cost: null,
});

const most = (one: Sums, other: Sums): Sums => ({
  input: Math.max(one.input, other.input),
  cached: Math.max(one.cached, other.cached),
  output: Math.max(one.output, other.output),
  cost: null,
});

function forgetOldest(messages: Map<string, Sums>): void {
  for (const oldest of messages.keys()) {
    if (messages.size <= COSTS.maxMessages) break;
    messages.delete(oldest);
  }
}

/** null = it is no time. */
export const timeOf = (text: string | undefined): WallMs | null => Date.parse(text ?? '') || null;
