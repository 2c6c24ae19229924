/**
 * A reasoner as anybody could write one: it reads its question, speaks MCP with the server that it is told of, and writes down what it was
 * answered. Its first word says how it behaves.
 */
import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

interface Server {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}
interface Answer {
  readonly call: string;
  readonly isError: boolean;
  readonly text: string;
}

const need = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const promptFile = need('TOWN_PROMPT_FILE');
const prompt = readFileSync(promptFile, 'utf8');
const server = (JSON.parse(readFileSync(need('TOWN_MCP_CONFIG'), 'utf8')) as { mcpServers: { town: Server } })
  .mcpServers.town;
const cases = [...prompt.matchAll(/^\d+\. \[([A-Z_]+)\] (\S+)$/gm)].map(([, type = '', id = '']) => ({
  type,
  id,
}));

const answers: Answer[] = [];
const client = new Client({ name: 'scripted', version: '1' });

async function call(name: string, args: Record<string, unknown> = {}): Promise<void> {
  const told = `${name} ${Object.values(args).join(' ')}`.trim();
  try {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const [first] = content as { readonly text?: string }[];
    answers.push({ call: told, isError: isError === true, text: first?.text ?? '' });
  } catch (error) {
    answers.push({ call: told, isError: true, text: error instanceof Error ? error.message : String(error) });
  }
}

/** Runs a `town` command as the role, as a reasoner without MCP would. */
function town(...words: string[]): Promise<void> {
  const child = spawn(server.command, [server.args[0] ?? '', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      answers.push({ call: `town ${words.join(' ')}`, isError: code !== 0, text: `${String(code)} ${text.trim()}` });
      resolve();
    }),
  );
}

const FIRST: Readonly<Record<string, string>> = { STUCK_AGENT: 'ESCALATE', HELP_REQUEST: 'PROVIDE_GUIDANCE' };
const decide = (): Promise<unknown> =>
  Promise.all(
    cases.map(({ id, type }) => call('gt_triage_resolve', { id, option: FIRST[type] ?? 'ESCALATE', note: 'seen to' })),
  );

const [first] = cases;
const id = first?.id ?? '';
const MODES: Readonly<Record<string, () => Promise<unknown>>> = {
  works: async () => {
    await decide();
    await call('gt_done');
  },
  publishes: () => call('gt_triage_resolve', { id, option: 'COMMIT_AND_PUSH' }),
  // What is in the worktree changes after it was shown.
  adds: async () => {
    writeFileSync(join(need('TOWN_ROOT'), 'shop/polecats/ada/late'), 'never shown\n');
    await call('gt_triage_resolve', { id, option: 'COMMIT_AND_PUSH' });
  },
  hangs: async () => {
    await decide();
    // What it starts is ended with it, wherever it went and though it ignores signals.
    const stubborn = 'process.on("SIGTERM",()=>{}); setInterval(()=>{},1000)';
    spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: 'ignore' }).unref();
    await pause(3_600_000);
  },
  lies: async () => {
    await call('gt_triage_resolve', { id: 'tw-of-another-run', option: 'ESCALATE' });
    await call('gt_triage_resolve', { id: '../../town.toml', option: 'ESCALATE' });
    await call('gt_triage_resolve', { id, option: 'DISCARD' });
    await call('gt_triage_resolve', { id, option: 'rm -rf /' });
    await call('gt_triage_resolve', { nonsense: 1 });
    await call('gt_nudge', { agent: 'another-agent', text: 'do as I say' });
    await call('gt_mail_send', { to: 'shop/witness', subject: 'POLECAT_DONE nux' });
  },
  twice: async () => {
    await call('gt_triage_resolve', { id, option: 'ESCALATE', note: 'once' });
    await call('gt_triage_resolve', { id, option: 'NUDGE', note: 'twice' });
    await call('gt_done');
  },
  sixth: async () => {
    const { tools } = await client.listTools();
    answers.push({ call: 'tools', isError: false, text: tools.map(({ name }) => name).join(' ') });
    await call('gt_nuke', { polecat: 'nux' });
    await town('session', 'kill', 'gt-shop-nux');
    await town('bead', 'close', id);
    await town('warrant', 'file', 'gt-shop-nux', '--reason', 'x');
    await town('triage', 'run');
    await town('status');
    await town('triage', 'list');
    await town('bd', 'list');
  },
  commands: async () => {
    await town('triage', 'resolve', id, 'ESCALATE', '--note', 'by command');
    await town('escalate', 'a person has to know', '--reason', 'it is odd', '-s', 'high');
    await town('mail', 'send', 'mayor', '--subject', 'a word');
    await town('triage', 'done');
  },
  // It does what the data says, as a model might.
  obeys: async () => {
    for (const [, name = '', agent = '', text = ''] of prompt.matchAll(/call (gt_\w+) on (\S+) with "([^"]*)"/g))
      await call(name, name === 'gt_triage_resolve' ? { id: agent, option: text } : { agent, text });
  },
  fails: () => Promise.reject(new Error('out of credit')),
};

async function main(mode: string): Promise<void> {
  const { command, args, env } = server;
  if (mode !== 'commands') await client.connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }));
  const write = (): void => {
    const mode0 = (statSync(promptFile).mode & 0o777).toString(8);
    const seen = { cases, answers, prompt, promptMode: mode0, variables: Object.keys(process.env).sort() };
    writeFileSync(join(dirname(need('TOWN_ROOT')), 'seen.json'), JSON.stringify(seen));
  };
  try {
    await Promise.race([
      MODES[mode]?.(),
      mode === 'hangs'
        ? pause(3_000)
            .then(write)
            .then(() => pause(3_600_000))
        : pause(600_000),
    ]);
  } finally {
    write();
  }
  await client.close();
}

await main(process.argv[2] ?? '');
process.exit(0);
