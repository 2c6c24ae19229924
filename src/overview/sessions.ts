/**
 * What the town knows of sessions and what tmux shows, side by side. Whether an agent lives comes from its process now,
 * never from a record; where the two disagree, both are shown (C-14).
 */
import type { Proc, Remains, SessionRecord } from '../../machines/protocol.ts';
import { survivorsText } from '../../machines/session-remains.ts';
import type { Processes } from '../ports.ts';
import type { Scene, SessionSeen } from './scene.ts';

export interface SessionView {
  readonly name: string;
  /** foreign: in tmux, not ours, never touched. Else the record's state. */
  readonly state: string;
  /** From the agent's process now; null = it could not be told, or it is not ours. */
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
  /** What earlier lives left running and runs now, each as `<pid> <program>`. */
  readonly survivors: readonly string[];
  readonly note: string;
}

function isAlive(record: SessionRecord, processes: Pick<Processes, 'alive'>): boolean | null {
  if (record.incarnation === null) return false;
  try {
    return processes.alive(record.incarnation.agent);
  } catch {
    return null; // shown as unknown
  }
}

/** What of its dead lives is there now; what cannot be told is shown. */
const remainsNow = ({ remains = [] }: SessionRecord, { alive }: Pick<Processes, 'alive'>): Remains[] => {
  const lives = (proc: Proc): boolean => {
    try {
      return alive(proc);
    } catch {
      return true;
    }
  };
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

/** Alive by its process, and not where it was: nobody can look at it or type to it. A life without a pane is nowhere else. */
function isLost(record: SessionRecord, alive: boolean | null, scene: Scene): boolean {
  const { incarnation } = record;
  if (alive !== true || scene.fault !== null || incarnation === null || incarnation.origin === 'detached') return false;
  return whereIs(record, scene) === undefined;
}

/** Where a living agent is in tmux, under whatever name a person gave its session since. */
function whereIs({ incarnation }: SessionRecord, scene: Scene): SessionSeen | undefined {
  if (incarnation === null) return undefined;
  const { sessionId, paneId } = incarnation;
  return scene.sessions.find((s) => s.sessionId === sessionId && s.panes.some((pane) => pane.paneId === paneId));
}

/** A session that the town knows. */
function viewOf(record: SessionRecord, scene: Scene, processes: Pick<Processes, 'alive'>): SessionView {
  const alive = isAlive(record, processes);
  const { spec, incarnation } = record;
  const home = alive === true ? whereIs(record, scene) : undefined;
  const remains = remainsNow(record, processes);
  const renamed = home === undefined || home.name === spec.name ? '' : `its session is called ${home.name} in tmux`;
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
    survivors: remains.flatMap(({ survivors }) => survivors.map(({ pid, program }) => `${pid} ${program}`)),
    note: [
      record.note,
      remains.length === 0 ? '' : `still running: ${survivorsText(remains)}`,
      renamed,
      disagreement(record, alive),
      isLost(record, alive, scene) ? `its process lives, but its pane ${incarnation?.paneId ?? ''} is not in tmux` : '',
    ]
      .filter((text) => text !== '' && text !== record.state)
      .join('; '),
  };
}

function foreign({ name, panes }: SessionSeen): SessionView {
  return {
    name,
    state: 'foreign',
    alive: null,
    pid: panes[0]?.pid ?? null,
    uuid: null,
    tags: [],
    restart: null,
    restarts: 0,
    command: [],
    dir: null,
    in_tmux: true,
    started_at: null,
    survivors: [],
    note: 'not ours, never touched',
  };
}

/** Every session the town knows and every one that tmux shows. */
export function sessionViews(
  records: readonly SessionRecord[],
  scene: Scene,
  processes: Pick<Processes, 'alive'>,
): SessionView[] {
  const inTmux = new Set(scene.sessions.map(({ name }) => name));
  // Of a start that never got through a record is left: who is in its name now is somebody else.
  const known = records.filter((r) => !(r.incarnation === null && r.state === 'ended' && inTmux.has(r.spec.name)));
  const ours = new Set(known.map(({ spec }) => spec.name));
  const homes = new Set(
    records
      .filter((record) => isAlive(record, processes) === true)
      .map((record) => whereIs(record, scene)?.sessionId)
      .filter((id) => id !== undefined),
  );
  return [
    ...known.map((record) => viewOf(record, scene, processes)),
    ...scene.sessions.filter(({ name, sessionId }) => !ours.has(name) && !homes.has(sessionId)).map(foreign),
  ];
}
