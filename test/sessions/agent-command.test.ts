/** Which words of a command its agent gets, and which lines for a shell are not understood. */
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { agentCommandIn } from '../../src/sessions/agent-command.ts';

const packs = new Packs();
const inLine = (line: string) => agentCommandIn(packs, ['/bin/sh', '-c', line]);

describe('a list of words', () => {
  test.each([
    { command: ['claude', 'fix it'], kind: 'claude', words: ['claude', 'fix it'] },
    { command: ['/opt/bin/codex', '-m', 'x'], kind: 'codex', words: ['/opt/bin/codex', '-m', 'x'] },
    { command: ['env', 'A=1', 'claude'], kind: 'claude', words: ['claude'] },
    { command: ['npx', 'claude'], kind: null, words: ['npx', 'claude'] },
    { command: ['timeout', '8h', 'claude'], kind: null, words: ['timeout', '8h', 'claude'] },
    { command: ['make'], kind: null, words: ['make'] },
  ])('$command', async ({ command, kind, words }) => {
    const read = await agentCommandIn(packs, command);
    expect([read.kind, read.words, read.unclear]).toEqual([kind, words, undefined]);
    expect(read.withWords(read.words)).toEqual(command);
  });
});

// Rules: law 12.
test.each([
  ['claude x', `exec 'claude' 'x'`],
  ['A=1 claude x', `A=1 exec 'claude' 'x'`],
  ['true && claude x', `true && exec 'claude' 'x'`],
  ['claude x; bash', `'claude' 'x'; bash`],
])('%s: the last command takes the place of the shell', async (line, now) => {
  const { words, withWords } = await inLine(line);
  expect(withWords(words)).toEqual(['/bin/sh', '-c', now]);
});

test.each([
  ['A=1 claude', { A: '1' }],
  ['A="$B" claude', { A: null }],
  ['A=1 env B=2 C="$D" E= claude', { A: '1', B: '2', C: null, E: '' }],
])('%s: what it assigns is known as far as its words say it', async (line, assigned) => {
  expect((await inLine(line)).assigned).toEqual(assigned);
});

// Rules: M-11.
test.each([
  ['while true; do claude; done', 'with a loop'],
  ['until claude; do :; done', 'with a loop'],
  ['if true; then claude; fi', 'with a condition'],
  ['claude | tee log', 'with a pipe'],
  ['! claude', 'with a pipe'],
  ['(claude)', 'with a group'],
  ['{ claude; } 2>log', 'with a redirection'],
  ['f() { claude; }; f', 'with a function'],
  ['claude & wait', 'with a command in the background'],
  ['claude <task', 'with a redirection'],
  ['claude 2>log x', 'with a redirection'],
  ['cd app && claude', 'that runs cd before it'],
  ['. ./env; claude', 'that runs . before it'],
  ['export A=1; claude', 'that runs export before it'],
  ['A=1; claude', 'that runs an assignment before it'],
  ['claude; codex', 'that starts several agents'],
  ['claude $A', 'in which $A may be several words; put it in double quotes'],
  ['claude "$@"', 'in which "$@" may be several words; put it in double quotes'],
  ['claude *.md', 'in which *.md may be several words; put it in double quotes'],
  ['claude {a,b}', 'in which {a,b} may be several words; put it in double quotes'],
  [`claude $'a'`, `in which $'a' may be several words; put it in double quotes`],
  [`claude '$A' "$A"`, `in which '$A' stands for two things`],
  ['claude "a', 'that is incomplete (unterminated double quote)'],
])('%s is not understood, and stays as it is', async (line, why) => {
  const { kind, withWords, words, unclear } = await inLine(line);
  expect([kind, unclear]).toEqual([null, `its command is a line for a shell ${why}`]);
  expect(withWords(words)).toEqual(['/bin/sh', '-c', line]);
});

test.each([
  'make watch',
  'while true; do make; done',
  'notify claude',
  'notify claude >log',
  'cd app; make claude',
  'for a in claude; do echo $a; done',
  'A=claude make',
  '$CLAUDE x',
])('%s starts no agent that is known', async (line) => {
  const { kind, unclear } = await inLine(line);
  expect([kind, unclear]).toEqual([null, undefined]);
});
