/**
 * One pane of a tmux server as the town would judge it: whose it is, which program it shows, which pack reads its
 * screen, what stands in the way of keys. Looks only: calls of their own, no client, no process started in it, no mark
 * left.
 * 1. Foreign text (titles, screens, other roots) is asked for pane by pane, between random seams.
 * 2. A life of ours is known by the server, the pane and the agent's process together; a pane's number alone is used
 *    again.
 * 3. What the system does not tell is shown as not known; nothing is decided by it.
 */
import { basename } from 'node:path';
import type { Incarnation, Proc, SessionRecord, WallMs } from '../../machines/protocol.ts';
import type { Verdict } from '../../machines/sessions/agent-state.ts';
import { orNull } from '../../state/files/or-null.ts';
import { coveredBy } from '../config/glob.ts';
import type { Settings } from '../config/settings.ts';
import { foregroundOf } from '../hearings/foreground.ts';
import { isLeftOver } from '../hearings/draft-state.ts';
import { CLIENTS, latestKey } from '../hearings/people.ts';
import { readPast, typedOf } from '../hearings/sent-text-filter.ts';
import { topmost, type Children } from '../proc/below.ts';
import { lineModeOf } from '../proc/line-mode.ts';
import type { Description, ProcessTable } from '../proc/processes.ts';
import { kindByTitle } from '../screen/agents.ts';
import type { Pack } from '../screen/pack.ts';
import { GENERIC, type Packs } from '../screen/packs.ts';
import type { Picture as Shown, Screen } from '../screen/screen.ts';
import type { Heard } from '../sources/port.ts';
import type { Sources } from '../sources/sources.ts';
import { newSeam } from '../tmux/batch.ts';
import type { ControlTmux } from '../tmux/client.ts';
import { rootsOf } from '../tmux/owner.ts';
import { verdictOfLook } from './agents-now.ts';
import { isOurDoing } from './classic.ts';
import type { TypedWords } from './records.ts';
import type { PaneSeen, SessionSeen } from './scene.ts';
import { wouldDo, type Managed, type Standing, type Would } from './would.ts';

export interface StudyDeps {
  readonly tmux: Pick<ControlTmux, 'sequence' | 'printed' | 'socketPath'>;
  readonly processes: ProcessTable;
  readonly packs: Packs;
  /** What the programs say themselves. */
  readonly sources: Pick<Sources, 'hear'>;
  readonly settings: Pick<Settings, 'root' | 'hands' | 'town'>;
  readonly records: readonly SessionRecord[];
  readonly wall: WallMs;
  /** What the town typed to a life: no words of the agent's. */
  readonly typedTo: (life: Incarnation) => Promise<TypedWords>;
}

/** What is asked once for all panes. */
export interface Around {
  readonly children: Children;
  readonly clients: readonly string[];
}

/** What tmux tells of one pane; empty where it is gone meanwhile. */
export interface Picture extends Shown {
  readonly height: number | null;
  readonly serverPid: number;
  readonly inMode: boolean;
  /** The root that says the session is its own; empty = none does. */
  readonly root: string;
}

/** What a pane shows to be running in it. */
export interface Found {
  /** As in `Standing.agent`. */
  readonly kind: string | null;
  /** What showed it: the town's record, the process tree, or the title; null = nothing. */
  readonly by: 'record' | 'process' | 'title' | null;
  readonly proc: Proc | null;
  /** The program that told the pack; null = none did. */
  readonly program: Description | null;
  readonly pack: Pack;
}

export interface Study {
  readonly session: string;
  readonly pane: PaneSeen;
  readonly picture: Picture;
  readonly found: Found;
  readonly screen: Screen;
  readonly standing: Standing;
  /** What its program says of itself; null = nothing that can be believed. */
  readonly heard: Heard | null;
  /** What its program and its screen say together. */
  readonly verdict: Verdict;
  /** Whether it is a life of this town. */
  readonly ours: boolean;
  /** It may draw its classic screen only because the town's client is on the server. */
  readonly classic: boolean;
  /** Of the agent, or of what runs in the pane; null = gone or hidden. */
  readonly pid: number | null;
  readonly command: Description | null;
  readonly dir: string | null;
  readonly would: Would;
}

/** Calls of tmux at once. */
const AT_ONCE = 4;
/** Titles are a few words; a longer one says nothing more. */
const LONGEST_TITLE = 200;

/** Rejects when the process table cannot be read at all. */
export async function aroundNow({ tmux, processes }: StudyDeps): Promise<Around> {
  const keys = await tmux.sequence([['list-clients', '-F', CLIENTS]]).catch(() => null);
  return { children: await processes.children(), clients: keys?.stdout.split('\n') ?? [] };
}

/** A pane, and the session that shows it. */
export interface Shows {
  readonly session: SessionSeen;
  readonly pane: PaneSeen;
}

/** One for each, in their order. Pictures of all are taken in few calls of tmux. */
export async function studiesOf(deps: StudyDeps, around: Around, panes: readonly Shows[]): Promise<Study[]> {
  const once = { ...deps, processes: describedOnce(deps.processes) };
  const size = Math.max(1, Math.ceil(panes.length / AT_ONCE));
  const some = Array.from({ length: AT_ONCE }, (_, n) => panes.slice(n * size, (n + 1) * size));
  // While tmux draws the next, those that are there are studied.
  const studied = some.map(async (few) => {
    const paneIds = few.map(({ pane }) => pane.paneId);
    const pictures = await takePictures(once, paneIds);
    return Promise.all(few.map((one, at) => studyOf(once, around, one, pictures[at] ?? pictureIn('', once.wall))));
  });
  return (await Promise.all(studied)).flat();
}

/** Of one process several ask: what looks like an agent, what it runs as, who is in front. */
function describedOnce(processes: ProcessTable): ProcessTable {
  const known = new Map<number, Description | null>();
  const describe = (pid: number): Description | null => {
    const found = known.get(pid) ?? processes.describe(pid);
    known.set(pid, found);
    return found;
  };
  return { ...processes, describe };
}

async function studyOf(deps: StudyDeps, around: Around, { session, pane }: Shows, shown: Picture): Promise<Study> {
  const { processes, settings } = deps;
  const record = recordOf(deps, shown, pane);
  const found = findAgent(deps, around, record, pane, shown);
  const life = record?.incarnation ?? null;
  const typed = life === null ? NOTHING : await deps.typedTo(life);
  const { picture, screen, obstacle } = await look(processes, found, pane, { shown, typed });
  const proc = found.proc ?? orNull(() => processes.proc(pane.pid));
  // Asked after the screen was captured: a change that it tells of makes the screen the older word.
  const heard = await hear(deps, found, life);
  const gone = life !== null && orNull(() => processes.alive(life.agent)) === false;
  const standing = {
    agent: found.kind,
    state: pane.dead || gone ? ('dead' as const) : screen.state,
    managed: managedBy(deps, life, picture),
    protected: coveredBy(session.name, settings.town.protected),
    person: latestKey(around.clients, [session.sessionId], deps.wall) < settings.hands.personWithinMs,
    obstacle,
    leftOver: screen.composer !== null && isLeftOver(screen.composer.draft, session.name, typed.sentTexts),
    mayType: screen.mayType,
  };
  return {
    session: session.name,
    pane,
    picture,
    found,
    screen,
    standing,
    heard,
    verdict: verdictOfLook(heard, found.kind === null ? null : { screen, pack: found.pack.name, at: picture.at ?? 0 }),
    ours: life !== null,
    classic: !pane.dead && picture.alternate !== true && orNull(() => isOurDoing(processes, found)) === true,
    pid: proc?.pid ?? null,
    command: proc && orNull(() => processes.describe(proc.pid)),
    dir: proc && orNull(() => processes.cwdOf(proc)),
    would: wouldDo(standing),
  };
}

async function hear({ processes, sources }: StudyDeps, of: Found, life: Incarnation | null): Promise<Heard | null> {
  const proc = of.program && orNull(() => processes.proc(of.program?.pid ?? 0));
  return proc && sources.hear(of.pack.name, proc, life?.uuid ?? null);
}

const NUMBERS = '#{pid} #{?pane_in_mode,1,0} #{pane_width} #{cursor_x} #{cursor_y} #{alternate_on} #{pane_height}';

type Eyes = Pick<StudyDeps, 'wall'> & { readonly tmux: Pick<ControlTmux, 'printed'> };

/** Of these panes, in their order, over the control client or in few calls of tmux. `wall`: now, by the caller's clock: a limit ends by it. */
export async function takePictures({ tmux, wall }: Eyes, paneIds: readonly string[]): Promise<Picture[]> {
  const seam = newSeam();
  const groups = paneIds.map((paneId) => {
    const say = (format: string): string[] => ['display-message', '-p', '-t', paneId, format];
    return [
      say([NUMBERS, `#{=${LONGEST_TITLE}:pane_title}`, '#{@town_root}', ''].join(seam)),
      ['capture-pane', '-p', '-e', '-t', paneId],
    ];
  });
  const told = await tmux.printed(groups).catch(() => []);
  // One that told nothing shows as a pane of which nothing is known.
  return paneIds.map((_, at) => pictureIn(told[at] ?? '', wall, seam));
}

function pictureIn(told: string, wall: WallMs, seam = ''): Picture {
  const [numbers = '', title = '', root = '', screen = ''] = told.split(seam);
  const [serverPid, inMode, width, x, y, alternate, height] = numbers.trim().split(' ');
  return {
    serverPid: Number(serverPid),
    inMode: inMode === '1',
    title,
    root: root.split('\n')[0] ?? '',
    // A user's hook may print lines of its own behind the rows.
    rows: screen
      .split('\n')
      .slice(1, -1)
      .slice(0, Number(height) || undefined),
    height: Number(height) || null,
    width: Number(width) || null,
    cursor: y === undefined ? null : { x: Number(x), y: Number(y) },
    alternate: alternate === '1',
    lineMode: null,
    at: wall,
  };
}

/** The record of the life that this pane shows; null = it shows none of ours. */
function recordOf({ records }: StudyDeps, { serverPid }: Picture, pane: PaneSeen): SessionRecord | null {
  const shows = ({ incarnation }: SessionRecord): boolean =>
    incarnation?.paneId === pane.paneId && incarnation.server.pid === serverPid;
  return records.find(shows) ?? null;
}

function managedBy({ settings }: StudyDeps, life: Incarnation | null, { root }: Picture): Managed {
  if (root !== '' && root !== settings.root && !rootsOf(root).includes(settings.root)) return 'other town';
  if (life !== null) return life.origin === 'adopted' ? 'adopted' : 'started';
  return root === '' ? 'nobody' : 'split';
}

/** Best evidence first: what the town itself started or adopted, a process, the title. A screen alone shows no program. */
function findAgent(
  { processes, packs }: StudyDeps,
  { children }: Around,
  record: SessionRecord | null,
  pane: PaneSeen,
  { title }: Picture,
): Found {
  const below = (pid: number): Proc | null =>
    orNull(() => topmost(processes, children, pid, (process) => packs.kindOf(process) !== null));
  const agent = record?.incarnation?.agent ?? null;
  // What the town started may be a launcher or a script: the program that it runs has the pack.
  const known = below(agent?.pid ?? pane.pid);
  const program = known && orNull(() => processes.describe(known.pid));
  const kind = program && packs.kindOf(program);
  const pack = packs.named(kind ?? GENERIC);
  if (agent !== null) {
    const started = orNull(() => processes.describe(agent.pid));
    return { kind: kind ?? nameOf(record, started), by: 'record', proc: agent, program, pack };
  }
  if (kind !== null) return { kind, by: 'process', proc: known, program, pack };
  const titled = pane.dead ? null : kindByTitle(packs.identities(), title);
  return {
    kind: titled,
    by: titled === null ? null : 'title',
    proc: null,
    program,
    pack: packs.named(titled ?? GENERIC),
  };
}

/** What to call a program that the table does not know, or that has ended. */
const nameOf = (record: SessionRecord | null, described: Description | null): string =>
  record?.spec.process ?? basename(described?.argv[0] ?? record?.spec.command[0] ?? '?');

const NOTHING: TypedWords = { questions: [], sentTexts: [] };

interface Looked {
  readonly picture: Picture;
  readonly screen: Screen;
  readonly obstacle: string | null;
}

async function look(
  processes: ProcessTable,
  { kind, pack, by }: Found,
  pane: PaneSeen,
  { shown, typed }: { readonly shown: Picture; readonly typed: TypedWords },
): Promise<Looked> {
  // If no composer shows where text goes, the terminal says. A pane without an agent gets no text anyway.
  const tty = kind === null || by === 'title' || pack.complete ? null : orNull(() => processes.ttyOf(pane.pid));
  const mode = tty === null ? null : await lineModeOf(tty).catch(() => null);
  const picture = { ...shown, lineMode: mode === null ? null : mode === 'line' };
  const screen = readPast(pack, picture, typedOf(typed.questions, typed.sentTexts));
  if (picture.inMode) return { picture, screen, obstacle: 'copy mode' };
  // Behind a title alone the agent runs elsewhere, and what is in front here is its ssh or its container.
  const front = by === 'title' ? null : await foregroundOf(processes, pane.pid).catch(() => null);
  if (front?.isShell === true) return { picture, screen, obstacle: 'a shell in front' };
  return { picture, screen, obstacle: mode === 'secret' ? 'a secret is typed' : null };
}
