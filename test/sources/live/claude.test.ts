/** Claude Code's session file: believed where it is the very process's own and of a form that was tried, else not. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Proc } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { claudePort } from '../../../src/sources/claude.ts';
import { NONE_HELD } from '../../../src/sources/held.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import type { Heard } from '../../../src/sources/port.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const ID = '83e007c0-2e57-458e-912f-25304f75f9d8';
const SINCE = Date.UTC(2026, 10, 27, 12);
const processes = createProcesses();

interface Agent {
  readonly home: string;
  readonly proc: Proc;
  readonly folder: string;
  readonly file: string;
  /** As Claude Code 2.1.330 writes it. */
  write(more?: object, raw?: (text: string) => string): void;
  hear(): Promise<Heard | null>;
  kill(): Promise<void>;
}

/** A process that stands for Claude Code, with a home of its own. */
async function agent(config: string | null = null): Promise<Agent> {
  const home = tempFolder('town-claude');
  const folder = join(config === null ? join(home, '.claude') : join(home, config), 'sessions');
  mkdirSync(folder, { recursive: true });
  const env = { HOME: home, ...(config !== null && { CLAUDE_CONFIG_DIR: join(home, config) }) };
  const child = spawn('sleep', ['300'], {
    argv0: 'claude',
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'ignore',
  });
  whenOver(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const proc = processes.proc(pid);
  if (proc === null) throw new Error('it ended at once');
  const file = join(folder, `${pid}.json`);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const ear = claudePort({ processes, held: NONE_HELD, wall: () => Date.now() }).open(proc, null);
  if (ear === null) throw new Error('nothing to hear');
  return {
    home,
    proc,
    folder,
    file,
    write: (more = {}, raw = (text) => text) => {
      const session = {
        pid,
        sessionId: ID,
        cwd: home,
        startedAt: SINCE,
        procStart,
        version: '2.1.330',
        peerProtocol: 1,
        kind: 'interactive',
        entrypoint: 'cli',
        tmux: 'a1:@1.%1',
        status: 'busy',
        updatedAt: SINCE,
        statusUpdatedAt: SINCE,
      };
      writeFileSync(file, raw(JSON.stringify({ ...session, ...more })));
    },
    hear: () => ear.hear(),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

// Rules: M-2.
describe('the file of a process that lives', () => {
  test.each([
    ['idle', 'idle', null],
    ['shell', 'idle', null],
    ['busy', 'working', null],
    ['waiting', 'asks', 'permission prompt'],
  ])('that says %s is %s', async (status, state, detail) => {
    const it = await agent();
    it.write({ status, waitingFor: 'permission prompt' });
    expect(await it.hear()).toMatchObject({
      conversation: ID,
      word: { by: 'program', source: 'claude session file', state, since: SINCE, detail, rule: null },
    });
  });

  test('lies where its own environment says', async () => {
    const it = await agent('elsewhere');
    it.write();
    expect((await it.hear())?.word?.state).toBe('working');
  });

  test('names a conversation before it names a state', async () => {
    const it = await agent();
    it.write({ status: undefined });
    expect(await it.hear()).toEqual({
      conversation: ID,
      word: null,
      books: { program: 'claude', file: expect.stringMatching(new RegExp(`/projects/[^/]+/${ID}.jsonl$`)) as string },
    });
  });

  test('with a change in the future does not tell since when', async () => {
    const it = await agent();
    it.write({ statusUpdatedAt: Date.now() + 3_600_000 });
    expect((await it.hear())?.word).toMatchObject({ state: 'working', since: null });
  });

  test('is read again where nothing but one word of it changed', async () => {
    const it = await agent();
    it.write({ status: 'busy' });
    expect((await it.hear())?.word?.state).toBe('working');
    it.write({ status: 'idle' });
    expect((await it.hear())?.word?.state).toBe('idle');
  });

  test('counts again once it is what it was', async () => {
    const it = await agent();
    it.write();
    renameSync(it.file, `${it.file}.away`);
    expect(await it.hear()).toBeNull();
    renameSync(`${it.file}.away`, it.file);
    expect((await it.hear())?.word?.state).toBe('working');
  });
});

// Rules: M-2.
describe('is not believed:', () => {
  test.each<[string, object]>([
    ['an older version', { version: '2.1.329' }],
    ['an older line', { version: '2.0.400' }],
    ['a later line', { version: '2.2.0' }],
    ['no version', { version: undefined }],
    ['another process', { pid: 1 }],
    ['an earlier process of this pid', { procStart: '7' }],
    ['a state that is not known', { status: 'dreaming' }],
    ['no conversation', { sessionId: 'shop' }],
    ['an agent without a terminal', { kind: 'bg' }],
    ['a time that is none', { statusUpdatedAt: 'noon' }],
  ])('%s', async (_, more) => {
    const it = await agent();
    it.write(more);
    expect(await it.hear()).toBeNull();
  });

  test('what a KILL left behind', async () => {
    const it = await agent();
    it.write();
    expect(await it.hear()).not.toBeNull();
    await it.kill();
    expect(await it.hear()).toBeNull();
  });

  test('no file, a torn one, and one of any size', async () => {
    const it = await agent();
    expect(await it.hear()).toBeNull();
    it.write({}, (text) => text.slice(0, -1));
    expect(await it.hear()).toBeNull();
    it.write({}, (text) => text + ' '.repeat(70_000));
    expect(await it.hear()).toBeNull();
  });

  test('a link, a pipe and a folder in its place', async () => {
    const it = await agent();
    it.write();
    renameSync(it.file, join(it.folder, 'other.json'));
    symlinkSync('other.json', it.file);
    expect(await it.hear()).toBeNull();
    rmSync(it.file);
    execFileSync('mkfifo', [it.file]);
    expect(await it.hear()).toBeNull();
    rmSync(it.file);
    mkdirSync(it.file);
    expect(await it.hear()).toBeNull();
  });

  test('a file that others may write', async () => {
    const it = await agent();
    it.write();
    chmodSync(it.file, 0o666);
    expect(await it.hear()).toBeNull();
  });

  test.runIf(process.getuid?.() === 0)("another user's file", async () => {
    const it = await agent();
    it.write();
    chownSync(it.file, 65_533, 65_533);
    expect(await it.hear()).toBeNull();
  });
});

const call = (name: string, input: object, more: object = {}) => ({
  sessionId: ID,
  isSidechain: false,
  message: { id: 'msg_1', content: [{ type: 'tool_use', id: `call ${name}`, name, input }] },
  ...more,
});
const result = (of: string) => ({
  sessionId: ID,
  isSidechain: false,
  message: { content: [{ type: 'tool_result', tool_use_id: `call ${of}`, content: 'done' }] },
});
const BUILD = call('Bash', { command: 'rm -rf build' });

// Rules: M-2.
describe('what a dialog asks', () => {
  const asked = async (
    transcript: string | Buffer,
    folder = (it: Agent) => it.home,
  ): Promise<string | null | undefined> => {
    const it = await agent();
    const project = join(it.home, '.claude', 'projects', folder(it).replace(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, `${ID}.jsonl`), transcript);
    it.write({ status: 'waiting', waitingFor: 'permission prompt' });
    return (await it.hear())?.word?.detail;
  };
  const lines = (...all: readonly object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');

  test('shows no token of a command, since the words go to a telephone too', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const detail = await asked(lines(call('Bash', { command: `curl -H "Authorization: Bearer ${token}" x.test` })));
    expect(detail).toMatch(/^permission prompt: Bash: curl /);
    expect(detail).not.toContain(token.slice(4, 24));
  });

  test.each<[string, string | Buffer, string]>([
    ['a command', lines(BUILD, { type: 'mode', sessionId: ID }), 'permission prompt: Bash: rm -rf build'],
    ['a file', lines(result('Bash'), call('Write', { file_path: '/a.py' })), 'permission prompt: Write: /a.py'],
    ['a tool of a server', lines(call('mcp__shop__sell', { all: true })), 'permission prompt: mcp__shop__sell'],
    [
      'a question',
      lines(call('AskUserQuestion', { questions: [{ question: 'Which database?' }] })),
      'permission prompt: Which database?',
    ],
    [
      'the call that has no result',
      lines(call('Read', {}), BUILD, result('Read')),
      'permission prompt: Bash: rm -rf build',
    ],
    [
      'the last message, though a call before it never ended',
      lines(call('Read', {}, { message: { id: 'msg_0', content: call('Read', {}).message.content } }), BUILD),
      'permission prompt: Bash: rm -rf build',
    ],
    [
      'it, at the end of a long transcript',
      `${'x'.repeat(400_000)}\n${lines(BUILD)}`,
      'permission prompt: Bash: rm -rf build',
    ],
    [
      'it, behind what is no text',
      Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(lines(BUILD))]),
      'permission prompt: Bash: rm -rf build',
    ],
  ])('is %s', async (_, transcript, detail) => {
    expect(await asked(transcript)).toBe(detail);
  });

  test.each<[string, string]>([
    ['two calls wait', lines(call('Read', {}), BUILD)],
    ['a subagent may ask', lines(call('Task', { prompt: 'mend it' }))],
    ['a subagent asks', lines({ ...BUILD, isSidechain: true })],
    ['another conversation asks', lines({ ...BUILD, sessionId: 'another' })],
    ['every call has its result', lines(BUILD, result('Bash'))],
    ['its line is torn', lines(BUILD).slice(0, -20)],
    ['it is empty', ''],
  ])('is not told where %s', async (_, transcript) => {
    expect(await asked(transcript)).toBe('permission prompt');
  });

  test.each([
    [1, 'permission prompt: Bash: rm -rf build'],
    [SOURCES.transcriptReads, 'permission prompt'],
  ])('is looked for a few times: written after %i looks', async (looks, detail) => {
    const it = await agent();
    const project = join(it.home, '.claude', 'projects', it.home.replace(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(project, { recursive: true });
    it.write({ status: 'waiting', waitingFor: 'permission prompt' });
    for (let look = 0; look < looks; look += 1) expect((await it.hear())?.word?.detail).toBe('permission prompt');
    writeFileSync(join(project, `${ID}.jsonl`), lines(BUILD));
    expect((await it.hear())?.word?.detail).toBe(detail);
    it.write({ status: 'waiting', waitingFor: 'permission prompt', statusUpdatedAt: SINCE + 1 });
    expect((await it.hear())?.word?.detail).toBe('permission prompt: Bash: rm -rf build');
  });

  test('is not told without a transcript', async () => {
    expect(await asked(lines(BUILD), () => '/elsewhere')).toBe('permission prompt');
  });
});

describe('how far it is while it works', () => {
  const SECOND = 1_000;
  /** Its transcript ends with this call, written so long ago. */
  function calling({ home }: Agent, seconds: number, call: object): void {
    const folder = join(home, '.claude/projects', home.replaceAll(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const at = Date.now() - seconds * SECOND;
    const content = [{ type: 'tool_use', id: 'toolu_1', input: {}, ...call }];
    const line = {
      sessionId: ID,
      isSidechain: false,
      timestamp: new Date(at).toISOString(),
      message: { id: 'm', content },
    };
    const file = join(folder, `${ID}.jsonl`);
    writeFileSync(file, `${JSON.stringify(line)}\n`);
    utimesSync(file, at / SECOND, at / SECOND);
  }
  // Rules: M-3.
  test.each([
    ['a shell has two minutes', 100, { name: 'Bash', input: { command: 'make' } }, true],
    ['and no more', 200, { name: 'Bash', input: { command: 'make' } }, undefined],
    ['unless its call says so', 200, { name: 'Bash', input: { command: 'make', timeout: 300_000 } }, true],
    ['another tool has ten', 500, { name: 'mcp__x__build' }, true],
    ['an agent of its own has an hour', 3_000, { name: 'Task' }, true],
  ] as const)('%s', async (_, seconds, call, hasTool) => {
    const one = await agent();
    one.write();
    calling(one, seconds, call);
    expect((await one.hear())?.hasTool).toBe(hasTool);
  });
  // Rules: M-3.
  test('each step of its work shows, and standing still does', async () => {
    const one = await agent();
    one.write();
    calling(one, 5, { name: 'Bash' });
    const first = (await one.hear())?.progress;
    expect(first).toBeTypeOf('string');
    expect((await one.hear())?.progress).toBe(first);
    calling(one, 1, { name: 'Bash', input: { command: 'make all' } });
    expect((await one.hear())?.progress).not.toBe(first);
    one.write({ status: 'idle' });
    expect((await one.hear())?.progress).toBeUndefined();
  });
});
