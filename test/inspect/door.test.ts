/** Who is let in to the inspector's stream and pages, over real sockets: hosts, origins, tokens, numbers, and how a fault ends. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/ports/clock.ts';
import type { HealthView } from '../../src/inspect/health.ts';
import { openRig, view, WELL } from './rig.ts';

const CHANGE = { type: 'CHANGED', what: 'warrants' } as const;

describe('the door', () => {
  const refused = async (url: string, headers: Record<string, string>): Promise<number | undefined> => {
    const socket = new WebSocket(url, { headers });
    socket.on('error', () => undefined);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
    socket.terminate();
    return response.statusCode;
  };
  const get = async (port: number, path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const asked = request({ port, host: '127.0.0.1', path, headers, method }).end();
    const [response] = (await once(asked, 'response')) as [AsyncIterable<Buffer> & { statusCode?: number }];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { code: response.statusCode, text };
  };

  test.each([
    [{ host: 'evil.example' }],
    [{ host: 'localhost.evil.example' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
  ])('is closed to %j, for the stream and for pages', async (headers) => {
    const { inspector, url } = await openRig();
    expect(await refused(url, headers)).toBe(403);
    expect((await get(inspector.port, '/healthz', headers)).code).toBe(403);
  });

  test.each([
    ['no token', () => '/'],
    ['a wrong one', (path: string) => `${path.slice(0, -1)}${path.endsWith('A') ? 'E' : 'A'}`],
    ['a part of it', (path: string) => path.slice(0, -1)],
    ['more than it', (path: string) => `${path}A`],
    ['it, in another place', (path: string) => `/?token=${path.slice(1)}`],
    ['it, below another path', (path: string) => `/x${path}`],
  ])('is closed to a URL with %s, and says where the right one is', async (_, change) => {
    const { url, inspector, complaints } = await openRig();
    const wrong = new URL(url);
    wrong.pathname = '/';
    expect(await refused(`${wrong.origin}${change(new URL(url).pathname)}`, {})).toBe(403);
    const page = await get(inspector.port, '/');
    expect([page.code, page.text]).toEqual([426, expect.stringContaining('`town up --inspect` prints its URL')]);
    expect(complaints).toEqual([]);
  });

  test('has another token each time it is opened, and takes a stock receiver’s query with it', async () => {
    const [one, other] = [await openRig(), await openRig()];
    expect(new URL(one.url).pathname).toMatch(/^\/[\w-]{43}$/);
    expect(new URL(one.url).pathname).not.toBe(new URL(other.url).pathname);
    await (await view(`${one.url}?_pk=1`)).until(({ name }) => name === 'anna');
  });

  test('is open to a page of this machine', async () => {
    const { url } = await openRig();
    const viewer = await view(url.replace('127.0.0.1', 'localhost'), { origin: 'http://localhost:5173' });
    await viewer.until(({ name }) => name === 'anna');
  });

  test('lets in a bounded number of viewers, and the next when one leaves', async () => {
    const { url } = await openRig({ maxViewers: 2 });
    const first = await view(url);
    await view(url);
    expect(await refused(url, {})).toBe(503);
    first.socket.close();
    await once(first.socket, 'close');
    await (await view(url)).until(({ name }) => name === 'anna');
  });

  test('closes a connection that asks nothing', async () => {
    const { inspector } = await openRig({ silentMs: 50 });
    const socket = connect(inspector.port, '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
  });

  // Rules: P-17.
  test('/healthz is 200 while the town is well, 503 with what is late, and 503 before it is there', async () => {
    const late: HealthView = { ...WELL, well: false, late: [{ what: 'scan', age_ms: 9_000, limit_ms: 4_000 }] };
    const rigs = { 'patrol of secret': 9_000, 'patrol of shop': 1_000, step: 5 };
    const said: (HealthView | null)[] = [{ ...WELL, ages_ms: rigs }, late, null];
    const { inspector } = await openRig({}, () => said.shift() ?? null);
    const answers = [await get(inspector.port, '/healthz'), await get(inspector.port, '/healthz?x')];
    expect(answers.map(({ code }) => code)).toEqual([200, 503]);
    expect(JSON.parse(answers[0]!.text)).toMatchObject({ data: { ages_ms: { 'patrol of a rig': 9_000, step: 5 } } });
    expect(answers[0]!.text).not.toMatch(/secret|shop/);
    expect(JSON.parse(answers[1]!.text)).toMatchObject({ schema: 'health/1', data: { late: [{ what: 'scan' }] } });
    expect((await get(inspector.port, '/healthz')).code).toBe(503);
    expect((await get(inspector.port, '/')).code).toBe(426);
    expect((await get(inspector.port, '/etc/passwd')).code).toBe(404);
    expect((await get(inspector.port, '/healthz', {}, 'POST')).code).toBe(405);
  });

  test('a fault of the inspector ends the inspector, not the step', async () => {
    const wall = systemClock.wall();
    const clock = { now: () => systemClock.now(), wall: () => wall };
    const rig = await openRig({}, undefined, clock);
    const viewer = await view(rig.url);
    clock.wall = () => {
      throw new Error('no clock');
    };
    rig.news(CHANGE);
    await once(viewer.socket, 'close');
    rig.news(CHANGE);
    expect(rig.complaints).toEqual(['inspector: it is closed, since it failed: Error: no clock']);
    const late = new WebSocket(rig.url);
    await once(late, 'close');
  });

  test('a port that is taken is an error, and nothing stays open', async () => {
    const { inspector } = await openRig();
    await expect(openRig({ port: inspector.port })).rejects.toThrow(/EADDRINUSE/);
  });
});
