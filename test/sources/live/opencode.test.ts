/** opencode's own word: believed where the very process serves it behind a password, else not. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Proc } from '../../../machines/protocol.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { opencodePort } from '../../../src/sources/opencode.ts';
import type { Ear } from '../../../src/sources/port.ts';
import { tempFolder, whenOver } from '../../world/over.ts';

const SERVER = join(import.meta.dirname, '../programs/opencode.ts');
const ROOT = 'ses_root';
const processes = createProcesses();
const clock = { now: () => performance.now(), wall: () => Date.now() };

const IDLE = { '/session/status': {}, '/permission': [], '/question': [] };
const PERMISSION = {
  id: 'per_1',
  sessionID: ROOT,
  permission: 'bash',
  patterns: ['touch x'],
  metadata: { command: 'touch x' },
  always: ['touch *'],
};
const BUSY = {
  ...IDLE,
  '/session/status': { [ROOT]: { type: 'busy' } },
  [`/session/${ROOT}`]: { id: ROOT },
};
const working = (part: object) => ({
  ...BUSY,
  [`/session/${ROOT}/message?limit=1`]: [{ info: { id: 'msg_1' }, parts: [{ type: 'tool', tool: 'bash', ...part }] }],
});

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
}

interface Agent {
  readonly proc: Proc;
  readonly ear: Ear | null;
  says(answers: object): void;
  /** What was answered, a line each. */
  posted(): string;
}

async function agent({ env = { OPENCODE_SERVER_PASSWORD: 'secret' }, words = [] }: Given = {}): Promise<Agent> {
  const file = join(tempFolder('town-opencode'), 'answers');
  const says: Agent['says'] = (answers) => writeFileSync(file, JSON.stringify(answers));
  const posted = (): string => readFileSync(`${file}.posted`, 'utf8');
  says(IDLE);
  const child = spawn(process.execPath, [SERVER, file, ...words, '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  whenOver(() => {
    // The launcher's server too; the whole group may be gone.
    spawnSync('kill', ['-KILL', '--', `-${child.pid}`]);
  });
  await once(child.stdout, 'data');
  const proc = processes.proc(child.pid ?? 0);
  if (proc === null) throw new Error('it ended at once');
  return { proc, ear: opencodePort({ processes, clock }).open(proc, null), says, posted };
}

// Rules: M-2.
describe('its server', () => {
  test.each([
    ['is at rest', IDLE, { state: 'idle', detail: null }],
    ['works', working({ state: { status: 'completed' } }), { state: 'working', detail: null }],
    [
      'asks for a permission',
      { ...BUSY, '/permission': [PERMISSION] },
      { state: 'asks', detail: 'permission: bash: touch x' },
    ],
    [
      'asks a question',
      { ...BUSY, '/question': [{ id: 'que_1', sessionID: ROOT, questions: [{ question: 'Which one?' }] }] },
      { state: 'asks', detail: 'question: Which one?' },
    ],
    [
      'asks with a secret in its words',
      {
        ...BUSY,
        '/permission': [
          { ...PERMISSION, patterns: ['curl -H "x-api-key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"'] },
        ],
      },
      { state: 'asks', detail: expect.not.stringContaining('abcdefghijklmnop') as string },
    ],
  ])('%s', async (_, answers, word) => {
    const { ear, says } = await agent();
    says(answers);
    expect(await ear?.hear()).toMatchObject({ word: { by: 'program', source: 'opencode server', ...word } });
  });

  test('that tries again says nothing: its screen tells why', async () => {
    const { ear, says } = await agent();
    says({ ...BUSY, '/session/status': { [ROOT]: { type: 'retry' } } });
    expect(await ear?.hear()).toMatchObject({
      word: null,
      conversation: ROOT,
      books: { program: 'opencode', conversation: ROOT },
    });
  });

  test('below a launcher is found', async () => {
    const { ear, says } = await agent({ words: ['below'] });
    says(BUSY);
    expect(await ear?.hear()).toMatchObject({ word: { state: 'working' } });
  });

  test('tells each step, and a tool that has time left', async () => {
    const { ear, says } = await agent();
    const running = (start: number) => working({ state: { status: 'running', input: {}, time: { start } } });
    says(running(Date.now()));
    const first = await ear?.hear();
    expect(first).toMatchObject({ hasTool: true });
    says(running(Date.now() - 3_600_000));
    expect(await ear?.hear()).not.toHaveProperty('hasTool');
    says(working({ state: { status: 'completed', output: 'done' } }));
    expect((await ear?.hear())?.progress).not.toBe(first?.progress);
  });
});

// Rules.
describe('what it asks', () => {
  test('is answered by its id, for this once, and a second time changes nothing', async () => {
    const { ear, says, posted } = await agent();
    says({ ...BUSY, '/permission': [PERMISSION] });
    const asked = (await ear?.hear())?.asked;
    expect(asked).toMatchObject({
      id: 'per_1',
      question: 'bash: touch x?',
      shows: ['tool: bash', 'touch x'],
      withheld: ['Allow always'],
    });
    expect(asked?.whole).toEqual(['tool: bash', 'touch x']);
    expect(asked?.offers.map(({ word, label }) => `${word}: ${label}`)).toEqual(['yes: Allow once', 'no: Reject']);
    expect(await asked?.answer('Allow once')).toBe('taken');
    expect(await asked?.answer('Reject')).toBe('over');
    expect(posted()).toBe('/permission/per_1/reply {"reply":"once"}\n');
    expect(await ear?.hear()).not.toHaveProperty('asked');
  });

  test.each([
    ['a tool of another server', { permission: 'tracker_delete', patterns: ['*'], metadata: {} }],
    ['a subagent', { permission: 'task', patterns: ['general'], metadata: {} }],
    ['a command that it does not name whole', { metadata: {} }],
  ])('the server says too little of %s for a yes from afar', async (_, more) => {
    const { ear, says } = await agent();
    says({ ...BUSY, '/permission': [{ ...PERMISSION, ...more }] });
    expect((await ear?.hear())?.asked).toMatchObject({ kind: 'permission', whole: null });
  });

  test('of a tool of another server is shown with all that the tool is given', async () => {
    const { ear, says } = await agent();
    const permission = { ...PERMISSION, permission: 'tracker_delete', patterns: ['*'], metadata: {}, always: ['*'] };
    const asks = (state: object, tool = { messageID: 'msg_2', callID: 'call_1' }) => ({
      ...BUSY,
      '/permission': [{ ...permission, tool }],
      [`/session/${ROOT}/message/msg_2`]: {
        info: { id: 'msg_2' },
        parts: [{ type: 'step-start' }, { type: 'tool', tool: 'tracker_delete', callID: 'call_1', state }],
      },
    });
    says(asks({ status: 'running', input: { issue: 7, why: 'done\nnow' } }));
    const rows = ['tool: tracker_delete', '{', '"issue": 7,', '"why": "done\\nnow"', '}'];
    const asked = (await ear?.hear())?.asked;
    expect(asked?.question).toBe('tracker_delete?');
    expect(asked?.whole?.map((row) => row.trim())).toEqual(rows);
    // What it is given is not there yet, or is of another call.
    says(asks({ status: 'pending', input: {}, raw: '' }));
    expect((await ear?.hear())?.asked?.whole).toBeNull();
    says(asks({ status: 'running', input: {} }, { messageID: 'msg_2', callID: 'call_2' }));
    expect((await ear?.hear())?.asked?.whole).toBeNull();
  });

  test('is a question with its options, each by its number', async () => {
    const { ear, says, posted } = await agent();
    const options = [{ label: 'PostgreSQL', description: 'a server' }, { label: 'SQLite' }];
    says({
      ...BUSY,
      '/question': [{ id: 'que_1', sessionID: ROOT, questions: [{ question: 'Which one?', options }] }],
    });
    const asked = (await ear?.hear())?.asked;
    expect(asked?.offers.map(({ word, does }) => `${word}: ${does}`)).toEqual([
      '1: choose "PostgreSQL": a server',
      '2: choose "SQLite"',
      'other: answer it with your text',
    ]);
    expect(await asked?.answer('SQLite')).toBe('taken');
    expect(posted()).toBe('/question/que_1/reply {"answers":[["SQLite"]]}\n');
  });

  test.each([
    ['', {}, ['1', 'other']],
    [', unless it says that it takes none', { custom: false }, ['1']],
    [', also without options', { options: [] }, ['other']],
  ])('takes an answer in other words%s', async (_, more, words) => {
    const { ear, says, posted } = await agent();
    const question = { question: 'Which one?', options: [{ label: 'SQLite' }], ...more };
    says({ ...BUSY, '/question': [{ id: 'que_1', sessionID: ROOT, questions: [question] }] });
    const asked = (await ear?.hear())?.asked;
    expect(asked?.offers.map(({ word }) => word)).toEqual(words);
    if (!words.includes('other')) return;
    expect(await asked?.answer('Other', 'a file of ours')).toBe('taken');
    expect(posted()).toBe('/question/que_1/reply {"answers":[["a file of ours"]]}\n');
  });

  test.each([
    ['takes more than one answer', [{ question: 'Which?', multiple: true, options: [{ label: 'a' }] }]],
    ['is several at once', [{ question: 'Which?', options: [{ label: 'a' }] }, { question: 'And?' }]],
  ])('and %s is left to its pane', async (_, questions) => {
    const { ear, says } = await agent();
    says({ ...BUSY, '/question': [{ id: 'que_1', sessionID: ROOT, questions }] });
    expect((await ear?.hear())?.asked).toMatchObject({ offers: [], withheld: ['a'] });
  });
});

// Rules: M-11.
describe('the conversation of its terminal', () => {
  test('is the one at work, and stays so at rest', async () => {
    const { ear, says } = await agent();
    expect(await ear?.hear()).toMatchObject({ conversation: null });
    says(BUSY);
    expect(await ear?.hear()).toMatchObject({ conversation: ROOT });
    says(IDLE);
    expect(await ear?.hear()).toMatchObject({ conversation: ROOT });
  });

  test('is the one whose part is at work', async () => {
    const { ear, says } = await agent();
    says({
      ...IDLE,
      '/session/status': { ses_part: { type: 'busy' } },
      '/session/ses_part': { id: 'ses_part', parentID: ROOT },
      [`/session/${ROOT}`]: { id: ROOT },
    });
    expect(await ear?.hear()).toMatchObject({ conversation: ROOT });
  });

  // Rules: T-1.
  test.each<[string, object, number | undefined]>([
    ['its own last message', { role: 'assistant', time: { created: 5, completed: 9 } }, 9],
    ['one that has no end', { role: 'assistant', time: { created: 5 } }, 5],
    ['no words that were typed to it', { role: 'user', time: { created: 9 } }, undefined],
    [
      'no turn that was refused',
      { role: 'assistant', time: { created: 9, completed: 9 }, error: { name: 'x' } },
      undefined,
    ],
  ])('is dated by %s', async (_, info, changedAt) => {
    const { ear, says } = await agent();
    says(BUSY);
    await ear?.hear();
    const dated = { [`/session/${ROOT}`]: { id: ROOT, time: { created: 1, updated: 9 } } };
    says({ ...IDLE, ...dated, [`/session/${ROOT}/message?limit=1`]: [{ info: { id: 'msg_1', ...info }, parts: [] }] });
    const heard = await ear?.hear();
    expect([heard?.word?.state, heard?.changedAt]).toEqual(['idle', changedAt]);
  });

  test('is unknown while two are at work', async () => {
    const { ear, says } = await agent();
    says({ ...BUSY, '/session/status': { [ROOT]: { type: 'busy' }, ses_other: { type: 'busy' } } });
    expect(await ear?.hear()).toMatchObject({ conversation: null, word: { state: 'working' } });
  });

  test('is the one that it was started to go on with', async () => {
    const { ear, says } = await agent({ words: ['--session', ROOT] });
    // Its own word: not the words of the command that started it.
    expect(await ear?.hear()).toMatchObject({ word: { state: 'idle' }, conversation: null });
    says({ ...IDLE, [`/session/${ROOT}`]: { id: ROOT } });
    expect(await ear?.hear()).toMatchObject({ conversation: ROOT });
  });
});

// Rules: M-2, law 11.
describe('is not believed:', () => {
  test('a port without a password, where any user could answer', async () => {
    expect((await agent({ env: {} })).ear).toBeNull();
  });

  test('a port that others of the network reach', async () => {
    const env = { OPENCODE_SERVER_PASSWORD: 'secret', LISTEN: '0.0.0.0' };
    expect(await (await agent({ env })).ear?.hear()).toBeNull();
  });

  test.each([
    ['no JSON', { ...IDLE, '/permission': 'no' }],
    ['another form', { ...IDLE, '/permission': { id: 1 } }],
    ['a state that is not known', { ...IDLE, '/session/status': { [ROOT]: { type: 'dancing' } } }],
    ['one of three answers missing', { '/session/status': {}, '/permission': [] }],
    ['an id that is a path', { ...IDLE, '/session/status': { 'ses_/../../x': { type: 'busy' } } }],
  ])('%s', async (_, answers) => {
    const { ear, says } = await agent();
    says(answers);
    expect(await ear?.hear()).toBeNull();
  });

  test('a process that ended', async () => {
    const { ear, proc } = await agent();
    process.kill(proc.pid, 'SIGKILL');
    await expect.poll(() => processes.alive(proc)).toBe(false);
    expect(await ear?.hear()).toBeNull();
  });

  test('a server that hangs, for longer than it may take', async () => {
    const { ear, says } = await agent();
    says({ ...IDLE, hangs: true });
    expect(await ear?.hear()).toBeNull();
  });
});

const RESTS = { ...IDLE, [`/session/${ROOT}`]: { id: ROOT }, [`/session/${ROOT}/message?limit=50`]: [] };

/** One that named its conversation while it worked, and rests now. */
async function resting(more: object = {}): Promise<Agent> {
  const it = await agent();
  it.says(BUSY);
  await it.ear?.hear();
  it.says({ ...RESTS, ...more });
  return it;
}

// Rules: M-2, law 7.
describe('work', () => {
  const work = { id: 'one', text: 'prune the quince tree' };

  test('goes into the conversation that it named, and is told to be begun by its own word', async () => {
    const { ear, posted } = await resting({ takes: 'begins' });
    const gives = (await ear?.hear())?.gives;
    expect(await gives?.has('one')).toBe(null);
    expect(await gives?.give(work)).toBe('begun');
    const [, url = '', body = ''] = /^(\S+) (.*)\n$/.exec(posted()) ?? [];
    expect(url).toBe(`/session/${ROOT}/prompt_async`);
    expect(JSON.parse(body)).toEqual({
      messageID: expect.stringMatching(/^msg_[0-9a-f]{26}$/) as string,
      parts: [{ type: 'text', text: work.text }],
    });
    // A town that was killed in between finds it, and one of another id not.
    expect(await gives?.has('one')).toBe('begun');
    expect(await gives?.has('two')).toBe(null);
  });

  test.each([
    ['no', 'not'],
    ['yes', 'given'],
    ['mute', 'given'],
    ['lost', 'unknown'],
  ])('that its server takes so: %s, is %s', async (takes, given) => {
    const { ear } = await resting({ takes });
    expect(await (await ear?.hear())?.gives?.give(work)).toBe(given);
  });

  test('is not taken while it works or asks, or where its conversation is not known', async () => {
    const { ear, says } = await agent();
    expect(await ear?.hear()).not.toHaveProperty('gives');
    says(BUSY);
    expect(await ear?.hear()).not.toHaveProperty('gives');
    says({ ...BUSY, '/permission': [PERMISSION] });
    expect(await ear?.hear()).not.toHaveProperty('gives');
    says(RESTS);
    expect(await ear?.hear()).toHaveProperty('gives');
  });
});
