/** `town hooks install|uninstall`: hooks in the user's own settings of Claude Code, by which the town hears sessions that it adopted. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { textOf, unreadable } from '../../../state/files/disk.ts';
import { homeFolder } from '../../../state/files/user.ts';
import { installedAs, readInstalled, writeInstalled, type Installed } from '../../../state/hooks/installed.ts';
import { differenceOf } from '../../hooks/difference.ts';
import { areHooksOff, unfitText } from '../../hooks/edit.ts';
import { foundIn, installing, uninstalling, type Change, type Ours } from '../../hooks/install.ts';
import { HOOKED, NEEDS_NONE, projectFile, userFile } from '../../hooks/programs.ts';
import { readSettings, replaceSettings, type SettingsFile } from '../../hooks/settings-file.ts';
import { version } from '../../package.ts';
import { missingProgram, programAt } from '../../proc/find-program.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { isSince, versionOf } from '../../screen/version.ts';
import { HOOK_PROGRAM, hooksSocket, installedHooks } from '../../sources/claude-hooks.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';

export interface HooksOptions {
  readonly dryRun?: boolean;
  /** A folder: its settings for this user alone, instead of those for all projects. */
  readonly project?: string;
}

/** null = this program needs none, which was said. Throws Failure (2) for one whose hooks are not known. */
export function hookedProgram(context: Context, word: string): typeof HOOKED | null {
  const packs = new Packs({ folder: packsFolder(context.root), refused: note });
  const name = packs.called(word) ?? word;
  if (name === HOOKED) return HOOKED;
  const why = NEEDS_NONE[name];
  if (why === undefined) {
    const text = `no hooks of ${quoteName(word)} are known; the town takes hooks of ${HOOKED}, and reads the screens of other agents`;
    throw new Failure(EXIT.usage, 'no_hooks', text);
  }
  context.answer('hooks', { program: name, needs: false, why }, why);
  return null;
}

export const oursIn = async (context: Context): Promise<Ours> => {
  return { socket: hooksSocket(await context.settings()), version: version() };
};

/** Throws Failure (2) where no variable and no account tell where it is, or where there is no such folder. */
export function fileFor({ project }: HooksOptions): string {
  if (project !== undefined) {
    const dir = resolve(project);
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return projectFile(dir);
    throw new Failure(EXIT.usage, 'bad_path', `there is no folder ${quoteName(dir)}; give the folder of a project`);
  }
  const file = userFile((name) => process.env[name] ?? (name === 'HOME' ? homeFolder() : null));
  if (file !== null) return file;
  throw new Failure(EXIT.usage, 'bad_path', 'HOME and CLAUDE_CONFIG_DIR name no absolute folder; set one of them');
}

export async function install(context: Context, agent: string, options: HooksOptions): Promise<void> {
  context.existing();
  if (options.dryRun !== true) await mustBeOperator(context, 'installing hooks');
  if (hookedProgram(context, agent) === null) return;
  mustBeAble(context);
  const { file, ours, record, records } = await placeOf(context, options);
  const change = installing(file.text, ours, record);
  const view = {
    program: HOOKED,
    file: file.path,
    events: installedHooks(ours.socket, ours.version).map(({ event }) => event),
  };
  if (foundIn(file.text, ours).areCurrent) {
    context.answer('hooks', { ...view, changed: false }, `${file.path} has the hooks of this town already`);
    return;
  }
  if (options.dryRun === true) {
    shown(context, view, change);
    return;
  }
  // On record first: a kill in between leaves a record that fits no file, and is of no effect.
  const before = uninstalling(file.text, ours, record).after;
  const after = change.after ?? '';
  await writeInstalled(await context.disk(), [
    ...others(records, file),
    installedAs({ file: file.path, socket: ours.socket, at: Date.now() }, before, after),
  ]);
  await written(file, after);
  context.answer('hooks', { ...view, changed: true }, () => [
    `${file.path} has hooks of this town now: ${view.events.join(', ')}`,
    areHooksOff(after)
      ? 'its "disableAllHooks" switches all hooks off: set it to false, and adopted Claude Code sessions are heard by these'
      : 'adopted Claude Code sessions are heard by them; `town hooks status` shows which',
  ]);
}

export async function uninstall(context: Context, agent: string, options: HooksOptions): Promise<void> {
  context.existing();
  if (options.dryRun !== true) await mustBeOperator(context, 'removing hooks');
  if (hookedProgram(context, agent) === null) return;
  const { file, ours, record, records } = await placeOf(context, options);
  const change = uninstalling(file.text, ours, record);
  const view = { program: HOOKED, file: file.path };
  const left = others(records, file);
  const elsewhere = left.map((one) => `it also installed hooks in ${one.file}`);
  if (change.after === change.before) {
    context.answer('hooks', { ...view, changed: false }, () => [
      `${file.path} has no hooks of this town`,
      ...elsewhere,
    ]);
    return;
  }
  if (options.dryRun === true) {
    shown(context, view, change);
    return;
  }
  await written(file, change.after);
  await writeInstalled(await context.disk(), left);
  const said =
    change.after === null
      ? `${file.path} is gone, as it was before the install`
      : `${file.path} has no hooks of this town now`;
  context.answer('hooks', { ...view, changed: true }, () => [said, ...elsewhere]);
}

interface Place {
  readonly file: SettingsFile;
  readonly ours: Ours;
  readonly record: Installed | undefined;
  readonly records: readonly Installed[];
}

/** Throws Failure (1) for a file that is not changed. */
async function placeOf(context: Context, options: HooksOptions): Promise<Place> {
  const ours = await oursIn(context);
  const file = await readSettings(fileFor(options));
  const fault = file.fault ?? unfitText(file.text);
  if (fault !== null) throw unchanged(file, fault);
  const records = await readInstalled(await context.disk());
  return { file, ours, records, record: records.find((one) => one.file === file.path) };
}

const others = (records: readonly Installed[], { path }: SettingsFile): readonly Installed[] =>
  records.filter(({ file }) => file !== path);

const unchanged = ({ path }: SettingsFile, why: string): Failure =>
  new Failure(EXIT.failed, 'not_changed', `${path} was not changed: ${why}`);

/** Throws Failure (1) where it cannot be. */
async function written(file: SettingsFile, text: string | null): Promise<void> {
  let isDone: boolean;
  try {
    isDone = await replaceSettings(file, text);
  } catch (error) {
    throw unchanged(file, unreadable(error) ?? textOf(error));
  }
  if (!isDone) throw unchanged(file, 'another program changed it at this moment; try again');
}

function shown(context: Context, view: object, { before, after }: Change): void {
  const lines = differenceOf(before ?? '', after ?? '');
  context.answerPlain('hooks', { ...view, changed: false, diff: lines }, lines.join('\n'));
  note('nothing was written');
}

/** Throws Failure (1) where hooks would say nothing. */
function mustBeAble(context: Context): void {
  if (process.platform !== 'linux') {
    const text =
      'only Linux shows which process calls a hook, so the town could not find out whose it is; it reads the screens of adopted agents here';
    throw new Failure(EXIT.failed, 'not_here', text);
  }
  const path = process.env['PATH'] ?? null;
  const missing = missingProgram(HOOK_PROGRAM, '/', path);
  if (missing !== null)
    throw new Failure(EXIT.failed, 'no_curl', `${missing}: the hooks need it; install ${HOOK_PROGRAM}`);
  const program = programAt(HOOKED, '/', path);
  const has = program && versionOf({ comm: HOOKED, argv: [program], exe: program });
  const { serve } = new Packs({ folder: packsFolder(context.root) }).named(HOOKED);
  if (has === null || serve === undefined || isSince(has, serve.since)) return;
  const text = `${program ?? HOOKED} is Claude Code ${has}; its hooks are known from ${serve.since} on: update it first`;
  throw new Failure(EXIT.failed, 'too_old', text);
}
