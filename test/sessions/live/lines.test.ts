/** A line for a shell that is given other words means the same to that shell: its agent gets them, and its own as before. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Packs } from '../../../src/screen/packs.ts';
import { agentCommandIn } from '../../../src/sessions/agent-command.ts';

const packs = new Packs();

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'town-line-'));
  for (const name of ['claude', 'codex', 'opencode']) {
    writeFileSync(join(dir, name), `#!/bin/sh\nprintf '%s|' "$A" "$@"\n`);
    chmodSync(join(dir, name), 0o755);
  }
  writeFileSync(join(dir, 'task'), `it's "one" task\nof $two rows`);
});
afterAll(() => rmSync(dir, { recursive: true }));

/** What its agent prints: a variable, and its words. */
const played = (shell: string, command: readonly string[]): string => {
  const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}`, HOME: '/home/me', TASK: join(dir, 'task') };
  return execFileSync(shell, command.slice(1), { env, cwd: dir, encoding: 'utf8' });
};

const LINES = [
  'claude',
  'claude "$(cat "$TASK")" --permission-mode acceptEdits --allowedTools "Bash(town *)" "Bash(git *)"',
  `claude 'do it' --model="$TASK" --add-dir ~/app`,
  String.raw`claude --model a\ b "say \"hi\"" 'it'\''s'`,
  'A=1 claude x',
  'A="$TASK" claude x',
  'exec claude x',
  'env A=1 claude x',
  '/usr/bin/env A="b c" claude x',
  'A=1 exec env B=2 claude x # a comment',
  'command claude x',
  'claude x 2>/dev/null',
  'test -d nowhere || true; claude x',
  'test -e task && claude x',
  'claude x; true',
  'claude x || true',
  'codex -c "a=$TASK" ""',
  'opencode --prompt "$(cat "$TASK")" .',
  'claude "" x',
];

// Rules: M-11.
describe.each(['dash', 'bash'])('a line for %s', (shell) => {
  test.each(LINES)('%s', async (line) => {
    const { words, withWords, unclear } = await agentCommandIn(packs, ['/bin/sh', '-c', line]);
    expect(unclear).toBeUndefined();
    const [program = '', ...rest] = words;
    const before = played(shell, ['', '-c', line]);
    const [, variable = ''] = /^([^|]*\|)/.exec(before) ?? [];
    expect(played(shell, withWords(words))).toBe(before);
    const more = withWords([program, '--more', `it's $(id)`, ...rest]);
    expect(played(shell, more)).toBe(`${variable}--more|it's $(id)|${before.slice(variable.length)}`);
    // Read again, it has the same words.
    expect((await agentCommandIn(packs, more)).words).toEqual([program, '--more', `it's $(id)`, ...rest]);
  });
});
