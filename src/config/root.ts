/**
 * Where the town's root is: --root, else $TOWN_ROOT, else $GT_ROOT, else the nearest parent folder with a town.toml, else
 * ~/town. Imports nothing heavy, so that `town status` stays quick. Creates nothing. A root that is not ours, or that others may
 * write, is refused before anything in it is read; one found by climbing also for its town.toml, and never passed over.
 */
import { lstatSync, statSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { FILES, FOLDERS, PACKS } from '../../state/files/layout.ts';
import { homeFolder } from '../../state/files/user.ts';
import { realPath } from '../../state/files/ownership.ts';
import { refusedAt, trustFor } from '../../state/files/trusted-roots.ts';
import { refusalText, UNREAD } from '../terminal/refusal.ts';
import { codeOf } from '../../state/files/disk.ts';
import { shellWord } from '../../state/files/show-text.ts';
import { ConfigError } from './errors.ts';

export const CONFIG_FILE = 'town.toml';

export type RootFrom = '--root' | 'TOWN_ROOT' | 'GT_ROOT' | 'parent' | 'home';

export interface Root {
  /** Absolute and without links, so that a town has one root by whichever path it is named. May not exist yet. */
  readonly root: string;
  readonly from: RootFrom;
  /** The root has a town.toml. */
  readonly configured: boolean;
}

export interface RootSources {
  /** The value of --root. */
  readonly flag?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly home?: string;
}

/** A link that leads nowhere counts as present: it is reported, not passed over. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function nearestParent(from: string): string | null {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    if (isThere(join(dir, CONFIG_FILE))) return dir;
    if (dirname(dir) === dir) return null;
  }
}

function hasControl(text: string): boolean {
  // A path is written into the tmux environment, JSON and messages line by line.
  return [...text].some((c) => c < ' ' || c === '\x7f');
}

/** Of a path too long to be shown, so much of either end is. */
const SHOWN = 40;

const shortened = (path: string): string => `${path.slice(0, SHOWN)}…${path.slice(-SHOWN)}`;

/** The longest path of a file that SQLite opens, in bytes: 512 with the name of its journal. */
const DATABASE_BYTES = 504;
/** Of a root whose guard can take its lock: measured, one more ends in "unable to open database file". */
const ROOT_BYTES = DATABASE_BYTES - `/${FILES.guardLock}`.length;

const NO_FOLDER: Readonly<Record<string, string>> = {
  ELOOP: 'is a link that leads in circles',
  ENOTDIR: 'lies below a file',
};

const badRoot = (text: string): ConfigError => new ConfigError('bad_root', [text]);

function statOf(root: string, from: RootFrom): Stats | undefined {
  try {
    // Not `throwIfNoEntry`: that has no word for a path below a file, which no folder can be made at.
    return statSync(root);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    const why = NO_FOLDER[code];
    if (why !== undefined) throw badRoot(`${from} ${root} ${why}; give the folder of the town`);
    if (code !== 'ENAMETOOLONG') throw error;
    throw badRoot(
      `${from} ${shortened(root)} has a name or a path of more characters than the file system takes; choose a shorter one`,
    );
  }
}

function named(value: string, from: RootFrom, cwd: string): Root {
  const root = resolve(cwd, value);
  if (hasControl(value))
    throw badRoot(`${from} ${JSON.stringify(value)} has control characters in it; choose a plain folder name`);
  if (statOf(root, from)?.isDirectory() === false)
    throw badRoot(`${from} ${root} is not a folder; give the folder of the town`);
  return { root, from, configured: isThere(join(root, CONFIG_FILE)) };
}

/** Below a root, what orders are read from: folders of records, and a person's own packs. */
const SOURCES = [...Object.values(FOLDERS), PACKS];

/** Throws ConfigError for a file or folder of this root that gives us no orders. */
export function mustBeOurs(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const fault = refusedAt(path);
    if (fault === null) continue;
    // What a link in the root leads to is not trusted with the root; a link itself never is.
    const trusted = trustFor(path, fault, [root, path]);
    const trust =
      trusted === null ? [] : [`\`town config trust ${shellWord(trusted)}\` obeys every user who may write there`];
    throw new ConfigError('not_yours', [refusalText(fault, UNREAD, 'give another --root', ...trust)]);
  }
}

/** Throws ConfigError when the root that was named cannot be one, or is not ours. */
export function findRoot(sources: RootSources = {}): Root {
  const { root, from, configured } = typedRoot(sources);
  const climbed = from === 'parent' ? [join(root, CONFIG_FILE)] : [];
  mustBeOurs(root, [...climbed, root, ...SOURCES.map((folder) => join(root, folder))]);
  return { root: fitting(realPath(root), from), from, configured };
}

/** Links to it do not count: the town names its files by the real path. */
function fitting(root: string, from: RootFrom): string {
  const bytes = Buffer.byteLength(root);
  if (bytes <= ROOT_BYTES) return root;
  throw badRoot(
    `${from} ${shortened(root)} has a path of ${bytes} bytes, and the databases below a root leave it ${ROOT_BYTES}; choose a shorter one`,
  );
}

/** A user without HOME and without an entry in passwd, as in a container, has none. Throws ConfigError. */
function ownHome(): string {
  const home = homeFolder();
  if (home !== null) return home;
  throw new ConfigError('no_root', ['no root is given, and this user has no home folder to look in; write --root DIR']);
}

/** As `findRoot`, without checking the owner. */
export function namedRoot(sources: RootSources): Root {
  const { root, from, configured } = typedRoot(sources);
  return { root: realPath(root), from, configured };
}

/** As it was typed: the links on the way to it must be ours too. */
function typedRoot(sources: RootSources): Root {
  const { flag, env = process.env, cwd = process.cwd() } = sources;
  if (flag !== undefined) {
    if (flag === '') throw badRoot('--root is empty; write --root DIR');
    return named(flag, '--root', cwd);
  }
  if (env.TOWN_ROOT) return named(env.TOWN_ROOT, 'TOWN_ROOT', cwd);
  if (env.GT_ROOT) return named(env.GT_ROOT, 'GT_ROOT', cwd);
  const parent = nearestParent(cwd);
  return parent === null ? named(join(sources.home ?? ownHome(), 'town'), 'home', cwd) : named(parent, 'parent', cwd);
}
