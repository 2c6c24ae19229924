/**
 * The tools of `town mcp`: those of the worker monitor by the names that orchestrators know, and what an agent may do by commands. Each
 * is refused where the command is: an agent is known by the token in its environment, and acts for itself alone.
 */
import { z } from 'zod';
import { USUAL_SEVERITY } from '../../../machines/alerts/severity.ts';
import { promptType } from '../../../machines/monitor/messages.ts';
import type { AgentState } from '../../../machines/sessions/agent-state.ts';
import type { SessionView } from '../../overview/sessions.ts';
import { row, text, type Row } from '../asking/tools.ts';
import { given } from '../naming/given.ts';
import { fileAlive } from './alive.ts';
import { poll } from './alerts-poll.ts';
import * as asks from './ask.ts';
import { escalate } from './escalations.ts';
import * as evidence from './evidence.ts';
import { inbox, send } from './mail.ts';
import { reportStatus, workers } from './monitor.ts';
import * as sessions from './sessions.ts';
import * as timers from './watchdog.ts';
import { PROGRAM } from './questions.ts';
import { why } from './why.ts';

const NONE = z.strictObject({});

/** As `get_worker_status` says it of workers (M-2), of any session: an idle prompt awaits nothing. */
function awaiting({ asks, screen }: Pick<SessionView, 'asks' | 'screen'>): object {
  const { state: status = 'unknown', rule = null } = screen ?? {};
  const isAwaiting = asks !== null || AWAITING.some((one) => one === status);
  const isInput = promptType({ state: asks === null ? status : 'asks', rule, detail: asks }) === 'input';
  return {
    status,
    rule,
    is_awaiting_input: isAwaiting && isInput,
    is_awaiting_confirmation: isAwaiting && !isInput,
  };
}
const AWAITING: readonly AgentState[] = ['asks', 'logged_out'];

/** What each caller is served. */
export const TOWN_TOOLS = {
  get_worker_status: row({
    description: 'List the workers: state, status, last activity, and whether they wait for input or a confirmation.',
    input: NONE,
    deed: workers,
    isData: true,
  }),
  get_status: row({
    description:
      'Show one session: whether it lives, the status of its agent, what it asks, and whether it waits for input or a confirmation.',
    input: z.strictObject({ session: text('its name') }),
    deed: (context, { session }) => sessions.statusWith(context, session, awaiting),
    isData: true,
  }),
  report_status: row({
    description: 'Say how you are. It counts until your next report, or until your program says that it works again.',
    input: z.strictObject({
      status: z.enum(['idle', 'working', 'waiting_for_input', 'blocked', 'complete', 'error']),
      message: z.string().optional().describe('what a reader should know'),
      outcome: z.enum(['success', 'failure', 'partial']).optional().describe('of complete'),
    }),
    deed: (context, { status, message, outcome }) => reportStatus(context, status, given({ message, outcome })),
  }),
  send_orchestration: row({
    description:
      'Send a letter to the mailbox of a tag, such as orchestrator. Its sessions read it with their mail (town mail check).',
    input: z.strictObject({
      target: z.strictObject({ tag: text('the tag') }),
      msg_type: text('one line, such as worker.stuck'),
      payload: z.record(z.string(), z.unknown()),
    }),
    deed: (context, { target, msg_type: subject, payload }) =>
      send(context, `tag/${target.tag}`, { subject, body: JSON.stringify(payload) }),
  }),
  poll_messages: row({
    description:
      "Fetch the town's messages about workers to the sessions of a tag, the oldest first. Give the last id that you handled.",
    input: z.strictObject({
      tag: text('the tag').default('orchestrator'),
      after: z.string().optional().describe('the last message that you handled; it and older ones are over then'),
    }),
    deed: (context, { tag, after }) => poll(context, { for: tag, ...given({ after }) }),
    isData: true,
  }),
  watchdog_start: row({
    description: 'Have a message typed to a session again and again, first after one interval, where it is safe.',
    input: z.strictObject({
      pane_id: text('the name of the session, or its pane, as %5'),
      interval_secs: z.int().min(1),
      message: text('what is typed').default('check'),
      name: text('a timer of the same name is replaced').default('default'),
    }),
    deed: (context, { pane_id: where, interval_secs: interval, message, name }) =>
      timers.start(context, where, { interval, message, name }),
  }),
  watchdog_stop: row({
    description: 'Stop one timer, or all.',
    input: z.strictObject({ name: z.string().optional() }),
    deed: (context, { name }) => timers.stop(context, name),
  }),
  watchdog_status: row({
    description: 'List the timers, and what came of each last.',
    input: NONE,
    deed: timers.status,
    isData: true,
  }),
  add_evidence: row({
    description: 'Leave a sign of what you do now. An agent without one for minutes counts as silent.',
    input: z.strictObject({ text: text('one line or more'), type: z.string().optional().describe('its kind') }),
    deed: (context, { text: words, type }) => evidence.add(context, words, given({ type })),
  }),
  send_mail: row({
    description: 'Send a letter to an agent, to the mayor or to the overseer, who is a person.',
    input: z.strictObject({ to: text('its address'), subject: text('one line'), body: z.string().optional() }),
    deed: (context, { to, subject, body }) => send(context, to, { subject, ...given({ body }) }),
  }),
  list_mail: row({
    description: 'List the letters in your mailbox.',
    input: NONE,
    deed: (context) => inbox(context, undefined, {}),
    isData: true,
  }),
  escalate: row({
    description: 'Ask a person for a decision that you cannot make.',
    input: z.strictObject({
      title: text('one line'),
      reason: z.string().optional().describe('what you tried, and what is missing'),
      severity: z.enum(['low', 'medium', 'high', 'critical']).default(USUAL_SEVERITY),
    }),
    deed: (context, { title, severity, reason }) => escalate(context, title, { severity, ...given({ reason }) }),
  }),
  alive: row({
    description: 'Answer a health check with the code in its question.',
    input: z.strictObject({ code: text('as K7-3F') }),
    deed: async (context, { code }) => {
      const isFiled = await fileAlive(context, code);
      if (!isFiled) throw new Error(`the answer could not be filed; write ALIVE ${code} as your next words`);
    },
  }),
  why: row({
    description: 'Tell the story of a session, a bead or a hearing in ten lines, with its evidence.',
    input: z.strictObject({ what: text('its name or number') }),
    deed: (context, { what }) => why(context, what, {}),
    quotes: true,
  }),
} satisfies Record<string, unknown> as unknown as Readonly<Record<string, Row<z.ZodObject>>>;

/** What only the operator's own programs are served besides. */
export const OPERATOR_TOOLS = {
  list_asks: row({
    description: 'List every question that waits for a person, with its options and what each gives.',
    input: NONE,
    deed: asks.list,
    isData: true,
  }),
  answer_ask: row({
    description:
      'Answer one question. An answer to one that is over, or in whose place another stands, changes nothing.',
    input: z.strictObject({
      id: text('the id of the question'),
      option: text('the key of one of its options'),
      text: z.string().optional().describe('words for the agent, where the option takes some'),
    }),
    deed: (context, { id, option, text: words = '' }) =>
      asks.answer(context, id, option, words === '' ? [] : [words], { by: PROGRAM }),
  }),
} satisfies Record<string, unknown> as unknown as Readonly<Record<string, Row<z.ZodObject>>>;
