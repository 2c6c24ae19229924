/**
 * What Claude Code asks in a dialog, from the end of its transcript: the one tool call of its last message that has no
 * result yet. The session file says no more than "permission prompt". The form is undocumented: a line that differs from
 * those of 2.1.330 does not count, and neither do several calls at once, or one of a subagent. Tokens and keys are taken
 * out, since the question goes to a person's telephone too.
 */
import * as z from 'zod';
import { readTail } from '../../state/files/changing-file.ts';
import { orNull } from '../../state/files/or-null.ts';
import { lineOf } from './question.ts';
import { transcriptFile, type TranscriptOf } from './claude-transcript.ts';
import { SOURCES } from './policy.ts';

/** A call of a tool, as a transcript holds it. */
export const CALL = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
/** `at`: ISO, when it was written; absent = the line does not tell. */
export type Call = z.infer<typeof CALL> & { readonly at?: string | undefined };
const RESULT = z.object({ type: z.literal('tool_result'), tool_use_id: z.string() });
const LINE = z.object({
  sessionId: z.string(),
  timestamp: z.string().optional(),
  isSidechain: z.literal(false),
  message: z.object({ id: z.string().optional(), content: z.array(z.unknown()) }),
});
const QUESTIONS = z.object({ questions: z.tuple([z.object({ question: z.string() })], z.unknown()) });

/** Which word of its input a tool is about. */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  Read: 'file_path',
  NotebookEdit: 'notebook_path',
  WebFetch: 'url',
  WebSearch: 'query',
};
/** Calls that wait for agents of their own, whose dialogs are about other tools. */
export const SUBAGENTS = ['Task', 'Agent', 'Workflow'];

/** The calls of its last message that have no result yet. Never rejects. */
export async function callsIn(of: TranscriptOf): Promise<readonly Call[]> {
  const end = await readTail(transcriptFile(of), SOURCES.transcriptBytes);
  return end === null ? [] : callsWaiting(end, of.id);
}

/** What a dialog is about, and the id of its call. */
export interface Question {
  readonly id: string;
  readonly text: string;
}

/** null = its transcript does not tell. Never rejects. */
export async function questionIn(of: TranscriptOf): Promise<Question | null> {
  const calls = await callsIn(of);
  const [call] = calls;
  const question = calls.length === 1 && call !== undefined ? questionOf(call) : null;
  return question === null || call === undefined ? null : { id: call.id, text: lineOf(question) };
}

/** The first line may be cut, and the last one torn: neither is JSON, and neither counts. */
function callsWaiting(text: string, conversation: string): Call[] {
  const calls = new Map<string, Call>();
  let message: string | undefined;
  for (const line of text.split('\n')) {
    if (!line.includes('"tool_use') && !line.includes('"tool_result"')) continue;
    const { data } = LINE.safeParse(orNull(() => JSON.parse(line) as unknown));
    if (data?.sessionId !== conversation) continue;
    for (const part of data.message.content) {
      const { data: result } = RESULT.safeParse(part);
      if (result !== undefined) calls.delete(result.tool_use_id);
      const { data: call } = CALL.safeParse(part);
      if (call === undefined) continue;
      if (data.message.id !== message) calls.clear();
      message = data.message.id;
      calls.set(call.id, { ...call, at: data.timestamp });
    }
  }
  return [...calls.values()];
}

/** null = it is not said in a line. */
export function questionOf({ name, input }: Pick<Call, 'name' | 'input'>): string | null {
  if (SUBAGENTS.includes(name)) return null;
  if (name === 'AskUserQuestion') return QUESTIONS.safeParse(input).data?.questions[0].question ?? null;
  const subject = input[SUBJECTS[name] ?? ''];
  return typeof subject === 'string' ? `${name}: ${subject}` : name;
}
