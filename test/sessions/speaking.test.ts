/** What a start does about a conversation where another program, or a shell, stands before its agent (M-11), and whose account it is (M-9). */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { accountOfStart } from '../../src/sessions/account.ts';
import { speakingIn, type Speaking } from '../../src/sessions/conversation.ts';

const packs = new Packs();
const ID = '0173e08e-5843-47f3-b2f4-b56cccf861a3';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'town-speaking-'));
  const place = (file: string): string => {
    mkdirSync(join(home, file, '..'), { recursive: true });
    writeFileSync(join(home, file), '');
    chmodSync(join(home, file), 0o755);
    return join(home, file);
  };
  mkdirSync(join(home, 'bin'));
  symlinkSync(place('share/claude/versions/2.1.332'), join(home, 'bin/claude'));
  const kept = join('own/projects', realpathSync(home).replaceAll(/[^A-Za-z0-9]/g, '-'), `${ID}.jsonl`);
  writeFileSync(place(kept), '{}\n');
  // As npm has it: its own version is later than any of Claude Code.
  symlinkSync(place('node_modules/npm/bin/npx-cli.js'), join(home, 'bin/npx'));
  writeFileSync(join(home, 'node_modules/npm/package.json'), '{"version": "11.6.2"}');
});
afterAll(() => rmSync(home, { recursive: true }));

interface Had {
  readonly prompt?: string | undefined;
  readonly task?: string | null;
}

const speaking = (command: readonly string[], isResumed: boolean, { prompt, task = null }: Had = {}) => {
  const spec = { name: 'max', command, dir: home, tags: [], restart: 'permanent', process: null } as const;
  const resume = isResumed ? { resume: { id: ID, why: 'ended' } } : {};
  const had = prompt === undefined ? {} : { prompt };
  const order = { spec, uuid: 'NEW', ...resume, ...had } satisfies Parameters<typeof speakingIn>[1];
  const environment = { HOME: home, PATH: join(home, 'bin') };
  return speakingIn(packs, order, { environment, password: 'p', hooksFile: null, task });
};

const line = (text: string): readonly string[] => ['/bin/sh', '-c', text];

// Rules: M-11.
test.each([
  { command: ['npx', 'claude', 'x'], forgets: 'its command starts Claude Code by npx' },
  { command: ['npx', '@anthropic-ai/claude-code'], forgets: 'its command starts Claude Code by npx' },
  { command: ['timeout', '8h', 'claude'], forgets: 'its command starts Claude Code by timeout' },
  { command: line('timeout 8h claude'), forgets: 'its command starts Claude Code by timeout' },
  { command: ['timeout', '8h', 'claude', '--continue'], forgets: undefined },
  { command: ['bash', 'loop.sh'], forgets: undefined },
])('$command stays as it is, since other words would be no words of its agent', async ({ command, forgets }) => {
  expect(await speaking(command, false)).toEqual({ command });
  expect(await speaking(command, true)).toEqual({ command, ...(forgets !== undefined && { forgets }) });
});

test('what its program keeps is looked for where the line says', async () => {
  const because = 'the shell alone knows the CLAUDE_CONFIG_DIR of its command';
  const hidden = await speaking(line('CLAUDE_CONFIG_DIR="$X" claude x'), true);
  expect(hidden.spoken).toEqual({ id: 'NEW', resumed: false, because });
  const said = await speaking(line(`CLAUDE_CONFIG_DIR=${join(home, 'kept')} claude x`), true);
  expect(said.spoken?.because).toBe(`Claude Code keeps none called ${ID}`);
});

// Rules: M-11.
test('a first prompt that the conversation never heard begins another one, and the same or none goes on', async () => {
  const say = (text: string, more: Had = {}) =>
    speaking(line(`CLAUDE_CONFIG_DIR=${join(home, 'own')} claude ${text}`), true, more);
  const { prompt, spoken } = await say('--model opus fix');
  expect(spoken).toEqual({ id: ID, resumed: true });
  const other = { id: 'NEW', resumed: false, because: 'its first prompt is another one' };
  const resumed = { id: ID, resumed: true };
  expect((await say('fix --model haiku', { prompt })).spoken).toEqual(resumed);
  expect((await say('--model opus', { prompt })).spoken).toEqual(resumed);
  expect((await say('--model opus', { prompt })).prompt).toBe(prompt);
  const docs = await say('"write the docs"', { prompt });
  expect(docs.spoken).toEqual(other);
  expect(docs.command.at(-1)).toContain("'write the docs'");
  const read = { task: 'bead gt-1' };
  const first = await say('"$(cat "$TOWN_PROMPT_FILE")"', read);
  expect((await say('"$(cat "$TOWN_PROMPT_FILE")"', { ...read, prompt: first.prompt })).spoken).toEqual(resumed);
  expect((await say('"$(cat "$TOWN_PROMPT_FILE")"', { task: 'bead gt-2', prompt: first.prompt })).spoken).toEqual(
    other,
  );
});

// Rules: M-11.
test('a new conversation that gets the prompt of an earlier life hears with it that one began it, and another prompt stays as it is', async () => {
  const given = 'send the mails';
  const mark = async (command: readonly string[]): Promise<Had> => ({
    prompt: (await speaking(command, false)).prompt,
  });
  const last = (one: Speaking): string => one.command.at(-1) ?? '';
  const plain = await mark(['claude', given]);
  expect(last(await speaking(['claude', given], false))).toBe(given);
  expect(last(await speaking(['claude', given], false, plain))).toMatch(/^send the mails \(.*an earlier life/);
  expect(last(await speaking(['claude', '--', given], false, plain))).toMatch(/^send the mails \(.*an earlier life/);
  // Its program keeps no such conversation.
  expect(last(await speaking(['claude', given], true, plain))).toMatch(/^send the mails \(.*an earlier life/);
  expect(last(await speaking(['claude', 'write the docs'], false, plain))).toBe('write the docs');
  expect((await speaking(['claude', '--verbose'], false, { prompt: '' })).command.join(' ')).not.toContain('earlier');
  const written = line(`claude "$(echo ${given})" --verbose`);
  const said = spawnSync('/bin/sh', [
    '-c',
    last(await speaking(written, false, await mark(written))).replace(/^exec 'claude'/, 'echo'),
  ]);
  expect(String(said.stdout)).toMatch(/send the mails \(.*an earlier life.*\) --verbose\n$/);
});

// Rules: M-9.
test.each([
  { text: 'claude "$(cat task)"', label: '~/.claude' },
  { text: 'CLAUDE_CONFIG_DIR=/work/claude claude', label: '/work/claude' },
  { text: 'ANTHROPIC_API_KEY="$(cat key)" claude', label: undefined },
  { text: 'cd app && claude', label: undefined },
])('$text: its account is known as far as its words say it', async ({ text, label }) => {
  const account = await accountOfStart(packs, { command: line(text) }, { HOME: '/home/me' });
  expect(account?.label).toBe(label);
});
