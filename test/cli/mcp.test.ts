/** `town mcp` before a stock client: each tool is the command, in the name of the caller that its token tells (law 11). */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, expect, test } from 'vitest';
import { environmentOf } from '../tmux/yard.ts';
import { whenOver } from '../world/over.ts';
import { MAIN, TestTown, until } from './town.ts';

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

let town: TestTown;
let token: string;

beforeAll(async () => {
  town = await new TestTown('[watchdog]\npoll_interval_secs = 5\n').up();
  await town.agent('w1', ['sleep', '10000'], '--tag', 'worker');
  await until(async () => (await town.data<unknown[]>('workers')).length === 1);
  const { pid } = await town.data<{ pid: number }>('session', 'status', 'w1');
  token = environmentOf(pid)['TOWN_TOKEN'] ?? '';
});

/** `as`: the token of the caller; absent = the operator's own program. */
async function client(as?: string, ...role: string[]) {
  const env = town.env(as === undefined ? {} : { TOWN_TOKEN: as });
  const args = [MAIN, '--root', town.root, 'mcp', '--stdio', ...role];
  const made = new Client({ name: 'stock', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    cwd: town.home,
    stderr: 'ignore',
  });
  await made.connect(transport);
  whenOver(() => made.close());
  const call = async (name: string, input: Record<string, unknown> = {}): Promise<Answer> => {
    const { content, isError } = await made.callTool({ name, arguments: input });
    const [first] = content as { readonly text?: string }[];
    return { isError: isError === true, text: first?.text ?? '' };
  };
  return { call, names: async () => (await made.listTools()).tools.map(({ name }) => name) };
}

const SEEDS = [
  'get_worker_status',
  'get_status',
  'report_status',
  'send_orchestration',
  'poll_messages',
  'watchdog_start',
  'watchdog_stop',
  'watchdog_status',
];

// Rules: M-5, M-10, law 11.
test('a worker reports, and its orchestrator sees it and polls what the town told', async () => {
  const worker = await client(token);
  expect(await worker.names()).toEqual(expect.arrayContaining(SEEDS));
  const reported = await worker.call('report_status', { status: 'complete', outcome: 'success', message: 'all pass' });
  expect(reported).toEqual({ isError: false, text: 'w1 is complete' });
  const orchestrator = await client(undefined, '--role', 'operator');
  const [message] = await until(
    async () => JSON.parse((await orchestrator.call('poll_messages', { after: 'none' })).text) as { id: string }[],
    (all) => all.length > 0,
  );
  expect(message).toMatchObject({ msg_type: 'worker.complete', payload: { worker_name: 'w1', outcome: 'success' } });
  expect(JSON.parse((await orchestrator.call('poll_messages', { after: message?.id })).text)).toEqual([]);
  const workers = JSON.parse((await orchestrator.call('get_worker_status')).text) as object[];
  expect(workers).toMatchObject([{ worker_name: 'w1', state: 'complete', message: 'all pass' }]);
  expect(JSON.parse((await orchestrator.call('get_status', { session: 'w1' })).text)).toMatchObject({
    name: 'w1',
    state: 'running',
    status: 'done',
    rule: null,
    is_awaiting_input: false,
    is_awaiting_confirmation: false,
  });
});

// Rules: law 11.
test('an agent acts for itself alone: what the command refuses, the tool refuses', async () => {
  const worker = await client(token);
  const timer = { pane_id: 'w1', interval_secs: 30 };
  expect(await worker.call('watchdog_start', timer)).toMatchObject({ isError: true });
  expect((await worker.call('poll_messages')).text).toContain('has no tag');
  expect(await worker.names()).not.toContain('answer_ask');
  const operator = await client(undefined, '--role', 'operator');
  expect((await operator.call('watchdog_start', timer)).isError).toBe(false);
  expect((await operator.call('watchdog_stop', {})).isError).toBe(false);
  expect((await town.as(token, 'mcp', '--role', 'operator')).code).toBe(5);
  expect((await town.run('mcp', '--role', 'king')).code).toBe(2);
  // A program that hands on no environment would make its model the operator.
  expect(await town.run('mcp', '--stdio')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('there is no TOWN_TOKEN') as string,
  });
});

// Rules: A-4.
test('the operator’s own program lists the questions and answers one, once', async () => {
  await town.run('mail', 'send', 'overseer', '--subject', 'which database?', '--body', 'say which');
  const operator = await client(undefined, '--role', 'operator');
  const asks = JSON.parse((await operator.call('list_asks')).text) as { id: string; options: { key: string }[] }[];
  const [ask] = asks.filter(({ options }) => options.some(({ key }) => key === 'seen'));
  expect((await operator.call('answer_ask', { id: ask?.id, option: 'seen' })).isError).toBe(false);
  const late = await operator.call('answer_ask', { id: ask?.id, option: 'seen' });
  expect(late).toMatchObject({ isError: true, text: expect.stringContaining('its cause is over') as string });
});

// Rules: law 11, D-3.
test('each tool answers, and nothing but the protocol stands on stdout', async () => {
  const worker = await client(token);
  const said = async (name: string, input = {}) => (await worker.call(name, input)).text;
  expect(await said('alive', { code: 'K7-3F' })).toContain('alive was refused');
  expect(await said('add_evidence', { text: 'tests pass' })).not.toBe('');
  expect(await said('send_mail', { to: 'overseer', subject: 'done' })).not.toBe('');
  expect(await said('send_orchestration', { target: { tag: 'orchestrator' }, msg_type: 'x', payload: {} })).not.toBe(
    '',
  );
  expect(await said('escalate', { title: 'which database?' })).toContain('medium');
  expect(JSON.parse(await said('list_mail'))).toEqual([]);
  expect(JSON.parse(await said('watchdog_status'))).toEqual([]);
  // Its words quote others: to a model that is data.
  expect(await said('why', { what: 'w1' })).toMatch(/^.*\n[^]*w1[^]*\n.*$/);
});

test('a status that no agent reports is refused with the line that names one: a tool takes no flag', async () => {
  const { call } = await client(undefined, '--role', 'operator');
  const { text } = await call('report_status', { status: 'complete' });
  expect(text).toMatch(/call from the pane of the agent, or type: town report-status complete --session NAME$/m);
});

test('a wrong input, and a tool that there is not, are one sentence', async () => {
  const { call } = await client(token);
  expect((await call('report_status', { status: 'dancing' })).text).toMatch(/^report_status was called wrongly/);
  await expect(call('dance')).rejects.toThrow('there is no tool');
});
