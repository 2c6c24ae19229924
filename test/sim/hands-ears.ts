/**
 * The hands that hear how agents are, in the simulated world: the shipped ones of the monitor, of the stall watch and of work that is
 * sent, over sources that say what a scene makes them say.
 */
import type { Account, Incarnation, SeenSession, Standing } from '../../machines/protocol.ts';
import type { Notes } from '../../machines/protocol/watchdog.ts';
import { verdictOf } from '../../machines/sessions/agent-state.ts';
import { pollHand } from '../../src/monitor/hands.ts';
import { remindHand } from '../../src/monitor/remind.ts';
import { agentsNow } from '../../src/overview/agents-now.ts';
import { Standings } from '../../src/overview/standing.ts';
import { WorkSeen } from '../../src/overview/work-seen.ts';
import type { Wrote } from '../../src/overview/standstill.ts';
import type { Hands } from '../../src/ports/ports.ts';
import { HANDS } from '../../src/ports/policy.ts';
import type { EvidenceAsked } from '../../src/tickle/evidence.ts';
import type { Heard } from '../../src/sources/port.ts';
import { lookAtAgents } from '../../src/tickle/look.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { Reports } from '../../state/monitor/reports.ts';
import { noteRead } from '../../state/watchdog/records.ts';
import type { Life } from './agent-plans.ts';
import type { Ears } from './ears.ts';
import { ACCOUNT } from './hands-sessions.ts';
import type { Plant } from './plants.ts';
import type { TownProcess } from './town.ts';

const SECOND = 1_000;
/** The waits of the hands, scaled. */
const POLICY = {
  ...HANDS,
  asksAfterMs: 4 * SECOND,
  loggedOutAfterMs: 2 * SECOND,
  worksLongAfterMs: 30 * SECOND,
  personWithinMs: 10 * SECOND,
};

/** The planted fault that loses a note. */
const FORGETS: { readonly [K in keyof Notes]?: Plant } = {
  sends: 'forgets its sends',
  tickle: 'forgets its pages',
  monitor: 'forgets its letters',
};

export function earsHandsOf(town: TownProcess, world: Ears, common: Hands): Partial<Hands> {
  const { disk, quarantine, clock, store, plant } = town;
  const { agents, minds } = world;
  const notes = { disk, quarantine };
  const policy = world.monitor;
  const lifeOf = (uuid: string): Life | undefined => {
    const life = agents.lives.get(uuid);
    return life?.alive === true && !agents.isHindered(life.session, 'hidden') ? life : undefined;
  };
  const hear = (lives: readonly Pick<Incarnation, 'uuid'>[]): Map<string, Heard> =>
    new Map(
      lives.flatMap(({ uuid }) => {
        const life = lifeOf(uuid);
        if (life === undefined || plant === 'hears no program' || minds.sourcesOf(life).program === 'missing')
          return [];
        const conversation = world.conversations.get(uuid) ?? null;
        return [
          [uuid, { word: minds.wordOf(life, 'program'), conversation, progress: `${minds.stepsOf(life)}` }] as const,
        ];
      }),
    );
  const sources = { of: (lives: readonly Incarnation[]) => Promise.resolve(hear(lives)) };
  const seen = (uuid: string) => {
    const life = lifeOf(uuid);
    if (life === undefined) return undefined;
    const lines = [`step ${minds.stepsOf(life)}`];
    const wrote: Wrote = { lines, place: null, news: minds.stepsOf(life), error: null };
    return {
      word: minds.wordOf(life, 'screen'),
      unheard: null,
      resets: null,
      isCut: minds.isCut(life) ? true : undefined,
      wrote,
    } as const;
  };
  let heard: ReadonlyMap<string, Heard> = new Map();
  const standings = new Standings({
    asking: {
      get heard() {
        return heard;
      },
      seen,
    },
    accounts: {
      of: (uuid): Account | undefined => (agents.lives.get(uuid)?.session.plan.shares === true ? ACCOUNT : undefined),
      credentialOf: () => agents.credential,
    },
    clock,
    policy: POLICY,
  });
  /** The words of a program name minutes, and limits last for seconds here. */
  const withEnd = (uuid: string, standing: Standing | undefined): Standing | undefined => {
    const life = agents.lives.get(uuid);
    const end = standing?.state !== 'limited' || life === undefined ? null : world.limitEndOf(life);
    if (standing?.state !== 'limited' || end === null) return standing;
    const resetsAt = world.wall - world.time.now + end;
    return plant === 'mistakes the end of a limit'
      ? { ...standing, resets: 'soon', resetsAt: (standing.since ?? 0) + 1 }
      : { ...standing, resets: `at ${resetsAt}`, resetsAt };
  };
  const asksSince = new Map<string, number>();
  /** A dialog counts once it has stood for a while. */
  const asksOf = (uuid: string): string | null => {
    const words = [heard.get(uuid)?.word ?? null, seen(uuid)?.word ?? null].filter((word) => word !== null);
    const { state } = verdictOf(words);
    if (state !== 'asks') asksSince.delete(uuid);
    if (plant === 'sees no dialog') return null;
    if (state !== 'asks') return state === 'unknown' ? '' : null;
    const since = asksSince.get(uuid) ?? clock.now();
    asksSince.set(uuid, since);
    return clock.now() - since >= POLICY.asksAfterMs ? 'Proceed?' : '';
  };
  const reports = new Reports(notes);
  const work = new WorkSeen();
  const pollWorkers = pollHand({
    policy,
    sessions: () => store.readSessions(),
    agents: (lives) => agentsNow({ sources, seen, reported: null }, lives),
    look: (lives) => {
      const words = hear(lives);
      const wordOf = (uuid: string) => words.get(uuid)?.word ?? seen(uuid)?.word ?? null;
      work.note(new Map(lives.map(({ uuid }) => [uuid, wordOf(uuid)] as const)), clock.wall());
      return Promise.resolve();
    },
    workedSince: (uuid) => work.of(uuid).workedSince,
    questionOf: (uuid) => {
      const { state, since, detail } = heard.get(uuid)?.word ?? seen(uuid)?.word ?? {};
      return state === 'asks' ? String(since ?? detail) : undefined;
    },
    wrote: (uuid) => seen(uuid)?.wrote ?? null,
    linesOf: () => Promise.resolve(new Map()),
    reports: (sessions) => reports.of(sessions),
    mailbox: new Mailbox(town, `tag/${policy.orchestratorTag}`),
  });
  const looking = {
    sources,
    seen,
    reported: { of: (sessions: readonly string[]) => reports.of(sessions), workOf: work.of, wall: () => clock.wall() },
    workedAt: (uuid: string) => work.lastAt(uuid),
    steppedAt: (uuid: string) => work.steppedAt(uuid),
    clock,
    policy: POLICY,
    tmux: {
      query: () =>
        agents.isHidden ? Promise.reject(new Error('tmux is silent')) : Promise.resolve([...world.clients]),
    },
    sessions: () => store.readSessions(),
    evidence: ({ agents: asked }: EvidenceAsked) => Promise.resolve(asked.map(([name]) => world.signOf(name))),
    deacon: null,
  };
  return {
    pollWorkers,
    look: async (order, signal) => {
      const outcome = await common.look(order, signal);
      const life = lifeOf(order.target.uuid);
      if (order.mustRest !== true || outcome.type !== 'LOOKED' || life === undefined) return outcome;
      return minds.isAtRest(life) ? { ...outcome, observation: { kind: 'resting' } } : outcome;
    },
    scan: async (order, signal) => {
      const outcome = await common.scan(order, signal);
      if (outcome.type !== 'SESSIONS_SEEN') return outcome;
      heard = hear(order.known);
      const all = outcome.seen.map((one): SeenSession => {
        const { standing: _, ...rest } = one;
        if (one.life !== 'alive') return rest;
        const standing = withEnd(one.uuid, standings.of(one.uuid));
        const conversation = heard.get(one.uuid)?.conversation ?? undefined;
        const life = order.outdated?.includes(one.uuid) === true ? lifeOf(one.uuid) : undefined;
        const isFree = life !== undefined && minds.isAtRest(life);
        return {
          ...rest,
          asks: asksOf(one.uuid),
          ...(conversation !== undefined && { conversation }),
          ...(standing !== undefined && { standing }),
          ...(isFree && { isFree }),
        };
      });
      return { ...outcome, seen: all };
    },
    startSession: async (order, signal) => {
      const outcome = await common.startSession(order, signal);
      if (outcome.type !== 'SESSION_STARTED') return outcome;
      const resume = plant === 'begins anew' ? undefined : order.resume?.id;
      return { ...outcome, conversation: world.speaks(outcome.incarnation, resume) };
    },
    lookAtMail: () => town.quick(() => ({ type: 'MAIL_SEEN', letters: [] })),
    readNote: async ({ note }) =>
      plant === FORGETS[note] ? { type: 'NOTE_READ', note, value: null } : noteRead(notes, note),
    seeTurn: () => Promise.resolve({ type: 'TURN_SEEN', hasBegun: false }),
    remind: remindHand({
      session: (name) => store.session(name),
      nudge: common.nudge,
      held: () => Promise.resolve(null),
      log: () => undefined,
    }),
    readEvidence: (order) => lookAtAgents(looking, order),
    ringBell: ({ session }) =>
      town.quick(() => {
        const life = session === null ? undefined : agents.living(session);
        if (life !== undefined) world.ring(life);
        return { type: 'BELL_RUNG', error: life === undefined ? 'it has no session' : null };
      }),
    sayOnIrc: ({ nick, id: { turn = 0 } }) =>
      town.quick(() => {
        const life = agents.living(nick);
        const isIn = life !== undefined && turn % 4 !== 0;
        if (isIn) world.hails(life);
        // Of some lines it is not known whether they stand there.
        const error = !isIn ? 'it is not in the channel' : turn % 4 === 1 ? 'no answer came' : null;
        return { type: 'SAID_ON_IRC', error, isUnsure: isIn && error !== null };
      }),
    noteEvidence: ({ entries }) => town.quick(() => ({ type: 'EVIDENCE_NOTED', ids: entries.map(({ id }) => id) })),
    readRigs: () => Promise.resolve({ type: 'RIGS_READ', rigs: [], hasLedger: false }),
  };
}
