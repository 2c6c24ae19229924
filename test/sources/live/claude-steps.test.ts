/** What Claude Code asks, and how far it is, by its session file. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOURCES } from '../../../src/sources/policy.ts';
import { ID, type Agent, agent, SINCE } from './claude-agent.ts';

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
