/** `town mcp --http` before stock clients: what a caller may do is told by its token alone, as over stdio (law 11). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { environmentOf } from '../tmux/yard.ts';
import { whenOver } from '../world/over.ts';
import { CLIENTS, type Server } from './mcp-clients.ts';
import { MAIN, TestTown, until } from './town.ts';

interface Served {
  readonly url: string;
  readonly token_file: string | null;
}

let town: TestTown;
let token: string;
const PERMISSIONS = 0o777;

/** A server, its process, and what it printed. */
const served = (...words: string[]) => servedBy(town, ...words);
async function servedBy({ root, home: cwd }: TestTown, ...words: string[]) {
  const argv = [MAIN, '--root', root, '--json', 'mcp', '--http', '--port', '0', ...words];
  const child = spawn(process.execPath, argv, { env: town.env(), cwd });
  whenOver(() => child.kill('SIGKILL'));
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed.text += chunk.toString()));
  await until(() => printed.text.includes('\n'));
  return { ...(JSON.parse(printed.text) as { data: Served }).data, child, printed };
}

let http: Awaited<ReturnType<typeof served>>;
let operator: string;

beforeAll(async () => {
  town = await new TestTown().up();
  for (const name of ['w1', 'w2']) await town.agent(name, ['sleep', '10000'], '--tag', 'worker');
  const { pid } = await town.data<{ pid: number }>('session', 'status', 'w1');
  token = environmentOf(pid)['TOWN_TOKEN'] ?? '';
  http = await served('--role', 'operator');
  operator = readFileSync(http.token_file ?? '', 'utf8').trim();
});

/** The status of a request that is written by hand, and its body. */
async function asked(headers: Record<string, string>, body = '{}', path = '/mcp', url = http.url) {
  const call = request(url, { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers } });
  call.on('error', () => undefined).end(body);
  const [answer] = (await once(call, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode, text };
}

const stdio = (words: readonly string[], as?: string): Server => ({
  command: process.execPath,
  args: [MAIN, '--root', town.root, 'mcp', '--stdio', ...words],
  env: town.env(as === undefined ? {} : { TOWN_TOKEN: as }),
});

const REPORT = { name: 'report_status', input: { status: 'working' } };
const LETTER = { name: 'send_mail', input: { to: 'overseer', subject: 'hello', body: 'from: w2' } };
const TIMER = { name: 'watchdog_start', input: { pane_id: 'w2', interval_secs: 30 } };

// Rules: law 11, M-5.
test.each(CLIENTS)(
  'the %s client may do the same over HTTP as over stdio, as the agent and as the operator',
  async (_, calls) => {
    for (const agent of [stdio([], token), { url: http.url, token }]) {
      const { names, answers } = await calls(agent, REPORT, LETTER, TIMER);
      expect(names).toContain('get_worker_status');
      expect(names).not.toContain('answer_ask');
      expect(answers.map(({ isError }) => isError)).toEqual([false, false, true]);
      expect(answers[0]?.text).toBe('w1 is working');
    }
    const letters = await town.data<{ from: string }[]>('mail', 'inbox');
    expect(letters.map(({ from }) => from)).toEqual(letters.map(() => 'w1'));
    for (const own of [stdio(['--role', 'operator']), { url: http.url, token: operator }]) {
      const { names, answers } = await calls(own, TIMER, { name: 'watchdog_stop' }, REPORT, { name: 'list_asks' });
      expect(names).toContain('answer_ask');
      expect(answers.map(({ isError }) => isError)).toEqual([false, false, true, false]);
    }
  },
);

// Rules: law 11.
test('callers at the same time are each only themselves', async () => {
  const [, calls] = CLIENTS[0]!;
  const { pid } = await town.data<{ pid: number }>('session', 'status', 'w2');
  const other = environmentOf(pid)['TOWN_TOKEN'] ?? '';
  const many = Array.from({ length: 4 }, () => REPORT);
  const said = await Promise.all([token, other, operator].map((one) => calls({ url: http.url, token: one }, ...many)));
  const texts = said.map(({ answers }) => new Set(answers.map(({ isError, text }) => (isError ? 'refused' : text))));
  expect(texts).toEqual([new Set(['w1 is working']), new Set(['w2 is working']), new Set(['refused'])]);
});

// Rules: law 11.
test('without a token that proves a caller nothing is served, and no page of the web comes in', async () => {
  const bearer = { authorization: `Bearer ${operator}` };
  expect((await asked({})).status).toBe(401);
  expect((await asked({ authorization: 'Bearer none' })).status).toBe(401);
  expect((await asked({ ...bearer, host: 'evil.example' })).status).toBe(403);
  expect((await asked({ ...bearer, origin: 'https://evil.example' })).status).toBe(403);
  expect((await asked(bearer, '{}', '/')).status).toBe(404);
  expect((await asked(bearer, `"${'x'.repeat(2_000_000)}"`)).status).toBe(413);
  expect(await asked({ authorization: 'Bearer none' }, `"${'x'.repeat(100)}"`)).not.toMatchObject({
    text: expect.stringContaining('none') as string,
  });
});

// Rules: law 11.
test('the token of the operator is private, stands nowhere else, and is void once its file is gone', async () => {
  expect(statSync(http.token_file ?? '').mode & PERMISSIONS).toBe(0o600);
  expect(http.printed.text).not.toContain(operator);
  expect(readFileSync(`/proc/${String(http.child.pid)}/cmdline`, 'utf8')).not.toContain(operator);
  for (const log of ['guard.log', 'daemon.log']) expect(town.read(join('daemon', log))).not.toContain(operator);
  const agents = await served();
  const bearer = { authorization: `Bearer ${operator}` };
  const [, calls] = CLIENTS[0]!;
  await expect(calls({ url: agents.url, token: operator })).rejects.toThrow();
  expect((await calls({ url: agents.url, token })).names).toContain('why');
  rmSync(http.token_file ?? '');
  expect((await asked(bearer)).status).toBe(401);
});

// Rules: law 11.
test('each start writes a new token of the operator, also in place of a broken one, and no server takes the old one', async () => {
  const place = join('daemon', 'mcp-token');
  const statusOf = async (one: string, url: string) =>
    (await asked({ authorization: `Bearer ${one}` }, '{}', '/mcp', url)).status;
  const first = await served('--role', 'operator');
  const before = town.read(place).trim();
  const second = await served('--role', 'operator');
  const after = town.read(place).trim();
  expect(after).not.toBe(before);
  for (const { url } of [first, second])
    expect([await statusOf(before, url), (await statusOf(after, url)) === 401]).toEqual([401, false]);
  // One that does not come up leaves the token of those that run.
  const { port } = new URL(first.url);
  expect((await town.run('mcp', '--http', '--role', 'operator', '--port', port)).code).toBe(1);
  expect(town.read(place).trim()).toBe(after);
  town.write(place, 'no token');
  expect(await statusOf(after, first.url)).toBe(401);
  const mended = await served('--role', 'operator');
  expect(await statusOf(town.read(place).trim(), mended.url)).not.toBe(401);
  expect(statSync(join(town.root, place)).mode & PERMISSIONS).toBe(0o600);
});

// Rules: law 11.
test('a token that proves nothing asks nothing of the town', async () => {
  const still = new TestTown();
  const socket = join(still.home, 'control');
  still.write(join('daemon', 'daemon.pid'), JSON.stringify({ socket, root: still.root }));
  let calls = 0;
  const listener = createServer((one) => void ((calls += 1), one.destroy())).listen(socket);
  onTestFinished(() => void listener.close());
  await once(listener, 'listening');
  const { url } = await servedBy(still, '--role', 'operator');
  for (const one of ['none', 'f'.repeat(64)])
    expect((await asked({ authorization: `Bearer ${one}` }, '{}', '/mcp', url)).status).toBe(401);
  expect(calls).toBe(0);
});

test('a signal ends it, also while a client is there, and a port that is taken is one sentence', async () => {
  const { child, url } = await served();
  const [, calls] = CLIENTS[0]!;
  await calls({ url, token });
  const { port } = new URL(url);
  expect(await town.run('mcp', '--http', '--port', port)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`port ${port} of this machine is taken`) as string,
  });
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect((await town.as(token, 'mcp', '--http', '--role', 'operator')).code).toBe(5);
  expect((await town.run('mcp', '--http', '--port', '70000')).code).toBe(2);
  expect((await town.run('mcp', '--port', '7000')).code).toBe(2);
  expect((await town.run('mcp', '--http', '--role', 'triage')).code).toBe(2);
});
