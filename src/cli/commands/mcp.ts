/**
 * `town mcp --role triage`: the role's five tools over MCP. Each is the command for the same act, in the caller's name.
 */
import { z } from 'zod';
import { sessionOfAgent } from '../../../machines/rigs/names.ts';
import type { McpTool } from '../../mcp/serve.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { TOOLS, type Tool } from '../../triage/role.ts';
import { version } from '../../package.ts';
import { Context, textIn, type Told } from '../context.ts';
import { given } from '../naming/given.ts';
import { quoteName } from '../naming/names.ts';
import { refuseCall, roleOf } from '../asking/role.ts';
import { escalate } from './escalations.ts';
import { send } from './mail.ts';
import { nudge } from './nudge.ts';
import { done, resolve } from './triage.ts';

/** What a command says goes to the caller of the tool, not to stdout. */
class Overheard extends Context {
  said = '';

  override answer(_name: string, _data: unknown, told: Told): void {
    this.said = textIn(told);
  }
}

interface Row<T extends z.ZodObject> {
  readonly description: string;
  readonly input: T;
  readonly deed: (context: Context, input: z.infer<T>) => Promise<void>;
}
const row = <T extends z.ZodObject>(one: Row<T>): Row<T> => one;
const text = (what: string) => z.string().min(1).describe(what);

const ROWS = {
  gt_triage_resolve: row({
    description: 'Resolve a triage request with one of its options. The town carries it out.',
    input: z.strictObject({
      id: text('the id of the triage request'),
      option: text('one of its options'),
      note: z.string().optional().describe('words for the agent, or why'),
    }),
    deed: (context, { id, option, note }) => resolve(context, id, option, given({ note })),
  }),
  gt_mail_send: row({
    description: 'Send guidance to an agent of the situations, or a letter to the mayor or the overseer.',
    input: z.strictObject({ to: text('its address'), subject: text('one line'), body: z.string().optional() }),
    deed: (context, { to, subject, body }) => send(context, to, { subject, ...given({ body }) }),
  }),
  gt_escalate: row({
    description: 'Tell a person of what you cannot decide.',
    input: z.strictObject({
      title: text('one line'),
      reason: z.string().optional(),
      severity: z.enum(['low', 'medium', 'high', 'critical']).optional(),
    }),
    deed: (context, { title, reason, severity = 'high' }) =>
      escalate(context, title, { severity, ...given({ reason }) }),
  }),
  gt_nudge: row({
    description: "Type words into the session of a running agent of the situations, in its pane's turn.",
    input: z.strictObject({ agent: text('its session'), text: text('one line') }),
    deed: (context, { agent, text: words }) => nudge(context, sessionOfAgent(agent), [words]),
  }),
  gt_done: row({
    description: 'Say that this triage is complete.',
    input: z.strictObject({}),
    deed: (context) => done(context),
  }),
} satisfies Record<Tool, unknown>;

function toolOf(root: string, name: Tool): McpTool {
  const { description, input, deed } = ROWS[name] as Row<z.ZodObject>;
  const call = async (words: Readonly<Record<string, unknown>>): Promise<string> => {
    const context = new Overheard({ root, json: false, rest: [] });
    await deed(context, words);
    return context.said;
  };
  return { name, description, input, call };
}

export async function mcp(context: Context, { role }: { readonly role: string }): Promise<void> {
  const root = context.existing();
  if (role !== 'triage')
    throw new Failure(EXIT.usage, 'unknown_role', `there is no role ${quoteName(role)}; write --role triage`);
  const run = await roleOf(context);
  if (run === null) {
    // Without one a model would decide as the operator.
    const what =
      process.env['TOWN_TOKEN'] === undefined
        ? 'there is no TOWN_TOKEN'
        : 'TOWN_TOKEN is not that of a run of triage, or its time is over';
    const text = `${what}; \`town triage run\` gives one to the reasoner`;
    throw new Failure(EXIT.refused, 'bad_token', text);
  }
  const { serveTools } = await import('../../mcp/serve.ts');
  const unknown = (name: string, input: unknown): Promise<never> =>
    refuseCall(context, run, name, JSON.stringify(input ?? {}));
  await serveTools({ name: 'townwatch', version: version(), tools: TOOLS.map((name) => toolOf(root, name)), unknown });
}
