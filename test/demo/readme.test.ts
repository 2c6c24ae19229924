/** What the README and the pages in docs/ show is what the program has: its commands, its closing screen, its tests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { CAST } from '../../src/demo/cast.ts';
import { closing } from '../../src/demo/closing.ts';
import { loadSettings } from '../../src/config/load.ts';
import { MAIN } from '../cli/town.ts';
import { theatre } from './stage.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDES = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const PAGES = ['README.md', ...GUIDES.map((name) => join('docs', name))];
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
/** README and docs, as one text. */
const ALL = PAGES.map((path) => readFileSync(join(ROOT, path), 'utf8')).join('\n');
const blocks = [...ALL.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, kind = '', text = '']) => ({ kind, text }));

/** Bytes. A reader decides within one page. */
const MAX_README = 14_000;
test('the README is one short page that links every other page', () => {
  expect(README.length).toBeLessThanOrEqual(MAX_README);
  expect(PAGES.slice(1).filter((path) => !README.includes(`](${path})`))).toEqual([]);
});

test('every link leads to a page of the package', () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: string[] };
  const broken = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map(([, link = '']) => join(page, '..', link))
      .filter((path) => !existsSync(join(ROOT, path)) || !files.includes(path.split('/')[0] ?? ''))
      .map((path) => `${page}: ${path}`),
  );
  expect(broken).toEqual([]);
});

test.each(PAGES.slice(1))('%s says in its first line which readers it is for', (page) => {
  expect(readFileSync(join(ROOT, page), 'utf8')).toMatch(
    /^# .+\n\nFor people (?:who|whose) [\s\S]+?\.\s+Afterwards\s+you\s/,
  );
});

test('every test that the pages name is there', () => {
  const named = [...ALL.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('every command that the pages show is one', async () => {
  const typed = blocks.flatMap(({ text }) =>
    [...text.matchAll(/^town ([a-z]+(?: [a-z][a-z-]*)?)/gm)].map(([, words = '']) => words),
  );
  expect(new Set(typed).size).toBeGreaterThan(5);
  for (const words of new Set(typed)) {
    const { exitCode, stdout } = await execa(process.execPath, [MAIN, ...words.split(' '), '--help']);
    expect([words, exitCode]).toEqual([words, 0]);
    expect(stdout).toMatch(new RegExp(`^Usage: (?:town )?${words.split(' ')[0] ?? ''}`));
  }
});

test('the demo lasts as long here as in its help', async () => {
  const { stdout } = await execa(process.execPath, [MAIN, 'demo', '--help']);
  const [, long = ''] = /of its own; takes (.+?)\n\n/s.exec(stdout) ?? [];
  expect(README).toContain(`a town of real small programs, in ${long.replace(/\s+/g, ' ')}\n`);
});

test('the lines of the closing screen show players with the outcome that is expected, in the words of the program', () => {
  const screen = blocks.find(({ text }) => text.startsWith('OUTCOME'))?.text ?? '';
  const report = { outcomes: [], checks: [], recoveryMs: null, isRight: true };
  const end = closing({ kind: 'played', report, tookMs: 14_300 }, { kept: null, left: [] });
  // From sources, as here.
  expect(end).toContain('`npm run -s town -- watch` lists those in your tmux');
  expect(screen).toContain(/^Every .*$/m.exec(end)?.[0]);
  const shown = CAST.filter(({ name }) => screen.includes(` ${name} `));
  expect(shown.map(({ expected }) => expected.kind).sort()).toEqual(['executed', 'pardoned', 'restarted']);
  for (const { name, expected } of shown) {
    const row = screen.split('\n').find((line) => line.includes(` ${name} `)) ?? '';
    expect(row.startsWith(expected.kind)).toBe(true);
    expect(row.slice(row.search(/(question|restart)s? /)).replace(/^\w+ +/, '')).toMatch(expected.why);
  }
});

test('every town.toml in the pages is accepted, key by key', () => {
  const { bin } = theatre();
  const tomls = blocks.filter(({ kind }) => kind === 'toml');
  expect(tomls.length).toBeGreaterThan(1);
  for (const [n, { text }] of tomls.entries()) {
    const root = bin(`root-${n}`, { 'town.toml': text });
    expect(() => loadSettings({ root, env: {} }), text).not.toThrow();
  }
});
