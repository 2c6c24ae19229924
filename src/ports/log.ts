/**
 * daemon/daemon.log: one JSON object a line, for people with `jq`. Owns the file and its rotation (P-16).
 * 1. No token ever gets into it.
 * 2. A log that cannot be written never stops the town: what it would have said is lost; one that cannot be opened at a start
 *    is stderr for that life.
 */
import { renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import type { ProcessPolicy } from './policy.ts';
import { FILES } from '../../state/files/layout.ts';
import { makePlain } from '../../state/files/regular-file.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  /** The town's root, absolute; daemon/ is there. */
  readonly root: string;
  readonly level: string;
  readonly policy: Pick<ProcessPolicy, 'logBytes' | 'logFiles' | 'watchEveryMs'>;
}

export interface Log {
  readonly logger: Logger;
  /** Writes out what is buffered and stops looking after the file. */
  close(): void;
}

const SECRET = /(TOWN_TOKEN\\?["']?\s*[=:]\s*\\?["']?)[0-9A-Za-z]+/g;
const PRIVATE_FILE = 0o600;

/** Text without tokens. */
export function withoutTokens(text: string): string {
  return text.replace(SECRET, '$1[redacted]');
}

const STDERR = 2;

/** Opens the log. Never throws, and never waits for a reader of a pipe. */
export function openLog({ root, level, policy }: LogOptions): Log {
  const path = join(root, FILES.daemonLog);
  const why = makePlain(path);
  const file = pino.destination({ dest: why === null ? path : STDERR, append: true, sync: true, mode: PRIVATE_FILE });
  file.on('error', () => undefined);
  let turn: NodeJS.Timeout | null = null;
  const look = (): void => {
    turn = null;
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < policy.logBytes) return;
    rotate(path, policy.logFiles);
    file.reopen();
  };
  if (why === null) file.on('write', () => (turn ??= setTimeout(look, policy.watchEveryMs).unref()));
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: ['token', '*.token', 'TOWN_TOKEN', '*.TOWN_TOKEN'], censor: '[redacted]' },
      hooks: { streamWrite: withoutTokens },
    },
    file,
  );
  if (why !== null) logger.error(`${path} takes nothing in this life, ${why}: what would stand there is said here`);
  return {
    logger,
    close: () => {
      if (turn !== null) clearTimeout(turn);
      file.end();
    },
  };
}

/** daemon.log -> daemon.log.1 -> … ; `files` in all, the oldest goes. */
function rotate(path: string, files: number): void {
  rmSync(`${path}.${String(files - 1)}`, { force: true });
  for (let n = files - 2; n >= 1; n -= 1) moveIfThere(`${path}.${String(n)}`, `${path}.${String(n + 1)}`);
  if (files > 1) moveIfThere(path, `${path}.1`);
  else rmSync(path, { force: true });
}

function moveIfThere(from: string, to: string): void {
  if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, to);
}
