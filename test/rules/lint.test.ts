/**
 * The laws that the linter keeps: each row is a line of code that must be refused in its room, or allowed in the next.
 * A rule that no longer fires after an upgrade turns a row red.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { ROOMS, sourcesOf } from '../../scripts/rooms.ts';
import { plant, ROOT } from './planted.ts';

/** [what, path, text, the rule that must refuse it | null for allowed] */
const ROWS: readonly (readonly [what: string, path: string, text: string, rule: string | null])[] = [
  ['a clock in a machine', 'machines/a.ts', 'export const now = Date.now();', 'no-restricted-globals'],
  ['chance in a machine', 'machines/b.ts', 'export const dice = Math.random();', 'no-restricted-properties'],
  ['a timer in a machine', 'machines/c.ts', 'setTimeout(() => 1, 1);', 'no-restricted-globals'],
  ['a promise in a machine', 'machines/d.ts', 'export const p: Promise<number>[] = [];', 'no-restricted-syntax'],
  ['a request in a machine', 'machines/e.ts', "void fetch('x');", 'no-restricted-globals'],
  [
    'waiting in a machine',
    'machines/f.ts',
    'export const f = async (): Promise<void> => { await 1; };',
    'no-restricted-syntax',
  ],
  ['the environment in a machine', 'machines/g.ts', 'export const h = process.env;', 'no-restricted-globals'],
  [
    'a promise actor in a machine',
    'machines/h.ts',
    "import { fromPromise } from 'xstate';\nexport const x = fromPromise;",
    'no-restricted-imports',
  ],
  [
    '`after` in a machine',
    'machines/i.ts',
    "import { setup } from 'xstate';\nexport const m = setup({}).createMachine({ after: { 10: {} } });",
    'no-restricted-syntax',
  ],
  [
    'a write outside state/',
    'src/cli/a.ts',
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');",
    'no-restricted-imports',
  ],
  [
    'a write by promise',
    'src/watch/a.ts',
    "import { rename } from 'node:fs/promises';\nawait rename('a', 'b');",
    'no-restricted-imports',
  ],
  ['all of node:fs', 'src/cli/b.ts', "import * as fs from 'node:fs';\nfs.rmSync('a');", 'no-restricted-imports'],
  ['node:fs as one thing', 'src/cli/c.ts', "import fs from 'node:fs';\nfs.rmSync('a');", 'no-restricted-imports'],
  ['node:fs at run time', 'src/cli/d.ts', "export const fs = await import('node:fs');", 'no-restricted-syntax'],
  [
    'a write that is not the room’s',
    'src/rescue/b.ts',
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');",
    'no-restricted-imports',
  ],
  ['reading', 'src/cli/e.ts', "import { readFileSync } from 'node:fs';\nreadFileSync('a');", null],
  ['a write in state/', 'state/a.ts', "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');", null],
  [
    'scratch space of the rescue',
    'src/rescue/a.ts',
    "import { mkdtemp } from 'node:fs/promises';\nawait mkdtemp('a');",
    null,
  ],
  ['a signal by bare pid', 'src/cli/f.ts', 'process.kill(1, 0);', 'no-restricted-properties'],
  ['a signal by the hands for it', 'src/proc/a.ts', 'process.kill(1, 0);', null],
  ['the network', 'src/cli/g.ts', "await fetch('http://x');", 'no-restricted-globals'],
  ['printing around the door', 'src/cli/h.ts', "process.stdout.write('x');", 'no-restricted-properties'],
  ['printing an error around it', 'src/guard/a.ts', "process.stderr.write('x');", 'no-restricted-properties'],
  ['printing by another name', 'src/demo/a.ts', 'export const { stdout } = process;', 'no-restricted-properties'],
  ['printing in state/', 'state/b.ts', "process['stdout'].write('x');", 'no-restricted-properties'],
  ['printing by console', 'src/cli/i.ts', "console.log('x');", 'no-restricted-globals'],
  ['printing by console, from where people are told', 'src/alerts/b.ts', "console.log('x');", 'no-restricted-globals'],
  [
    'printing by an import',
    'src/cli/j.ts',
    "import { stdout } from 'node:process';\nstdout.write('x');",
    'no-restricted-syntax',
  ],
  [
    'a child that prints for us',
    'src/proc/b.ts',
    "export const options = { stdio: 'inherit' };",
    'no-restricted-syntax',
  ],
  ['a rule’s id in a text', 'src/cli/k.ts', "export const x = 'refused by D-3';", 'no-restricted-syntax'],
  ['a law in a text', 'machines/j.ts', 'export const x = `law 6: ${1}`;', 'no-restricted-syntax'],
  ['the id of an invariant in a text', 'state/c.ts', "export const x = 'held by I-9';", 'no-restricted-syntax'],
  ['a rule’s id at the door', 'src/terminal/streams.ts', "export const x = 'law 11';", 'no-restricted-syntax'],
  ['a rule’s id in a comment', 'src/cli/l.ts', '// D-3\nexport const x = 1;', null],
  [
    'a name of an order that is taken apart',
    'src/journal/a.ts',
    "import { orderName } from '../../machines/protocol.ts';\nexport const x = orderName({ verb: 'act' }).split('/');",
    'no-restricted-syntax',
  ],
  [
    'a name of an order that is compared by its beginning',
    'machines/k.ts',
    "import { orderName } from './protocol.ts';\nexport const x = orderName({ verb: 'act' }).startsWith('boot/');",
    'no-restricted-syntax',
  ],
  [
    'a name of an order that a pattern looks into',
    'src/town/a.ts',
    "import { orderName } from '../../machines/protocol.ts';\nexport const x = /act/.test(orderName({ verb: 'act' }));",
    'no-restricted-syntax',
  ],
  [
    'a name of an order as a key',
    'machines/l.ts',
    "const orderName = (id: object): string => JSON.stringify(id);\nexport const x = { [orderName({ verb: 'act' })]: 1 };",
    null,
  ],
  [
    'a name of an episode by hand',
    'src/alerts/c.ts',
    "import { episodeIn } from '../../machines/protocol.ts';\nexport const x = episodeIn('disk');",
    'no-restricted-syntax',
  ],
  [
    'a name of an episode that is taken apart',
    'machines/m.ts',
    "export const f = ({ episode }: { episode: string }): boolean => episode.startsWith('disk/');",
    'no-restricted-syntax',
  ],
  ['a swallowed error', 'src/a.ts', 'try { JSON.parse("1"); } catch {}', 'no-empty'],
  ['an error let go for a reason', 'src/b.ts', 'try { JSON.parse("1"); } catch { /* it was a probe */ }', null],
  ['any', 'src/c.ts', 'export const x = JSON.parse("1") as any;', '@typescript-eslint/no-explicit-any'],
  ['a forgotten promise', 'src/d.ts', 'Promise.resolve(1);', '@typescript-eslint/no-floating-promises'],
  ['a switched-off rule', 'src/e.ts', '// eslint-disable-next-line\nexport const x = 1 == Number(2);', 'eqeqeq'],
  [
    'a silenced compiler',
    'src/f.ts',
    '// @ts-expect-error because\nexport const x: string = 1;',
    '@typescript-eslint/ban-ts-comment',
  ],
  [
    'a forgotten case',
    'src/g.ts',
    "export function f(x: 'a' | 'b'): number {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
    '@typescript-eslint/switch-exhaustiveness-check',
  ],
  [
    'a skipped test',
    'test/a.test.ts',
    "import { it } from 'vitest';\nit.skip('x', () => undefined);",
    'no-restricted-syntax',
  ],
  ['what Node 12 cannot parse, in the entry', 'src/a.cjs', 'process.exitCode = process?.a;', 'no-restricted-syntax'],
  ['another of these', 'src/b.cjs', 'process.exitCode = process.a ?? 1;', 'no-restricted-syntax'],
  ['what Node 12 parses, in the entry', 'src/c.cjs', "import('./main.js').catch(() => process.exit(1));", null],
  [
    'printing from a file that no type is asked of',
    'src/d.cjs',
    "process.stderr.write('x');",
    'no-restricted-properties',
  ],
  ['printing by console there', 'src/proc/e.cjs', "console.log('x');", 'no-restricted-globals'],
  [
    'the entry’s words as they are',
    'src/town.cjs',
    'process.stderr.write(`${process.execPath}\\n`);',
    'no-restricted-syntax',
  ],
  ['a clock in the street’s hands', 'src/ports/clock.ts', 'export const now = (): number => Date.now();', null],
];

describe('the linter', () => {
  let copy: ReturnType<typeof plant>;
  const found = new Map<string, string[]>();

  beforeAll(async () => {
    copy = plant(
      Object.fromEntries(
        ROWS.map(([, path, text]) => [path, path.endsWith('.ts') ? `${text}\nexport {};\n` : `${text}\n`]),
      ),
    );
    const results = await new ESLint({ cwd: copy.root, errorOnUnmatchedPattern: false }).lintFiles([...ROOMS]);
    for (const { filePath, messages } of results) {
      found.set(
        filePath.slice(copy.root.length + 1),
        messages.map(({ ruleId }) => ruleId ?? 'no rule'),
      );
    }
  }, 120_000);
  afterAll(() => copy.remove());

  it.each(ROWS)('%s', (_what, path, _text, rule) => {
    if (rule === null) expect(found.get(path)).toEqual([]);
    else expect(found.get(path)).toContain(rule);
  });

  it('ignores no source file', async () => {
    const eslint = new ESLint({ cwd: ROOT });
    const files = ROOMS.flatMap((room) => sourcesOf(ROOT, room));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect([file, await eslint.isPathIgnored(join(ROOT, file))]).toEqual([file, false]);
  });
});
