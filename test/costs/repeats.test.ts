/** Calls that an agent repeats, read from the files of its program (M-12). Real files. */
import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COSTS } from '../../src/costs/policy.ts';
import { bash, claude, codexCall, codexItem, codexSaid, result, text } from './lines.ts';
import { counted, reader } from './reader.ts';

const call = (id: string, command = 'npm test', words = `m${id}`): string =>
  claude({ id: words, part: bash(id, command) });

// Rules: M-12.
describe('what repeats', () => {
  test.each<[what: string, lines: string[], program: 'claude' | 'codex', repeated: object | null]>([
    ['the same call', [call('1'), result('1'), call('2'), call('3')], 'claude', { call: 'Bash: npm test', count: 3 }],
    ['one call', [call('1')], 'claude', null],
    ['another call last', [call('1'), call('2'), call('3', 'ls')], 'claude', null],
    [
      'two by turns',
      [call('1'), call('2', 'ls'), call('3'), call('4', 'ls')],
      'claude',
      { call: 'Bash: ls · Bash: npm test', count: 3 },
    ],
    [
      'four by turns, with words by turns',
      [1, 2, 3].flatMap((turn) =>
        ['a', 'b', 'c', 'd'].flatMap((which) => [
          claude({ id: `w${which}${turn}`, part: text(`Now ${which}.`) }),
          call(`${which}${turn}`, which),
        ]),
      ),
      'claude',
      { call: 'Bash: d · Bash: a · Bash: b · Bash: c', count: 9 },
    ],
    [
      'five by turns',
      [1, 2, 3].flatMap((turn) => ['a', 'b', 'c', 'd', 'e'].map((which) => call(`${which}${turn}`, which))),
      'claude',
      null,
    ],
    ['words between', [call('1'), call('2'), claude({ id: 'w', part: text('It fails.') })], 'claude', null],
    [
      'the same words each time',
      [1, 2, 3].flatMap((at) => [claude({ id: `w${at}`, part: text('Again.') }), call(String(at))]),
      'claude',
      { call: 'Bash: npm test', count: 3 },
    ],
    ['the line of one call twice', [call('1'), call('1')], 'claude', null],
    [
      'a look at what runs in the background',
      ['1', '2', '3'].map((id) =>
        claude({ id, part: { type: 'tool_use', id, name: 'BashOutput', input: { bash_id: 'b' } } }),
      ),
      'claude',
      null,
    ],
    [
      'calls of Codex',
      ['1', '2'].map((id) => codexCall(id, 'exec_command', { cmd: 'make' })),
      'codex',
      { call: 'exec_command: {"cmd":"make"}', count: 2 },
    ],
    [
      'a command that Codex waits for',
      ['1', '2', '3'].map((id) => codexCall(id, 'write_stdin', { session_id: 1, chars: '' })),
      'codex',
      null,
    ],
    ['words of Codex', [codexCall('1', 'a', {}), codexCall('2', 'a', {}), codexSaid('Done.')], 'codex', null],
    [
      'other tools of Codex',
      ['1', '2'].map((id) => codexItem({ type: 'custom_tool_call', call_id: id, name: 'apply_patch', input: id })),
      'codex',
      null,
    ],
  ])('%s', async (_, lines, program, repeated) => {
    expect((await counted(lines, program))?.repeated).toEqual(repeated);
  });

  test('news stay the same while only the same call comes, and change with anything else', async () => {
    const { file, look } = reader();
    const news: (string | null | undefined)[] = [];
    for (const line of [call('1'), call('2'), call('3'), call('4', 'ls'), claude({ id: 'w', part: text('So.') })]) {
      appendFileSync(file, `${line}\n`);
      news.push((await look())?.news);
    }
    expect(new Set(news.slice(0, 3)).size).toBe(1);
    expect(new Set(news).size).toBe(3);
  });

  test('a call is shown short, in one line, without secrets', async () => {
    const command = `export TOKEN=ghp_${'a1B2'.repeat(9)}\n${'x'.repeat(200)}`;
    const shown = (await counted([call('1', command), call('2', command)]))?.repeated?.call ?? '';
    expect(shown).toHaveLength(COSTS.callChars);
    expect(shown).not.toMatch(/\n|ghp_a1B2/);
  });
});
