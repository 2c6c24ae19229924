/**
 * The hands where there is no pane (C-7). A life without one is watched by pid and start time alone; it is never heard
 * and so never executed: its warrants wait, and once tmux is back a person decides. Without a tmux binary a life in a pane is judged by its processes too. New
 * starts use tmux as soon as there is one; what runs without it goes on so.
 */
import type { Exit, Incarnation, OutcomeBody, SeenSession } from '../../../machines/protocol.ts';
import type { Hands, OrderOf, Perform, Processes } from '../../ports/ports.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { isFault } from '../../tmux/errors.ts';
import { isDetached, type DirectStarter } from './start.ts';

type Orders = 'listTree' | 'rescue' | 'signal' | 'clear' | 'scan';
type Paned = Pick<Hands, Orders>;
type Seen = Extract<OutcomeBody, { type: 'SESSIONS_SEEN' }>;

export interface DirectHandsDeps {
  readonly processes: Pick<Processes, 'alive'>;
  readonly starter: Pick<DirectStarter, 'start' | 'exitOf' | 'free' | 'cutOutput'>;
  readonly maybeSignalled: (uuid: string) => Promise<boolean>;
  /** Whether the last thing heard of tmux is that there is none on this machine. */
  readonly isAbsent: () => boolean;
}

/** `paned` for lives with a pane, and an answer of their own for those without. */
export function withDetached(deps: DirectHandsDeps, paned: Paned): Paned {
  const { processes, starter } = deps;
  return {
    listTree: inPane((order, signal) => paned.listTree(order, signal)),
    rescue: inPane((order, signal) => paned.rescue(order, signal)),
    signal: inPane((order, signal) => paned.signal(order, signal)),
    clear: async (order, signal) => {
      const { target } = order;
      if (!isDetached(target)) return paned.clear(order, signal);
      return { type: 'CLEARED', survivors: processes.alive(target.agent) ? [target.agent] : [] };
    },
    scan: async (order, signal) => {
      const [apart, inPanes] = [order.known.filter(isDetached), order.known.filter((life) => !isDetached(life))];
      const seen = await Promise.all(apart.map((life) => judged(deps, life, starter.exitOf(life.uuid))));
      for (const { name, life } of seen) if (life === 'alive') starter.cutOutput(name);
      if (deps.isAbsent())
        return withFree(await withoutTmux(deps, inPanes, seen), await starter.free(order.waits ?? []));
      const outcome = await paned.scan({ ...order, known: inPanes }, signal);
      return outcome.type === 'SESSIONS_SEEN' ? { ...outcome, seen: [...outcome.seen, ...seen] } : outcome;
    },
  };
}

const withFree = (seen: Seen, free: readonly string[]): Seen => (free.length === 0 ? seen : { ...seen, free });

const inPane =
  <Of extends OrderOf<'listTree' | 'rescue' | 'signal'>>(perform: Perform<Of>): Perform<Of> =>
  async (order, signal) => {
    const { session } = order.target;
    if (isDetached(order.target))
      throw new Error(`${session} runs without tmux, so it can be neither asked nor executed; its warrants wait`);
    return perform(order, signal);
  };

async function judged(
  { processes, maybeSignalled }: DirectHandsDeps,
  { session: name, uuid, agent }: Incarnation,
  exit: Exit | null,
): Promise<SeenSession> {
  const found = lifeOf(
    orNull(() => processes.alive(agent)),
    exit,
  );
  return { name, uuid, ...found, maybeSignalled: found.life === 'dead' && (await maybeSignalled(uuid)) };
}

/** `exit` null: its exit is still on the way, and the next scan knows how it ended. */
function lifeOf(lives: boolean | null, exit: Exit | null): Pick<SeenSession, 'life' | 'exit'> {
  if (lives === true) return { life: 'alive', exit: null };
  return lives === null || exit === null ? { life: 'unknown', exit: null } : { life: 'dead', exit };
}

/** The server may live on though its program is gone; if it is proved gone, all that lived in it died in one incident. */
async function withoutTmux(
  deps: DirectHandsDeps,
  inPanes: readonly Incarnation[],
  apart: readonly SeenSession[],
): Promise<Seen> {
  const seen = await Promise.all(inPanes.map((life) => judged(deps, life, { kind: 'unknown' })));
  const server = inPanes.some((life) => orNull(() => deps.processes.alive(life.server)) === false) ? 'gone' : 'none';
  return { type: 'SESSIONS_SEEN', server, seen: [...seen, ...apart] };
}

/** Into a pane where tmux is, else without one. */
export const startEither =
  (
    { processes, starter }: DirectHandsDeps,
    inPane: Perform<OrderOf<'startSession'>>,
  ): Perform<OrderOf<'startSession'>> =>
  async (order, signal) => {
    const { previous } = order;
    const wasApart = previous !== null && isDetached(previous);
    if (wasApart && processes.alive(previous.agent)) return starter.start(order, signal);
    try {
      // A life apart left nothing in tmux to be cleared.
      return await inPane(wasApart ? { ...order, previous: null } : order, signal);
    } catch (error) {
      if (isFault(error, 'absent')) return starter.start(order, signal);
      throw error;
    }
  };
