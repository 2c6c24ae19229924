/** Why a turn of Claude Code halted, by its hooks: their real command, the real server, and the transcript by which it is over. */
import { once } from 'node:events';
import { renameSync, symlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { whenOver } from '../../world/over.ts';
import { agent, hook, ID, LIFE, tokenFor, town, type Agent, type Town } from './hooked.ts';

const failure = (error: unknown, words: unknown = 'The words of the program') => ({
  hook_event_name: 'StopFailure',
  error,
  last_assistant_message: words,
});
const DENIED = {
  hook_event_name: 'PermissionDenied',
  tool_name: 'Bash',
  tool_input: { command: 'git push --force' },
  tool_use_id: 'toolu_1',
  reason: 'not asked for',
};

/** An agent at rest, whose hook said this before. */
async function halted(it: Town, said: object): Promise<Agent> {
  const claude = await agent(it);
  claude.says('idle');
  claude.writes('user', 'push it');
  expect(await hook(it, said).ended).toEqual({ code: 0, printed: '' });
  return claude;
}

const wordOf = async (claude: Agent) => (await claude.hear())?.word;

// Rules: M-2, M-9.
describe('a turn that halted', () => {
  test.each([
    ['rate_limit', 'limited'],
    ['billing_error', 'limited'],
    ['authentication_failed', 'logged_out'],
    ['oauth_org_not_allowed', 'logged_out'],
    ['account_on_hold', 'logged_out'],
    ['verification_required', 'logged_out'],
    ['cloud_credential_error', 'logged_out'],
    ['overloaded', 'error'],
    ['an error of a later version', 'error'],
  ])('by %s is %s in its own words, also beside the town', async (error, state) => {
    const claude = await halted(await town(), failure(error));
    const word = {
      by: 'hook',
      source: 'claude hook StopFailure',
      state,
      detail: 'The words of the program',
      rule: null,
    };
    expect(await wordOf(claude)).toMatchObject(word);
    expect((await claude.hearBeside())?.word).toMatchObject(word);
  });

  test('is since the hook came, and keeps no secret', async () => {
    const before = Date.now();
    const claude = await halted(
      await town(),
      failure('unknown', 'token sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z'),
    );
    const { since = null, detail = null } = (await wordOf(claude)) ?? {};
    expect(since).toBeGreaterThanOrEqual(before);
    expect(detail).not.toContain('Ab3dEf6h');
  });

  test('by a step that was denied says which, and why', async () => {
    const claude = await halted(await town(), DENIED);
    expect(await wordOf(claude)).toMatchObject({
      by: 'hook',
      state: 'denied',
      detail: 'Bash: git push --force (not asked for)',
    });
  });

  test.each([
    ['no words', { hook_event_name: 'StopFailure', error: 'rate_limit' }, 'limited', 'rate_limit'],
    ['an error that is no word', failure({ code: 429 }), 'error', 'The words of the program'],
    ['fields of a later version', { ...DENIED, tool_input: 'git push', reason: [], more: 1 }, 'denied', 'Bash'],
  ])('counts with %s', async (_, said, state, detail) => {
    expect(await wordOf(await halted(await town(), said))).toMatchObject({ state, detail });
  });

  test('is only told of one that rests', async () => {
    const claude = await halted(await town(), DENIED);
    claude.says('busy');
    expect(await wordOf(claude)).toMatchObject({ by: 'program', state: 'working' });
    claude.says('waiting');
    expect(await wordOf(claude)).toMatchObject({ by: 'program', state: 'asks' });
    claude.says('shell');
    expect(await wordOf(claude)).toMatchObject({ by: 'hook', state: 'denied' });
  });

  test('outlives the town', async () => {
    const first = await town();
    await halted(first, DENIED);
    // Its hook has its answer, so a kill loses nothing.
    expect(first.kept).toMatchObject([{ uuid: LIFE, conversation: ID, state: 'denied' }]);
    first.server.close();
    const second = await town(first.root, first.kept);
    const claude = await agent(second);
    claude.says('idle');
    claude.writes('user', 'push it', before(first));
    claude.writes('assistant', [{ type: 'text', text: 'I stop here.' }]);
    expect(await wordOf(claude)).toMatchObject({ state: 'denied' });
    const stop = new AbortController();
    whenOver(() => stop.abort());
    second.living.clear();
    void second.server.attend(stop.signal);
    await expect.poll(() => second.kept.length, { timeout: 30_000 }).toBe(0);
  });
});

/** A line that was written before the halt. */
const before = ({ kept }: Town) => ({ timestamp: new Date((kept[0]?.at ?? 0) - 1).toISOString() });
const LATER = () => ({ timestamp: new Date(Date.now() + 1).toISOString() });

// Rules: M-2, law 1.
describe('a transcript that does not tell is unknown', () => {
  test('when it cannot be read, until it can be, though it did not change', async () => {
    const claude = await halted(await town(), DENIED);
    const elsewhere = `${claude.transcript}.moved`;
    renameSync(claude.transcript, elsewhere);
    expect(await claude.hear()).toMatchObject({ conversation: ID, word: null });
    // A link is not read; its target has the size and the time that the transcript had.
    symlinkSync(elsewhere, claude.transcript);
    expect(await claude.hear()).toMatchObject({ conversation: ID, word: null });
    renameSync(elsewhere, claude.transcript);
    expect(await wordOf(claude)).toMatchObject({ by: 'hook', state: 'denied' });
  });

  test('when what came right after the halt is too far back', async () => {
    const claude = await halted(await town(), DENIED);
    const long = [{ type: 'tool_result', content: 'x'.repeat(SOURCES.transcriptBytes) }];
    claude.writes('assistant', [{ type: 'tool_use' }], LATER());
    claude.writes('user', long, LATER());
    claude.writes('assistant', [{ type: 'text', text: 'Done.' }], LATER());
    expect(await claude.hear()).toMatchObject({ conversation: ID, word: null });
    claude.writes('user', 'go on', LATER());
    expect(await wordOf(claude)).toMatchObject({ by: 'program', state: 'idle' });
  });

  test('but what was before the halt may be too far back', async () => {
    const it = await town();
    const claude = await agent(it);
    claude.says('idle');
    claude.writes('user', [{ type: 'tool_result', content: 'x'.repeat(SOURCES.transcriptBytes) }]);
    claude.writes('assistant', [{ type: 'tool_use' }]);
    await hook(it, DENIED).ended;
    claude.writes('user', [{ type: 'tool_result' }], LATER());
    expect(await wordOf(claude)).toMatchObject({ by: 'hook', state: 'denied' });
  });
});

describe('it is over once the agent goes on', () => {
  const meta = { isMeta: true };
  test.each([
    ['a person wrote', DENIED, 'user', 'do it another way', {}, 'idle'],
    ['a person logged in', failure('authentication_failed'), 'user', '<command-name>/login</command-name>', {}, 'idle'],
    ['it called another tool', DENIED, 'assistant', [{ type: 'tool_use' }], {}, 'idle'],
    ['it spoke after a limit', failure('rate_limit'), 'assistant', [{ type: 'text' }], {}, 'idle'],
    ['it spoke of the denial', DENIED, 'assistant', [{ type: 'text' }], {}, 'denied'],
    ['the denied call got its result', DENIED, 'user', [{ type: 'tool_result' }], {}, 'denied'],
    ['the program wrote a line of its own', DENIED, 'user', 'a reminder', meta, 'denied'],
    [
      'the error itself was written late',
      failure('rate_limit'),
      'assistant',
      [],
      { isApiErrorMessage: true },
      'limited',
    ],
    ['an agent of it works', DENIED, 'assistant', [{ type: 'tool_use' }], { isSidechain: true }, 'denied'],
    ['another conversation goes on', DENIED, 'user', 'words', { sessionId: 'another' }, 'denied'],
    ['a line was torn', DENIED, 'user', undefined, { message: null }, 'denied'],
  ] as const)('%s', async (_, said, type, content, more, state) => {
    const claude = await halted(await town(), said);
    expect((await wordOf(claude))?.state).not.toBe('idle');
    claude.writes(type, content, { timestamp: new Date(Date.now() + 1).toISOString(), ...more });
    expect((await wordOf(claude))?.state).toBe(state);
  });

  test('of another conversation nothing is told', async () => {
    const claude = await halted(await town(), { ...DENIED, session_id: '5e3f2f0e-9f0e-4b3e-8d0b-0d8f8ad2d7a2' });
    expect(await wordOf(claude)).toMatchObject({ by: 'program', state: 'idle' });
  });
});

describe('what is no halt of this life says nothing', () => {
  test.each([
    ['an agent of its agent', { ...DENIED, agent_id: 'a1' }],
    ['no conversation', { ...DENIED, session_id: 'x' }],
    ['too long', { ...DENIED, reason: 'x'.repeat(10 * 1_048_576) }],
    ['no tool', { ...DENIED, tool_name: null }],
  ])('%s', async (_, said) => {
    expect(await wordOf(await halted(await town(), said))).toMatchObject({ by: 'program', state: 'idle' });
  });

  test("another life's token", async () => {
    const it = await town();
    const claude = await halted(it, { hook_event_name: 'Stop' });
    expect(await hook(it, DENIED, LIFE, tokenFor('another')).ended).toEqual({ code: 0, printed: '' });
    expect(await wordOf(claude)).toMatchObject({ state: 'idle' });
  });

  test('a flood keeps one of each life, and its words short', async () => {
    const it = await town();
    const many = Array.from(
      { length: 40 },
      (_, at) => hook(it, { ...DENIED, reason: `${at} ${'x'.repeat(9_000)}` }).ended,
    );
    for (const { code } of await Promise.all(many)) expect(code).toBe(0);
    const halt = await it.server.haltOf(LIFE);
    expect([halt?.conversation, halt?.detail.length]).toEqual([ID, SOURCES.maxDetailChars]);
    // On a busy machine a hook gives up before the last write is done.
    await vi.waitFor(async () => expect(it.kept).toEqual([await it.server.haltOf(LIFE)]), 120_000);
    expect(it.writes.most).toBe(1);
  });

  test.each([DENIED, failure('rate_limit')])(
    'a hook $hook_event_name that a killed town left without an answer reaches the next one',
    async (said) => {
      const { root, server, settings } = await town();
      server.close();
      const killed = createServer((connection: Socket) => connection.destroy());
      killed.listen(hooksSocket(settings));
      await once(killed, 'listening');
      const { ended } = hook({ settings }, said);
      await once(killed, 'connection');
      killed.close();
      const next = await town(root);
      expect(await ended).toEqual({ code: 0, printed: '' });
      expect(next.kept).toMatchObject([{ uuid: LIFE, event: said.hook_event_name }]);
    },
  );

  test('a town that is down or hangs holds no agent up', async () => {
    const it = await town();
    it.server.close();
    expect(await hook(it, DENIED).ended).toEqual({ code: 0, printed: '' });
  });
});
