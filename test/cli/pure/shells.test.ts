/** Completions and the manual are made from the tree of commands that runs, so they name all of it. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { build, EXITS, SENTENCE } from '../../../src/cli/program.ts';
import { manual } from '../../../src/cli/shells/manual.ts';
import { scriptFor, SHELLS } from '../../../src/cli/shells/scripts.ts';
import { placesOf } from '../../../src/cli/shells/words.ts';

const places = placesOf(build(() => Promise.resolve()));
const paths = places.map(({ path }) => path.join(' ')).filter((path) => path !== '');

describe('completion', () => {
  test.each(SHELLS)('%s knows every place', (shell) => {
    const script = scriptFor(shell, places);
    expect(paths.filter((path) => !script.includes(`'${path}'`))).toEqual([]);
    expect(paths).toContain('dog pool status');
    expect(script).not.toContain('--guarded');
  });

  test('zsh and fish offer the shells behind `town completion`, once', () => {
    expect(scriptFor('zsh', places)).toMatch(/'completion'\) offer=\('bash:[^']+' 'zsh:[^']+' 'fish:/);
    expect(scriptFor('zsh', places)).toMatch(/'completion zsh'\) offer=\('-h:/);
    for (const shell of SHELLS)
      expect(scriptFor('fish', places)).toMatch(
        new RegExp(`^complete -c town -f -n 'test \\(__town_at\\) = "completion"' -a ${shell} `, 'm'),
      );
  });

  const script = scriptFor('bash', places);
  const offers = (...words: string[]): string[] => {
    const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _town; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ran = spawnSync('bash', ['-c', `${script}\n${ask}`, 'bash', 'town', ...words], { encoding: 'utf8' });
    expect(ran.stderr).toBe('');
    return ran.stdout.split('\n').filter((word) => word !== '');
  };

  test.each([
    [['wa'], ['watch', 'warrant', 'watchdog']],
    [['dog', 'po'], ['pool']],
    [
      ['dog', 'pool', ''],
      ['status', '-h', '--help', '--root', '--json'],
    ],
    [['--root', 'status', 'dog', 'pool', 's'], ['status']],
    [['--root=/x', '--json', 'report', '--si'], ['--since']],
    [['report', '--since', '8h', '--js'], ['--json']],
    [['completion', '--js'], ['--json']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '-h', '--help', '--root', '--json'],
    ],
    [['completion', 'zsh', 'f'], []],
    [['session', 'start', 'builder', '--', 'cl'], []],
    [['nothing'], []],
  ])('bash offers for %j: %j', (words, expected) => expect(offers(...words)).toEqual(expected));
});

describe('the manual', () => {
  const page = manual(places, { version: '1.2.3', intro: SENTENCE, exits: EXITS });

  test('has every command, with its own options, and the exit codes', () => {
    const leaves = places.filter(({ path, commands }) => path.length > 0 && commands.length === 0);
    const heads = page.split('\n').filter((line) => line.startsWith('.SS town '));
    expect(heads).toHaveLength(leaves.length);
    expect(
      leaves.filter(
        ({ path }) =>
          !heads.some((head) => `${head} `.replaceAll('\\-', '-').startsWith(`.SS town ${path.join(' ')} `)),
      ),
    ).toEqual([]);
    expect(page).toContain('\\fB\\-\\-since <duration>\\fR');
    expect(page).toContain('.TP\n\\fB3\\fR\nthe town is not running');
    expect(page).not.toContain('(internal)');
  });

  test('has no line that roff would take for a request of its own', () => {
    const known = /^\.(TH|SH|SS|TP)( |$)/;
    expect(page.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line))).toEqual([]);
    const odd = manual(
      [
        {
          path: ['x'],
          summary: ".so /etc/passwd\n'br \\n(yr",
          usage: '',
          commands: [],
          choices: [],
          names: null,
          switches: [],
        },
      ],
      { version: '1', intro: '', exits: [] },
    );
    expect(odd).toContain("\\&.so /etc/passwd\n\\&'br \\en(yr");
  });
});
