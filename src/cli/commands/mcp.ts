/**
 * `town mcp`: tools over MCP. Each is the command for the same act, in the caller's name. `--role triage` serves five of its own to a
 * reasoner; `--role operator` those that decide for a person.
 */
import { z } from 'zod';
import type { Served } from '../../mcp/serve.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { TOOLS, type Tool } from '../../triage/role.ts';
import { version } from '../../package.ts';
import type { Context } from '../context.ts';
import { row, text, toolOf, type Row } from '../asking/tools.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { given } from '../naming/given.ts';
import { quoteName } from '../naming/names.ts';
import { refuseCall, roleOf } from '../asking/role.ts';
import { escalate } from './escalations.ts';
import { send } from './mail.ts';
import { nudge } from './nudge.ts';
import { done, resolve } from './triage.ts';
import { callerToken } from '../../socket/caller-token.ts';

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
    deed: (context, { agent, text: words }) => nudge(context, agent, [words]),
  }),
  gt_done: row({
    description: 'Say that this triage is complete.',
    input: z.strictObject({}),
    deed: (context) => done(context),
  }),
} satisfies Record<Tool, unknown>;

interface McpOptions {
  readonly role?: string;
  readonly http?: boolean;
  readonly stdio?: boolean;
  readonly port?: number;
}

/** Some programs hand on no environment to what they start: their model would act as the operator. Throws Failure (5). */
function mustHaveToken(): void {
  if (callerToken() !== undefined) return;
  const text =
    'there is no TOWN_TOKEN, so the tools would act as you; have the program pass it on (Codex: env_vars = ["TOWN_TOKEN"]), or write --role operator for a program of your own';
  throw new Failure(EXIT.refused, 'bad_token', text);
}

/** Without a role: the tools of the town, in the name of the agent whose token is there. */
export async function mcp(context: Context, { role, http, stdio, port }: McpOptions): Promise<void> {
  const root = context.existing();
  if (stdio === true && http === true)
    throw new Failure(EXIT.usage, 'two_ways', '--stdio and --http are two ways to be called; write one of them');
  if (port !== undefined && http !== true)
    throw new Failure(EXIT.usage, 'no_http', '--port is for MCP over HTTP; write town mcp --http --port N');
  if (role === 'triage' && http !== true) return serveTriage(context, root);
  if (role !== undefined && role !== 'operator') throw noRole(role, http);
  if (role === 'operator') await mustBeOperator(context, 'the role operator');
  if (http === true) {
    const { serveMany } = await import('./mcp-http.ts');
    return serveMany(context, { ...given({ port }), isForOperator: role === 'operator', served: OF_TOWN });
  }
  if (role === undefined) mustHaveToken();
  const { TOWN_TOOLS, OPERATOR_TOOLS } = await import('./mcp-town.ts');
  const rows = { ...TOWN_TOOLS, ...(role === 'operator' && OPERATOR_TOOLS) };
  const tools = Object.entries(rows).map(([name, one]) => toolOf(root, name, one));
  await serve({ ...OF_TOWN, tools });
}

const noRole = (role: string, http?: boolean): Failure =>
  http === true
    ? new Failure(
        EXIT.usage,
        'unknown_role',
        `over HTTP there is no role ${quoteName(role)}; write operator, or leave it out`,
      )
    : new Failure(EXIT.usage, 'unknown_role', `there is no role ${quoteName(role)}; write triage or operator`);

const OF_TOWN = {
  name: 'townwatch',
  version: version(),
  unknown: (name: string) => Promise.reject(new Error(`there is no tool ${quoteName(name)}`)),
};

async function serve(served: Served): Promise<void> {
  const { serveTools } = await import('../../mcp/serve.ts');
  await serveTools(served);
}

async function serveTriage(context: Context, root: string): Promise<void> {
  const run = await roleOf(context);
  if (run === null) {
    // Without one a model would decide as the operator.
    const what =
      callerToken() === undefined
        ? 'there is no TOWN_TOKEN'
        : 'TOWN_TOKEN is not that of a run of triage, or its time is over';
    const text = `${what}; \`town triage run\` gives one to the reasoner`;
    throw new Failure(EXIT.refused, 'bad_token', text);
  }
  const rows: Readonly<Record<Tool, unknown>> = ROWS;
  await serve({
    ...OF_TOWN,
    tools: TOOLS.map((name) => toolOf(root, name, rows[name] as Row<z.ZodObject>)),
    unknown: (name, input) => refuseCall(context, run, name, JSON.stringify(input ?? {})),
  });
}
