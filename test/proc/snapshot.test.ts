/** A look at one moment: what a pass over all processes showed is asked once, what it did not show each time. */
import { expect, test } from 'vitest';
import { linuxSource } from '../../src/proc/linux.ts';
import { snapshotOf } from '../../src/proc/snapshot.ts';
import type { Row, Source } from '../../src/proc/source.ts';

const own = process.pid;

function counted(): { source: Source; asked: number[] } {
  const asked: number[] = [];
  const real = linuxSource();
  const row = (pid: number): Row | null => {
    asked.push(pid);
    return real.row(pid);
  };
  return { source: snapshotOf({ ...real, row }), asked };
}

test('after a pass no process is asked for again', async () => {
  const { source, asked } = counted();
  expect(source.row(own)?.pid).toBe(own);
  const seen = (await source.rows()).find(({ pid }) => pid === own);
  expect(source.row(own)).toBe(seen);
  expect(source.row(own)).toBe(seen);
  expect(asked).toEqual([own]);
  const command = source.command(own);
  expect(source.command(own)).toBe(command);
});

test('the next pass shows what is so then, and who was in none is asked for', async () => {
  const { source, asked } = counted();
  await source.rows();
  const [row, command] = [source.row(own), source.command(own)];
  await source.rows();
  expect(source.row(own)).not.toBe(row);
  expect(source.command(own)).not.toBe(command);
  expect(source.command(own)).toEqual(command);
  expect(source.row(2 ** 22 + 1)).toBe(null);
  expect(asked).toEqual([2 ** 22 + 1]);
});
