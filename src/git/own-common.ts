/**
 * A folder of ours that git takes for the one that a repository's worktrees share: objects, refs and logs in it are
 * links to the repository's own, its configuration is ours; it has no hooks and no excludes, and attributes only where
 * the caller gives them. So no setting of a repository decides anything in any call: what none of git's calls reads
 * cannot hide work, run a program or choose a remote.
 * What a repository must say of itself is taken over one by one: how its objects and refs are stored, from where it
 * fetches what it lacks, and for calls that go out the addresses of its remotes.
 */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitFailed } from './failure.ts';
import { textOf } from './files.ts';
import { lfsFilter } from './lfs.ts';
import { makeNotes } from './new-worktree.ts';
import { makeOwnFolder } from './own-folders.ts';
import { settingOf, settingsOf, type Settings } from './settings.ts';

/** What is the repository's. Those that are absent are links that lead nowhere, which git takes for absent. */
const SHARED = ['objects', 'refs', 'reftable', 'packed-refs', 'logs', 'shallow', 'worktrees', 'lfs'];
/** A new worktree is noted beside them. git-lfs, which has pointers checked out there, would look for its store beside that note. */
const OF_OLD_WORKTREES: ReadonlySet<string> = new Set(['worktrees', 'lfs']);

export interface OwnCommon {
  readonly commonDir: string;
  /** The repository itself is meant, not one of its worktrees. */
  readonly isBare: boolean;
  /** Remotes are named, by their addresses. */
  readonly hasRemotes: boolean;
  /** Attributes that outrank those of each file in the repository. */
  readonly attributes?: string;
  /** git notes a new worktree in this folder, not in the repository. */
  readonly addsWorktree?: boolean;
  /** The call only reads, so that others which run meanwhile may have the same folder. */
  readonly onlyReads?: boolean;
}

/** The folder is there for this one call, or for calls that only read as long as one of them runs. */
export async function withOwnCommon<T>(of: OwnCommon, use: (folder: string) => Promise<T>): Promise<T> {
  const config = await configOf(of);
  // git looks here for what the main worktree has checked out.
  const head = (await textOf(join(of.commonDir, 'HEAD'))) ?? '';
  if (of.onlyReads === true && of.attributes === undefined) return withShared(of, { config, head }, use);
  const folder = await makeOwnFolder('git');
  try {
    if (of.addsWorktree === true) await makeNotes(folder, of.commonDir);
    fill(folder, of, { config, head });
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Own {
  readonly config: string;
  readonly head: string;
}

function fill(folder: string, { commonDir, addsWorktree, attributes }: OwnCommon, { config, head }: Own): void {
  const shared = addsWorktree === true ? SHARED.filter((name) => !OF_OLD_WORKTREES.has(name)) : SHARED;
  // Synchronous, because the folder is ours and local: by way of Node's threads these calls cost as much as git itself.
  for (const name of shared) symlinkSync(join(commonDir, name), join(folder, name));
  writeFileSync(join(folder, 'config'), config, 'latin1');
  writeFileSync(join(folder, 'HEAD'), head);
  if (attributes !== undefined) writeAttributes(folder, attributes);
}

/** By all that is in it: what changed meanwhile has a folder of its own. */
const readers = new Map<string, { readonly folder: Promise<string>; count: number }>();

async function withShared<T>(of: OwnCommon, own: Own, use: (folder: string) => Promise<T>): Promise<T> {
  const key = [of.commonDir, own.head, own.config].join('\0');
  const filled = async (): Promise<string> => {
    const folder = await makeOwnFolder('git');
    fill(folder, of, own);
    return folder;
  };
  const one = readers.get(key) ?? { folder: filled(), count: 0 };
  readers.set(key, one);
  one.count += 1;
  try {
    return await use(await one.folder);
  } finally {
    one.count -= 1;
    if (one.count === 0) {
      readers.delete(key);
      await one.folder.then(
        (folder) => rmSync(folder, { recursive: true, force: true }),
        () => undefined,
      );
    }
  }
}

function writeAttributes(folder: string, text: string): void {
  mkdirSync(join(folder, 'info'));
  writeFileSync(join(folder, 'info/attributes'), text);
}

type Entry = readonly [name: string, value: string];

async function configOf({ commonDir, isBare, hasRemotes }: OwnCommon): Promise<string> {
  const settings = await settingsOf(commonDir);
  const entries: Entry[] = [
    ['core.repositoryformatversion', '1'],
    ['core.bare', String(isBare)],
    ['core.logallrefupdates', 'true'],
    ...extensions(settings, commonDir),
    ...promisors(settings),
    ...(hasRemotes ? remotes(settings) : []),
    ...lfsFilter(),
  ];
  return entries.map(([name, value]) => sectionOf(name, value)).join('');
}

/** How objects and refs are stored. */
const STORAGE = ['objectformat', 'compatobjectformat', 'refstorage', 'partialclone'];
/** About files of the repository that git is not given, or nothing at all. */
const WITHOUT_EFFECT = ['worktreeconfig', 'noop', 'noop-v1', 'preciousobjects', 'relativeworktrees'];

/** git itself refuses a repository with an extension that it does not know; so do we. */
function extensions(settings: Settings, commonDir: string): Entry[] {
  return [...settings.keys()].flatMap((name): Entry[] => {
    const [, extension] = /^extensions\.(.*)$/i.exec(name) ?? [];
    if (extension === undefined || WITHOUT_EFFECT.includes(extension)) return [];
    if (!STORAGE.includes(extension))
      throw new GitFailed(
        `${commonDir} uses the git extension ${JSON.stringify(extension)}, which Townwatch does not know`,
      );
    return [[name, settingOf(settings, name) ?? '']];
  });
}

const remoteKeys = (settings: Settings, keys: RegExp): Entry[] =>
  [...settings].flatMap(([name, values]) => {
    const key = name.slice(name.lastIndexOf('.') + 1);
    return name.startsWith('remote.') && keys.test(key) ? values.map((value): Entry => [name, value]) : [];
  });

/** Of a partial clone: who has what it lacks. */
const promisors = (settings: Settings): Entry[] => remoteKeys(settings, /^(promisor|partialclonefilter)$/);

/** Addresses and what is fetched; no program on either side, no helper, no proxy. */
const remotes = (settings: Settings): Entry[] => [
  ...remoteKeys(settings, /^(url|pushurl|fetch)$/),
  // A clone of one branch keeps no note of the others that it pushes.
  ...remoteKeys(settings, /^url$/).map(([name]): Entry => {
    const remote = name.slice('remote.'.length, -'.url'.length);
    return [`remote.${remote}.fetch`, `+refs/heads/polecat/*:refs/remotes/${remote}/polecat/*`];
  }),
  ...[...settings].flatMap(([name, values]) =>
    /^url\..*\.(insteadof|pushinsteadof)$/s.test(name) ? values.map((value): Entry => [name, value]) : [],
  ),
];

/** A name is `section.key` or `section.<any text>.key`. */
function sectionOf(name: string, value: string): string {
  const [section, key] = [name.slice(0, name.indexOf('.')), name.slice(name.lastIndexOf('.') + 1)];
  const sub = name.slice(section.length + 1, Math.max(section.length + 1, name.length - key.length - 1));
  const heading = sub === '' ? section : `${section} "${sub.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return `[${heading}]\n\t${key} = "${quoted(value)}"\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\b': '\\b' };
const quoted = (value: string): string => value.replaceAll(/["\\\n\t\b]/g, (sign) => ESCAPES[sign] ?? sign);
