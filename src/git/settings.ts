/**
 * What a repository's own configuration says, read as data. git itself never works by it: it may have been written by an agent, and it
 * can hide work, run programs and send work elsewhere.
 */
import { dirname, join } from 'node:path';
import { textOf } from './files.ts';
import { GIT } from './policy.ts';
import { GitFailed } from './failure.ts';
import { pastLeftLocks } from './left-locks.ts';
import { startGit, type Ended } from './start.ts';

/** Each name as git prints it, with all its values; both as bytes in latin1. */
export type Settings = ReadonlyMap<string, readonly string[]>;

/** The last answer for each file, and the text that it was about. */
const known = new Map<string, { readonly text: string; readonly settings: Settings }>();

/** What another file says may change while this one stays the same. */
const INCLUDES = /^\s*\[\s*include/im;

/** Of the repository that shares this folder among its worktrees. Files that it includes count too. */
export const settingsOf = (commonDir: string): Promise<Settings> => settingsIn(join(commonDir, 'config'));

/** An absent file says nothing. */
export async function settingsIn(file: string): Promise<Settings> {
  const text = await textOf(file);
  if (text === null) return new Map();
  const before = known.get(file);
  if (before?.text === text && !INCLUDES.test(text)) return before.settings;
  const settings = await ask(file);
  if (known.size >= GIT.maxKnownSettings) known.clear();
  known.set(file, { text, settings });
  return settings;
}

/**
 * All that decides where a repository's remotes lead, as texts: its own settings, the person's and the machine's. null = not all of
 * it is known: one includes another file, or cannot be read.
 */
export async function settingsTexts(commonDir: string): Promise<string | null> {
  const { HOME: home = '/nonexistent', XDG_CONFIG_HOME: folder } = process.env;
  const persons = [join(home, '.gitconfig'), join(folder || join(home, '.config'), 'git/config')];
  try {
    const texts = await Promise.all([join(commonDir, 'config'), ...persons, '/etc/gitconfig'].map(textOf));
    return texts.some((text) => text !== null && INCLUDES.test(text)) ? null : JSON.stringify(texts);
  } catch {
    return null; // git says what is wrong with it.
  }
}

const configIn = (file: string, words: readonly string[]): Promise<Ended> =>
  pastLeftLocks(dirname(file), () => startConfig(file, words));

const startConfig = (file: string, words: readonly string[]): Promise<Ended> =>
  startGit(['config', '--file', file, ...words], {
    cwd: '/',
    // There is no repository: only the file is read, or written.
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', HOME: '/dev/null', GIT_DIR: '/dev/null' },
    input: '',
    limitMs: GIT.lookMs,
    maxBytes: GIT.maxAnswerBytes,
  });

/** Changes a file of the repository that shares this folder, by words of `git config`. False = it stands there as it did. */
export const changeSetting = async (commonDir: string, words: readonly string[]): Promise<boolean> =>
  !(await configIn(join(commonDir, 'config'), words)).failed;

async function ask(file: string): Promise<Settings> {
  const result = await configIn(file, ['--includes', '--null', '--list']);
  if (result.code === 'ENOENT') throw new GitFailed(`there is no git to read ${file}; install git`);
  if (result.failed) throw new GitFailed(`${file} cannot be read: ${result.stderr.trim() || result.why}`);
  const settings = new Map<string, string[]>();
  for (const entry of result.stdout.split('\0')) {
    if (entry === '') continue;
    const at = entry.indexOf('\n');
    const name = at < 0 ? entry : entry.slice(0, at);
    // A name without a value is true.
    settings.set(name, [...(settings.get(name) ?? []), at < 0 ? 'true' : entry.slice(at + 1)]);
  }
  return settings;
}

/** What counts of several values, as text. */
export const settingOf = (settings: Settings, name: string): string | null => settings.get(name)?.at(-1) ?? null;

/** As git reads a boolean. */
export const isOn = (settings: Settings, name: string): boolean =>
  /^(true|yes|on|[1-9]\d*)$/i.test(settingOf(settings, name) ?? '');
