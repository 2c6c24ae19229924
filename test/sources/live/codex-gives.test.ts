/** Work that Codex's server takes without a key, into the thread that can be no other agent's. */
import { describe, expect, test } from 'vitest';
import { CodexHome } from './codex-home.ts';

const WORK = { id: 'one', text: 'prune the quince tree' };

async function resting(): Promise<{
  readonly home: CodexHome;
  readonly agent: Awaited<ReturnType<CodexHome['agent']>>;
}> {
  const home = new CodexHome();
  await home.serve();
  const agent = await home.agent();
  home.thread();
  return { home, agent };
}

// Rules: M-2, law 7.
describe('work', () => {
  test('begins a turn of that thread, and bears its own id, by which it is found again', async () => {
    const { home, agent } = await resting();
    const gives = (await agent.hear())?.gives;
    expect(await gives?.has('one')).toBe(null);
    expect(await gives?.give(WORK)).toBe('begun');
    expect(home.begun).toEqual([
      { threadId: 'thread-0', clientUserMessageId: 'one', input: [{ type: 'text', text: WORK.text }] },
    ]);
    expect([await gives?.has('one'), await gives?.has('two')]).toEqual(['begun', null]);
  });

  test.each([
    ['refuses', 'not'],
    ['mute', 'begun'],
    ['lost', 'unknown'],
  ] as const)('that its server takes so: %s, is %s', async (starts, given) => {
    const { home, agent } = await resting();
    home.starts = starts;
    expect(await (await agent.hear())?.gives?.give(WORK)).toBe(given);
  });

  test("is not taken while a turn runs, or where the thread may be a person's", async () => {
    const { home, agent } = await resting();
    home.threads = [];
    home.thread({ status: { type: 'active', activeFlags: [] } });
    expect(await agent.hear()).not.toHaveProperty('gives');
    const other = new CodexHome();
    await other.serve();
    const second = await other.agent();
    other.thread();
    other.thread();
    expect(await second.hear()).toBeNull();
  });
});
