/** `town hooks`: what it makes of a person's own settings of Claude Code, and what it says of them. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { transcriptFile } from '../../src/sources/claude-transcript.ts';
import { TestTown, until } from './town.ts';

const MINE = `{
\t// my model
\t"model": "opus",
\t"hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] }, // mine
}
`;

let town: TestTown;
let file: string;
beforeEach(() => {
  town = new TestTown();
  file = join(town.home, '.claude/settings.json');
});

function write(text: string | Uint8Array, mode = 0o640, path = file): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
const read = (path = file): string => readFileSync(path, 'utf8');
const modeOf = (path = file): number => statSync(path).mode & 0o777;
const install = (...words: string[]) => town.run('hooks', 'install', 'claude', ...words);
const uninstall = (...words: string[]) => town.run('hooks', 'uninstall', 'claude', ...words);

interface View {
  readonly name: string;
  readonly screen: { readonly state: string; readonly source: string | null } | null;
}

interface Status {
  readonly files: readonly { readonly file: string; readonly is_current: boolean; readonly version: string | null }[];
  readonly sessions: readonly { readonly session: string; readonly hooks: string; readonly events: number }[];
  readonly town: { readonly unwatched: number; readonly unproved: number } | null;
}

// Rules: F-3.
describe('a settings file', () => {
  test('gets the hooks, keeps its permissions, and is the same byte for byte afterwards', async () => {
    write(MINE);
    const { code, stdout } = await install();
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('has hooks of this town now: PermissionRequest') as string,
    ]);
    expect(read()).toContain('\t// my model\n');
    expect(read()).toContain('say done');
    expect(read()).toContain('http://town/hook');
    expect(modeOf()).toBe(0o640);
    expect((await install()).stdout).toContain('already');
    expect((await uninstall()).code).toBe(0);
    expect([read(), modeOf()]).toEqual([MINE, 0o640]);
    expect((await uninstall()).stdout).toContain('has no hooks of this town');
  });

  test('that switches all hooks off is named with its key', async () => {
    write('{ "disableAllHooks": true }\n');
    expect((await install()).stdout).toContain('its "disableAllHooks" switches all hooks off');
  });

  test('that was not there is made, and goes again', async () => {
    expect((await install()).code).toBe(0);
    expect([JSON.parse(read()), modeOf()]).toEqual([{ hooks: expect.any(Object) as object }, 0o600]);
    expect((await uninstall()).stdout).toContain('is gone');
    expect(existsSync(file)).toBe(false);
  });

  test('that changed meanwhile loses the hooks alone', async () => {
    write(MINE);
    await install();
    write(read().replace('"opus"', '"sonnet"'));
    await uninstall();
    expect(read()).toContain('"sonnet"');
    expect(read()).toContain('say done');
    expect(read()).not.toContain('http://town');
  });

  test('is shown as it would be, and not touched, by --dry-run', async () => {
    write(MINE);
    const dry = await install('--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(/^\+.*townwatch/m);
    expect(dry.stdout).toMatch(/^ .*"model"/m);
    expect(dry.stderr).toContain('nothing was written');
    expect(read()).toBe(MINE);
    await install();
    const installed = read();
    expect((await uninstall('--dry-run')).stdout).toMatch(/^-.*townwatch/m);
    expect(read()).toBe(installed);
  });

  test("of one project is its user's own", async () => {
    const project = join(town.home, 'shop');
    mkdirSync(project);
    expect((await install('--project', project)).code).toBe(0);
    expect(read(join(project, '.claude/settings.local.json'))).toContain('http://town/hook');
    expect(existsSync(file)).toBe(false);
    expect((await town.run('hooks', 'status')).stdout).toContain('settings.local.json has the hooks of this town');
    expect((await uninstall()).stdout).toContain(
      `it also installed hooks in ${join(project, '.claude/settings.local.json')}`,
    );
    expect((await uninstall('--project', project)).code).toBe(0);
    expect((await install('--project', join(town.home, 'nowhere'))).stderr).toContain('there is no folder');
  });

  test('is where CLAUDE_CONFIG_DIR says', async () => {
    const elsewhere = join(town.home, 'claude-two');
    const env = { CLAUDE_CONFIG_DIR: elsewhere };
    expect((await town.bare(['--root', town.root, 'hooks', 'install', 'claude'], { env })).code).toBe(0);
    expect(existsSync(join(elsewhere, 'settings.json'))).toBe(true);
  });
});

describe('a file that is not to be changed is named in one sentence, and stays', () => {
  test.each([
    ['{"model": ', 0o644, 'line 1 is not JSON'],
    ['[]', 0o644, 'it is not a JSON object'],
    [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 0o644, 'it is not UTF-8'],
    ['{}', 0o444, 'it is read-only'],
    ['{}', 0o666, 'may be written by'],
    [' '.repeat(1_048_577), 0o644, 'the limit is'],
  ])('%#', async (text, mode, why) => {
    write(text, mode);
    const before = readFileSync(file);
    for (const words of [['install'], ['uninstall'], ['install', '--dry-run']]) {
      const { code, stdout, stderr } = await town.run('hooks', words[0] ?? '', 'claude', ...words.slice(1));
      expect([code, stdout, stderr.trim().split('\n')]).toEqual([1, '', [expect.stringContaining(why) as string]]);
      expect(stderr).toContain(`${file} was not changed`);
    }
    expect([readFileSync(file), modeOf()]).toEqual([before, mode]);
    expect((await town.run('hooks', 'status')).stdout).toContain(mode === 0o444 ? 'has no hooks' : why);
  });

  test('a link', async () => {
    const target = join(town.home, 'dotfiles.json');
    write('{}', 0o644, target);
    mkdirSync(dirname(file));
    symlinkSync(target, file);
    expect((await install()).stderr).toContain(`it is a symbolic link to ${target}`);
    expect(read(target)).toBe('{}');
  });
});

describe('a program', () => {
  test.each(['codex', 'opencode'])('%s needs none', async (name) => {
    expect(await town.run('hooks', 'install', name)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/needs no hooks/) as string,
    });
    expect(existsSync(file)).toBe(false);
  });

  test('whose hooks are not known is refused', async () => {
    expect(await town.run('hooks', 'install', 'gemini')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no hooks of') as string,
    });
  });

  test('that is too old is named', async () => {
    const bin = join(town.home, 'node_modules/@anthropic-ai/claude-code');
    write('{"name": "@anthropic-ai/claude-code", "version": "2.0.9"}', 0o644, join(bin, 'package.json'));
    write('', 0o755, join(bin, 'bin/claude'));
    const env = { PATH: `${join(bin, 'bin')}:${process.env['PATH'] ?? ''}` };
    const ran = await town.bare(['--root', town.root, 'hooks', 'install', 'claude'], { env });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is Claude Code 2.0.9') as string });
  });

  test('without curl is told so', async () => {
    const env = { PATH: town.programs('tmux') };
    const ran = await town.bare(['--root', town.root, 'hooks', 'install', 'claude'], { env });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('"curl"') as string });
  });
});

/** Runs the hook that its settings have for an event, below itself. */
const CLAUDE = `#!/bin/bash
mkdir -p "$HOME/.claude/sessions"
started=$(cut -d' ' -f22 "/proc/$$/stat")
printf '{"pid":%s,"sessionId":"%s","cwd":"%s","procStart":"%s","version":"2.1.330","kind":"interactive","status":"idle"}' \\
  $$ 83e007c0-2e57-458e-912f-25304f75f9d8 "$HOME" "$started" > "$HOME/.claude/sessions/$$.json"
while :; do
  if [ -e "$HOME/said" ]; then sh "$HOME/hook.sh" < "$HOME/said" > "$HOME/printed" 2>&1; mv "$HOME/said" "$HOME/done"; fi
  sleep 0.05
done
`;

// Rules: M-2, M-13.
test('an adopted agent whose step was denied is denied in the list, and heard in the status', async () => {
  write(CLAUDE, 0o755, join(town.home, 'claude'));
  const conversation = '83e007c0-2e57-458e-912f-25304f75f9d8';
  const transcript = transcriptFile({ config: join(town.home, '.claude'), cwd: town.home, id: conversation });
  const line = { sessionId: conversation, isSidechain: false, type: 'user', message: { content: 'push it' } };
  write(`${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`, 0o600, transcript);
  town.tmux('new-session', '-d', '-s', 'mine', '-c', town.home, 'bash', '--norc', '--noprofile');
  town.tmux('send-keys', '-t', '=mine:', './claude', 'Enter');
  await town.up();
  await until(
    () => town.run('session', 'adopt', 'mine'),
    ({ code }) => code === 0,
  );
  await town.agent('other', ['sleep', '1000']);
  expect((await install()).code).toBe(0);
  const before = await town.data<Status>('hooks', 'status');
  expect(before.sessions).toMatchObject([
    { session: 'mine', hooks: 'installed; none came yet' },
    { session: 'other', hooks: 'none: its screen is read' },
  ]);
  const settings = JSON.parse(read()) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  write(settings.hooks['PermissionDenied']?.[0]?.hooks[0]?.command ?? '', 0o600, join(town.home, 'hook.sh'));
  const said = {
    hook_event_name: 'PermissionDenied',
    session_id: conversation,
    tool_name: 'Bash',
    tool_input: { command: 'git push' },
  };
  write(JSON.stringify({ ...said, reason: 'not asked for' }), 0o600, join(town.home, 'said'));
  const now = async () => (await town.data<View[]>('session', 'list')).find(({ name }) => name === 'mine')?.screen;
  const screen = await until(now, (one) => one?.state === 'denied');
  expect(screen).toMatchObject({ source: 'claude hook PermissionDenied' });
  expect(read(join(town.home, 'printed'))).toBe('');
  const status = await town.data<Status>('hooks', 'status');
  expect(status).toMatchObject({
    files: [{ file, is_current: true }],
    sessions: [
      { session: 'mine', hooks: expect.stringMatching(/^heard, last/) as string, events: 1 },
      { session: 'other' },
    ],
    town: { unwatched: 0, unproved: 0 },
  });
  expect((await town.run('hooks', 'status')).stdout).toMatch(/hears\s+hooks\s+since\s+\d\d:\d\d:\s+1\s/);
  expect((await town.run('explain', 'mine')).stdout).toContain('denied');
});
