/** Relayed text is only text (law 11): what the town types for a caller is no command of any program that it knows. */
import { describe, expect, test } from 'vitest';
import { commandSign } from '../../src/hearings/deliver.ts';
import { linesOf } from '../../src/hearings/nudge.ts';
import { pasteOf } from '../../src/hearings/typing.ts';
import { Packs } from '../../src/screen/packs.ts';
import { question } from './live/questions.ts';

const packs = new Packs();
const AGENTS = ['aider', 'amp', 'claude', 'codex', 'copilot', 'cursor-agent', 'gemini', 'generic', 'opencode', 'qwen'];

/** What a hostile letter or a reasoner would have typed, on a first and on a later line. */
const COMMANDS = [
  '!touch x',
  '/exit',
  '@/etc/passwd',
  '# remember',
  '$ ls',
  '&deploy',
  '?',
  ':q',
  '%cd',
  'exit',
  'QUIT',
];
const HIDDEN = ['', ' ', '\t', '\n', '\u200b', '\ufeff', '\u2028', '\u202e', '\u{e0021}'];

describe.each(AGENTS)('%s', (name) => {
  const pack = packs.named(name);

  test('has commands of its own, which are seen', () => {
    expect(COMMANDS.filter((text) => commandSign(pack, [text]) !== undefined).length).toBeGreaterThan(1);
  });

  // Rules: law 11.
  test.each(['started', 'adopted'] as const)('takes no nudge for a command in a %s pane', (origin) => {
    const typed = COMMANDS.flatMap((command) =>
      HIDDEN.flatMap((before) =>
        [`${before}${command}`, `go on\n${before}${command}`].map((text) => linesOf({ origin }, { text, raw: false })),
      ),
    );
    const bad = typed.filter((lines) => lines.some((line) => commandSign(pack, [line]) !== undefined));
    expect(bad).toEqual([]);
    expect(typed.filter((lines) => !pasteOf(lines).startsWith('Nudge: '))).toEqual([]);
    // A mention of a file would be read without a question.
    expect(typed.filter((lines) => /(?:^|\s)@\S/.test(pasteOf(lines)))).toEqual([]);
  });

  test.each(['started', 'adopted'] as const)('completes no end of a nudge in a %s pane', (origin) => {
    const ends = COMMANDS.filter((text) => /\W/.test(text)).flatMap((command) => [
      command,
      `please run ${command}`,
      `${command}\ngo on`,
    ]);
    const open = ends
      .flatMap((text) => linesOf({ origin }, { text, raw: false }))
      .filter((line) => /\s[/!@#$&?:%]\w*$/.test(line));
    expect(open).toEqual([]);
  });

  test('takes no question of a hearing for a command', () => {
    expect(commandSign(pack, question('K73F'))).toBeUndefined();
  });
});

test.each([
  ['/exit', 'Nudge: /exit.'],
  ['see /work/notes', 'Nudge: see /work/notes.'],
  ['see /work/notes first', 'Nudge: see /work/notes first'],
  ['go on', 'Nudge: go on'],
  ['is it done?', 'Nudge: is it done?'],
])('the end of %j is typed as %j: a path stays readable', (text, line) => {
  expect(linesOf({ origin: 'started' }, { text, raw: false })).toEqual([line]);
  expect(linesOf({ origin: 'started' }, { text, raw: true })).toEqual([text]);
  expect(linesOf({ origin: 'started' }, { text, raw: true, isWork: true })).toEqual([line.slice('Nudge: '.length)]);
});

test('work in an adopted pane means nothing to a shell that may come to read it', () => {
  const text = 'rm -rf $HOME; exit\nmake test && git push';
  const lines = linesOf({ origin: 'adopted' }, { text, raw: true, isWork: true });
  expect(lines).toEqual(['Work: rm -rf ＄HOME； exit', 'Work: make test ＆＆ git push']);
});
