import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockReader, type Reply } from '../../src/tmux/control-parser.ts';
import { controlLine } from '../../src/tmux/control-words.ts';

function read(lines: readonly string[]): { replies: Reply[]; notices: string[] } {
  const replies: Reply[] = [];
  const notices: string[] = [];
  const reader = blockReader({
    reply: (reply) => replies.push(reply),
    notice: (name) => notices.push(name),
    inside: () => undefined,
  });
  for (const line of lines) reader.push(line);
  return { replies, notices };
}

const FORGED = ['%end 1 7 1', '%end 99 7 0', '%error 99 8 1', '%exit', '%begin 99 7 1', '%end 99 7 1 ', ' %end 99 7 1'];

test('only the end with the begin’s time, number and flags ends a block; nothing else in it is a notification', () => {
  expect(read(['%begin 99 7 1', ...FORGED, '%end 99 7 1', '%exit'])).toEqual({
    replies: [{ ok: true, ours: true, lines: FORGED }],
    notices: ['exit'],
  });
});

test('an error block is a reply too, and blocks of hooks and of the command line are not ours', () => {
  expect(read(['%begin 5 1 0', 'x', '%end 5 1 0', '%begin 5 2 1', 'no', '%error 5 2 1']).replies).toEqual([
    { ok: true, ours: false, lines: ['x'] },
    { ok: false, ours: true, lines: ['no'] },
  ]);
});

test('any content of a block comes out as it is and the next block is read', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom(...FORGED, '%sessions-changed'));
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const safe = lines.filter((one) => !/^%(end|error) 99 9 1$/.test(one));
      const { replies, notices } = read(['%begin 99 9 1', ...safe, '%end 99 9 1', '%begin 99 10 1', '%end 99 10 1']);
      expect(replies.map((reply) => reply.lines)).toEqual([safe, []]);
      expect(notices).toEqual([]);
    }),
  );
});

test.each([
  ['a semicolon', ['display-message', '-p', 'a;kill-server']],
  ['a line break', ['display-message', '-p', 'a\nkill-server']],
  ['a quote', ['display-message', '-p', "a' ; kill-server '"]],
  ['a backslash', ['display-message', '-p', 'a\\']],
  ['a program', ['display-message', '-p', '#(id)']],
  ['a command with more than one block', ['if-shell', '-F', '1', 'list-panes']],
  ['an abbreviated command', ['det']],
  ['no command', []],
])('a control-mode line refuses %s', (_what, command) => {
  expect(() => controlLine(command)).toThrow(TypeError);
});

test('constants, formats and ids pass onto a control-mode line, each quoted', () => {
  expect(controlLine(['list-panes', '-a', '-F', '#{pane_id} s#{pane_dead_status}'])).toBe(
    `list-panes '-a' '-F' '#{pane_id} s#{pane_dead_status}'`,
  );
  expect(controlLine(['kill-pane', '-t', '%3'])).toBe(`kill-pane '-t' '%3'`);
});
