/** The simulated hands of sessions: scanning and starting, as the shipped ones find and refuse things. */
import type {
  Account,
  DeadLogin,
  Incarnation,
  OutcomeBody,
  SeenSession,
  SessionRecord,
} from '../../machines/protocol.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { paths } from '../../state/files/layout.ts';
import { never } from '../world/never.ts';
import { running } from '../world/records.ts';
import type { TownProcess } from './town.ts';
import type { TownWorld } from './town-world.ts';
import type { Agents } from './agents.ts';
import { keyOf, type Life, type Session } from './agent-plans.ts';

/** What tmux shows of the sessions on record. */
export async function scan(town: TownProcess, { known, waits = [] }: OrderOf<'scan'>): Promise<OutcomeBody> {
  const { agents, chance } = town.world;
  await town.pause(1 + chance.upTo(30));
  if (town.burn()) return never();
  const seen = known.map(async (incarnation): Promise<SeenSession> => {
    const life = agents.lives.get(incarnation.uuid);
    const truth = life ? agents.truthOf(life, null) : 'absent';
    const found = { hidden: 'unknown', replaced: 'replaced', absent: 'absent', dead: 'dead' } as const;
    const seen = town.plant === 'takes the living for dead' && life?.alive === true ? 'dead' : truth;
    const observation = found[seen as keyof typeof found] as SeenSession['life'] | undefined;
    return {
      name: incarnation.session,
      uuid: incarnation.uuid,
      life: observation ?? 'alive',
      exit: life?.pane === true ? life.exit : ((await town.store.lives.endOf(incarnation.uuid))?.exit ?? null),
      maybeSignalled: await town.store.lives.maybeSignalled(incarnation.uuid),
      spared: town.store.lives.sparedBy(incarnation.uuid) ?? undefined,
      ...(life?.alive === true && accountIn(agents, life)),
    };
  });
  const free = waits.filter(({ spec, dead }) => !isHeld(agents, spec.name, dead)).map(({ spec }) => spec.name);
  const server = agents.isHidden ? 'unknown' : 'up';
  return { type: 'SESSIONS_SEEN', server, seen: await Promise.all(seen), free };
}

export const ACCOUNT: Account = { id: 'claude-shared', label: '~/.claude', file: '/home/.credentials.json' };

function accountIn(agents: Agents, life: Life): Pick<SeenSession, 'account' | 'standing'> {
  if (!life.session.plan.shares) return {};
  const state = agents.isLoggedOut(life) ? 'logged_out' : 'works';
  return { account: ACCOUNT, standing: { state, credential: agents.credential } };
}

/** A dead login keeps it from being started, as the shipped hands find it. */
const isHeld = (agents: Agents, session: string, dead: readonly DeadLogin[] = []): boolean =>
  agents.sessions.get(session)?.plan.shares === true &&
  dead.some(
    ({ account, credential, isTried }) => account.id === ACCOUNT.id && (isTried || credential === agents.credential),
  );

/** A power cut now would leave a record that says so. */
function isWarned({ world: { agents, disk } }: TownProcess, session: string): boolean {
  if (agents.sessions.get(session)?.plan.shares !== true) return false;
  return [...agents.sessions].some(([name, { plan }]) => {
    // What another account's session shows says nothing of this one's login.
    if (!plan.shares) return false;
    const { state, bar } = JSON.parse(disk.durableText(paths.session(name)) ?? '{}') as Partial<SessionRecord>;
    return state !== 'ended' && bar?.by === 'logged_out' && bar.outdated === undefined;
  });
}

/** Starts a life, unless the name is taken or the last one lives on. */
export async function start(
  town: TownProcess,
  { spec, uuid, previous, dead, byHand }: OrderOf<'startSession'>,
  signal: AbortSignal,
): Promise<OutcomeBody> {
  const { world } = town;
  const { agents } = world;
  const warned = byHand !== true && !town.isSuperseded && isWarned(town, spec.name);
  const session = agents.sessions.get(spec.name);
  if (!session) return { type: 'SESSION_NOT_STARTED', why: 'no such session', taken: false };
  const note = (ended: boolean) =>
    world.tell({ what: 'startAsked', town: town.number, session: spec.name, life: uuid, ended, isWarned: warned });
  note(false);
  try {
    const blind = town.plant === 'starts beside the living';
    return await town.act(session.plan, signal, () => {
      if (town.plant !== 'starts into a dead login' && !isThere(session, uuid) && isHeld(agents, spec.name, dead))
        return {
          type: 'SESSION_NOT_STARTED',
          why: 'account ~/.claude is logged out',
          taken: false,
          held: ACCOUNT,
          waits: true,
        };
      return begin(world, session, { uuid, previous }, blind);
    });
  } finally {
    if (!town.isDead) note(true);
  }
}

const isThere = (session: Session, uuid: string): boolean => session.lives.some((life) => life.uuid === uuid);

function begin(
  world: TownWorld,
  session: Session,
  { uuid, previous }: { uuid: string; previous: Incarnation | null },
  blind: boolean,
): OutcomeBody {
  const { agents } = world;
  if (agents.isHindered(session, 'hidden')) throw new Error('tmux is silent');
  const same = session.lives.find((life) => life.uuid === uuid);
  const last = session.lives.find((life) => life.uuid === previous?.uuid);
  const livesOn = last?.procs.has(keyOf(last.incarnation.agent)) === true;
  const { current } = session;
  if (same === undefined && current?.alive === true)
    world.tell({ what: 'startedBeside', session: session.plan.name, life: uuid, lives: current.uuid });
  if (!same && (current?.alive === true || livesOn) && !blind)
    return { type: 'SESSION_NOT_STARTED', why: 'another agent is in it', taken: true } as const;
  const { incarnation } = same ?? agents.bear(session, uuid, 'town');
  return { type: 'SESSION_STARTED', incarnation, tokenHash: 'hash' } as const;
}

/** The record of a session as an earlier town would have left it. */
export const recordOf = ({ incarnation, session: { plan } }: Life): SessionRecord => {
  const state = incarnation.origin === 'adopted' ? 'observed' : 'running';
  return running(incarnation, { restart: plan.restart }, { state, tokenHash: 'hash', note: 'running' });
};

/** The tmux server of the simulation never ends, so that each clean end is outlived by it. */
export const sessionsRead = (sessions: readonly SessionRecord[]) =>
  ({
    type: 'SESSIONS_READ',
    sessions,
    outlived: sessions.flatMap(({ endUnconfirmed, incarnation }) =>
      endUnconfirmed === true && incarnation !== null ? [incarnation.uuid] : [],
    ),
  }) as const;
