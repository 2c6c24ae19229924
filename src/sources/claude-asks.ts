/**
 * What a Claude Code asks, where it holds the question open for an answer (A-1).
 * 1. A question stands while the session file says that its program waits, and its transcript shows the very call without a result.
 *    The call of an agent of its agent is in another file: there the session file alone decides.
 * 2. A question that is over is let go: its program may have been answered at its pane.
 * 3. A yes to a plan sets the mode that asks before each edit, whichever mode came before the plan: it gives that plan and no more. Claude
 *    2.1.330 takes it only together with the input of the call, and goes back to the mode before the plan where none is set.
 */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { WallMs } from '../../machines/protocol.ts';
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
} from './question.ts';
import { answersIn, questionsIn, shownOf as choicesShown } from './claude-choices.ts';
import { grantIn } from './claude-grants.ts';
import { HOLD_SECONDS } from './claude-hooks.ts';
import { questionOf, type Call } from './claude-question.ts';
import type { Offered } from '../screen/dialog.ts';
import { ageOf, type HeldQuestion, type HeldQuestions } from './held-questions.ts';
import { SOURCES } from './policy.ts';

type Request = HeldQuestion['request'];

/** Which are left to a person at the pane. */
const ONLY_AT_ITS_PANE = ['EnterPlanMode'];

const PLAN = 'ExitPlanMode';
const PLAN_INPUT = z.object({ plan: z.string().regex(/\S/) });
const EDITS_ASK = [{ type: 'setMode', mode: 'default', destination: 'session' }];
const WITHOUT_ASKING = 'Approve, and edit without asking';
const PLAN_OFFERS: readonly Offered[] = [
  { label: 'Approve', word: 'yes', does: 'approve this plan; each edit still asks' },
  { label: 'Keep planning', word: 'no', does: 'refuse this plan; it plans on' },
  { ...IN_OWN_WORDS, does: 'refuse this plan, and say why: it plans on with your text' },
];

const CHOICE = z.object({
  questions: z.tuple([
    z.object({
      question: z.string(),
      options: z.array(z.object({ label: z.string(), description: z.string().default('') })).max(SOURCES.maxShown),
      multiSelect: z.literal(false).default(false),
    }),
  ]),
});

interface Now {
  readonly isWaiting: boolean;
  /** Of the transcript, those without a result. */
  readonly calls: readonly Call[];
  readonly at: WallMs;
}

interface Standing {
  readonly one: HeldQuestion;
  readonly call: Call | null;
}
type AskedNow = Omit<Asked, 'isOver'> & { readonly key: string };

/** Those that stand. Lets go of those that are over. */
export function standingNow(held: HeldQuestions, questions: readonly HeldQuestion[], now: Now): readonly Standing[] {
  const standing: Standing[] = [];
  for (const one of questions) {
    const call = callOf(one.request, now.calls);
    const stands = now.isWaiting && (call !== null || one.request.agent_id !== undefined);
    if (stands) standing.push({ one, call });
    // The hook comes before the session file and the transcript tell of it.
    else if (ageOf(one, now.at) > SOURCES.heldBeforeShownMs) held.release(one.key);
  }
  return standing;
}

/** The one of them that its agent shows; null = none. */
export function askedNow(held: HeldQuestions, standing: readonly Standing[]): AskedNow | null {
  // The same words may be asked once more before the first is over. Of those that the transcript does not show the newest is on the screen.
  const open = standing.filter(({ one }) => !one.isAnswered);
  const found =
    open.find(({ call }) => call !== null) ??
    open.at(-1) ??
    standing.find(({ call }) => call !== null) ??
    standing.at(-1);
  return found === undefined ? null : askedBy(held, found.one, found.call);
}

const callOf = ({ tool_name, tool_input }: Request, calls: readonly Call[]): Call | null =>
  // The text of a plan stands in a file, which the hook reads and the transcript does not.
  calls.find(({ name, input }) => name === tool_name && (name === PLAN || isDeepStrictEqual(input, tool_input))) ??
  null;

function askedBy(held: HeldQuestions, { key, heldAt, request }: HeldQuestion, call: Call | null): AskedNow | null {
  const { tool_name: name, tool_input: input } = request;
  if (ONLY_AT_ITS_PANE.includes(name)) return null;
  const { session_id: session, agent_id: by } = request;
  const unseen = { id: `${session} ${key}`, mark: JSON.stringify([session, by, name, input]) };
  const expiresAt = heldAt + HOLD_SECONDS * 1_000;
  const ask = { key, expiresAt, ...(call === null ? unseen : { id: call.id }) };
  if (name === 'AskUserQuestion') return choiceOf(held, { ...ask, input });
  if (name === PLAN) return planOf(held, { ...ask, input });
  const suggested = request.permission_suggestions;
  const decisions: Readonly<Record<string, object>> = {
    [ONCE]: { behavior: 'allow' },
    [MORE]: { behavior: 'allow', updatedPermissions: suggested },
    [REJECT]: { behavior: 'deny', message: 'The operator refused this.' },
  };
  return {
    ...ask,
    kind: 'permission',
    question: `${lineOf(questionOf({ name, input }) ?? name)}?`,
    ...linesOf(shownOf(request)),
    ...permissionOffers(grantIn(suggested)),
    answer: (label) => {
      const decision = decisions[label];
      return Promise.resolve(decision === undefined ? 'unknown' : held.answer(key, decision));
    },
  };
}

/** null = of a form that is not known: only its pane answers it. */
function choiceOf(
  held: HeldQuestions,
  { input, ...ask }: Pick<AskedNow, 'key' | 'id' | 'mark' | 'expiresAt'> & { readonly input: Request['tool_input'] },
): AskedNow | null {
  const [asked] = CHOICE.safeParse(input).data?.questions ?? [];
  if (asked === undefined) return choicesOf(held, { input, ...ask });
  const { question, options } = asked;
  return {
    ...ask,
    kind: 'question',
    question: lineOf(question),
    ...choiceLines([question], options),
    offers: [...choiceOffers(options), IN_OWN_WORDS],
    withheld: [],
    answer: (label, text) => {
      const updatedInput = { ...input, answers: { [question]: text ?? label } };
      return Promise.resolve(held.answer(ask.key, { behavior: 'allow', updatedInput }));
    },
  };
}

/** null = its text is not known: only its pane approves it. */
function planOf(
  held: HeldQuestions,
  { input, ...ask }: Pick<AskedNow, 'key' | 'id' | 'mark' | 'expiresAt'> & { readonly input: Request['tool_input'] },
): AskedNow | null {
  const { plan } = PLAN_INPUT.safeParse(input).data ?? {};
  if (plan === undefined) return null;
  const rows = plan.trim().split('\n');
  return {
    ...ask,
    kind: 'permission',
    question: `${lineOf(`Plan: ${rows[0] ?? ''}`)}?`,
    ...linesOf(rows),
    offers: PLAN_OFFERS,
    withheld: [WITHOUT_ASKING],
    answer: (label, text) => {
      const isYes = label === PLAN_OFFERS[0]?.label;
      const refusal = { behavior: 'deny', message: text ?? 'The operator wants you to keep planning.' };
      const approval = { behavior: 'allow', updatedInput: input, updatedPermissions: EDITS_ASK };
      return Promise.resolve(held.answer(ask.key, isYes ? approval : refusal));
    },
  };
}

/** Several questions at once, or one that takes several options. */
function choicesOf(
  held: HeldQuestions,
  { input, ...ask }: Pick<AskedNow, 'key' | 'id' | 'mark' | 'expiresAt'> & { readonly input: Request['tool_input'] },
): AskedNow | null {
  const questions = questionsIn(input);
  if (questions === null) return null;
  return {
    ...ask,
    kind: 'question',
    ...choicesShown(questions),
    withheld: [],
    answer: (_, text = '') => {
      const found = answersIn(questions, text);
      if ('why' in found) return Promise.resolve(found);
      return Promise.resolve(held.answer(ask.key, { behavior: 'allow', updatedInput: { ...input, ...found } }));
    },
  };
}

const TOLD = ['command', 'file_path', 'old_string', 'new_string', 'content'];
/** Words that change nothing of what a shell does. */
const BESIDE: Readonly<Record<string, readonly string[]>> = { Bash: ['description', 'timeout'] };

/** Which tool; then a command, a change or the words of a file, line by line, and all else that the tool gets. */
function shownOf({ tool_name: tool, tool_input: input, cwd }: Request): string[] {
  const isTold = (key: string): boolean => TOLD.includes(key) && typeof input[key] === 'string';
  const text = (key: string): string[] => (isTold(key) ? String(input[key]).split('\n') : []);
  const change = [
    ...text('old_string').map((line) => `- ${line}`),
    ...text('new_string').map((line) => `+ ${line}`),
    ...text('content'),
  ];
  const folder = tool === 'Bash' && cwd !== undefined ? [`folder: ${cwd}`] : [];
  const shown = [...folder, ...text('command'), ...text('file_path'), ...change];
  // Another tool may be given the same.
  const named = `tool: ${tool}`;
  if (shown.length === 0) return [named, JSON.stringify(input)];
  const others = Object.entries(input).filter(([key]) => !isTold(key) && BESIDE[tool]?.includes(key) !== true);
  return [named, ...shown, ...others.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)];
}
