/**
 * Why a turn of Claude Code halted, as its hooks `StopFailure` and `PermissionDenied` say it, and until when that is so (M-2). As seen
 * with 2.1.330.
 * 1. A hook says it once. It holds while the program rests, until its transcript shows that the agent went on: a person wrote to it,
 *    commands such as /login included, or it called a tool. After an error its own words show it too.
 * 2. What an agent of its agent met does not count: the agent itself goes on.
 * 3. A transcript that does not tell is unknown: it cannot be read, or its end that is read begins after the halt. The program's own
 *    rest is then no word either, since it would say that the agent went on.
 */
import { stat } from 'node:fs/promises';
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import { readTail } from '../../state/files/changing-file.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Halt } from '../../state/sessions/halts.ts';
import { lineOf } from './question.ts';
import { questionOf } from './claude-question.ts';
import { transcriptFile, type TranscriptOf } from './claude-transcript.ts';
import { SOURCES } from './policy.ts';

/** A form that differs is no ground to drop the event. */
const text = z.string().catch('');
const COMMON = { session_id: z.uuid(), agent_id: z.never().optional() };

const FAILURE = z.object({
  ...COMMON,
  hook_event_name: z.literal('StopFailure'),
  error: text,
  error_details: text,
  last_assistant_message: text,
});
const DENIAL = z.object({
  ...COMMON,
  hook_event_name: z.literal('PermissionDenied'),
  tool_name: z.string(),
  tool_input: z.record(z.string(), z.unknown()).catch({}),
  reason: text,
});

/** What an error of `StopFailure` is. All others, unknown ones included, are an error. */
const STATES: Readonly<Record<string, Halt['state']>> = {
  rate_limit: 'limited',
  billing_error: 'limited',
  authentication_failed: 'logged_out',
  oauth_org_not_allowed: 'logged_out',
  account_on_hold: 'logged_out',
  verification_required: 'logged_out',
  cloud_credential_error: 'logged_out',
};

/** null = of another form, or no halt of the agent itself. `uuid`: of the life whose hook it is. */
export function haltIn(body: string, uuid: string, at: WallMs): Halt | null {
  const json = orNull(() => JSON.parse(body) as unknown);
  const { data: failure } = FAILURE.safeParse(json);
  if (failure !== undefined) {
    const { hook_event_name: event, session_id: conversation, error } = failure;
    const detail = lineOf(failure.last_assistant_message || failure.error_details || error);
    return { uuid, conversation, event, state: STATES[error] ?? 'error', detail, at };
  }
  const { data: denial } = DENIAL.safeParse(json);
  if (denial === undefined) return null;
  const { hook_event_name: event, session_id: conversation, tool_name: name, tool_input: input, reason } = denial;
  const what = questionOf({ name, input }) ?? name;
  return {
    uuid,
    conversation,
    event,
    state: 'denied',
    detail: lineOf(reason === '' ? what : `${what} (${reason})`),
    at,
  };
}

export const haltWord = ({ event, state, detail, at: since }: Halt, at: WallMs): Word => ({
  by: 'hook',
  source: `claude hook ${event}`,
  state,
  since,
  at,
  detail: detail || null,
  rule: null,
});

const LINE = z.object({
  sessionId: z.string(),
  timestamp: z.string(),
  isSidechain: z.literal(false),
  isMeta: z.literal(false).optional(),
  isApiErrorMessage: z.literal(false).optional(),
  type: z.enum(['user', 'assistant']),
  message: z.object({ content: z.union([z.string(), z.array(z.object({ type: z.string() }))]) }),
});
const SPEAKS = /"type":"(?:user|assistant)"/;

const STAMPED = z.object({ timestamp: z.string() });

/** `over`: its agent went on. */
export type HaltNow = 'stands' | 'over' | 'unknown';

/** It reads a transcript that did not change once, and one that could not be read again. Never rejects. */
export function haltReader(): (halt: Halt, of: TranscriptOf) => Promise<HaltNow> {
  let last = { of: '', is: 'unknown' as HaltNow };
  return async (halt, of) => {
    const file = transcriptFile(of);
    const found = await stat(file).catch(() => null);
    if (found === null) return 'unknown';
    const now = `${file} ${found.size} ${found.mtimeMs} ${halt.at}`;
    if (last.of === now) return last.is;
    const end = await readTail(file, SOURCES.transcriptBytes);
    if (end === null) return 'unknown';
    const is = haltBy(halt, end.split('\n'));
    last = { of: now, is };
    return is;
  };
}

const parsed = (line: string): unknown => orNull(() => JSON.parse(line) as unknown);

/** `lines`: the end of its transcript; the first line may be torn. */
function haltBy({ conversation, state, at }: Halt, lines: readonly string[]): HaltNow {
  const isOver = lines.some((line) => {
    const { data } = SPEAKS.test(line) ? LINE.safeParse(parsed(line)) : {};
    if (data?.sessionId !== conversation || !(Date.parse(data.timestamp) > at)) return false;
    const { type, message } = data;
    const kinds = typeof message.content === 'string' ? [] : message.content.map((part) => part.type);
    if (type === 'user') return !kinds.includes('tool_result');
    return state !== 'denied' || kinds.includes('tool_use');
  });
  if (isOver) return 'over';
  for (const line of lines) {
    const { data } = STAMPED.safeParse(parsed(line));
    // What came between the halt and a later first line was not read.
    if (data !== undefined) return Date.parse(data.timestamp) <= at ? 'stands' : 'unknown';
  }
  return 'unknown';
}
