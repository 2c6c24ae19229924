/**
 * The rig of a demo: a real repository with a remote, two beads and a refinery. One polecat finishes; one dies with its
 * work half done, and the next does it. Without git there is no rig.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf, type Line } from '../journal/lines.ts';
import { shippedFile } from '../package.ts';
import type { GitOf } from './repository.ts';

export const RIG = 'shop';
/** Their titles, what their ids begin with, and the file that each of them is about. */
export const WORKS = ['sweep', 'paint'] as const;
/** Also the polecat that dies with its work half done. */
export const HALF_DONE = 'paint';

/** What was put into it: the ids of its beads. */
export interface Opened {
  readonly beads: readonly string[];
}

/** What became of it. */
export interface RigEnd extends Opened {
  /** Works that the remote's main branch has. */
  readonly merged: readonly string[];
  /** Whether the half-done work of who died is where it was. */
  readonly isHalfKept: boolean;
}

interface Ground {
  readonly root: string;
  readonly git: GitOf;
  readonly command: readonly string[];
  readonly town: (args: readonly string[]) => Promise<unknown>;
}

/** The path of a program of the demo. */
export const program = (name: string): string => shippedFile(`demo/agents/${name}`);

const repositoryOf = (root: string): string => join(root, 'repositories', RIG);
const remoteOf = (root: string): string => `${repositoryOf(root)}.git`;

/** The repository, its refinery, the beads: from then on the town looks after it. Null where there is no git. */
export async function openRig({ root, git, command, town }: Ground): Promise<Opened | null> {
  const repository = repositoryOf(root);
  const remote = remoteOf(root);
  mkdirSync(repository, { recursive: true });
  if (!(await git.begin(repository))) return null;
  await git(repository, 'clone', '-q', '--bare', '.', remote);
  await git(repository, 'remote', 'add', 'origin', remote);
  await git(repository, 'fetch', '-q', 'origin');
  const yard = join(root, 'work', 'refinery');
  mkdirSync(yard, { recursive: true });
  const words = ['--', 'bash', program('refinery'), remote, ...command];
  await town(['session', 'start', `gt-${RIG}-refinery`, '--dir', yard, ...words]);
  await town(['rig', 'add', RIG, '--repo', repository]);
  const beads: string[] = [];
  for (const work of WORKS) {
    const made = await town(['bead', 'create', work, '--rig', RIG, '--prefix', work]);
    beads.push((made as { readonly id: string }).id);
  }
  return { beads };
}

export const rigConfig = (command: readonly string[]): string[] => [
  `[rig.${RIG}]`,
  `agent = ${JSON.stringify(['bash', program('polecat'), ...command])}`,
];

/** Whether the journal says that each bead is closed. */
export const isRigOver = (opened: Opened | null, lines: readonly Line[]): boolean =>
  opened === null || opened.beads.every((bead) => hasDone(lines, 'close', bead));

export const hasDone = (lines: readonly Line[], act: string, about: string): boolean =>
  linesOf(lines, 'patrol.did').some((line) => line.act === act && line.about === about);

export async function rigEnd(root: string, git: GitOf, { beads }: Opened): Promise<RigEnd> {
  const files = (await git(remoteOf(root), 'ls-tree', '--name-only', 'main')).split('\n');
  return {
    beads,
    merged: WORKS.filter((work) => files.includes(work)),
    isHalfKept: existsSync(join(root, RIG, 'polecats', HALF_DONE, HALF_DONE)),
  };
}
