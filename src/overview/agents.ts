/** Every pane of a tmux server, as the town would judge it: what looks like an agent, its state, what would be done. Looks only. */
import { conversationView, screenView, type ConversationView, type ScreenView } from './agent-view.ts';
import { isSameProc } from '../../machines/protocol.ts';
import { backgroundAgents, type BackgroundAgent } from '../sources/claude-background.ts';
import { agentsElsewhere, type Elsewhere } from './elsewhere.ts';
import { see, type Scene } from './scene.ts';
import { aroundNow, studiesOf, type Found, type Study, type StudyDeps } from './study.ts';
import type { Standing } from './would.ts';

export interface AgentSeen
  extends
    Pick<Study, 'session' | 'pid' | 'dir' | 'classic' | 'ours' | 'would'>,
    Pick<Standing, 'agent' | 'state' | 'managed' | 'protected' | 'person'>,
    Pick<Found, 'by'> {
  readonly pane: string;
  /** The title its program gave it; foreign text. */
  readonly title: string;
  readonly command: readonly string[];
  /** How it is by its program and its screen together; null = nothing looks like an agent, or it has ended. */
  readonly screen: ScreenView | null;
  /** The conversation that its program names; null = it names none. */
  readonly conversation: ConversationView | null;
  /** The words on the screen that tell the state; foreign text. */
  readonly words: string;
}

export interface AgentsScene extends Pick<Scene, 'socketPath' | 'fault'> {
  /** One for each pane of each session that shows it. Empty when there is a fault. */
  readonly panes: readonly AgentSeen[];
  /** Other tmux servers with agents. */
  readonly elsewhere: readonly Elsewhere[];
  /** Those that their own program runs without a pane, and that are no session of this town. */
  readonly background: readonly BackgroundAgent[];
}

/** Rejects when the process table cannot be read at all; what tmux cannot tell is a `fault`. */
export async function seeAgents(deps: StudyDeps): Promise<AgentsScene> {
  const { socketPath, sessions, fault } = await see(deps.tmux);
  if (fault !== null) return { socketPath, panes: [], elsewhere: [], background: [], fault };
  const around = await aroundNow(deps);
  const elsewhere = agentsElsewhere({ ...deps, ...around }, socketPath);
  const known = deps.records.flatMap(({ incarnation }) => incarnation?.agent ?? []);
  const background = (await backgroundAgents({ ...deps, ...around })).filter(
    ({ proc }) => !known.some((one) => isSameProc(one, proc)),
  );
  const all = sessions.flatMap((session) => session.panes.map((pane) => ({ session, pane })));
  return { socketPath, panes: (await studiesOf(deps, around, all)).map(seen), elsewhere, background, fault: null };
}

function seen({ pane, picture, found, screen, standing, command, ...study }: Study): AgentSeen {
  const { session, ours, classic, pid, dir, would, heard, verdict } = study;
  const { obstacle, leftOver: _, mayType, ...known } = standing;
  return {
    session,
    pane: pane.paneId,
    title: picture.title,
    by: found.by,
    ...known,
    ours,
    classic,
    pid,
    dir,
    would,
    command: command?.argv ?? [],
    screen: standing.agent === null || standing.state === 'dead' ? null : screenView(verdict),
    conversation: conversationView(heard?.conversation ?? null),
    words: screen.row === null || pane.dead ? '' : screen.what,
  };
}
