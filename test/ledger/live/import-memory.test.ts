/** An import holds one line at a time: a line of any length costs no more memory than the largest bead. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { MAIN, TestTown } from '../../cli/town.ts';

const HEAP_MB = 96;
/** A program says at its end how many KiB of memory it had at most. */
const REPORT = 'data:text/javascript,process.on("exit",()=>console.error(`rss ${process.resourceUsage().maxRSS}`))';

const bead = (id: string, more = ''): string => `{"id":"${id}","title":"${id}"${more}}\n`;
const MEBIBYTE = 'x'.repeat(2 ** 20);

/** Imports these pieces, written one after the other, with a small heap. */
function imported(pieces: Iterable<string>): { readonly kib: number; readonly stdout: string; readonly exit: number } {
  const town = new TestTown();
  const path = join(town.home, 'beads.jsonl');
  const file = openSync(path, 'w');
  for (const piece of pieces) writeSync(file, piece);
  closeSync(file);
  const flags = [`--max-old-space-size=${HEAP_MB}`, '--import', REPORT];
  const args = [...flags, MAIN, '--root', town.root, 'bead', 'import', path];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { env: town.env(), encoding: 'utf8' });
  return { kib: Number(/^rss (\d+)$/m.exec(stderr)?.[1]), stdout, exit: status ?? -1 };
}

function* around(line: Iterable<string>): Generator<string> {
  yield bead('a-1');
  yield* line;
  yield bead('a-2');
}

function* longLine(mebibytes: number): Generator<string> {
  yield '{"id":"big","title":"big","description":"';
  for (let nth = 0; nth < mebibytes; nth += 1) yield MEBIBYTE;
  yield '"}\n';
}

function* longLines(count: number): Generator<string> {
  for (let nth = 0; nth < count; nth += 1) yield* longLine(7);
}

// Rules: P-1.
test.each<[what: string, line: () => Iterable<string>, why: RegExp]>([
  ['a line of 100 MiB', () => longLine(100), /^line 2 left out: it has 104857643 bytes; a bead has at most 8000000$/m],
  ['fifteen lines of 7 MiB', () => longLines(15), /^lines 2, 3, 4, 5, 6 and 10 more left out: .+$/m],
])('%s: a small heap is enough, and one sentence says what was left out', (_, line, why) => {
  const small = imported(around([]));
  const large = imported(around(line()));
  expect(small.stdout).toMatch(/^2 created/);
  expect(large.stdout).toMatch(/^2 created/);
  expect(large.stdout).toMatch(why);
  expect([small.exit, large.exit]).toEqual([0, 1]);
  // What is read of a line, its text, and what JSON makes of it, with what V8 has not collected yet.
  expect((large.kib - small.kib) * 1024).toBeLessThan(16 * LEDGER.maxLineBytes);
});
