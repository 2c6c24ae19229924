/**
 * How the file of a login stands: a short hash of the part that is the login. Programs keep other things in the same file,
 * which change without it. Nothing of the file is kept or shown.
 */
import { constants } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { orNull } from '../../state/files/or-null.ts';
import { SOURCES } from '../sources/policy.ts';
import { shortHash } from './account.ts';
import { HOMES } from './program-home.ts';
import { withinLimit } from './within-limit.ts';

/** Another login has another mark. null = there is none; undefined = not known: it cannot be read, or has another form. Never rejects. */
export type LoginMark = string | null | undefined;

export const loginMark = (file: string): Promise<LoginMark> =>
  withinLimit(file, () => read(file)).catch(() => undefined);

const NO_FILE = new Set(['ENOENT', 'ENOTDIR']);

async function read(file: string): Promise<LoginMark> {
  const seen = await stat(file).catch((error: unknown) => {
    if (NO_FILE.has((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  });
  if (seen === null || (seen.isFile() && seen.size === 0)) return null;
  if (!seen.isFile() || seen.size > SOURCES.maxFileBytes) return undefined;
  // What has replaced it since must neither block nor be read without an end.
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  const signal = AbortSignal.timeout(SOURCES.answerMs);
  return markIn(basename(file), await readFile(file, { encoding: 'utf8', flag, signal }));
}

function markIn(name: string, text: string): LoginMark {
  const parts = Object.values(HOMES).find(({ login }) => login === name)?.parts;
  const found = orNull(() => JSON.parse(text) as unknown);
  if (parts === undefined || !isObject(found)) return undefined;
  const login = parts.map((part) => found[part] ?? null);
  if (!login.every((part) => part === null || typeof part === 'string' || isObject(part))) return undefined;
  return login.every((part) => part === null || part === '') ? null : shortHash(JSON.stringify(login));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
