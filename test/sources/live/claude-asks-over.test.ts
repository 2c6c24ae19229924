/** Questions of a Claude Code that are over, and requests that its hook server refuses: the real command of the hook, and the real server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hooksSocket } from '../../../src/sources/claude-hooks.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { whenOver } from '../../world/over.ts';
import { agent, asking, BASH, hook, LIFE, tokenFor, town, type Agent } from './hooked.ts';

const calling = promisify(execFile);
const SLOW = { timeout: 30_000 };

// Rules.
describe('a question that is over', () => {
  test.each([
    ['its program goes on', (claude: Agent) => claude.says('busy')],
    ['its call has a result', (claude: Agent) => claude.calls({ ...BASH, tool_input: { command: 'another' } })],
  ])('is let go once %s', async (_, goesOn) => {
    const it = await town();
    const { claude, held } = await asking(it);
    goesOn(claude);
    const now = Date.now;
    Date.now = () => now() + SOURCES.heldBeforeShownMs + 1;
    whenOver(() => (Date.now = now));
    expect(await claude.hear()).not.toHaveProperty('asked');
    expect(await held.ended).toEqual({ code: 0, printed: '' });
  });

  test('with its life is let go', async () => {
    const it = await town();
    const { held } = await asking(it);
    it.living.clear();
    const stop = new AbortController();
    whenOver(() => stop.abort());
    void it.server.attend(stop.signal);
    expect(await held.ended).toEqual({ code: 0, printed: '' });
  });

  test('with its hook is told no more', async () => {
    const it = await town();
    const { claude, held } = await asking(it);
    process.kill(-(held.child.pid ?? 0), 'SIGKILL');
    await expect.poll(async () => (await claude.hear())?.asked ?? null, SLOW).toBeNull();
  });
});

// Rules.
describe('what is refused says nothing and decides nothing', () => {
  test.each([
    ['no JSON', 'what'],
    ['another event', { hook_event_name: 'Stop' }],
    ['too long', { tool_input: { command: 'x'.repeat(10 * 1_048_576) } }],
  ])('%s', async (_, said) => {
    const it = await town();
    expect(await hook(it, said).ended).toEqual({ code: 0, printed: '' });
  });

  test("another life's token", async () => {
    const it = await town();
    const { ended } = hook(it, {}, LIFE, tokenFor('another'));
    expect(await ended).toEqual({ code: 0, printed: '' });
  });

  test('more than one life may hold', async () => {
    const it = await town();
    const hooks = Array.from({ length: SOURCES.maxHeldPerLife + 1 }, () => hook(it, {}));
    expect(await Promise.race(hooks.map(({ ended }) => ended))).toEqual({ code: 0, printed: '' });
    expect(await it.server.of(LIFE)).toHaveLength(SOURCES.maxHeldPerLife);
  });

  test('an agent that would answer itself: no path takes an answer', async () => {
    const it = await town();
    const { claude, held } = await asking(it);
    const [one] = await it.server.of(LIFE);
    for (const path of ['/answer', '/held', '/hook', `/answer/${one?.key ?? ''}`]) {
      const words = ['-s', '--unix-socket', hooksSocket(it.settings), '-d', '{"behavior":"allow"}'];
      const proof = ['-H', `x-town-life: ${LIFE}`, '-H', `x-town-token: ${tokenFor(LIFE)}`];
      await calling('curl', [...words, ...proof, `http://town${path}`]);
    }
    expect((await claude.hear())?.asked?.id).toBe('toolu_1');
    expect(held.child.exitCode).toBeNull();
  });

  test("a stranger's question is not shown to another life", async () => {
    const it = await town();
    await asking(it);
    const other = await agent(it, '5e3f2f0e-9f0e-4b3e-8d0b-0d8f8ad2d7a2');
    other.says('waiting');
    other.calls(BASH);
    expect(await other.hear()).not.toHaveProperty('asked');
  });
});
