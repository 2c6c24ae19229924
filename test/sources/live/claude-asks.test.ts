/** Questions that a Claude Code holds open by the hook that the town gave it: the real command of the hook, and the real server. */
import { describe, expect, test } from 'vitest';
import { SOURCES } from '../../../src/sources/policy.ts';
import { agent, asking, BASH, hook, LIFE, town } from './hooked.ts';

const SLOW = { timeout: 30_000 };
const SUGGESTS = { permission_suggestions: [{ type: 'setMode' }] };

const RULES = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
  behavior: 'allow',
  destination: 'localSettings',
};

const decisionIn = (printed: string): unknown =>
  (JSON.parse(printed) as { hookSpecificOutput: { decision: unknown } }).hookSpecificOutput.decision;

// Rules.
describe('a question that is held open', () => {
  test('is told with what it is about and the answers that give no more, also beside the town', async () => {
    const it = await town();
    const { claude } = await asking(it, SUGGESTS);
    const { asked } = (await claude.hear()) ?? {};
    expect(asked).toMatchObject({
      id: 'toolu_1',
      question: 'Bash: rm -rf build?',
      shows: ['tool: Bash', 'folder: /work/app', 'rm -rf build'],
      offers: [
        { label: 'Allow once', word: 'yes' },
        { label: 'Reject', word: 'no' },
      ],
      withheld: ['Allow always'],
    });
    expect(asked?.whole).toEqual(asked?.shows);
    const beside = (await claude.hearBeside())?.asked;
    expect(beside).toMatchObject({ id: 'toolu_1', question: 'Bash: rm -rf build?' });
    // Only the town itself can answer.
    expect(await beside?.answer('Allow once')).toBe('unknown');
  });

  test.each([
    ['Allow once', { behavior: 'allow' }],
    ['Reject', { behavior: 'deny', message: 'The operator refused this.' }],
  ])('takes %s once, and is told until its program goes on', async (label, decision) => {
    const it = await town();
    const { claude, held } = await asking(it);
    const { asked } = (await claude.hear()) ?? {};
    expect(await asked?.answer(label)).toBe('taken');
    const { code, printed } = await held.ended;
    expect([code, decisionIn(printed)]).toEqual([0, decision]);
    expect(await asked?.answer(label)).toBe('over');
    // The answer is no proof: its program has not gone on yet.
    expect((await claude.hear())?.asked?.id).toBe('toolu_1');
    expect(await asked?.isOver()).toBe(false);
    claude.says('busy');
    expect(await asked?.isOver()).toBe(true);
    expect(await claude.hear()).not.toHaveProperty('asked');
  });

  // Rules: A-3.
  test('gives more by its own suggestions, as they are, and says what', async () => {
    const suggested = [RULES, { type: 'addDirectories', directories: ['/work/lib'], destination: 'session' }];
    const { claude, held } = await asking(await town(), { permission_suggestions: suggested });
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.offers.at(-1)).toEqual({
      label: 'Allow always',
      word: 'always',
      isGrave: true,
      does: 'allow this, and do not ask again for Bash(npm test:*) in this project, until you take it out of .claude/settings.local.json; have access to /work/lib until this session ends',
    });
    expect(await asked?.answer('Allow always')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toEqual({ behavior: 'allow', updatedPermissions: suggested });
  });

  test.each([
    ['that turns questions off', { type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
    ['whose place is not known', { ...RULES, destination: 'cliArg' }],
    ['that denies', { ...RULES, behavior: 'deny' }],
    ['that has no room in a row', { ...RULES, rules: [{ toolName: 'Bash', ruleContent: 'x'.repeat(300) }] }],
    [
      'that holds a secret',
      { ...RULES, rules: [{ toolName: 'Bash', ruleContent: `curl --token=${'a1b2'.repeat(10)}` }] },
    ],
  ])('leaves a suggestion to its pane %s', async (_, suggestion) => {
    const { claude } = await asking(await town(), { permission_suggestions: [suggestion] });
    const { asked } = (await claude.hear()) ?? {};
    expect([asked?.offers.map(({ word }) => word), asked?.withheld]).toEqual([['yes', 'no'], ['Allow always']]);
  });

  test('stays open as long as its own call does, while its agent shows another one', async () => {
    const it = await town();
    const { claude } = await asking(it);
    const { asked } = (await claude.hear()) ?? {};
    hook(it, { agent_id: 'sub', tool_input: { command: 'make' } });
    await expect.poll(async () => (await it.server.of(LIFE)).length, SLOW).toBe(2);
    expect(await asked?.answer('Allow once')).toBe('taken');
    const beside = (await claude.hear())?.asked;
    expect([beside?.shows.at(-1), await asked?.isOver(), await beside?.isOver()]).toEqual(['make', false, false]);
    claude.says('busy');
    expect([await asked?.isOver(), await beside?.isOver()]).toEqual([true, true]);
  });

  test('with options takes the one that was chosen', async () => {
    const it = await town();
    const questions = [{ question: 'Which one?', options: [{ label: 'A', description: 'a file' }, { label: 'B' }] }];
    const more = { tool_name: 'AskUserQuestion', tool_input: { questions } };
    const { claude, held } = await asking(it, more);
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.offers.map(({ label, word }) => [word, label])).toEqual([
      ['1', 'A'],
      ['2', 'B'],
      ['other', 'Other'],
    ]);
    expect(await asked?.answer('B')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toEqual({
      behavior: 'allow',
      updatedInput: { questions, answers: { 'Which one?': 'B' } },
    });
  });

  test('with options takes an answer in other words, too', async () => {
    const it = await town();
    const questions = [{ question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] }];
    const { claude, held } = await asking(it, { tool_name: 'AskUserQuestion', tool_input: { questions } });
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.offers.at(-1)).toMatchObject({ word: 'other', text: 'must' });
    expect(await asked?.answer('Other', 'both, A first')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toMatchObject({
      updatedInput: { answers: { 'Which one?': 'both, A first' } },
    });
  });

  test('several questions take all their answers in one text, or none', async () => {
    const it = await town();
    const [a, b] = [{ label: 'A', description: 'a file' }, { label: 'B' }];
    const questions = [
      { question: 'Which one?', options: [a, b] },
      { question: 'Which ones?', options: [a, b], multiSelect: true },
      { question: 'Which tree?', options: [a, b] },
    ];
    const { claude, held } = await asking(it, { tool_name: 'AskUserQuestion', tool_input: { questions } });
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.question).toBe('3 questions (answer all of them, as in: 1; 2,3; "own words")');
    expect(asked?.shows.slice(0, 4)).toEqual([
      'Question 1: Which one?',
      ' 1. A: a file',
      ' 2. B',
      'Question 2: Which ones? (one or more)',
    ]);
    expect(asked?.whole?.map((row) => row.replaceAll(/ +/g, ' '))).toEqual(asked?.shows);
    expect(asked?.offers.map(({ word, text }) => [word, text])).toEqual([['answers', 'must']]);
    expect(await asked?.answer('Answers', '1; 2')).toEqual({ why: expect.stringContaining('has 2 answers') as string });
    expect(held.child.exitCode).toBeNull();
    expect(await asked?.answer('Answers', '2; 1, 2; "a plum"')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toEqual({
      behavior: 'allow',
      updatedInput: { questions, answers: { 'Which one?': 'B', 'Which ones?': 'A, B', 'Which tree?': 'a plum' } },
    });
  });

  test('one that takes several options is shown with them; the same question twice is left to the pane', async () => {
    const it = await town();
    const one = { question: 'Which ones?', options: [{ label: 'A' }, { label: 'B' }], multiSelect: true };
    const { claude, held } = await asking(it, { tool_name: 'AskUserQuestion', tool_input: { questions: [one] } });
    const { asked } = (await claude.hear()) ?? {};
    expect(asked?.question).toBe('Which ones? (answer it, as in: 1,3)');
    expect(asked?.shows).toEqual(['Which ones?', ' 1. A', ' 2. B']);
    expect(await asked?.answer('Answers', '1,2')).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toMatchObject({
      updatedInput: { answers: { 'Which ones?': 'A, B' } },
    });
    const other = await town();
    const twice = await agent(other);
    twice.says('waiting');
    const more = { tool_name: 'AskUserQuestion', tool_input: { questions: [one, one] } };
    twice.calls({ ...BASH, ...more });
    hook(other, more);
    await expect.poll(async () => (await other.server.of(LIFE)).length, SLOW).toBe(1);
    expect(await twice.hear()).not.toHaveProperty('asked');
  });

  test.each([
    [
      'Approve',
      undefined,
      {
        behavior: 'allow',
        updatedInput: { plan: '# Split it\n\n- Write tests\n', planFilePath: '/plans/x.md' },
        updatedPermissions: [{ type: 'setMode', mode: 'default', destination: 'session' }],
      },
    ],
    ['Keep planning', undefined, { behavior: 'deny', message: 'The operator wants you to keep planning.' }],
    ['Other', 'split it in three', { behavior: 'deny', message: 'split it in three' }],
  ])('a plan is shown whole, and %s gives no edit that does not ask', async (label, text, decision) => {
    const it = await town();
    const claude = await agent(it);
    claude.says('waiting');
    // Its text is in a file, and not in the transcript.
    claude.calls({ ...BASH, tool_name: 'ExitPlanMode', tool_input: {} });
    const tool_input = { plan: '# Split it\n\n- Write tests\n', planFilePath: '/plans/x.md' };
    const held = hook(it, { tool_name: 'ExitPlanMode', tool_input });
    await expect.poll(async () => (await claude.hear())?.asked ?? null, SLOW).not.toBeNull();
    const { asked } = (await claude.hear()) ?? {};
    expect(asked).toMatchObject({
      kind: 'permission',
      question: 'Plan: # Split it?',
      whole: ['# Split it', '', '- Write tests'],
    });
    expect(asked?.offers.map(({ word }) => word)).toEqual(['yes', 'no', 'other']);
    expect(await asked?.answer(label, text)).toBe('taken');
    expect(decisionIn((await held.ended).printed)).toEqual(decision);
  });

  test('a plan without its text is left to its pane', async () => {
    const it = await town();
    const claude = await agent(it);
    claude.says('waiting');
    claude.calls({ ...BASH, tool_name: 'ExitPlanMode', tool_input: {} });
    hook(it, { tool_name: 'ExitPlanMode', tool_input: {} });
    await expect.poll(async () => (await it.server.of(LIFE)).length, SLOW).toBe(1);
    expect(await claude.hear()).not.toHaveProperty('asked');
  });

  test('outlives the town with its id', async () => {
    const first = await town();
    const { claude, held } = await asking(first);
    first.server.close();
    const second = await town(first.root);
    const again = await agent(second);
    again.says('waiting');
    again.calls(BASH);
    await expect.poll(async () => (await again.hear())?.asked?.id, SLOW).toBe('toolu_1');
    expect(await (await again.hear())?.asked?.answer('Allow once')).toBe('taken');
    expect((await held.ended).code).toBe(0);
    expect(await claude.hear()).not.toBeNull();
  });
});

test('what an agent of its agent asks has the same mark over a restart of the town', async () => {
  const more = { agent_id: 'sub', tool_input: { command: 'make' } };
  const first = await town();
  const { claude } = await asking(first, more);
  claude.calls(BASH);
  const before = (await claude.hear())?.asked;
  first.server.close();
  const again = await agent(await town(first.root));
  again.says('waiting');
  await expect.poll(async () => (await again.hear())?.asked ?? null, SLOW).not.toBeNull();
  const after = (await again.hear())?.asked;
  expect([after?.mark, after?.id === before?.id]).toEqual([before?.mark, false]);
  expect(before?.mark).toContain('make');
});

test('the same words asked once more are another question, also before the first is over', async () => {
  const it = await town();
  const { claude, held } = await asking(it);
  await (await claude.hear())?.asked?.answer('Allow once');
  await held.ended;
  const next = hook(it, {});
  await expect.poll(async () => (await it.server.of(LIFE)).length, SLOW).toBe(2);
  expect(await (await claude.hear())?.asked?.answer('Reject')).toBe('taken');
  expect(decisionIn((await next.ended).printed)).toMatchObject({ behavior: 'deny' });
});

test('what is shown is all that a tool gets, or says that it is cut', async () => {
  const command = Array.from({ length: 40 }, (_, at) => `echo ${at} ${'x'.repeat(300)}`).join('\n');
  const { claude } = await asking(await town(), { tool_input: { command } });
  const { shows = [], whole } = (await claude.hear())?.asked ?? {};
  expect([shows.length, shows[2]?.at(-1), shows.at(-1)]).toEqual([SOURCES.maxShown, '…', '… 23 more lines']);
  const other = await asking(await town(), { tool_name: 'mcp__box', tool_input: { command: 'rm', args: ['-rf'] } });
  expect([whole, (await other.claude.hear())?.asked?.whole]).toEqual([null, ['tool: mcp__box', 'rm', 'args: ["-rf"]']]);
});

test('rows are as the program gave them for a rule, and without the name of a home for people', async () => {
  const command = 'rsync -a  out/ /home/eve/site';
  const { claude } = await asking(await town(), { tool_input: { command } });
  const { shows, whole } = (await claude.hear())?.asked ?? {};
  expect([shows?.at(-1), whole?.at(-1)]).toEqual(['rsync -a out/ /home/use/site', command]);
});
