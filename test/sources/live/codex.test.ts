/** Codex's server on a real socket: believed where a thread can be no other agent's, and of a form that was tried, else not. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOURCES } from '../../../src/sources/policy.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { CodexHome, nowInSeconds } from './codex-home.ts';

/** Codex at a terminal of a person's, in this folder. */
async function strangerIn(cwd: string): Promise<ChildProcess> {
  const words = ['-qfc', 'exec -a codex sh -c "echo there; read -r _"', '/dev/null'];
  const child = spawn('script', words, {
    cwd,
    env: { ...process.env, SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  whenOver(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** A UUID of version 7. */
function uuidAt(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7aaa-8aaa-aaaaaaaaaaaa`;
}

const over = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, SOURCES.sharedMs + 50));

// Rules: M-2.
describe('the thread of an agent', () => {
  test.each<[string, object, string | undefined, string | null]>([
    ['idle', { type: 'idle' }, 'idle', null],
    ['active', { type: 'active', activeFlags: [] }, 'working', null],
    ['waiting for leave', { type: 'active', activeFlags: ['waitingOnApproval'] }, 'asks', 'an approval'],
    ['waiting for words', { type: 'active', activeFlags: ['waitingOnUserInput'] }, 'asks', 'an answer'],
    ['waiting for what is not known', { type: 'active', activeFlags: ['waitingOnTheMoon'] }, undefined, null],
    ['in trouble', { type: 'systemError' }, undefined, null],
  ])('that is %s', async (_, status, state, detail) => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread({ status });
    const heard = await agent.hear();
    expect(heard?.conversation).toBe('thread-0');
    expect(heard?.word?.state).toBe(state);
    expect(heard?.word?.detail ?? null).toBe(detail);
  });

  test('asks where a part of its work asks, and works where only that works', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread({ status: { type: 'active', activeFlags: [] } });
    home.thread({ parentThreadId: 'thread-0', threadSource: 'subagent' });
    home.thread({
      parentThreadId: 'thread-1',
      threadSource: 'subagent',
      status: { type: 'active', activeFlags: ['waitingOnApproval'] },
    });
    expect((await agent.hear())?.word?.state).toBe('asks');
  });

  test('is the one in its folder, and none that the program began for itself', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread({ cwd: '/elsewhere', status: { type: 'active', activeFlags: [] } });
    home.thread();
    home.thread({ ephemeral: true, threadSource: 'thread_title', status: { type: 'active', activeFlags: [] } });
    expect(await agent.hear()).toMatchObject({ conversation: 'thread-1', word: { state: 'idle' } });
  });

  // Rules: T-1.
  test('is dated by what its agent and those of its parts did last, and not by words that were typed to it', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    const folder = tempFolder('town-rollouts');
    const wrote = (name: string, second: number, payload: object): string => {
      const timestamp = new Date(second * 1_000).toISOString();
      appendFileSync(join(folder, name), `${JSON.stringify({ timestamp, type: 'response_item', payload })}\n`);
      return join(folder, name);
    };
    const heardAt = async () => {
      await over();
      const heard = await agent.hear();
      return [heard?.word?.state, heard?.changedAt];
    };
    const typed = { type: 'message', role: 'user' };
    home.thread({ path: wrote('own', 5, typed), updatedAt: nowInSeconds() + 20 });
    expect(await heardAt()).toEqual(['idle', undefined]);
    wrote('own', 6, { type: 'message', role: 'assistant' });
    expect(await heardAt()).toEqual(['idle', 6_000]);
    wrote('own', 9, typed);
    expect(await heardAt()).toEqual(['idle', 6_000]);
    const part = { parentThreadId: 'thread-0', threadSource: 'subagent' };
    home.thread({ ...part, path: wrote('part', 8, { type: 'function_call', call_id: 'a' }) });
    expect(await heardAt()).toEqual(['idle', 8_000]);
  });

  test('is told as it is now, to all that ask, by one question', async () => {
    const home = new CodexHome();
    await home.serve();
    const other = tempFolder('town-other');
    const agents = [await home.agent(), await home.agent(other)];
    home.thread();
    home.thread({ cwd: other, status: { type: 'active', activeFlags: [] } });
    const states = async () => (await Promise.all(agents.map(({ hear }) => hear()))).map((one) => one?.word?.state);
    expect(await states()).toEqual(['idle', 'working']);
    expect(home.asked.filter((method) => method === 'thread/loaded/list')).toHaveLength(1);
    home.threads = home.threads.map((one) => ({ ...one, status: { type: 'idle' } }));
    await over();
    expect(await states()).toEqual(['idle', 'idle']);
    expect(home.asked.filter((method) => method === 'initialize')).toHaveLength(1);
  });

  test('is told as it is now after the clock was set back, and so is a part of its work in another folder', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread({ status: { type: 'active', activeFlags: [] } });
    home.thread({ parentThreadId: 'thread-0', threadSource: 'subagent', cwd: '/elsewhere' });
    expect((await agent.hear())?.word?.state).toBe('working');
    home.setBackMs = 86_400_000;
    const [own, part] = home.threads;
    home.threads = [own!, { ...part!, status: { type: 'active', activeFlags: ['waitingOnApproval'] } }];
    await over();
    expect((await agent.hear())?.word?.state).toBe('asks');
  });

  test('is the one that it was started to go on with, however old', async () => {
    const home = new CodexHome();
    await home.serve();
    home.thread({ createdAt: nowInSeconds() - 3_600 });
    home.thread({ createdAt: nowInSeconds() - 60 });
    await strangerIn(home.work);
    const agent = await home.agent(home.work, 'resume', 'thread-0', 'go on');
    expect(await agent.hear()).toMatchObject({ conversation: 'thread-0', word: { state: 'idle' } });
  });

  test('stays its own when a person comes to its folder later', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread();
    expect(await agent.hear()).toMatchObject({ conversation: 'thread-0' });
    await strangerIn(home.work);
    await over();
    expect(await agent.hear()).toMatchObject({ conversation: 'thread-0' });
  });

  test('is heard again once its server is back', async () => {
    const home = new CodexHome();
    const agent = await home.agent();
    expect(await agent.hear()).toBeNull();
    await home.serve();
    home.thread();
    await over();
    expect((await agent.hear())?.word?.state).toBe('idle');
  });
});

// Rules: M-2.
describe('is not believed:', () => {
  const ACTIVE = { status: { type: 'active', activeFlags: [] } };

  test('a thread of before it was started, which an ended terminal left', async () => {
    const home = new CodexHome();
    await home.serve();
    home.thread({ ...ACTIVE, createdAt: nowInSeconds() - 60 });
    expect(await (await home.agent()).hear()).toBeNull();
  });

  test('a thread that had no turn before it was started, and is dated as of now', async () => {
    const home = new CodexHome();
    await home.serve();
    home.thread({ id: uuidAt(Date.now() - 60_000) });
    const agent = await home.agent();
    expect(await agent.hear()).toBeNull();
    const { id } = home.thread({ id: uuidAt(Date.now()) });
    await over();
    expect(await agent.hear()).toMatchObject({ conversation: id });
  });

  test('one of two threads', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread(ACTIVE);
    home.thread();
    expect(await agent.hear()).toBeNull();
  });

  test('a thread beside one that is told in no known form', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread(ACTIVE);
    home.thread({ status: { type: 'dreaming' } });
    expect(await agent.hear()).toBeNull();
  });

  test('a thread that began while a person ran Codex in its folder, even once they left', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    const person = await strangerIn(home.work);
    home.thread(ACTIVE);
    expect(await agent.hear()).toBeNull();
    person.kill('SIGKILL');
    await once(person, 'exit');
    await over();
    expect(await agent.hear()).toBeNull();
  });

  test('a thread beside the one that it was started with', async () => {
    const home = new CodexHome();
    await home.serve();
    home.thread({ createdAt: nowInSeconds() - 3_600 });
    const agent = await home.agent(home.work, 'resume', 'thread-0');
    home.thread(ACTIVE);
    expect(await agent.hear()).toBeNull();
  });

  test('a thread where two agents are in its folder, until one has ended', async () => {
    const home = new CodexHome();
    await home.serve();
    const [agent, other] = [await home.agent(), await home.agent()];
    home.thread(ACTIVE);
    expect([await agent.hear(), await other.hear()]).toEqual([null, null]);
    await other.kill();
    expect((await agent.hear())?.word?.state).toBe('working');
  });

  test('what is said of an agent that has ended', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread(ACTIVE);
    await agent.kill();
    expect(await agent.hear()).toBeNull();
  });

  test.each<[string, (home: CodexHome) => void]>([
    ['an older version', (home) => void (home.version = '0.168.9')],
    ['another line', (home) => void (home.version = '1.0.0')],
    ['a thread without a state', (home) => void home.thread({ status: undefined })],
    ['a state that is not known', (home) => void home.thread({ status: { type: 'dreaming' } })],
    ['a list that is none', (home) => void (home.instead = () => ({ data: 'all' }))],
  ])('%s', async (_, lie) => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    lie(home);
    if (home.threads.length === 0) home.thread(ACTIVE);
    expect(await agent.hear()).toBeNull();
  });

  test('a server that says nothing is waited for, and not guessed', async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread(ACTIVE);
    home.instead = null;
    const silent = agent.hear();
    expect(await Promise.race([silent, over()])).toBeUndefined();
  });

  test.runIf(process.getuid?.() === 0)("another user's server", async () => {
    const home = new CodexHome();
    await home.serve();
    const agent = await home.agent();
    home.thread(ACTIVE);
    chownSync(home.socket, 65_533, 65_533);
    expect(await agent.hear()).toBeNull();
  });
});
