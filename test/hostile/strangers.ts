/** A root, and files in and around it that another user owns. */
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { TestTown } from '../cli/town.ts';
import { freshFolder } from '../world/over.ts';

export const STRANGER_UID = 65_534;
export const isRoot = process.getuid?.() === 0;
/** It is no TOML: a program that reads it says so. */
export const TRAP = 'mallory says = "not so';

export let town: TestTown;
export let elsewhere = '';
/** Both anew for each test of a file. */
export function useStrangers(): void {
  beforeEach(() => {
    town = new TestTown();
    elsewhere = freshFolder();
  });
}

export const give = (path: string): void => chownSync(path, STRANGER_UID, STRANGER_UID);
export const at = (path: string): string => join(town.root, path);

/** Exit 2 in one sentence that names the thing, its owner and `more`; nothing of the trap. */
export async function isRefused(words: readonly string[], thing: string, ...more: readonly string[]): Promise<void> {
  const ran = await town.bare(words, { cwd: town.root });
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  for (const word of [thing, 'not a byte of it was read', ...more]) expect(ran.stderr).toContain(word);
  expect(ran.stderr).not.toMatch(/mallory|line 1/);
}

export const TRUST = (): string => `town config trust ${town.root}`;
