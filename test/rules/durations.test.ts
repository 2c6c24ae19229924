/** Text for people has a duration by `span`, never a raw number beside a unit: a wait of a minute was "0.016666 hours". */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lateMerges } from '../../machines/witness/refinery.ts';

const ROOT = join(import.meta.dirname, '../..');
const RAW = /\$\{[^{}]*(?:Ms\b|\bms\b|60_000|HOUR|MINUTE)[^{}]*\} ?(?:ms|s|min|minutes|m|hours|h)\b/;

/** `span` itself; a rate; what `--json`, a table and a limit to type line up; the words of the questions, which agents know; the demo. */
const MAY =
  /kernel\/span\.ts|hearings\/evidence\.ts|journal\/attempts\.ts|commands\/health\.ts|config\/duration\.ts|src\/demo\/|health-rules\.ts|hearings\/question\.ts|cli\/stay\.ts/;

test('no sentence has a raw number of milliseconds, minutes or hours', () => {
  const files = globSync('{src,machines}/**/*.ts', { cwd: ROOT }).filter((file) => !MAY.test(file));
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    return lines.flatMap((line, at) => (RAW.test(line) ? [`${file}:${String(at + 1)}: ${line.trim()}`] : []));
  });
  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

test('a late merge names a short limit as a person would', () => {
  const work = { id: 'tw-1', assignee: 'shop/refinery', restedMs: 61_000 };
  const [act] = lateMerges({ rig: { name: 'shop', work: [work] }, handed: [] } as never, { mergeWaitMs: 60_000 });
  expect(act).toMatchObject({
    act: 'stand',
    text: expect.stringContaining('refinery of shop for 1 min, and') as string,
  });
});
