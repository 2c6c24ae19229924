/** Sums of tokens from the files of programs, read on as they grow (M-12). Real files. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Budget } from '../../src/costs/meter.ts';
import { COSTS } from '../../src/costs/policy.ts';
import { sumsSince } from '../../src/costs/tally.ts';
import { AT, bash, claude, codexCount, codexSaid, text, TRANSCRIPT } from './lines.ts';
import { counted, plenty, reader } from './reader.ts';

const SUMS = { input: 3 + 1_000 + 4 + 200 + 1, cached: 1_005, output: 90 + 50 + 7, cost: null };

// Rules: M-12.
describe('a transcript of Claude Code', () => {
  test('counts each message once, with its last sums, and names no cost', async () => {
    expect(await counted(TRANSCRIPT)).toMatchObject({ sums: SUMS, since: AT });
  });

  test('counts the agents of its agent, whose files lie beside it', async () => {
    const { file, look } = reader();
    writeFileSync(file, `${TRANSCRIPT.join('\n')}\n`);
    const folder = join(file.replace('.jsonl', ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent-1.jsonl'), `${claude({ id: 's1', usage: [5, 0, 0, 5], part: text('found') })}\n`);
    expect((await look())?.sums).toEqual({ ...SUMS, input: SUMS.input + 5, output: SUMS.output + 5 });
    appendFileSync(file, `${claude({ id: 'm9', usage: [1, 0, 0, 1], part: bash('t9', 'ls') })}\n`);
    await look();
    writeFileSync(join(folder, 'agent-2.jsonl'), `${claude({ id: 's2', usage: [7, 0, 0, 7], part: text('too') })}\n`);
    expect((await look())?.sums).toMatchObject({ input: SUMS.input + 5 + 1 + 7, output: SUMS.output + 5 + 1 + 7 });
  });

  test.each<[what: string, line: string]>([
    ['a torn line', TRANSCRIPT[1]?.slice(0, -5) ?? ''],
    ['no JSON', '"assistant" {{{'],
    ['sums that are no numbers', (TRANSCRIPT[1] ?? '').replace('"output_tokens":1', '"output_tokens":"many"')],
    ['sums below zero', (TRANSCRIPT[1] ?? '').replace('"output_tokens":1', '"output_tokens":-5')],
    ['another form', '{"type":"assistant","message":"hello"}'],
    ['a line that is longer than any message', `{"type":"assistant","x":"${'a'.repeat(2 * COSTS.sliceBytes)}"}`],
  ])('%s counts as nothing, and hides nothing', async (_, line) => {
    const [first = '', ...rest] = TRANSCRIPT;
    expect((await counted([first, line, ...rest]))?.sums).toEqual(SUMS);
  });

  test('words that are no UTF-8 hide no sums', async () => {
    const { file, look } = reader();
    writeFileSync(file, Buffer.concat([Buffer.from(`${TRANSCRIPT.join('\n')}\n`), Buffer.from([0xff, 0xfe, 0x0a])]));
    const broken = Buffer.from(`${claude({ id: 'm9', usage: [1, 0, 0, 1], part: text('§') })}\n`, 'latin1');
    appendFileSync(file, broken);
    expect((await look())?.sums).toEqual({ ...SUMS, input: SUMS.input + 1, output: SUMS.output + 1 });
  });
});

describe('a file of Codex', () => {
  test('tells the sums of its thread so far; what was cached is no input', async () => {
    const lines = [codexCount(100, 0, 10), codexCount(100, 0, 10), codexCount(300, 150, 30)];
    expect((await counted(lines, 'codex'))?.sums).toEqual({ input: 150, cached: 150, output: 30, cost: null });
  });

  test('whose sums begin anew goes on from there', async () => {
    const lines = [codexCount(100, 0, 10), codexCount(20, 0, 2)];
    expect((await counted(lines, 'codex'))?.sums).toMatchObject({ input: 120, output: 12 });
  });

  test('that has no count yet took nothing that is known to be more', async () => {
    expect((await counted([codexSaid('hello')], 'codex'))?.sums).toMatchObject({ input: 0, output: 0 });
  });
});

describe('as it grows', () => {
  const BYTES = Buffer.from(`${TRANSCRIPT.join('\n')}\n`);

  test('cut anywhere, it has the same sums and the same news in the end', async () => {
    const whole = await counted(TRANSCRIPT);
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(BYTES.length), { maxLength: 6 }), async (cuts) => {
        const { file, look } = reader();
        writeFileSync(file, '');
        let from = 0;
        for (const to of [...cuts.sort((one, other) => one - other), BYTES.length]) {
          appendFileSync(file, BYTES.subarray(from, to));
          await look();
          from = to;
        }
        expect(await look()).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[what: string, change: (file: string) => void]>([
    [
      'shrank',
      (file) => {
        truncateSync(file, 0);
        appendFileSync(file, BYTES);
      },
    ],
    [
      'was replaced by a longer one',
      (file) => {
        writeFileSync(`${file}.new`, `${TRANSCRIPT.join('\n')}\n\n`);
        renameSync(`${file}.new`, file);
      },
    ],
    [
      'holds other words now',
      (file) => writeFileSync(file, Buffer.concat([Buffer.from('\n'), BYTES, Buffer.from('\n')])),
    ],
  ])('one that %s is counted anew', async (_, change) => {
    const { file, look } = reader();
    writeFileSync(file, `${claude({ id: 'other', usage: [500, 0, 0, 500], part: text('before') })}\n`);
    expect((await look())?.sums.input).toBe(500);
    change(file);
    expect((await look())?.sums).toEqual(SUMS);
  });

  test('one that is read in slices is unknown until it was read whole, and keeps to its budget', async () => {
    const { file, look } = reader();
    const filler = `${JSON.stringify({ type: 'user', x: 'a'.repeat(COSTS.sliceBytes / 2) })}\n`;
    writeFileSync(file, filler.repeat(8));
    appendFileSync(file, BYTES);
    const small = (): Budget => ({ ...plenty(), bytes: COSTS.sliceBytes });
    expect(await look(small())).toBeNull();
    expect(await look({ ...plenty(), until: 0 })).toBeNull();
    let looks = 0;
    while ((await look(small())) === null) looks += 1;
    expect(looks).toBeGreaterThan(2);
    expect((await look())?.sums).toEqual(SUMS);
  });

  test.each<[what: string, make: (file: string) => void]>([
    ['is not there', (file) => rmSync(file)],
    [
      'is a link',
      (file) => {
        renameSync(file, `${file}.real`);
        symlinkSync(`${file}.real`, file);
      },
    ],
    [
      'is a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    ['is writable by all', (file) => chmodSync(file, 0o666)],
  ])('one that %s is unknown, not nothing', async (_, make) => {
    const { file, look } = reader();
    writeFileSync(file, BYTES);
    make(file);
    expect(await look()).toBeNull();
  });

  test('one whose time alone changed counts as before', async () => {
    const { file, look } = reader();
    writeFileSync(file, BYTES);
    await look();
    utimesSync(file, 1, 1);
    expect((await look())?.sums).toEqual(SUMS);
    expect(statSync(dirname(file)).isDirectory()).toBe(true);
  });
});

test('since a moment counts what was taken since then, by whole stretches', async () => {
  const it = await counted(TRANSCRIPT);
  if (it === null) throw new Error('unknown');
  const later = { input: 205, cached: 1_005, output: 57, cost: null };
  expect(sumsSince(it, AT - 1)).toEqual(SUMS);
  expect(sumsSince(it, AT + COSTS.stretchMs)).toEqual(later);
  expect(sumsSince(it, AT + COSTS.stretchMs + 1)).toEqual(later);
  expect(sumsSince(it, AT + 2 * COSTS.stretchMs)).toMatchObject({ input: 0, output: 0 });
});

test('since a moment before the stretches that are kept is not known', async () => {
  const lines = Array.from({ length: COSTS.maxStretches + 2 }, (_, at) =>
    claude({ id: `m${at}`, at: AT + at * COSTS.stretchMs, part: text(`step ${at}`) }),
  );
  const it = await counted(lines);
  if (it === null) throw new Error('unknown');
  expect(sumsSince(it, AT + 1)).toBeNull();
  expect(sumsSince(it, AT + 2 * COSTS.stretchMs)?.output).toBe(COSTS.maxStretches);
  expect(sumsSince(it, AT)?.output).toBe(COSTS.maxStretches + 2);
});
