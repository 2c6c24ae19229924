/** What agents without a pane print (C-7): output/<session>.log. The agent writes it itself, so it goes on while the town is down. */
import { closeSync, constants, openSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, nameOf } from './layout.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const PRIVATE_FILE = 0o600;

/** Relative to the root. */
export const outputPath = (session: string): string => `${FOLDERS.output}/${nameOf(session)}.log`;

/** A descriptor for appending, to be given to the agent and closed. A file that has grown large makes way; one before it is kept. */
export function openOutput(root: string, session: string, mostBytes: number): { readonly fd: number; close(): void } {
  const path = join(root, outputPath(session));
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && stat.size > mostBytes) renameSync(path, `${path}.1`);
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, PRIVATE_FILE);
  return { fd, close: () => closeSync(fd) };
}
