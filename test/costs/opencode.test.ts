/** Tokens and cost of a conversation of opencode, as its server tells them (M-12): answers as 1.18 gives them, on the loopback. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { meterOf } from '../../src/costs/meters.ts';
import { whenOver } from '../world/over.ts';

const ROOT = 'ses_root';
const PART = 'ses_part';
const CREATED = Date.UTC(2026, 10, 28, 8);

const session = (id: string, input: number, cost = 0.5): object => ({
  id,
  title: 'a task',
  cost,
  tokens: { input, output: 20, reasoning: 5, cache: { read: 1_000, write: 7 } },
  time: { created: CREATED, updated: CREATED + 1 },
});
const bash = (id: string, command: string, status = 'completed'): object => ({
  info: { id: `msg_${id}`, role: 'assistant' },
  parts: [{ type: 'tool', id: `prt_${id}`, callID: id, tool: 'bash', state: { status, input: { command } } }],
});

/** A server, and the meter that asks it. */
async function served() {
  const answers = new Map<string, unknown>();
  const asked: string[] = [];
  const http = createServer(({ url = '' }, out) => {
    asked.push(url);
    const answer = answers.get(url.split('?')[0] ?? '');
    out.statusCode = answer === undefined ? 404 : 200;
    out.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  whenOver(() => http.close());
  const { port } = http.address() as AddressInfo;
  const server = { host: '127.0.0.1', port, user: 'opencode', password: 'secret' };
  const books = { program: 'opencode', server, conversation: ROOT } as const;
  const meter = meterOf(books);
  const says = (of: Record<string, unknown>): void =>
    Object.entries(of).forEach(([path, one]) => answers.set(path, one));
  says({ [`/session/${ROOT}/children`]: [], [`/session/${PART}/children`]: [], [`/session/${ROOT}/message`]: [] });
  const look = async () => {
    await meter.look(books, { bytes: 1, until: 1, now: () => 0 });
    return meter.counted;
  };
  return { says, look, asked };
}

// Rules: M-12.
test('are those of the conversation and of agents of its agent', async () => {
  const { says, look } = await served();
  says({ [`/session/${ROOT}`]: session(ROOT, 10) });
  expect(await look()).toMatchObject({ sums: { input: 17, cached: 1_000, output: 25, cost: 0.5 }, since: CREATED });
  says({ [`/session/${ROOT}/children`]: [session(PART, 100, 0.25)] });
  expect((await look())?.sums).toEqual({ input: 124, cached: 2_000, output: 50, cost: 0.75 });
});

test.each<[what: string, answer: unknown]>([
  ['no such conversation', undefined],
  ['an older form without sums', { id: ROOT, time: { created: CREATED } }],
  ['sums below zero', session(ROOT, -1)],
])('%s is unknown', async (_, answer) => {
  const { says, look } = await served();
  says({ [`/session/${ROOT}`]: session(ROOT, 10) });
  await look();
  says({ [`/session/${ROOT}`]: answer });
  expect(await look()).toBeNull();
});

test('messages are asked for only after it took more', async () => {
  const { says, look, asked } = await served();
  says({ [`/session/${ROOT}`]: session(ROOT, 10) });
  await look();
  await look();
  expect(asked.filter((url) => url.includes('/message'))).toHaveLength(1);
});

test('the same call again and again is no news; another one, its agents’ work and what was missed are', async () => {
  const { says, look } = await served();
  let taken = 10;
  const after = async (...messages: object[]) => {
    says({ [`/session/${ROOT}`]: session(ROOT, (taken += 1)), [`/session/${ROOT}/message`]: messages });
    return look();
  };
  const first = await after(bash('1', 'make'));
  const second = await after(bash('1', 'make'), bash('2', 'make'), bash('3', 'make', 'pending'));
  expect(second).toMatchObject({ news: first?.news, repeated: { call: 'bash: make', count: 2 } });
  const other = await after(bash('2', 'make'), bash('3', 'ls'));
  expect(other).toMatchObject({ repeated: null });
  expect(other?.news).not.toBe(second?.news);
  const missed = await after(bash('8', 'ls'), bash('9', 'ls'));
  expect(missed?.news).not.toBe(other?.news);
  says({ [`/session/${ROOT}/children`]: [session(PART, 100)] });
  expect((await after(bash('9', 'ls')))?.news).not.toBe(missed?.news);
});
