/**
 * Every pane of a tmux server, as the town would judge it: what looks like an agent, its state, what would be done. Looks only:
 * calls of their own, no client, no process started in it, no mark left.
 * 1. Foreign text (titles, screens, other roots) is asked for pane by pane, between seams that nobody can foretell.
 * 2. A life of ours is known by the server, the pane and the agent's process together; a pane's number alone is used again.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Incarnation, Proc, SessionRecord, WallMs } from '../../machines/protocol.ts';
import { coveredBy } from '../config/glob.ts';
import type { Settings } from '../config/settings.ts';
import { foregroundOf } from '../hearing/foreground.ts';
import { CLIENTS, latestKey } from '../hearing/people.ts';
import { topmost, type Children } from '../proc/below.ts';
import type { Command, ProcessTable } from '../proc/processes.ts';
import { kindByTitle } from '../screen/agents.ts';
import type { Pack } from '../screen/pack.ts';
import { GENERIC, type Packs } from '../screen/packs.ts';
import { readScreen } from '../screen/read.ts';
import type { Picture as Shown, Screen } from '../screen/screen.ts';
import type { ControlTmux } from '../tmux/tmux.ts';
import { isOurDoing } from './classic.ts';
import { see, type PaneSeen, type Scene, type SessionSeen } from './scene.ts';
import { wouldDo, type Managed, type PaneState, type Would } from './would.ts';

export interface AgentSeen {
  readonly session: string;
  readonly pane: string;
  /** The title its program gave it; foreign text. */
  readonly title: string;
  /** claude, codex …; for a life of ours whose program is none of these its name; null = nothing looks like an agent. */
  readonly agent: string | null;
  /** What showed it: the town's record, the process tree, or the title; null = nothing. */
  readonly by: 'record' | 'process' | 'title' | null;
  /** Of the agent, or of what runs in the pane; null = gone or hidden. */
  readonly pid: number | null;
  readonly command: readonly string[];
  readonly dir: string | null;
  readonly state: PaneState;
  /** It may draw its classic screen only because the town's client is on the server. */
  readonly classic: boolean;
  /** The words on the screen that tell the state; foreign text. */
  readonly words: string;
  /** Whether it is a life of this town. */
  readonly ours: boolean;
  readonly managed: Managed;
  /** The glob of `[town] protected` that covers it; null = none does. */
  readonly protected: string | null;
  /** Somebody pressed a key in the session lately. */
  readonly person: boolean;
  readonly would: Would;
}

export interface AgentsDeps {
  readonly tmux: Pick<ControlTmux, 'sequence' | 'socketPath'>;
  readonly processes: ProcessTable;
  readonly packs: Packs;
  readonly settings: Pick<Settings, 'root' | 'hands' | 'town'>;
  readonly records: readonly SessionRecord[];
  readonly wall: WallMs;
}

export interface AgentsScene extends Pick<Scene, 'socketPath' | 'fault'> {
  /** One for each pane of each session that shows it. Empty when there is a fault. */
  readonly panes: readonly AgentSeen[];
}

/** Titles are a few words; a longer one says nothing more. */
const LONGEST_TITLE = 200;
/** Calls of tmux at once. */
const AT_ONCE = 8;

/** Rejects when the process table cannot be read at all; what tmux cannot tell is a `fault`. */
export async function seeAgents(deps: AgentsDeps): Promise<AgentsScene> {
  const { socketPath, sessions, fault } = await see(deps.tmux);
  if (fault !== null) return { socketPath, panes: [], fault };
  const keys = await deps.tmux.sequence([['list-clients', '-F', CLIENTS]]).catch(() => null);
  const around: Around = {
    children: await deps.processes.children(),
    clients: keys?.stdout.split('\n') ?? [],
  };
  const all = sessions.flatMap((session) => session.panes.map((pane) => ({ session, pane })));
  const panes: AgentSeen[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    panes.push(...(await Promise.all(some.map(({ session, pane }) => judge(deps, around, session, pane)))));
  }
  return { socketPath, panes, fault: null };
}

/** What is asked once for all panes. */
interface Around {
  readonly children: Children;
  readonly clients: readonly string[];
}

/** What tmux tells of one pane; empty where it is gone meanwhile. */
interface Picture extends Shown {
  readonly serverPid: number;
  readonly inMode: boolean;
  /** The root that says the session is its own; empty = none does. */
  readonly root: string;
}

async function takePicture({ tmux }: AgentsDeps, sessionId: string, paneId: string): Promise<Picture> {
  const seam = `seam-${randomUUID()}`;
  const say = (format: string): string[] => ['display-message', '-p', '-t', paneId, format];
  const { stdout } = await tmux
    .sequence([
      say('#{pid} #{?pane_in_mode,1,0} #{pane_width} #{cursor_x} #{cursor_y} #{alternate_on}'),
      say(seam),
      say(`#{=${LONGEST_TITLE}:pane_title}`),
      say(seam),
      ['show-options', '-q', '-v', '-t', sessionId, '@town_root'],
      say(seam),
      ['capture-pane', '-p', '-e', '-t', paneId],
      say(seam),
    ])
    .catch(() => ({ stdout: '' })); // it shows as a pane of which nothing is known
  const [numbers = '', title = '', root = '', screen = ''] = stdout.split(`${seam}\n`);
  const [serverPid, inMode, width, x, y, alternate] = numbers.trim().split(' ');
  return {
    serverPid: Number(serverPid),
    inMode: inMode === '1',
    title: title.replace(/\n$/, ''),
    root: root.split('\n')[0] ?? '',
    rows: screen.split('\n').slice(0, -1),
    width: Number(width) || null,
    cursor: y === undefined ? null : { x: Number(x), y: Number(y) },
    alternate: alternate === '1',
    lineMode: null,
  };
}

async function judge(deps: AgentsDeps, around: Around, session: SessionSeen, pane: PaneSeen): Promise<AgentSeen> {
  const { processes, settings } = deps;
  const picture = await takePicture(deps, session.sessionId, pane.paneId);
  const record = recordOf(deps, picture, pane);
  const found = findAgent(deps, around, record, pane, picture);
  const { screen, obstacle } = await look(processes, found, pane, picture);
  const proc = found.proc ?? tried(() => processes.proc(pane.pid));
  const life = record?.incarnation ?? null;
  const gone = life !== null && tried(() => processes.alive(life.agent)) === false;
  const standing = {
    agent: found.kind,
    state: pane.dead || gone ? ('dead' as const) : screen.state,
    managed: managedBy(deps, life, picture),
    protected: coveredBy(session.name, settings.town.protected),
    person: latestKey(around.clients, [session.sessionId], deps.wall) < settings.hands.personWithinMs,
  };
  return {
    ...{ session: session.name, pane: pane.paneId, title: picture.title, by: found.by, ...standing },
    ours: life !== null,
    pid: proc?.pid ?? null,
    command: (proc && tried(() => processes.commandOf(proc.pid))?.argv) ?? [],
    dir: proc && tried(() => processes.cwdOf(proc)),
    classic: !pane.dead && !picture.alternate && tried(() => isOurDoing(processes, found)) === true,
    words: screen.row === null || pane.dead ? '' : screen.what,
    would: wouldDo({ ...standing, obstacle, mayType: screen.mayType }),
  };
}

/** The record of the life that this pane shows; null = it shows none of ours. */
function recordOf({ records }: AgentsDeps, { serverPid }: Picture, pane: PaneSeen): SessionRecord | null {
  const shows = ({ incarnation }: SessionRecord): boolean =>
    incarnation?.paneId === pane.paneId && incarnation.server.pid === serverPid;
  return records.find(shows) ?? null;
}

function managedBy({ settings }: AgentsDeps, life: Incarnation | null, { root }: Picture): Managed {
  if (root !== '' && root !== settings.root) return 'other town';
  if (life !== null) return life.origin === 'adopted' ? 'adopted' : 'started';
  return root === '' ? 'nobody' : 'split';
}

interface FoundAgent {
  readonly kind: string | null;
  readonly by: AgentSeen['by'];
  readonly proc: Proc | null;
  readonly pack: Pack;
}

/** Best evidence first: what the town itself started or adopted, a process, the title. A screen alone shows no program. */
function findAgent(
  { processes, packs }: AgentsDeps,
  { children }: Around,
  record: SessionRecord | null,
  pane: PaneSeen,
  { title }: Picture,
): FoundAgent {
  const proc =
    record?.incarnation?.agent ??
    tried(() => topmost(processes, children, pane.pid, (process) => packs.kindOf(process) !== null));
  const described = proc && tried(() => processes.describe(proc.pid));
  const known = described && packs.kindOf(described);
  if (proc !== null) {
    const by = record === null ? 'process' : 'record';
    return { kind: known ?? nameOf(record, described), by, proc, pack: packs.named(known ?? GENERIC) };
  }
  const titled = pane.dead ? null : kindByTitle(packs.identities(), title);
  return { kind: titled, by: titled === null ? null : 'title', proc, pack: packs.named(titled ?? GENERIC) };
}

/** What to call a program that the table does not know, or that has ended. */
const nameOf = (record: SessionRecord | null, described: Command | null): string =>
  record?.spec.process ?? basename(described?.argv[0] ?? record?.spec.command[0] ?? '?');

async function look(
  processes: ProcessTable,
  { pack, by }: FoundAgent,
  pane: PaneSeen,
  { inMode, ...shown }: Picture,
): Promise<{ readonly screen: Screen; readonly obstacle: string | null }> {
  const screen = readScreen(pack, shown);
  if (inMode) return { screen, obstacle: 'copy mode' };
  // Behind a title alone the agent runs elsewhere, and what is in front here is its ssh or its container.
  const front = by === 'title' ? null : await foregroundOf(processes, pane.pid).catch(() => null);
  if (front?.isShell === true) return { screen, obstacle: 'a shell in front' };
  return { screen, obstacle: null };
}

/** null also where the system does not tell: it is shown as not known. */
function tried<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null; // nothing is decided by it
  }
}
