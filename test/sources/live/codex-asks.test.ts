/** What Codex asks by its server, and answers to it. */
import { expect, test } from 'vitest';
import type { Heard } from '../../../src/sources/port.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { dialogOf } from '../../../src/sources/question.ts';
import { CodexHome } from './codex-home.ts';

const WAITS = { status: { type: 'active', activeFlags: ['waitingOnApproval'] } };
const COMMAND = {
  id: 0,
  method: 'item/commandExecution/requestApproval',
  params: {
    kind: 'command',
    threadId: 'thread-0',
    turnId: 'turn-1',
    itemId: 'call_1',
    command: "/bin/bash -lc 'touch x'",
    cwd: '/work',
    proposedExecpolicyAmendment: ['touch', 'x'],
    availableDecisions: ['accept', { acceptWithExecpolicyAmendment: {} }, 'cancel'],
  },
};
const OPTIONS = [{ label: 'PostgreSQL', description: 'a server' }, { label: 'SQLite' }];
const INPUT = {
  id: 7,
  method: 'item/tool/requestUserInput',
  params: {
    threadId: 'thread-0',
    turnId: 'turn-1',
    itemId: 'call_2',
    questions: [{ id: 'db', question: 'Which one?', isOther: true, isSecret: false, options: OPTIONS }],
  },
};
type Question = (typeof CodexHome.prototype.questions)[number];

interface Agent {
  readonly home: CodexHome;
  hear(): Promise<Heard | null>;
}

async function asking(...questions: readonly Question[]): Promise<Agent> {
  const home = new CodexHome();
  home.questions = [...questions];
  await home.serve();
  const { hear } = await home.agent();
  home.thread(WAITS);
  return { home, hear };
}
const without = (one: Question, ...names: readonly string[]): Question => ({
  ...one,
  params: { ...one.params, ...Object.fromEntries(names.map((name) => [name, undefined])) },
});
const withMore = (one: Question, more: object): Question => ({ ...one, params: { ...one.params, ...more } });

// Rules.
test('a command is told with its words, and its answers give no more', async () => {
  const { hear } = await asking(COMMAND);
  const heard = await hear();
  expect(heard?.word).toMatchObject({ state: 'asks', detail: "an approval: command: /bin/bash -lc 'touch x'?" });
  expect(heard?.asked).toMatchObject({
    id: 'thread-0 call_1',
    kind: 'permission',
    shows: ['folder: /work', "/bin/bash -lc 'touch x'"],
    offers: [
      { label: 'Allow once', word: 'yes' },
      { label: 'Reject', word: 'no' },
    ],
    withheld: ['Allow always'],
  });
});

// Rules: A-2.
test('two approvals of one item are two questions, also where its server gives them no ids', async () => {
  const idOf = async (more: object): Promise<string> => {
    const { hear } = await asking(withMore(COMMAND, more));
    return dialogOf((await hear())!.asked!, 'life').id;
  };
  const ids = [await idOf({ approvalId: 'a' }), await idOf({ approvalId: 'b' }), await idOf({ command: 'rm -rf /' })];
  expect(new Set([...ids, await idOf({})]).size).toBe(4);
});

// Rules: A-3.
test('an approval shows its reason and where it runs', async () => {
  const { hear } = await asking(
    withMore(COMMAND, { reason: 'needs the network\nand more', environmentId: 'remote-1' }),
  );
  const shown = [
    'reason: needs the network',
    'and more',
    'environment: remote-1',
    'folder: /work',
    "/bin/bash -lc 'touch x'",
  ];
  expect((await hear())?.asked).toMatchObject({ shows: shown, whole: shown });
});

const RULE = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['touch', 'x'] } };
const RULED = withMore(COMMAND, { availableDecisions: ['accept', 'acceptForSession', RULE, 'cancel'] });
const SESSION = withMore(COMMAND, { availableDecisions: ['accept', 'acceptForSession', 'cancel'] });

// Rules: A-3.
test.each([
  ['a rule', RULED, 'commands that begin with `touch x`, until you take that out of its rules'],
  ['its session', SESSION, "`/bin/bash -lc 'touch x'` until this session ends"],
])('a decision for %s that it offers says what for', async (_, question, gives) => {
  const { hear } = await asking(question);
  expect((await hear())?.asked?.offers.at(-1)).toEqual({
    label: 'Allow always',
    word: 'always',
    isGrave: true,
    does: `allow this, and do not ask again for ${gives}`,
  });
});

test.each([
  ['Allow once', COMMAND, { decision: 'accept' }],
  ['Reject', COMMAND, { decision: 'decline' }],
  ['Allow always', RULED, { decision: RULE }],
  ['Allow always', SESSION, { decision: 'acceptForSession' }],
  ['SQLite', INPUT, { answers: { db: { answers: ['SQLite'] } } }],
])('%s goes to the server by the id of the question, once', async (label, question, result) => {
  const { home, hear } = await asking(question);
  const asked = (await hear())?.asked;
  expect(await asked?.answer(label)).toBe('taken');
  expect(await asked?.answer(label)).toBe('over');
  expect(home.answers).toEqual([{ id: question.id, result }]);
});

test('an answer after a person answered at the terminal goes nowhere', async () => {
  const { home, hear } = await asking(COMMAND);
  const asked = (await hear())?.asked;
  home.over(null, COMMAND.id);
  await expect.poll(async () => (await hear())?.asked ?? null).toBeNull();
  expect(await asked?.answer('Allow once')).toBe('over');
  expect(home.answers).toEqual([]);
});

test('a server that does not say that it took the answer leaves it unknown', { timeout: 30_000 }, async () => {
  const { home, hear } = await asking(COMMAND);
  home.silent = true;
  const began = performance.now();
  expect(await (await hear())?.asked?.answer('Allow once')).toBe('unknown');
  expect(performance.now() - began).toBeGreaterThanOrEqual(SOURCES.answerMs - 100);
});

test('a server that never lets a thread be joined hides no state of its agents', { timeout: 30_000 }, async () => {
  const { home, hear } = await asking(COMMAND);
  home.hangsIn = 'thread/resume';
  const asks = { word: { state: 'asks' } };
  expect(await hear()).toMatchObject(asks);
  expect(await hear()).toMatchObject(asks);
});

test.each([
  ['a change of files', { ...COMMAND, method: 'item/fileChange/requestApproval' }],
  ['a command with more permissions', withMore(COMMAND, { additionalPermissions: { network: true } })],
  ['access to a host', withMore(COMMAND, { networkApprovalContext: { host: 'x' } })],
  ['a command without its words', without(COMMAND, 'command')],
  ['an approval that takes no plain yes', withMore(COMMAND, { availableDecisions: ['cancel'] })],
  ['a secret', withMore(INPUT, { questions: [{ ...INPUT.params.questions[0], isSecret: true }] })],
  ['two questions at once', withMore(INPUT, { questions: [...INPUT.params.questions, ...INPUT.params.questions] })],
  ['a question of another thread', withMore(COMMAND, { threadId: 'thread-9' })],
])('%s is left to the pane', async (_, question) => {
  const { hear } = await asking(question);
  const heard = await hear();
  expect(heard?.word?.state).toBe('asks');
  expect(heard).not.toHaveProperty('asked');
});

test('a thread is joined only while it waits', async () => {
  const { home, hear } = await asking(COMMAND);
  await hear();
  expect(home.asked.filter((method) => method === 'thread/resume')).toHaveLength(1);
  home.threads = home.threads.map((thread) => ({ ...thread, status: { type: 'active', activeFlags: [] } }));
  await expect.poll(async () => (await hear())?.word?.state).toBe('working');
  await expect.poll(() => home.joined()).toBe(1);
});
