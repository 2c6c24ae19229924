/**
 * A root of Gas Town, which Townwatch never writes to (C-12). Gas Town keeps such a root in a git tree of the user's and reads
 * files there under names that Townwatch uses too, such as the Deacon's heartbeat.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from './layout.ts';

const isThere = (root: string, file: string): boolean =>
  lstatSync(join(root, file), { throwIfNoEntry: false }) !== undefined;

/** Also where the mark is a link that leads nowhere. False where a folder above it cannot be looked into. */
export function isGasTown(root: string): boolean {
  try {
    return isThere(root, FILES.gasTown);
  } catch {
    return false;
  }
}

/** Exit code 5. */
export class GasTownRoot extends Error {
  override readonly name = 'GasTownRoot';
  readonly code = 'gas_town';
  readonly exit = 5;

  constructor(root: string) {
    super(
      `${root} is a root of Gas Town (it holds ${FILES.gasTown}), where Townwatch writes nothing; give another folder with --root DIR`,
    );
  }
}

/**
 * The last door before a write, for each way by which something is written below a root. Throws GasTownRoot, but not where a
 * town of ours was before the mark came: its agents must be able to answer.
 */
export function mustNotBeGasTown(root: string): void {
  if (isGasTown(root) && !isThere(root, FILES.lock)) throw new GasTownRoot(root);
}
