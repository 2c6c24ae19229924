/** Every pane of a tmux server, as the town would judge it: what looks like an agent, its state, what would be done. Looks only. */
import { see, type Scene } from './scene.ts';
import { aroundNow, studiesOf, type Found, type Study, type StudyDeps } from './study.ts';
import type { Managed, PaneState, Would } from './would.ts';

export interface AgentSeen {
  readonly session: string;
  readonly pane: string;
  /** The title its program gave it; foreign text. */
  readonly title: string;
  /** claude, codex …; for a life of ours whose program is none of these its name; null = nothing looks like an agent. */
  readonly agent: string | null;
  /** What showed it: the town's record, the process tree, or the title; null = nothing. */
  readonly by: Found['by'];
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

export interface AgentsScene extends Pick<Scene, 'socketPath' | 'fault'> {
  /** One for each pane of each session that shows it. Empty when there is a fault. */
  readonly panes: readonly AgentSeen[];
}

/** Rejects when the process table cannot be read at all; what tmux cannot tell is a `fault`. */
export async function seeAgents(deps: StudyDeps): Promise<AgentsScene> {
  const { socketPath, sessions, fault } = await see(deps.tmux);
  if (fault !== null) return { socketPath, panes: [], fault };
  const around = await aroundNow(deps);
  const all = sessions.flatMap((session) => session.panes.map((pane) => ({ session, pane })));
  return { socketPath, panes: (await studiesOf(deps, around, all)).map(seen), fault: null };
}

function seen({
  session,
  pane,
  picture,
  found,
  screen,
  standing,
  ours,
  classic,
  pid,
  command,
  dir,
  would,
}: Study): AgentSeen {
  const { obstacle, leftOver: _, mayType, ...known } = standing;
  return {
    ...{ session, pane: pane.paneId, title: picture.title, by: found.by, ...known, ours, classic, pid, dir, would },
    command: command?.argv ?? [],
    words: screen.row === null || pane.dead ? '' : screen.what,
  };
}
