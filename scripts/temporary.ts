/**
 * Where tests and planted faults put their temporary files: in memory, where that has room. Tests write thousands of small repositories
 * and ledgers, and each call on a disk costs the processor several times as much as the same call in memory.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { orNull } from '../state/files/or-null.ts';

const MEMORY = '/dev/shm';
/** What statfs(2) says of a tmpfs. */
const TMPFS = 0x01_02_19_94;
/** Free bytes that it must have: all tests together hold less than one gigabyte at a time, and towns need their own memory. */
const ROOM_BYTES = 4_000_000_000;

/** TMPDIR, where it is set, counts as it is. */
export const temporaryFolder = (): string =>
  process.env['TMPDIR'] === undefined && isRoomy(MEMORY) && runsPrograms(MEMORY) ? MEMORY : tmpdir();

const isRoomy = (folder: string): boolean =>
  orNull(() => {
    const { type, bavail, bsize } = statfsSync(folder);
    return type === TMPFS && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
  }) ?? false;

/** A container may mount it without leave to run what lies there. */
function runsPrograms(folder: string): boolean {
  const made = orNull(() => mkdtempSync(join(folder, 'runs-')));
  if (made === null) return false;
  const program = join(made, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(made, { recursive: true });
  return status === 0;
}
