/** `town hooks status`: per program whether hooks are installed, what the town heard by them, and which sessions need none. */
import { join } from 'node:path';
import type { Proc, SessionRecord } from '../../../machines/protocol.ts';
import { FILES } from '../../../state/files/layout.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { readInstalled } from '../../../state/hooks/installed.ts';
import { areHooksOff, unfitText } from '../../hooks/edit.ts';
import { foundIn, type Found, type Ours } from '../../hooks/install.ts';
import { HOOKED, NEEDS_NONE, projectFile, userFile } from '../../hooks/programs.ts';
import { readSettings } from '../../hooks/settings-file.ts';
import { sinceText, when } from '../../journal/when.ts';
import { readSessions } from '../../overview/records.ts';
import { topmost } from '../../proc/below.ts';
import { createProcesses, type ProcessTable } from '../../proc/processes.ts';
import { Packs, packsFolder } from '../../screen/packs.ts';
import { hooksHeard, type HooksHeard } from '../../sources/claude-hooks.ts';
import { note, table } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { fileFor, hookedProgram, oursIn } from './hooks.ts';

interface FileView extends Found {
  readonly file: string;
  /** Why the file tells nothing; null = it does. */
  readonly fault: string | null;
  readonly is_off: boolean;
}

interface SessionView {
  readonly session: string;
  readonly program: string;
  readonly origin: 'started' | 'adopted' | 'detached';
  /** Of an adopted Claude Code: its settings that an install may write; empty = hidden. */
  readonly files: readonly string[];
  readonly hooks: string;
  readonly events: number;
  /** Wall ms of the last event; null = none came. */
  readonly last_event_at: number | null;
}

export async function status(context: Context, agent?: string): Promise<void> {
  const root = context.existing();
  if (agent !== undefined && hookedProgram(context, agent) === null) return;
  const [ours, settings, disk] = [await oursIn(context), await context.settings(), await context.disk()];
  const heard = await hooksHeard(settings);
  const { found, unreadable } = await readSessions(disk);
  unreadable.forEach(note);
  const records = found.map(({ value }) => value).filter(({ state }) => state !== 'ended');
  const running = await runningIn(root, records);
  const paths = new Set([
    fileFor({}),
    ...(await readInstalled(disk)).map(({ file }) => file),
    ...running.flatMap(({ files: own }) => own),
  ]);
  const all = await Promise.all([...paths].map((path) => fileView(path, ours)));
  // Most projects have no settings of their own.
  const files = all.filter(({ file, fault, events }) => file === fileFor({}) || fault !== null || events.length > 0);
  const sessions = running.map((one) => sessionView(one, all, heard));
  const view = {
    files: files.map(({ areCurrent, ...file }) => ({ ...file, is_current: areCurrent })),
    needs_none: NEEDS_NONE,
    sessions,
    town: heard,
  };
  context.answer('hooks-status', view, () => [
    ...files.map(fileLine),
    ...Object.values(NEEDS_NONE),
    townLine(heard),
    ...(sessions.length === 0 ? [] : ['', ...table(['session', 'program', 'hooks'], sessions.map(row)).split('\n')]),
  ]);
}

async function fileView(path: string, ours: Ours): Promise<FileView> {
  const { text, fault } = await readSettings(path);
  const unfit = (text === null ? fault : null) ?? unfitText(text);
  return { file: path, fault: unfit, is_off: areHooksOff(text), ...foundIn(text, ours) };
}

function fileLine({ file, fault, is_off, events, version, areCurrent, others }: FileView): string {
  const besides = others === 0 ? '' : '; it also has hooks of another town';
  if (fault !== null) return `Claude Code: ${file} reports nothing: ${fault}`;
  if (events.length === 0)
    return `Claude Code: ${file} has no hooks of this town; town hooks install ${HOOKED}${besides}`;
  const off = is_off ? '; its "disableAllHooks" switches them off' : '';
  if (areCurrent)
    return `Claude Code: ${file} has the hooks of this town, by version ${version ?? '?'}${off}${besides}`;
  return `Claude Code: ${file} has other hooks of this town, by version ${version ?? '?'}; town hooks install ${HOOKED} renews them${off}${besides}`;
}

function townLine(heard: HooksHeard | null): string {
  if (heard === null) return 'the town is down, or starts agents without hooks: it hears none now';
  const lives = Object.values(heard.adopted);
  const events = lives.reduce((all, one) => all + one.events, 0);
  return `the town hears hooks ${sinceText(heard.since)}: ${events} of adopted sessions; refused: ${heard.unwatched} of sessions that it does not watch, ${heard.unproved} without a process that proves them`;
}

interface Running extends Pick<SessionView, 'session' | 'program' | 'origin' | 'files'> {
  readonly uuid: string;
  /** It was started with hooks of its own. */
  readonly isHooked: boolean;
}

async function runningIn(root: string, records: readonly SessionRecord[]): Promise<Running[]> {
  const processes = createProcesses();
  const packs = new Packs({ folder: packsFolder(root) });
  const children = await processes.children();
  return records.flatMap(({ spec, incarnation }) => {
    if (incarnation === null) return [];
    const proc = orNull(() =>
      processes.alive(incarnation.agent)
        ? topmost(processes, children, incarnation.agent.pid, (one) => packs.kindOf(one) !== null)
        : null,
    );
    const command = proc && orNull(() => processes.commandOf(proc.pid));
    const program = (command && packs.kindOf(command)) ?? 'unknown';
    const { origin, uuid } = incarnation;
    const files = proc !== null && program === HOOKED && origin === 'adopted' ? filesOf(processes, proc) : [];
    const isHooked = command?.argv.includes(join(root, FILES.claudeSettings)) === true;
    return [{ session: spec.name, program, origin, uuid, files, isHooked }];
  });
}

function filesOf(processes: ProcessTable, proc: Proc): string[] {
  const user = userFile((name) => orNull(() => processes.variableOf(proc, name)));
  const dir = orNull(() => processes.cwdOf(proc));
  return [user, dir === null ? null : projectFile(dir)].filter((file) => file !== null);
}

function sessionView(
  { uuid, isHooked, ...of }: Running,
  files: readonly FileView[],
  heard: HooksHeard | null,
): SessionView {
  const { events = 0, at = null } = heard?.adopted[uuid] ?? {};
  const own = files.filter(({ file }) => of.files.includes(file));
  return { ...of, hooks: hooksOf({ ...of, isHooked }, own, at), events, last_event_at: at };
}

function hooksOf(
  { program, origin, isHooked, files }: Omit<Running, 'uuid' | 'session'>,
  own: readonly FileView[],
  at: number | null,
): string {
  if (program !== HOOKED) return program in NEEDS_NONE ? 'needs none: its server is asked' : 'none: its screen is read';
  if (origin !== 'adopted')
    return isHooked ? 'needs none: the town started it with its own' : 'none: the town adds no hooks to this command';
  if (at !== null) return `heard, last ${when(at)}`;
  if (files.length === 0) return 'unknown: its environment is hidden';
  const isInstalled = own.some(({ events }) => events.length > 0) && !own.some(({ is_off }) => is_off);
  return isInstalled ? 'installed; none came yet' : `none: ${files.join(' and ')} have none`;
}

const row = ({ session, program, hooks }: SessionView): string[] => [session, program, hooks];
