/**
 * What one `list-panes -a` shows: ids, numbers and flags only. Names, folders and options of others never stand in a row
 * (they can hold line breaks and so whole rows); they are compared inside tmux, which answers 0 or 1.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import type { Exit, Proc } from '../../machines/protocol.ts';
import type { Tmux } from '../ports/ports.ts';
import { TmuxError, isFault } from './errors.ts';

/** Names that the town manages. tmux permits far more, among them `$1`, `=x` and `-dash`. */
const MANAGED_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function isManagedName(name: string): boolean {
  return MANAGED_NAME.test(name);
}

/** Stands for a root in a session's `@town_key`, where the path itself could not be compared safely. */
export function rootKey(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 16);
}

/** Instead of the pid of a dead pane's process. */
export const NO_PID = 0;

/** Whether a pane with this pid is, or was, that process's. A dead pane without one counts as its last known process's. */
export const isPaneOf = (panePid: number, pid: number): boolean => panePid === pid || panePid === NO_PID;

export interface PaneRow {
  readonly serverPid: number;
  readonly sessionId: string;
  readonly paneId: string;
  /** `NO_PID`: it is dead, and tmux (3.8 and newer) does not tell it any more. */
  readonly pid: number;
  readonly dead: boolean;
  /** null = tmux does not know one (yet). */
  readonly exit: Exit | null;
  readonly windowPanes: number;
  readonly sessionWindows: number;
  /** The window is in another session too, or the session shares all its windows with another. */
  readonly shared: boolean;
  readonly active: boolean;
  /** The session belongs to this root. */
  readonly ours: boolean;
  /** The session was started to the end by `startSession`. */
  readonly started: boolean;
  /** `startSession` was interrupted: only its placeholder runs there. */
  readonly unfinished: boolean;
  /** It is the pane that `@town_pane` names. */
  readonly agentPane: boolean;
  readonly hidden: boolean;
  /** The session has the name that was asked for. */
  readonly named: boolean;
  /** The session's `@town_incarnation` is the one that was asked for. */
  readonly incarnate: boolean;
  /** It runs the placeholder of an interrupted start of the uuid that was asked for. */
  readonly placeholder: boolean;
  /** Of the server; with it on, agents end with the last client. */
  readonly exitUnattached: boolean;
}

/** What to compare with. All are constants of ours: a managed name, a uuid, a key. */
export interface Wanted {
  readonly name?: string;
  readonly uuid?: string;
  readonly key?: string;
}

/** What a pane runs until its command may begin. Known by its start command, which no hook can rename. */
export function placeholderCommand(uuid: string, seconds: number): string[] {
  return ['env', `TOWN_START=${uuid}`, 'sleep', String(seconds)];
}

/** The session it runs in until it gets the name of the one that starts. */
export const placeholderSession = (uuid: string): string => `_town-${uuid}`;

/** A format that is 1 in such a pane. */
function isPlaceholder(uuid: string): string {
  return `#{m:*TOWN_START=${uuid} *,#{pane_start_command}}`;
}

/** The format of a row. Throws for a name that the town does not manage. */
export function rowFormat({ name, uuid, key }: Wanted): string {
  if (name !== undefined && !isManagedName(name)) throw new TypeError(`${JSON.stringify(name)} is no managed name`);
  const same = (what: string, value: string | undefined): string =>
    value === undefined ? '0' : `#{==:#{${what}},${value}}`;
  const flag = (what: string): string => `#{?${what},1,0}`;
  return [
    'P',
    '#{pid}',
    '#{session_id}',
    '#{window_id}',
    '#{pane_id}',
    '#{pane_pid}',
    '#{pane_dead}',
    's#{pane_dead_status}',
    'g#{pane_dead_signal}',
    '#{window_panes}',
    '#{session_windows}',
    flag('window_linked'),
    flag('session_grouped'),
    flag('window_active'),
    flag('pane_active'),
    same('@town_key', key),
    '#{==:#{@town_started},1}',
    '#{==:#{@town_started},0}',
    '#{==:#{pane_id},#{@town_pane}}',
    '#{==:#{@town_hidden},1}',
    same('session_name', name),
    same('@town_incarnation', uuid),
    uuid === undefined ? '0' : isPlaceholder(uuid),
    flag('exit-unattached'),
  ].join(' ');
}

const NUMBERS = /^P (\d+) (\$\d+) @\d+ (%\d+) (\d*) ([01]) s(\d*) g(\w*) (\d+) (\d+)((?: [01]){13})$/;

/** null = the line is none of ours (a hook of the user's printed it). */
export function parseRow(line: string): PaneRow | null {
  const [, server, sessionId, paneId, pid, dead, status, signal, panes, windows, flags] = NUMBERS.exec(line) ?? [];
  if (sessionId === undefined || paneId === undefined || flags === undefined) return null;
  const [linked, grouped, windowActive, paneActive, ours, started, unfinished, agentPane, hidden, named, incarnate, placeholder, unattached] =
    flags.trim().split(' ').map((one) => one === '1'); // prettier-ignore
  return {
    serverPid: Number(server),
    sessionId,
    paneId,
    pid: pid === '' ? NO_PID : Number(pid),
    dead: dead === '1',
    exit: exitOf(status ?? '', signal ?? ''),
    windowPanes: Number(panes),
    sessionWindows: Number(windows),
    shared: linked === true || grouped === true,
    active: windowActive === true && paneActive === true,
    ours: ours === true,
    started: started === true,
    unfinished: unfinished === true,
    agentPane: agentPane === true,
    hidden: hidden === true,
    named: named === true,
    incarnate: incarnate === true,
    placeholder: placeholder === true,
    exitUnattached: unattached === true,
  };
}

/**
 * From tmux's two words, one of which may be empty. null = both are. Signals are given as SIGKILL, in any spelling of
 * tmux.
 */
export function exitOf(status: string, signal: string): Exit | null {
  if (signal !== '' && signal !== '0') return { kind: 'signal', signal: signalName(signal) };
  return status === '' ? null : { kind: 'code', code: Number(status) };
}

function signalName(word: string): string {
  if (!/^\d+$/.test(word)) return word.startsWith('SIG') ? word : `SIG${word}`;
  return Object.entries(constants.signals).find(([, number]) => number === Number(word))?.[0] ?? `signal ${word}`;
}

type Parse = (line: string) => PaneRow | null;

/** `parseRow` for one who reads the same panes again and again: a line of the last time is the same row again. */
export function rememberingRows(): { readonly parse: Parse; readonly next: () => void } {
  let before = new Map<string, PaneRow | null>();
  let now = new Map<string, PaneRow | null>();
  return {
    parse: (line) => {
      const row = now.get(line) ?? before.get(line) ?? parseRow(line);
      now.set(line, row);
      return row;
    },
    next: () => {
      before = now;
      now = new Map();
    },
  };
}

/** All panes of the server. Rejects with TmuxError: `none` when no server runs. */
export async function readPanes(tmux: Tmux, wanted: Wanted = {}, parse: Parse = parseRow): Promise<PaneRow[]> {
  const lines = await tmux.query(['list-panes', '-a', '-F', rowFormat(wanted)]);
  return lines.map(parse).filter((row) => row !== null);
}

/** null = no server runs. Everything else that is no list is a rejection. */
export async function readPanesIfAny(tmux: Tmux, wanted: Wanted = {}): Promise<PaneRow[] | null> {
  try {
    return await readPanes(tmux, wanted);
  } catch (error) {
    if (isFault(error, 'none')) return null;
    throw error;
  }
}

/**
 * tmux 3.3a sometimes does not notice a child's end until another child of its ends. Resolves when tmux has reaped one that we
 * gave it for that. A refusal (run-shell forbidden by a hook) leaves the exit unknown.
 */
export async function makeTmuxReap(tmux: Tmux): Promise<void> {
  try {
    await tmux.query(['run-shell', 'true']);
  } catch (error) {
    if (!isFault(error, 'refused')) throw error;
  }
}

/** The server that these rows came from; rejects with `unknown` when it is not there any more. */
export async function serverOf(tmux: Tmux): Promise<Proc> {
  const server = await tmux.server();
  if (server === null) throw new TmuxError('none', 'the tmux server ended meanwhile');
  return server;
}
