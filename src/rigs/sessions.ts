/** The sessions of polecats belong to the running town: every act on a rig asks it for starts, ends and looks. */
import { sessionOf } from '../../machines/rigs/names.ts';
import type { Reply, Request } from '../../machines/protocol.ts';
import type { Overview } from '../overview/overview.ts';
import type { SessionView } from '../overview/sessions.ts';
import { answerIn } from '../terminal/failure.ts';
import { baseTag } from '../sessions/agent-marks.ts';
import type { Sessions } from './yard.ts';

/** How a session stands whose process is gone while its record says that it runs, and that is never started again. */
type Unrecorded = 'ended' | 'unknown';

/** How a town is asked. */
export interface TownClient {
  /** Rejects where no town runs. */
  ask(request: Request): Promise<Reply>;
  /** null = no town runs. */
  askIfUp(request: Request): Promise<Reply | null>;
  overview(): Promise<Pick<Overview, 'sessions' | 'tmux_fault'>>;
  /**
   * For patrols. `unknown` where the town runs, which records each end by its next scan: one look at a process is not
   * enough to take its work away.
   */
  readonly unrecorded: Unrecorded;
}

export type Standing = Awaited<ReturnType<Sessions['standing']>>;

/** As the tables of a witness see it. */
export const SESSION = { lives: 'alive', none: 'dead', ended: 'dead', unknown: 'unknown' } as const;

export const sessionsBehind = (client: TownClient): Sessions => ({
  start: async (record, dir) => {
    const { rig, command, main } = record;
    const name = sessionOf(record);
    const tags = ['polecat', `rig:${rig}`, ...(main === null ? [] : [baseTag(main.branch)])];
    const how = { tags, restart: 'temporary', process: null } as const;
    answerIn(await client.ask({ verb: 'startSession', spec: { name, command, dir, ...how } }));
  },
  standing: async (name) => standingsIn(await client.overview())(name),
  forget: async (name) => {
    // One that stays passes no conversation on to the next of the name: its prompt is another one (M-11).
    await client.askIfUp({ verb: 'removeSession', name });
  },
});

/** How all sessions are, by name, in one look. */
export function standingsIn(
  { sessions, tmux_fault: fault }: Pick<Overview, 'sessions' | 'tmux_fault'>,
  unrecorded: Unrecorded = 'ended',
): (name: string) => Standing {
  const views = new Map(sessions?.map((one) => [one.name, one]));
  const unseen = fault === null && sessions !== null ? 'none' : 'unknown';
  return (name) => {
    const view = views.get(name);
    return view === undefined ? unseen : standingOf(view, unrecorded);
  };
}

function standingOf({ state, alive, restart }: SessionView, unrecorded: Unrecorded): Standing {
  if (state === 'foreign') return 'lives';
  if (alive === true) return 'lives';
  if (state === 'ended') return 'ended';
  if (alive === null) return 'unknown';
  if (restart !== 'temporary') return 'lives';
  if (state === 'running') return unrecorded;
  // It waits for its account, or for its turn after the death of tmux: it neither works nor is dead.
  return state === 'backing_off' ? 'unknown' : 'lives';
}
