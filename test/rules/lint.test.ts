/**
 * The laws that the linter keeps: each row is a line of code that must be refused in its room, or allowed in the next.
 * A rule that no longer fires after an upgrade turns a row red.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { ESLint } from 'eslint';
import { ROOMS, sourcesOf } from '../../scripts/rooms.ts';
import { plant, ROOT } from './planted.ts';

/** By the rule that must refuse it (`allowed`: none does): what it is, where, and its text. */
type Planted = readonly [what: string, path: string, text: string];
const ROWS: Readonly<Record<string, readonly Planted[]>> = {
  'no-restricted-globals': [
    ['a clock in a machine', 'machines/a.ts', 'export const now = Date.now();'],
    ['a timer in a machine', 'machines/c.ts', 'setTimeout(() => 1, 1);'],
    ['a request in a machine', 'machines/e.ts', "void fetch('x');"],
    ['the environment in a machine', 'machines/g.ts', 'export const h = process.env;'],
    ['the network', 'src/cli/g.ts', "await fetch('http://x');"],
    ['printing by console', 'src/cli/i.ts', "console.log('x');"],
    ['printing by console, from where people are told', 'src/alerts/b.ts', "console.log('x');"],
    ['printing by console from such a file', 'src/proc/e.cjs', "console.log('x');"],
  ],
  'no-restricted-properties': [
    ['chance in a machine', 'machines/b.ts', 'export const dice = Math.random();'],
    ['a signal by bare pid', 'src/cli/f.ts', 'process.kill(1, 0);'],
    ['printing around the door', 'src/cli/h.ts', "process.stdout.write('x');"],
    ['printing an error around it', 'src/guard/a.ts', "process.stderr.write('x');"],
    ['printing by another name', 'src/demo/a.ts', 'export const { stdout } = process;'],
    ['printing in state/', 'state/b.ts', "process['stdout'].write('x');"],
    ['printing from a file that no type is asked of', 'src/d.cjs', "process.stderr.write('x');"],
  ],
  'no-restricted-syntax': [
    ['a promise in a machine', 'machines/d.ts', 'export const p: Promise<number>[] = [];'],
    ['waiting in a machine', 'machines/f.ts', 'export const f = async (): Promise<void> => { await 1; };'],
    [
      '`after` in a machine',
      'machines/i.ts',
      "import { setup } from 'xstate';\nexport const m = setup({}).createMachine({ after: { 10: {} } });",
    ],
    ['a spread of an object that is written out', 'machines/m.ts', 'const a = 1;\nexport const x = { ...{ a } };'],
    ['a spread of a list that is written out', 'test/a.test.ts', 'export const x = Math.max(...[1, 2]);'],
    ['node:fs at run time', 'src/cli/d.ts', "export const fs = await import('node:fs');"],
    ['printing by an import', 'src/cli/j.ts', "import { stdout } from 'node:process';\nstdout.write('x');"],
    ['a child that prints for us', 'src/proc/b.ts', "export const options = { stdio: 'inherit' };"],
    ['a rule’s id in a text', 'src/cli/k.ts', "export const x = 'refused by D-3';"],
    ['a law in a text', 'machines/j.ts', 'export const x = `law 6: ${1}`;'],
    ['the id of an invariant in a text', 'state/c.ts', "export const x = 'held by I-9';"],
    ['a rule’s id at the door', 'src/terminal/streams.ts', "export const x = 'law 11';"],
    ['a modifier in a pattern', 'src/screen/z.ts', 'export const x = /^(?i:allow)/u;'],
    [
      'a name of an order that is taken apart',
      'src/journal/a.ts',
      "import { orderName } from '../../machines/protocol.ts';\nexport const x = orderName({ verb: 'act' }).split('/');",
    ],
    [
      'a name of an order that is compared by its beginning',
      'machines/k.ts',
      "import { orderName } from './protocol.ts';\nexport const x = orderName({ verb: 'act' }).startsWith('boot/');",
    ],
    [
      'a name of an order that a pattern looks into',
      'src/town/a.ts',
      "import { orderName } from '../../machines/protocol.ts';\nexport const x = /act/.test(orderName({ verb: 'act' }));",
    ],
    [
      'a name of an episode by hand',
      'src/alerts/c.ts',
      "import { episodeIn } from '../../machines/protocol.ts';\nexport const x = episodeIn('disk');",
    ],
    [
      'a name of an episode that is taken apart',
      'machines/m.ts',
      "export const f = ({ episode }: { episode: string }): boolean => episode.startsWith('disk/');",
    ],
    [
      'a wall time that is compared with another one',
      'src/patrols/z.ts',
      'export const f = (a: { at: number }, b: { sentAt: number }): boolean => a.at < b.sentAt;',
    ],
    [
      'a time of a bead that is compared as it stands',
      'src/triage/z.ts',
      'export const f = (bead: { createdAt: string }, since: number): boolean => Date.parse(bead.createdAt) >= since;',
    ],
    [
      'the newest evidence by the wall alone',
      'src/plugins/z.ts',
      "export const f = (ledger: { newestEvidence: (of: string) => number }): number => ledger.newestEvidence('nux');",
    ],
    ['a skipped test', 'test/a.test.ts', "import { it } from 'vitest';\nit.skip('x', () => undefined);"],
    ['what Node 12 cannot parse, in the entry', 'src/a.cjs', 'process.exitCode = process?.a;'],
    ['more that Node 12 cannot parse, in the entry', 'src/b.cjs', 'process.exitCode = process.a ?? 1;'],
    ['the entry’s words as they are', 'src/town.cjs', 'process.stderr.write(`${process.execPath}\\n`);'],
  ],
  'no-duplicate-imports': [
    ['one module twice', 'src/n.ts', "import { join } from 'node:path';\nimport { sep } from 'node:path';\njoin(sep);"],
  ],
  'no-restricted-imports': [
    [
      'a promise actor in a machine',
      'machines/h.ts',
      "import { fromPromise } from 'xstate';\nexport const x = fromPromise;",
    ],
    ['a write outside state/', 'src/cli/a.ts', "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');"],
    ['a write by promise', 'src/watch/a.ts', "import { rename } from 'node:fs/promises';\nawait rename('a', 'b');"],
    ['all of node:fs', 'src/cli/b.ts', "import * as fs from 'node:fs';\nfs.rmSync('a');"],
    ['node:fs as one thing', 'src/cli/c.ts', "import fs from 'node:fs';\nfs.rmSync('a');"],
    [
      'a write that is not the room’s',
      'src/rescue/b.ts',
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');",
    ],
  ],
  allowed: [
    ['reading', 'src/cli/e.ts', "import { readFileSync } from 'node:fs';\nreadFileSync('a');"],
    ['a write in state/', 'state/a.ts', "import { writeFileSync } from 'node:fs';\nwriteFileSync('a', 'b');"],
    ['scratch space of the rescue', 'src/rescue/a.ts', "import { rm } from 'node:fs/promises';\nawait rm('a');"],
    ['a signal by the hands for it', 'src/proc/a.ts', 'process.kill(1, 0);'],
    ['a rule’s id in a comment', 'src/cli/l.ts', '// D-3\nexport const x = 1;'],
    [
      'a name of an order as a key',
      'machines/l.ts',
      "const orderName = (id: object): string => JSON.stringify(id);\nexport const x = { [orderName({ verb: 'act' })]: 1 };",
    ],
    ['an error let go for a reason', 'src/b.ts', 'try { JSON.parse("1"); } catch { /* it was a probe */ }'],
    ['what Node 12 parses, in the entry', 'src/c.cjs', "import('./main.js').catch(() => process.exit(1));"],
    ['a clock in the tree’s hands', 'src/ports/clock.ts', 'export const now = (): number => Date.now();'],
  ],
  'no-empty': [['a swallowed error', 'src/a.ts', 'try { JSON.parse("1"); } catch {}']],
  '@typescript-eslint/no-explicit-any': [['any', 'src/c.ts', 'export const x = JSON.parse("1") as any;']],
  '@typescript-eslint/no-floating-promises': [['a forgotten promise', 'src/d.ts', 'Promise.resolve(1);']],
  eqeqeq: [['a switched-off rule', 'src/e.ts', '// eslint-disable-next-line\nexport const x = 1 == Number(2);']],
  '@typescript-eslint/ban-ts-comment': [
    ['a silenced compiler', 'src/f.ts', '// @ts-expect-error because\nexport const x: string = 1;'],
  ],
  '@typescript-eslint/switch-exhaustiveness-check': [
    [
      'a forgotten case',
      'src/g.ts',
      "export function f(x: 'a' | 'b'): number {\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}",
    ],
  ],
};
const ALL = Object.entries(ROWS).flatMap(([rule, rows]) => rows.map((row) => [...row, rule] as const));

describe('the linter', () => {
  const found = new Map<string, string[]>();

  beforeAll(async () => {
    const copy = plant(
      Object.fromEntries(
        ALL.map(([, path, text]) => [path, path.endsWith('.ts') ? `${text}\nexport {};\n` : `${text}\n`]),
      ),
    );
    const results = await new ESLint({ cwd: copy, errorOnUnmatchedPattern: false }).lintFiles([...ROOMS]);
    for (const { filePath, messages } of results) {
      found.set(
        filePath.slice(copy.length + 1),
        messages.map(({ ruleId }) => ruleId ?? 'no rule'),
      );
    }
  }, 120_000);

  it.each(ALL)('%s', (_what, path, _text, rule) => {
    if (rule === 'allowed') expect(found.get(path)).toEqual([]);
    else expect(found.get(path)).toContain(rule);
  });

  it('ignores no source file', async () => {
    const eslint = new ESLint({ cwd: ROOT });
    const files = ROOMS.flatMap((room) => sourcesOf(ROOT, room));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect([file, await eslint.isPathIgnored(join(ROOT, file))]).toEqual([file, false]);
  });
});
