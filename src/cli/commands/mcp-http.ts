/**
 * `town mcp --http`: the tools of the town for many callers. Each proves itself by its token: an agent by its TOWN_TOKEN, the
 * operator by that of a file which only the operator's own programs read.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { join } from 'node:path';
import type { z } from 'zod';
import { codeOf } from '../../../state/files/disk.ts';
import { FILES } from '../../../state/files/layout.ts';
import { shellWord } from '../../../state/files/show-text.ts';
import { isMcpToken, isTokenForm, renewMcpToken } from '../../../state/sessions/tokens.ts';
import { serveHttp } from '../../mcp/http.ts';
import { MCP } from '../../mcp/policy.ts';
import type { McpTool, Served } from '../../mcp/serve.ts';
import { readSessions } from '../../overview/records.ts';
import { PROCESS } from '../../ports/policy.ts';
import { workForMany, type ProvedCaller } from '../../socket/caller-token.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { sharedRead } from '../asking/shared-read.ts';
import { toolOf, type Row } from '../asking/tools.ts';
import type { Context } from '../context.ts';
import { agentRecorded, whoCalls } from '../naming/caller.ts';
import { untilEnded } from '../until-ended.ts';
import { OPERATOR_TOOLS, TOWN_TOOLS } from './mcp-town.ts';

export interface HttpOptions {
  readonly port?: number;
  /** The operator's token is taken too. */
  readonly isForOperator: boolean;
  readonly served: Omit<Served, 'tools'>;
}

/** Serves until a signal ends it. Throws Failure (1) where the port cannot be had. */
export function serveMany(context: Context, options: HttpOptions): Promise<void> {
  const callers = new AsyncLocalStorage<ProvedCaller>();
  return workForMany(callers, () => serve(context, options, callers));
}

async function serve(context: Context, options: HttpOptions, callers: AsyncLocalStorage<ProvedCaller>): Promise<void> {
  const { port = MCP.port, isForOperator, served } = options;
  const root = context.existing();
  const disk = await context.disk();
  const read = sharedRead(() => readSessions(disk), PROCESS.pollEveryMs);
  // A program that held the port before this server did may have been given the last token, which counts no more.
  let isRenewed = false;

  /** The tools of `rows`, each called in this caller's name. */
  const toolsFor = (caller: ProvedCaller, rows: Readonly<Record<string, Row<z.ZodObject>>>): Served => {
    const tools = Object.entries(rows).map(([name, row]): McpTool => {
      const tool = toolOf(root, name, row);
      return { ...tool, call: (input) => callers.run(caller, () => tool.call(input)) };
    });
    return { ...served, tools };
  };
  const servedTo = async (token: string): Promise<Served | null> => {
    if (!isTokenForm(token)) return null;
    if (isRenewed && (await isMcpToken(disk, token)))
      return toolsFor({ token: undefined }, { ...TOWN_TOOLS, ...OPERATOR_TOOLS });
    const isAgent = await callers
      .run({ token }, () => whoCalls(context, (own) => agentRecorded(own, read)))
      .then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'bad_token' || codeOf(error) === 'role_only') return false;
          throw error;
        },
      );
    return isAgent ? toolsFor({ token }, TOWN_TOOLS) : null;
  };
  const ended = untilEnded();
  const serving = await serveHttp({ port, servedTo }).catch((error: unknown): never => {
    throw portFailure(port, codeOf(error)) ?? error;
  });
  try {
    if (isForOperator) await renewMcpToken(disk);
    isRenewed = isForOperator;
    const tokenFile = isForOperator ? join(root, FILES.mcpToken) : null;
    const data = { url: serving.url, token_file: tokenFile };
    context.answerPlain('mcp', data, () => linesOf(serving.url, tokenFile));
    if (!ended.aborted) await once(ended, 'abort');
  } finally {
    await serving.close();
  }
}

const OTHER_PORT = 'give another one: --port 0 takes any that is free';

/** What is in the way of the port, by the system's code; null = that is no matter of the port. */
export function portFailure(port: number, code: string): Failure | null {
  if (code === 'EADDRINUSE')
    return new Failure(EXIT.failed, 'port_taken', `port ${port} of this machine is taken; ${OTHER_PORT}`);
  if (code !== 'EACCES') return null;
  return new Failure(EXIT.failed, 'port_closed', `port ${port} of this machine is for root alone; ${OTHER_PORT}`);
}

/** What a program's configuration needs. No token stands in it: the variable does, which the program reads itself. */
export function linesOf(url: string, tokenFile: string | null): readonly string[] {
  const entry = (variable: string): string =>
    JSON.stringify({
      mcpServers: { town: { type: 'http', url, headers: { Authorization: `Bearer \${${variable}}` } } },
    });
  return [
    `serving ${url} until Ctrl-C`,
    `in an agent's configuration (Codex: url and bearer_token_env_var = "TOWN_TOKEN"):`,
    `  ${entry('TOWN_TOKEN')}`,
    ...(tokenFile === null
      ? []
      : [
          'in that of a program of yours, which then acts as you:',
          `  ${entry('TOWN_MCP_TOKEN')}`,
          `  export TOWN_MCP_TOKEN="$(cat ${shellWord(tokenFile)})"`,
        ]),
  ];
}
