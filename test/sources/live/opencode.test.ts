/** opencode's own word: believed where the very process serves it behind a password, else not. */
import { describe, expect, test } from 'vitest';
import { SOURCES } from '../../../src/sources/policy.ts';
import { agent, BUSY, IDLE, PERMISSION, processes, ROOT, working } from './opencode.ts';

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

  test('below a launcher is found as soon as it listens, though all processes are searched rarely', async () => {
    const { ear, says } = await agent({ words: ['below'], answers: { ...BUSY, starts: true }, now: () => 0 });
    expect(await ear?.hear()).toBeNull();
    says(BUSY);
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ word: { state: 'working' } });
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

// Rules: M-2, A-1.
describe('a server that answers more slowly than a look waits', () => {
  const asks = { ...BUSY, '/question': [{ id: 'que_1', sessionID: ROOT, questions: [{ question: 'Which one?' }] }] };
  const slowMs = SOURCES.answerMs + 500;

  test('is heard at a later look, with what it asks and how that is answered', async () => {
    const { ear, says } = await agent({ answers: { ...asks, slowMs } });
    expect(await ear?.hear()).toBeNull();
    await expect
      .poll(() => ear?.hear(), { timeout: 30_000 })
      .toMatchObject({
        word: { state: 'asks', detail: 'question: Which one?' },
        asked: { id: 'que_1', offers: [{ word: 'other' }] },
      });
    says({ ...IDLE, slowMs });
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ word: { state: 'idle' } });
  });

  test('is heard at once by a command, which asks once and waits for it', async () => {
    const { ear } = await agent({ answers: { ...asks, slowMs }, waitMs: SOURCES.lateMs });
    expect(await ear?.hear()).toMatchObject({ word: { state: 'asks' }, asked: { id: 'que_1' } });
  });

  test('takes no work by its late word, since it may work by then', async () => {
    const { ear, says } = await agent({ answers: BUSY });
    await ear?.hear();
    says({ ...IDLE, slowMs });
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ word: { state: 'idle' } });
    expect(await ear?.hear()).not.toHaveProperty('gives');
    says(IDLE);
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toHaveProperty('gives');
  });

  test('that says nothing more is silent once its late word is old', async () => {
    let now = 0;
    const { ear, says } = await agent({ answers: { ...asks, slowMs }, now: () => now });
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ word: { state: 'asks' } });
    says({ ...asks, hangs: true });
    // What is under way by then is answered.
    await new Promise((over) => setTimeout(over, 2 * slowMs));
    expect(await ear?.hear()).toMatchObject({ word: { state: 'asks' } });
    now = SOURCES.newMs + 1;
    expect(await ear?.hear()).toEqual({ word: null, conversation: ROOT, isSilent: true });
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
    await expect.poll(() => ear?.hear()).toMatchObject({ word: { state: 'idle' }, conversation: ROOT });
  });

  test('is known from a server that starts, and answers more slowly than a look waits', async () => {
    const answers = { ...IDLE, [`/session/${ROOT}`]: { id: ROOT }, slowMs: SOURCES.answerMs + 500 };
    const { ear } = await agent({ words: ['--session', ROOT], answers });
    expect(ear?.kept?.()).toBeNull();
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ conversation: ROOT });
  });

  test('is asked for anew where a server that starts lost the question', async () => {
    const answers = { ...IDLE, [`/session/${ROOT}`]: { id: ROOT } };
    const { ear, says } = await agent({ words: ['--session', ROOT], answers: { ...answers, hangs: '/session/ses_' } });
    // The rest of its words waits for none of it.
    expect(await ear?.hear()).toMatchObject({ word: { state: 'idle' }, conversation: null });
    says(answers);
    await expect.poll(() => ear?.hear(), { timeout: 30_000 }).toMatchObject({ conversation: ROOT });
  });

  test('stays known while its server does not answer, and as long as it lives', async () => {
    const { ear, says, proc } = await agent();
    says(BUSY);
    expect(await ear?.hear()).toMatchObject({ conversation: ROOT });
    says({ ...BUSY, hangs: true });
    expect(await ear?.hear()).toEqual({ word: null, conversation: ROOT, isSilent: true });
    process.kill(proc.pid, 'SIGKILL');
    await expect.poll(() => processes.alive(proc)).toBe(false);
    expect(ear?.kept?.()).toBeNull();
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
