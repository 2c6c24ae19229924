/** The process of the channels: how fast it is, and what its end costs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test, vi } from 'vitest';
import type { NewsBody } from '../../../machines/protocol.ts';
import { ChannelsProcess } from '../../../src/channels/child.ts';
import { channelsCommand } from '../../../src/guard/launch.ts';
import { systemClock } from '../../../src/ports/clock.ts';
import { Spool } from '../../../state/channels/spool.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { channelsWith, told } from '../make.ts';
import { WebServer } from '../server.ts';

const LONG = 30_000;

const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

/** As it is shipped. */
const built = (): readonly [string, ...string[]] => {
  const [program, ...args] = channelsCommand();
  return [program, ...args.slice(0, -1), join(dirname(inject('main')), 'channels/main.cjs')];
};

class Town {
  readonly root = tempFolder('channels');
  readonly spool = new Spool(realDisk(this.root, 0));
  readonly news: NewsBody[] = [];
  readonly process: ChannelsProcess;
  #nth = 0;

  constructor(url: string, command = built()) {
    const settings = { root: this.root, channels: channelsWith({ ntfy: { url, topic: 'town' } }), routes: [] };
    const announce = (news: NewsBody): void => void this.news.push(news);
    this.process = new ChannelsProcess({ settings, command, clock: systemClock, announce, log: () => undefined });
    whenOver(() => this.process.close());
  }
  add(text: string): Promise<void> {
    this.#nth += 1;
    return this.spool.add(told(text), String(this.#nth), Date.now());
  }
}

test('a message is at its server within a second, and the process needs less than 90 MB', async () => {
  const server = await WebServer.start();
  const town = new Town(server.url);
  await town.process.connect();
  const times: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const began = performance.now();
    await town.add(`x${nth}`);
    await vi.waitFor(() => expect(server.got).toHaveLength(nth + 1), { timeout: LONG, interval: 5 });
    times.push(performance.now() - began);
  }
  expect(times.toSorted((one, other) => one - other)[2]).toBeLessThan(1_000);
  const status = readFileSync(`/proc/${String(town.process.pid)}/status`, 'utf8');
  const kB = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  expect(kB).toBeLessThan(90_000);
});

test('killed, it is told as lost; the next one sends what waits, and nothing twice', async () => {
  const server = await WebServer.start();
  const town = new Town(server.url);
  await town.process.connect();
  await town.add('first');
  await vi.waitFor(async () => expect(await town.spool.waiting()).toEqual([]), LONG);
  process.kill(town.process.pid ?? 0, 'SIGKILL');
  await vi.waitFor(() => expect(town.news).toMatchObject([{ type: 'LOST', what: 'channels' }]), LONG);
  await town.add('second');
  await town.process.connect();
  await vi.waitFor(async () => expect(await town.spool.waiting()).toEqual([]), LONG);
  expect(server.bodies.map(({ message }) => String(message).split('\n')[0])).toEqual(['first', 'second']);
});

test('one that falls at once is no connection', async () => {
  const town = new Town('http://127.0.0.1:1', [process.execPath, '-e', 'process.exit(7)']);
  await expect(town.process.connect()).rejects.toThrow('exit code 7');
  expect(town.news).toEqual([]);
});

test('one that holds too much memory is ended', async () => {
  const script = `console.log(JSON.stringify({ troubles: [], bytes: 1e9 })); setInterval(() => 0, 1e6)`;
  const town = new Town('http://127.0.0.1:1', [process.execPath, '-e', script]);
  await expect(town.process.connect()).rejects.toThrow('SIGKILL');
});

test('a channel that is silent for long is an alert, and its recovery ends it', async () => {
  const script = `
    const say = (troubles) => console.log(JSON.stringify({ troubles, bytes: 1 }));
    say([{ channel: 'ntfy', why: 'HTTP 401', forMs: 1_000 }]);
    say([{ channel: 'ntfy', why: 'HTTP 401', forMs: 400_000 }]);
    say([{ channel: 'ntfy', why: 'HTTP 401', forMs: 500_000 }]);
    console.log('a library speaks');
    say([]);
    setInterval(() => 0, 1e6)`;
  const town = new Town('http://127.0.0.1:1', [process.execPath, '-e', script]);
  await town.process.connect();
  expect(town.news).toEqual([
    { type: 'CONDITION_FOUND', what: 'channel-silent', why: 'ntfy: HTTP 401' },
    { type: 'CONDITION_FOUND', what: 'channel-silent', why: null },
  ]);
});

test('it ends with its town, also where that is killed', async () => {
  const source = (path: string): string => JSON.stringify(join(import.meta.dirname, '../../../src', path));
  const program = `
    const { ChannelsProcess } = await import(${source('channels/child.ts')});
    const { channelsCommand } = await import(${source('guard/launch.ts')});
    const { systemClock: clock } = await import(${source('ports/clock.ts')});
    const { CHANNEL_DEFAULTS } = await import(${source('channels/settings.ts')});
    const channels = { ...CHANNEL_DEFAULTS, ntfy: { ...CHANNEL_DEFAULTS.ntfy, url: 'http://127.0.0.1:1', topic: 'town' } };
    const settings = { root: ${JSON.stringify(tempFolder('channels'))}, channels, routes: [] };
    const none = () => undefined;
    const one = new ChannelsProcess({ settings, command: channelsCommand(), clock, announce: none, log: none });
    await one.connect();
    console.log(one.pid);
    setInterval(none, 1e6);`;
  const town = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  whenOver(() => town.kill('SIGKILL'));
  const [chunk] = (await once(town.stdout, 'data')) as [Buffer];
  const pid = Number(String(chunk));
  expect(isAlive(pid)).toBe(true);
  town.kill('SIGKILL');
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), LONG);
});
