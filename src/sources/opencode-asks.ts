/** What an opencode asks, by its server: a permission, or a question with options, each with the id by which it is answered. */
import * as z from 'zod';
import {
  choiceLines,
  choiceOffers,
  IN_OWN_WORDS,
  lineOf,
  linesOf,
  MORE,
  ONCE,
  permissionOffers,
  REJECT,
  type Asked,
  type Taken,
} from './question.ts';
import { hearFrom, readFrom, tellTo, type OpencodeServer } from './opencode-server.ts';
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
    /** The call that asks. */
    tool: z.object({ messageID: idOf('msg'), callID: z.string() }).optional(),
  }),
);
const MESSAGE = z.object({ parts: z.array(z.unknown()) });
const CALL = z.object({
  type: z.literal('tool'),
  callID: z.string(),
  state: z.object({ status: z.literal('running'), input: z.record(z.string(), z.unknown()) }),
});
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
          /** Whether it takes other words than its options; true where it does not say. */
          custom: z.boolean().optional(),
        }),
      )
      .min(1),
  }),
);
type Permission = z.output<typeof PERMISSIONS>[number];
type Question = z.output<typeof QUESTIONS>[number];

/** One that it asks, and in which conversation. */
export interface OpencodeAsk {
  readonly session: string;
  /** One line of a terminal, without secrets. */
  readonly detail: string;
  readonly asked: Asked;
}

/** null = no answer of a form that is known. Never rejects. */
export async function asksAt(server: OpencodeServer): Promise<readonly OpencodeAsk[] | null> {
  const [permissions, questions] = await Promise.all([
    hearFrom(server, '/permission', PERMISSIONS),
    hearFrom(server, '/question', QUESTIONS),
  ]);
  if (permissions === null || questions === null) return null;
  const [first, ...more] = permissions;
  // The first one is what is answered.
  const content = first === undefined ? null : (contentOf(first) ?? (await callOf(server, first)));
  return [
    ...(first === undefined ? [] : [ofPermission(server, first, content)]),
    ...more.map((one) => ofPermission(server, one, contentOf(one))),
    ...questions.map((one) => ofQuestion(server, one)),
  ];
}

/** What a command or a change is, as the permission itself has it, line by line; null = it has it not. */
function contentOf({ permission, metadata }: Permission): readonly string[] | null {
  const text = metadata?.[permission === 'bash' ? 'command' : 'diff'];
  if (!['bash', 'edit'].includes(permission) || typeof text !== 'string') return null;
  return [toolRow(permission), ...text.split('\n')];
}

/** Of other tools, those of MCP among them, the permission has a name and often no more: their call has what they are given. */
async function callOf(
  server: OpencodeServer,
  { sessionID, permission, patterns, tool }: Permission,
): Promise<readonly string[] | null> {
  if (tool === undefined) return null;
  const message = await hearFrom(server, `/session/${sessionID}/message/${tool.messageID}`, MESSAGE);
  const calls = (message?.parts ?? []).flatMap((part) => CALL.safeParse(part).data ?? []);
  const call = calls.find(({ callID }) => callID === tool.callID);
  if (call === undefined) return null;
  const input = JSON.stringify(call.state.input, null, 2).split('\n');
  return [toolRow(permission), ...patterns.filter((one) => one !== ANY), ...input];
}
const ANY = '*';
/** Another tool may be given the same. */
const toolRow = (name: string): string => `tool: ${name}`;

const REPLIES: Readonly<Record<string, string>> = { [ONCE]: 'once', [MORE]: 'always', [REJECT]: 'reject' };

/** As `permissionOffers` has it. */
function alwaysOf({ permission, always = [] }: Permission): string | undefined {
  if (always.length === 0) return undefined;
  const which = always.join() === ANY ? `all of ${permission}` : `${permission}: ${always.join(', ')},`;
  return `do not ask again for ${which} until opencode ends`;
}

/** `content`: all that a yes gives; null = it is not known. */
function ofPermission(server: OpencodeServer, one: Permission, content: readonly string[] | null): OpencodeAsk {
  const { id, sessionID, permission, patterns } = one;
  const subject = [permission, ...(patterns.join() === ANY ? [] : [patterns.join(', ')])].join(': ');
  const lines = linesOf(content ?? patterns);
  const asked: Asked = {
    id,
    kind: 'permission',
    question: `${lineOf(subject)}?`,
    shows: lines.shows,
    whole: content === null ? null : lines.whole,
    ...permissionOffers(alwaysOf(one)),
    answer: async (label) => takenBy(await tellTo(server, `/permission/${id}/reply`, { reply: REPLIES[label] })),
    isOver: async () => isWithout(await readFrom(server, '/permission', PERMISSIONS), id),
  };
  return { session: sessionID, detail: lineOf(`permission: ${subject}`), asked };
}

/** Several questions at once, and those that take more than one answer, are answered in the pane. */
function ofQuestion(server: OpencodeServer, { id, sessionID, questions }: Question): OpencodeAsk {
  const [first] = questions;
  const { question = '', options = [], multiple, custom = true } = first ?? {};
  const isOne = questions.length === 1 && multiple !== true;
  const asked: Asked = {
    id,
    kind: 'question',
    question: lineOf(question),
    ...choiceLines(
      questions.map((one) => one.question),
      options,
    ),
    offers: isOne ? [...choiceOffers(options), ...(custom ? [IN_OWN_WORDS] : [])] : [],
    withheld: isOne ? [] : questions.flatMap((one) => one.options.map(({ label }) => label)),
    answer: async (label, text = label) =>
      takenBy(await tellTo(server, `/question/${id}/reply`, { answers: [[text]] })),
    isOver: async () => isWithout(await readFrom(server, '/question', QUESTIONS), id),
  };
  return { session: sessionID, detail: lineOf(`question: ${question}`), asked };
}

const isWithout = (all: readonly { readonly id: string }[] | null, id: string): boolean =>
  all?.every((one) => one.id !== id) === true;

const OK = 200;
const NOT_FOUND = 404;

const takenBy = (status: number | null): Taken => (status === OK ? 'taken' : status === NOT_FOUND ? 'over' : 'unknown');
