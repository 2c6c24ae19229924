/**
 * The hands of the watchdog chain in the simulated world: those that read and write files are the shipped ones, the others show and do
 * what the world around them is like.
 */
import { isRetired } from '../../machines/sessions/state.ts';
import type { PaneMood } from '../../machines/protocol/watchdog.ts';
import type { Hands, Perform } from '../../src/ports/ports.ts';
import { watchdogHands } from '../../src/watchdog/hands.ts';
import type { Found } from '../../src/watchdog/find.ts';
import { observeDeacon } from '../../src/watchdog/observe.ts';
import { whilePaused } from '../../src/watchdog/paused.ts';
import { Ages } from '../../src/watchdog/staleness.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import { readNote, readPause } from '../../state/watchdog/records.ts';
import { keyOf } from './agent-plans.ts';
import type { TownProcess } from './town.ts';

const SECOND = 1_000;

export interface Watched {
  /** The Deacon's session. */
  readonly deacon: string;
  /** Names the actor's life. */
  readonly actor: string;
  /** What the Deacon's pane shows. */
  readonly mood: () => PaneMood;
  /** So long an order waits for its turn: each drawn anew, or all alike, so that their outcomes make one step. */
  readonly turnMs: () => number;
}

/** What a planted fault does instead. */
function plantedIn(town: TownProcess, { announce }: Pick<Hands, 'announce'>): Partial<Hands> {
  switch (town.plant) {
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
          const isEnd = news.type === 'END_WANTED';
          return announce(isEnd ? { ...order, news: { ...news, then: 'restart' } } : order, signal);
        },
      };
    default:
      return {};
  }
}

export function watchdogHandsOf(
  town: TownProcess,
  { deacon, actor, mood, turnMs }: Watched,
  common: Hands,
): Partial<Hands> {
  const { clock, disk, quarantine, store, plant, world } = town;
  const { agents } = world;
  const notes = { disk, quarantine };
  const mailbox = new Mailbox(town, 'deacon');
  const isPaused = async (): Promise<boolean> => plant !== 'sees no pause' && (await readPause(notes)) !== null;
  const processes = { alive: (proc: Parameters<typeof keyOf>[0]) => agents.hasProcess(keyOf(proc)) };
  const find = (name: string): Promise<Found> => {
    const one = agents.newest(name);
    const incarnation = one?.alive === true ? one.incarnation : null;
    const life = agents.isHidden ? 'unknown' : incarnation !== null ? 'alive' : one === undefined ? 'absent' : 'dead';
    return Promise.resolve({ name, life, uuid: one?.uuid ?? null, incarnation });
  };
  const startedAt = clock.now();
  const observe = observeDeacon({
    processes,
    find,
    ages: new Ages(clock),
    session: (name) => store.session(name),
    mood: () => Promise.resolve({ pane: agents.isHidden ? 'unreadable' : mood(), what: 'simulated' }),
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
  const files: Partial<Hands> = {
    ...shipped,
    fileWarrant: common.fileWarrant,
    ...plantedIn(town, shipped),
    observeDeacon: async (order, signal) => {
      const outcome = await observe(order, signal);
      if (outcome.type === 'DEACON_OBSERVED' && order.id.issuer === 'boot')
        world.tell({ what: 'observed', round: order.id.round ?? 0, isHeard: outcome.seen.isHeard });
      return outcome;
    },
    discover: async ({ names }) => {
      const found = await Promise.all(
        names.map(async (name) => {
          const [{ life, uuid }, record] = await Promise.all([find(name), store.session(name)]);
          return { name, life, uuid, retired: record !== null && isRetired(record) };
        }),
      );
      return { type: 'DISCOVERED', found, paused: (await readPause(notes)) !== null };
    },
  };
  const inTurn =
    (hand: Perform): Perform =>
    async (order, signal) => {
      await town.pause(turnMs());
      return town.quick(() => hand(order, signal));
    };
  return {
    ...Object.fromEntries(Object.entries(files).map(([type, hand]) => [type, inTurn(hand as Perform)])),
    ...whilePaused({ deacon, isPaused }, { ask: common.ask, look: common.look }),
  };
}
