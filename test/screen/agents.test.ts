import { expect, test } from 'vitest';
import { kindByTitle, namesOf } from '../../src/screen/agents.ts';
import { Packs } from '../../src/screen/packs.ts';

const packs = new Packs();

const MODULES = '/usr/lib/node_modules';

test.each<[comm: string, argv: string[], kind: string | null]>([
  ['claude', ['claude'], 'claude'],
  ['claude', ['/bin/bash', './claude', '--continue'], 'claude'],
  ['sleep', ['claude', '100'], 'claude'],
  ['bash', ['-bash'], null],
  ['bash', ['bash', '/home/me/bin/claude'], 'claude'],
  ['node', ['node', '--no-warnings', `${MODULES}/@anthropic-ai/claude-code/cli.js`], 'claude'],
  ['node', ['node', '/home/me/claude-code/server.js'], null],
  ['node', ['node', '/home/me/claude/server.js'], null],
  ['node', ['node', `${MODULES}/@openai/codex/bin/codex.js`], 'codex'],
  ['node', ['node', `${MODULES}/@google/gemini-cli/dist/index.js`], 'gemini'],
  ['node', ['node', '/usr/local/bin/gemini'], 'gemini'],
  ['node', ['/home/me/.local/share/cursor-agent/versions/1/node', '/home/me/.local/share/cursor-agent/versions/1/index.js'], 'cursor-agent'], // prettier-ignore
  ['node', ['node', `${MODULES}/@github/copilot/index.js`], 'copilot'],
  ['python3', ['python3.12', '-m', 'aider'], 'aider'],
  ['aider', ['/usr/bin/python3', '/home/me/.local/bin/aider', '--yes'], 'aider'],
  ['opencode', ['opencode'], 'opencode'],
  ['vim', ['vim', 'claude'], null],
  ['claudette', ['claudette'], null],
  ['', [], null],
])('%s %j is %s', (comm, argv, kind) => {
  expect(packs.kindOf({ comm, argv })).toBe(kind);
});

test('a program is called by its own name, its word, its file and its script', () => {
  const names = namesOf({ comm: 'MainThread', argv: ['/bin/bash', '/opt/agent.sh'], exe: '/usr/bin/bash' });
  expect(new Set(names)).toEqual(new Set(['MainThread', 'bash', 'agent.sh', 'agent']));
});

test.each([
  ['✳ Fix the build', 'claude'],
  ['Claude Code', 'claude'],
  ['⠂ Fix the build', 'agent'],
  ['OC | Fix the build', 'opencode'],
  ['Gemini - shop', 'gemini'],
  ['claude@laptop: ~', null],
  ['laptop', null],
  ['', null],
])('the title %j speaks of %s', (title, kind) => {
  expect(kindByTitle(packs.identities(), title)).toBe(kind);
});
