/** Stock clients of MCP, in TypeScript and in Python, at one `town mcp`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Where the tools are served: by a program that the client starts, or at an address, to the owner of a token. */
export type Server =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly token: string };

export interface Call {
  readonly name: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

export interface Answered {
  readonly names: readonly string[];
  readonly answers: readonly { readonly isError: boolean; readonly text: string }[];
}

type Calls = (server: Server, ...calls: readonly Call[]) => Promise<Answered>;

const byTypeScript: Calls = async (server, ...calls) => {
  const client = new Client({ name: 'stock', version: '1' });
  await client.connect(
    'url' in server
      ? new StreamableHTTPClientTransport(new URL(server.url), {
          requestInit: { headers: { Authorization: `Bearer ${server.token}` } },
        })
      : new StdioClientTransport({ ...server, args: [...server.args], env: { ...server.env }, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    const answers: Answered['answers'][number][] = [];
    for (const { name, input = {} } of calls) {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [first] = content;
      answers.push({ isError: isError === true, text: first?.type === 'text' ? first.text : '' });
    }
    return { names: tools.map(({ name }) => name), answers };
  } finally {
    await client.close();
  }
};

const CLIENT = 'mcp==2.3.0';
const PACKAGES = join(import.meta.dirname, `../../node_modules/.cache/python-${CLIENT}`);

/** Brings the Python client here, once. Throws, with what pip said, where PyPI is out of reach. */
function pythonPackages(): string {
  if (existsSync(PACKAGES)) return PACKAGES;
  const made = `${PACKAGES}.${String(process.pid)}`;
  mkdirSync(made, { recursive: true });
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', made, CLIENT];
  const { status, stderr, error } = spawnSync('python3', args, { encoding: 'utf8' });
  if (status !== 0) {
    rmSync(made, { recursive: true, force: true });
    throw new Error(
      `The Python client was not tried: pip could not install ${CLIENT} from PyPI. ${String(error ?? stderr)}`,
    );
  }
  renameSync(made, PACKAGES);
  return PACKAGES;
}

const byPython: Calls = async (server, ...calls) => {
  const program = join(import.meta.dirname, 'programs/mcp_client.py');
  const child = spawn('python3', [program], { env: { ...process.env, PYTHONPATH: pythonPackages() } });
  child.stdin.end(JSON.stringify({ ...server, calls }));
  const [out, wrong] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(`the Python client failed: ${wrong}`);
  return JSON.parse(out) as Answered;
};

export const CLIENTS: readonly (readonly [language: string, calls: Calls])[] = [
  ['TypeScript', byTypeScript],
  ['Python', byPython],
];
