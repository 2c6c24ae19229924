/**
 * What the town knows of sessions and what tmux shows, side by side. Whether an agent lives comes from its process now,
 * never from a record; where the two disagree, both are shown (C-14).
 */
import { NO_PID, placeholderSession } from '../tmux/panes.ts';
import type { Dance, Proc, Remains, SessionRecord, WallMs } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { survivorsText } from '../../machines/sessions/survivors.ts';
import type { TokensView } from '../costs/view.ts';
import type { Load, Processes } from '../ports/ports.ts';
import type { AgentNow } from './agents-now.ts';
import {
  accountView,
  agentIn,
  asksIn,
  type AccountView,
  type ConversationView,
  type ScreenView,
} from './agent-view.ts';
import { natural } from './natural.ts';
import type { Scene, SessionSeen } from './scene.ts';

/** What is known beside the records. */
export interface Around {
  readonly scene: Scene;
  readonly processes: Pick<Processes, 'alive'>;
  /** Hearings under way. */
  readonly dances: readonly Dance[];
  /** Names whose record cannot be read: whether those sessions are ours is unknown. */
  readonly doubtful: readonly string[];
  /** By the uuid of a life; empty where the processes could not be listed. */
  readonly loads: ReadonlyMap<string, Load>;
  /** CPU ms per s of late; null = not measured. */
  readonly rateOf: (uuid: string) => number | null;
  /** undefined = the running town did not look at its pane yet. */
  readonly asksOf: (uuid: string) => string | null | undefined;
  /** null = not known. */
  readonly tokensOf: (uuid: string) => TokensView | null;
  /** By the uuid of a life. */
  readonly agents: ReadonlyMap<string, AgentNow>;
  readonly wall: WallMs;
}

/** The hearing that a session is in. */
export interface HearingView {
  /** Id of the dance. */
  readonly dance: string;
  readonly stage: Dance['stage'];
  /** From 1. */
  readonly question: number;
  readonly questions: number;
  /** The reason of its warrant, and its requester. */
  readonly charge: string;
  readonly requester: string;
  /** ISO, if the town sees all the time until then; null = no window is open, or its time does not run now. */
  readonly window_ends_at: string | null;
  /** Why its question is not typed yet, as its record says it; null = it is, or was not tried. */
  readonly not_typed: string | null;
  /** The running town has no dog for it: its pool is smaller than it was. */
  readonly waits: boolean;
}

export interface SessionView {
  readonly name: string;
  /** foreign: in tmux, not ours, never touched; unknown: it has a record that cannot be read. Else the record's state. */
  readonly state: string;
  /** From the agent's process now; null = unknown, or it is not ours. */
  readonly alive: boolean | null;
  readonly pid: number | null;
  readonly uuid: string | null;
  readonly tags: readonly string[];
  readonly restart: string | null;
  readonly restarts: number;
  readonly command: readonly string[];
  readonly dir: string | null;
  /** Is it in tmux? null = tmux gave no answer. */
  readonly in_tmux: boolean | null;
  readonly started_at: string | null;
  /** It keeps ending: it is tried on at a slow pace. */
  readonly crash_loop: boolean;
  /** ISO; null = no start waits, or the town that counts its time does not run. */
  readonly next_start_at: string | null;
  /** Of its tree; null = it does not live, or unknown. What processes share counts for each. */
  readonly memory_bytes: number | null;
  /** Part of one core that its tree takes: of late as the town measured it, else over its life; null = not known. */
  readonly cpu: number | null;
  /** How its agent is, by the best source that tells it; null = it does not live, or is not ours. Absent where an older town tells. */
  readonly screen?: ScreenView | null;
  /** The conversation that its program names; null = it names none. Absent where an older town tells. */
  readonly conversation?: ConversationView | null;
  /** What that took so far, as its program tells the running town; null = not known. Absent where an older town tells. */
  readonly tokens?: TokensView | null;
  /** null = not known, or it ended for good. Absent where an older town tells. */
  readonly account?: AccountView | null;
  /** What it asks a person; null = nothing, or the running town did not see it. */
  readonly asks: string | null;
  /** The town runs, and did not look at its pane since its start: whether it asks anything is not known yet. */
  readonly unlooked?: true;
  /** null = it is in none. */
  readonly hearing: HearingView | null;
  /** What earlier lives left running and runs now, each as `<pid> <program>`. */
  readonly survivors: readonly string[];
  /** The last rows of the pane of the life that ended last; absent = it showed none. */
  readonly last_words?: string;
  readonly note: string;
}

const SECOND_MS = 1_000;

const isAlive = ({ incarnation }: SessionRecord, { alive }: Pick<Processes, 'alive'>): boolean | null =>
  incarnation !== null && orNull(() => alive(incarnation.agent));

/** What of its dead lives is there now; what is unknown is shown. */
const remainsNow = ({ remains = [] }: SessionRecord, { alive }: Pick<Processes, 'alive'>): Remains[] => {
  const lives = (proc: Proc): boolean => orNull(() => alive(proc)) ?? true;
  const now = remains.map((one) => ({ ...one, survivors: one.survivors.filter(lives) }));
  return now.filter(({ survivors }) => survivors.length > 0);
};

function disagreement(record: SessionRecord, alive: boolean | null): string {
  const believed = record.state === 'running' || record.state === 'observed';
  if (believed && alive === false) return 'its process is gone; the record has not caught up';
  if (!believed && record.state !== 'starting' && alive === true)
    return `its process lives, though the record says ${record.state}`;
  return '';
}

/** Where a living agent is in tmux, even if a person renamed its session. */
function whereIs({ incarnation }: SessionRecord, scene: Scene): SessionSeen | undefined {
  if (incarnation === null) return undefined;
  const { sessionId, paneId } = incarnation;
  return scene.sessions.find((s) => s.sessionId === sessionId && s.panes.some((pane) => pane.paneId === paneId));
}

/** The note of a question that is not asked yet: why it is not. */
function untypedNote({ attempt, attempts }: Dance): string | null {
  const present = attempts[attempt - 1];
  return present?.askedAt === null && present.seen !== '' ? present.seen : null;
}

const hearingOf = ({ incarnation }: SessionRecord, dances: readonly Dance[]): HearingView | null => {
  const dance = dances.find(({ target }) => target.uuid === incarnation?.uuid);
  const warrant = dance?.warrants[0];
  if (dance === undefined || warrant === undefined) return null;
  const { id, stage, attempt: question, attempts } = dance;
  const { reason, requester } = warrant;
  return {
    dance: id,
    stage,
    question,
    questions: attempts.length,
    charge: reason,
    requester,
    window_ends_at: null,
    not_typed: untypedNote(dance),
    waits: false,
  };
};

function cpuOf({ incarnation, startedAt }: SessionRecord, load: Load | null, { rateOf, wall }: Around): number | null {
  const lately = incarnation === null ? null : rateOf(incarnation.uuid);
  if (lately !== null) return lately / SECOND_MS;
  if (load === null || startedAt === null || wall <= startedAt) return null;
  return load.cpuMs / (wall - startedAt);
}

type Taken = Pick<SessionView, 'memory_bytes' | 'cpu'>;
function takenBy(record: SessionRecord, alive: boolean | null, around: Around): Taken {
  const { incarnation } = record;
  if (alive !== true || incarnation === null) return { memory_bytes: null, cpu: null };
  const load = around.loads.get(incarnation.uuid) ?? null;
  return { memory_bytes: load?.memoryBytes ?? null, cpu: cpuOf(record, load, around) };
}

const leftText = (remains: readonly Remains[]): string =>
  remains.length === 0 ? '' : `still running: ${survivorsText(remains)}`;

/**
 * For an agent that lives but is not where it was: it cannot be looked at or typed to. A life without a pane is nowhere
 * else.
 */
function lostText({ incarnation }: SessionRecord, { fault, sessions }: Scene): string {
  if (fault !== null || incarnation === null || incarnation.origin === 'detached') return '';
  const { paneId, agent } = incarnation;
  // Another server gives the same id to another pane.
  const isIts = (pane: SessionSeen['panes'][number]): boolean => pane.paneId === paneId && pane.pid === agent.pid;
  const now = sessions.find(({ panes }) => panes.some(isIts));
  const where = now === undefined ? 'is not in tmux' : `was moved to the session ${now.name} of tmux`;
  return `its process lives, but its pane ${paneId} ${where}`;
}

/** A session that the town knows. */
function viewOf(record: SessionRecord, around: Around): SessionView {
  const { scene, processes } = around;
  const alive = isAlive(record, processes);
  const { spec, incarnation } = record;
  const home = alive === true ? whereIs(record, scene) : undefined;
  const remains = remainsNow(record, processes);
  const renamed = home === undefined || home.name === spec.name ? '' : `its session is called ${home.name} in tmux`;
  const lost = alive === true && home === undefined ? lostText(record, scene) : '';
  return {
    name: spec.name,
    state: record.state,
    alive,
    pid: incarnation?.agent.pid ?? null,
    uuid: incarnation?.uuid ?? null,
    tags: spec.tags,
    restart: spec.restart,
    restarts: record.restarts,
    command: spec.command,
    dir: spec.dir,
    in_tmux: scene.fault === null ? home !== undefined || scene.sessions.some(({ name }) => name === spec.name) : null,
    started_at: record.startedAt === null ? null : new Date(record.startedAt).toISOString(),
    crash_loop: record.crashLoop,
    next_start_at: null,
    ...takenBy(record, alive, around),
    ...agentIn(record, alive, around),
    tokens: incarnation === null ? null : around.tokensOf(incarnation.uuid),
    account: record.state === 'ended' ? null : accountView(record),
    ...asksIn(record, alive, around),
    hearing: hearingOf(record, around.dances),
    ...(record.lastWords !== undefined && { last_words: record.lastWords }),
    survivors: remains.flatMap(({ survivors }) => survivors.map(({ pid, program }) => `${pid} ${program}`)),
    note: [record.note, leftText(remains), renamed, disagreement(record, alive), lost]
      .filter((text) => text !== '' && text !== record.state)
      .join('; '),
  };
}

const pidOf = (pane: SessionSeen['panes'][number] | undefined): number | null =>
  pane === undefined || pane.pid === NO_PID ? null : pane.pid;

/** One that no record tells of; `seen` = in tmux. */
function unrecorded(name: string, seen: SessionSeen | undefined, { doubtful, scene }: Around): SessionView {
  const isForeign = !doubtful.includes(name);
  return {
    name,
    state: isForeign ? 'foreign' : 'unknown',
    alive: null,
    pid: pidOf(seen?.panes[0]),
    uuid: null,
    tags: [],
    restart: null,
    restarts: 0,
    command: [],
    dir: null,
    in_tmux: seen === undefined && scene.fault !== null ? null : seen !== undefined,
    started_at: null,
    crash_loop: false,
    next_start_at: null,
    memory_bytes: null,
    cpu: null,
    screen: null,
    conversation: null,
    tokens: null,
    account: null,
    asks: null,
    hearing: null,
    survivors: [],
    note: isForeign ? 'not ours, never touched' : 'its record cannot be read',
  };
}

/** Every session the town knows and then every other one that tmux shows, each by their names. */
export function sessionViews(records: readonly SessionRecord[], around: Around): SessionView[] {
  const { scene, processes } = around;
  const inTmux = new Set(scene.sessions.map(({ name }) => name));
  // A start that failed leaves a record: a session with its name is a foreign one.
  const known = records.filter((r) => !(r.incarnation === null && r.state === 'ended' && inTmux.has(r.spec.name)));
  const ours = new Set(known.map(({ spec }) => spec.name));
  const homes = new Set(
    records
      .filter((record) => isAlive(record, processes) === true)
      .map((record) => whereIs(record, scene)?.sessionId)
      .filter((id) => id !== undefined),
  );
  const starting = new Set(records.map(({ pending }) => (pending === null ? null : placeholderSession(pending))));
  const isOther = ({ name, sessionId }: SessionSeen): boolean =>
    !ours.has(name) && !homes.has(sessionId) && !starting.has(name);
  const others = scene.sessions.filter(isOther);
  const seen = new Map(others.map((one) => [one.name, one]));
  const strangers = [...new Set([...around.doubtful, ...seen.keys()])];
  return [
    known.map((record) => viewOf(record, around)),
    strangers.map((name) => unrecorded(name, seen.get(name), around)),
  ].flatMap((views) => views.sort((one, other) => natural(one.name, other.name)));
}
