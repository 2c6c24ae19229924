/**
 * The hands of a simulated watchdog chain: those of the chain that read and write files are the shipped ones, the others do what
 * the world around it is like.
 */
import { sessionsRead } from './hands-sessions.ts';
import type { Order } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import type { Hands } from '../../src/ports/ports.ts';
import { watchdogHands } from '../../src/watchdog/hands.ts';
import type { Found } from '../../src/watchdog/find.ts';
import { observeDeacon } from '../../src/watchdog/observe.ts';
import { whilePaused } from '../../src/watchdog/paused.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { readNote, readPause } from '../../state/watchdog/records.ts';
import { ASKED, layered, QUIET, seeing } from '../world/hands.ts';
import type { SimTown } from '../world/town.ts';
import type { ChainSim } from './chain.ts';
import { DEACON, type Life } from './chain-world.ts';
import { SIM_STATE } from './policy.ts';

const SECOND = 1_000;
const NUDGE_EVERY_MS = 5 * SECOND;

/** What a planted fault does instead. */
function plantedIn(sim: ChainSim, town: SimTown, { announce }: Pick<Hands, 'announce'>): Partial<Hands> {
  switch (sim.plant) {
    case 'leaves letters':
      return { archiveDeaconMail: () => Promise.resolve({ type: 'MAIL_ARCHIVED' }) };
    case 'ticks twice':
      return {
        announce: async (order, signal) => {
          const outcome = await announce(order, signal);
          if (order.news.type !== 'BOOT_DUE') return outcome;
          await town.pause(2 * SECOND);
          return announce(order, signal);
        },
      };
    case 'forgets who asked for its end':
      return {
        announce: (order, signal) => {
          const { news } = order;
          return announce(
            news.type === 'END_WANTED' ? { ...order, news: { ...news, then: 'restart' } } : order,
            signal,
          );
        },
      };
    default:
      return {};
  }
}

export function chainHandsOf(sim: ChainSim, town: SimTown, actor: string): Hands {
  const { clock, disk, quarantine, store } = town;
  const { world, chance, plant } = sim;
  const notes = { disk, quarantine, maxBytes: SIM_STATE.maxRecordBytes };
  const mailbox = new Mailbox(town, SIM_STATE.maxRecordBytes, 'deacon');
  const lifeOf = ({ uuid }: { readonly uuid: string }): Life | undefined => world.lives.get(uuid);
  const processes = {
    alive: ({ pid }: { readonly pid: number }) =>
      [...world.lives.values()].some((one) => one.isAlive && one.incarnation.agent.pid === pid),
  };
  const find = (name: string): Promise<Found> => {
    const one = world.living(name) ?? world.newest(name);
    const incarnation = one?.isAlive === true ? one.incarnation : null;
    const life = world.isHidden ? 'unknown' : incarnation !== null ? 'alive' : one === undefined ? 'absent' : 'dead';
    return Promise.resolve({ name, life, uuid: one?.incarnation.uuid ?? null, incarnation });
  };
  const startedAt = clock.now();
  const observe = observeDeacon({
    processes,
    find,
    ages: new Ages(clock),
    session: (name) => store.session(name),
    mood: () => Promise.resolve({ pane: world.isHidden ? 'unreadable' : world.mood, what: 'simulated' }),
    heartbeat: () => readNote(notes, 'heartbeat'),
    pause: async () => (plant === 'sees no pause' ? null : readPause(notes)),
    unread: () => mailbox.unread(),
    isHeard: async (uuid) => plant !== 'hears of no hearing' && (await store.lives.hears(uuid)),
    actor: () => ({ uuid: actor, startedMsAgo: clock.now() - startedAt }),
  });
  const shipped = watchdogHands({
    clock,
    notes,
    mailbox,
    actor,
    announce: (news) => town.inbox.announce(news),
    hearing: { processes } as never,
    find: {} as never,
    isHeard: (uuid) => store.lives.hears(uuid),
    sessions: () => store.readSessions(),
    session: (name) => store.session(name),
  });
  const quiet = layered(QUIET);
  const asked: Pick<Hands, 'ask' | 'look'> = {
    ask: ({ id, target, code }) => {
      const life = lifeOf(target);
      if (world.isHidden) return Promise.resolve({ type: 'NOT_ASKED', obstacle: { kind: 'unknown', why: 'silent' } });
      if (life?.isAlive !== true) return Promise.resolve({ type: 'NOT_ASKED', obstacle: { kind: 'gone', left: true } });
      world.tell({ what: 'asked', life: target.uuid, dance: id.dance ?? null });
      if (chance.isHit(life.isHung ? 0.1 : 0.7)) {
        world.hang(life, false);
        sim.time.at(sim.time.now + chance.upTo(3 * SECOND), () => life.said.add(code));
      }
      return Promise.resolve(ASKED);
    },
    look: ({ target, attempts }) => {
      const life = lifeOf(target);
      if (world.isHidden) return Promise.resolve(seeing({ kind: 'unknown', why: 'tmux is silent' }));
      if (life?.isAlive !== true) return Promise.resolve(seeing({ kind: 'gone', left: true }));
      const isAnswered = attempts.some(({ code }) => life.said.has(code));
      if (isAnswered) return Promise.resolve(seeing({ kind: 'answered', by: 'code', quote: 'ALIVE' }));
      return Promise.resolve(seeing(life.isHung ? { kind: 'silent' } : { kind: 'evidence', what: 'new lines' }));
    },
  };
  const { ask, look } = whilePaused(
    { deacon: DEACON, isPaused: async () => plant !== 'sees no pause' && (await readPause(notes)) !== null },
    asked,
  );
  const own: Partial<Hands> = {
    ask,
    look,
    observeDeacon: async (order, signal) => {
      const outcome = await observe(order, signal);
      if (outcome.type === 'DEACON_OBSERVED' && order.id.giver === 'boot')
        world.tell({ what: 'observed', round: order.id.round ?? 0, isHeard: outcome.seen.isHeard });
      return outcome;
    },
    discover: async ({ names }) => {
      const paused = (await readPause(notes)) !== null;
      const found = await Promise.all(
        names.map(async (name) => {
          const [{ life, uuid }, record] = await Promise.all([find(name), store.session(name)]);
          return { name, life, uuid, retired: record !== null && isRetired(record) };
        }),
      );
      return { type: 'DISCOVERED', found, paused };
    },
    nudge: ({ id, target, from }) => {
      const life = lifeOf(target);
      if (world.isHidden) return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'unknown', why: 'silent' } });
      if (life?.isAlive !== true)
        return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'gone', left: true } });
      if (clock.now() - life.typedAt < NUDGE_EVERY_MS)
        return Promise.resolve({ type: 'NOT_NUDGED', obstacle: { kind: 'recent', what: 'just now', waitMs: 1 } });
      life.typedAt = clock.now();
      world.tell({ what: 'typed', life: target.uuid, from, round: id.round ?? 0 });
      if (chance.isHit(0.3)) world.hang(life, false);
      return Promise.resolve({ type: 'NUDGED' });
    },
    startSession: ({ spec: { name }, uuid }) => {
      if (world.isHidden) return Promise.reject(new Error('tmux is silent'));
      const [same, other] = [world.lives.get(uuid), world.living(name)];
      if (same === undefined && other !== undefined) {
        world.tell({ what: 'startedBeside', session: name, life: uuid, lives: other.incarnation.uuid });
        return Promise.resolve({ type: 'SESSION_NOT_STARTED', why: 'somebody is in it', taken: true });
      }
      const { incarnation } = same ?? world.bear(name, uuid);
      return Promise.resolve({ type: 'SESSION_STARTED', incarnation, tokenHash: 'hash' });
    },
    scan: async ({ known }) => {
      const found = known.map(async ({ session: name, uuid }) => {
        const life = world.lives.get(uuid);
        const seen = world.isHidden
          ? 'unknown'
          : life === undefined
            ? 'absent'
            : life.isAlive && plant !== 'takes the living for dead'
              ? 'alive'
              : 'dead';
        const exit = world.isHidden ? null : (life?.exit ?? null);
        const condemned = await store.lives.condemned(uuid);
        return { name, uuid, life: seen, exit, condemned, spared: store.lives.sparedBy(uuid) ?? undefined } as const;
      });
      return {
        type: 'SESSIONS_SEEN',
        server: world.isHidden ? 'unknown' : 'up',
        seen: await Promise.all(found),
      };
    },
    listSurvivors: ({ of }) =>
      Promise.resolve({ type: 'SURVIVORS_LISTED', of: of.map(({ life }) => ({ life, survivors: [] })) }),
    listTree: ({ target }) => Promise.resolve({ type: 'TREE_LISTED', tree: [target.agent] }),
    rescue: ({ dance }) => Promise.resolve({ type: 'RESCUED', rescue: { folder: `rescue/${dance}`, ref: null } }),
    signal: ({ id, target, lookedAt, tree }) => {
      if (clock.now() - lookedAt > sim.policy.dance.lookStaleMs)
        return Promise.resolve({ type: 'NOT_SIGNALLED', why: 'the look is too old' });
      const hearing = world.log.findLast((one) => one.what === 'hearing' && one.dance === id.dance);
      const force = hearing?.what === 'hearing' && hearing.force;
      world.tell({ what: 'signalled', life: target.uuid, lookedAt, force });
      world.end(lifeOf(target), { kind: 'signal', signal: 'TERM' }, 'signal');
      return Promise.resolve({ type: 'SIGNALLED', alive: tree.slice(0, 0), newcomers: [] });
    },
    clear: () => Promise.resolve({ type: 'CLEARED', survivors: [] }),
    readSessions: async () => ({
      ...sessionsRead(await store.readSessions()),
      serverDeaths: await readNote(notes, 'serverDeaths'),
    }),
    readRecords: () => store.readRecords(),
    readWarrants: async () => ({ type: 'WARRANTS_READ', warrants: await store.readWarrants() }),
    ...town.telling,
    ...plantedIn(sim, town, shipped),
  };
  const rest = new Proxy({} as Hands, { get: () => (order: Order) => Promise.resolve(quiet(order, sim.time.now)) });
  return new Proxy({} as Hands, {
    get: (_, type: keyof Hands) => own[type] ?? (shipped as Partial<Hands>)[type] ?? rest[type],
  });
}
