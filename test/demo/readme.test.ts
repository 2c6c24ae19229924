/** What README shows is what the program has: its commands, its closing screen, its tests. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { CAST } from '../../src/demo/cast.ts';
import { closing } from '../../src/demo/closing.ts';
import { loadSettings } from '../../src/config/load.ts';
import { theatre } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = [...README.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, kind = '', text = '']) => ({ kind, text }));

test('every test that it names is there', () => {
  const named = [...README.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every command that it tells to type is one', async () => {
  const typed = blocks.flatMap(({ text }) =>
    [...text.matchAll(/^town ([a-z]+(?: [a-z]+)?)/gm)].map(([, words = '']) => words),
  );
  expect(new Set(typed).size).toBeGreaterThan(5);
  for (const words of new Set(typed)) {
    const { exitCode, stdout } = await execa(process.execPath, [
      join(ROOT, 'src/main.ts'),
      ...words.split(' '),
      '--help',
    ]);
    expect([words, exitCode]).toEqual([words, 0]);
    expect(stdout).toMatch(new RegExp(`^Usage: town ${words.split(' ')[0] ?? ''}`));
  }
});

test('the demo lasts as long here as in its help', async () => {
  const { stdout } = await execa(process.execPath, [join(ROOT, 'src/main.ts'), 'demo', '--help']);
  const [, long = ''] = /of its own, in (.+?)\n\n/s.exec(stdout) ?? [];
  expect(README).toContain(`a town of real small programs, in ${long.replace(/\s+/g, ' ')}\n`);
});

test('its closing screen has every player with the outcome that is expected, in the words of the program', () => {
  const screen = blocks.find(({ text }) => text.startsWith('OUTCOME'))?.text ?? '';
  const report = { outcomes: [], checks: [], recoveryMs: null, isRight: true };
  const [said = ''] =
    closing({ kind: 'played', report, tookMs: 14_300 }, { kept: null, left: [] }).match(/^Every .*$/m) ?? [];
  expect(screen).toContain(said);
  for (const { name, expected } of CAST) {
    const row = screen.split('\n').find((line) => line.includes(` ${name} `)) ?? '';
    expect(row.startsWith(expected.kind)).toBe(true);
    expect(row.slice(row.search(/(question|restart)s? /)).replace(/^\w+ +/, '')).toMatch(expected.why);
  }
});

test('every town.toml in it is accepted, key by key', () => {
  const { bin } = theatre();
  const tomls = blocks.filter(({ kind }) => kind === 'toml');
  expect(tomls.length).toBeGreaterThan(1);
  for (const [n, { text }] of tomls.entries()) {
    const root = bin(`root-${n}`, { 'town.toml': text });
    expect(() => loadSettings({ root, env: {} }), text).not.toThrow();
  }
});
