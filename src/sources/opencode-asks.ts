/** What an opencode asks, by its server: a permission, or a question with options, each with the id by which it is answered. */
import * as z from 'zod';
import {
  choiceLines,
  choiceOffers,
  lineOf,
  linesOf,
  ONCE,
  PERMISSION_OFFERS,
  REJECT,
  type Asked,
  type Taken,
} from './asked.ts';
import { readFrom, tellTo, type Door } from './opencode-server.ts';
import { SOURCES } from './policy.ts';

const idOf = (prefix: string): z.ZodString => z.string().regex(new RegExp(`^${prefix}[\\w-]{1,80}$`));
export const SESSION = idOf('ses_');

const PERMISSIONS = z.array(
  z.object({
    id: idOf('per'),
    sessionID: SESSION,
    permission: z.string(),
    patterns: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()).optional(),
    always: z.array(z.string()).optional(),
  }),
);
const QUESTIONS = z.array(
  z.object({
    id: idOf('que'),
    sessionID: SESSION,
    questions: z
      .array(
        z.object({
          question: z.string(),
          options: z
            .array(z.object({ label: z.string(), description: z.string().optional() }))
            .max(SOURCES.maxShown)
            .default([]),
          multiple: z.boolean().optional(),
        }),
      )
      .min(1),
  }),
);
type Permission = z.output<typeof PERMISSIONS>[number];
type Question = z.output<typeof QUESTIONS>[number];

/** One that it asks, and in which conversation. */
export interface Asking {
  readonly session: string;
  /** One line of a terminal, without secrets. */
  readonly detail: string;
  readonly asked: Asked;
}

/** null = no answer of a form that is known. Never rejects. */
export async function asksAt(door: Door): Promise<readonly Asking[] | null> {
  const [permissions, questions] = await Promise.all([
    readFrom(door, '/permission', PERMISSIONS),
    readFrom(door, '/question', QUESTIONS),
  ]);
  if (permissions === null || questions === null) return null;
  return [...permissions.map((one) => ofPermission(door, one)), ...questions.map((one) => ofQuestion(door, one))];
}

const REPLIES: Readonly<Record<string, string>> = { [ONCE]: 'once', [REJECT]: 'reject' };

function ofPermission(door: Door, { id, sessionID, permission, patterns, metadata, always }: Permission): Asking {
  const subject = `${permission}: ${patterns.join(', ')}`;
  const [command = null, diff = null] = ['command', 'diff'].map((key) => {
    const text = metadata?.[key];
    return typeof text === 'string' ? text.split('\n') : null;
  });
  const lines = linesOf([...(command ?? patterns), ...(diff ?? [])]);
  // Of other tools the patterns are all that is said, and they may be no more than `*`.
  const isWhole = (permission === 'bash' && command !== null) || (permission === 'edit' && diff !== null);
  const asked: Asked = {
    id,
    kind: 'permission',
    question: `${lineOf(subject)}?`,
    shows: lines.shows,
    whole: isWhole ? lines.whole : null,
    offers: PERMISSION_OFFERS,
    withheld: always === undefined || always.length === 0 ? [] : ['Allow always'],
    answer: async (label) => takenBy(await tellTo(door, `/permission/${id}/reply`, { reply: REPLIES[label] })),
  };
  return { session: sessionID, detail: lineOf(`permission: ${subject}`), asked };
}

/** Several questions at once, and those that take more than one answer, are answered in the pane. */
function ofQuestion(door: Door, { id, sessionID, questions }: Question): Asking {
  const [first] = questions;
  const { question = '', options = [], multiple } = first ?? {};
  const isOne = questions.length === 1 && multiple !== true;
  const asked: Asked = {
    id,
    kind: 'question',
    question: lineOf(question),
    ...choiceLines(
      questions.map((one) => one.question),
      options,
    ),
    offers: isOne ? choiceOffers(options) : [],
    withheld: isOne ? [] : questions.flatMap((one) => one.options.map(({ label }) => label)),
    answer: async (label) => takenBy(await tellTo(door, `/question/${id}/reply`, { answers: [[label]] })),
  };
  return { session: sessionID, detail: lineOf(`question: ${question}`), asked };
}

const OK = 200;
const NOT_FOUND = 404;

const takenBy = (status: number | null): Taken => (status === OK ? 'taken' : status === NOT_FOUND ? 'over' : 'unknown');
