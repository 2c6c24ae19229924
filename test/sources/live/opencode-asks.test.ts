/** What opencode asks and what it is given to do: over its own server, by id, and never twice. */
import { describe, expect, test } from 'vitest';
import { agent, BUSY, IDLE, PERMISSION, ROOT, type Agent } from './opencode.ts';

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
      withheld: [],
    });
    expect(asked?.whole).toEqual(['tool: bash', 'touch x']);
    expect(asked?.offers.map(({ word, label }) => `${word}: ${label}`)).toEqual([
      'yes: Allow once',
      'no: Reject',
      'always: Allow always',
    ]);
    expect(await asked?.answer('Allow once')).toBe('taken');
    expect(await asked?.answer('Reject')).toBe('over');
    expect(posted()).toBe('/permission/per_1/reply {"reply":"once"}\n');
    expect(await ear?.hear()).not.toHaveProperty('asked');
  });

  // Rules: A-3.
  test.each([
    [['touch *', 'date *'], 'allow this, and do not ask again for bash: touch *, date *, until opencode ends'],
    [['*'], 'allow this, and do not ask again for all of bash until opencode ends'],
    [[], undefined],
  ])('is answered for later ones too where it says which: %j', async (always, does) => {
    const { ear, says, posted } = await agent();
    says({ ...BUSY, '/permission': [{ ...PERMISSION, always }] });
    const asked = (await ear?.hear())?.asked;
    expect(asked?.offers.find(({ word }) => word === 'always')?.does).toBe(does);
    if (does === undefined) return;
    expect(await asked?.answer('Allow always')).toBe('taken');
    expect(posted()).toBe('/permission/per_1/reply {"reply":"always"}\n');
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
