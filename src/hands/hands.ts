/**
 * The hands of a running town: one performer per order over the real ports, and what goes on beside them.
 * What listens (deaths, changes in tmux, a folder) only hints; findings come from orders.
 */
import { Mailbox } from '../../state/mail.ts';
import { readNote, readPause, type NoteOptions } from '../../state/notes.ts';
import { Nudges } from '../../state/nudges.ts';
import type { Quarantine, Refused } from '../../state/quarantine.ts';
import { saveRescue } from '../../state/rescue.ts';
import type { Store } from '../../state/store.ts';
import { rootSecret, tokenFor } from '../../state/tokens.ts';
import { configuredAgents, deaconSession } from '../config/agents.ts';
import { coveredBy } from '../config/glob.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from '../guard/host.ts';
import { startEither, withDetached, type DirectHandsDeps } from '../direct/hands.ts';
import { DirectStarter, isDetached } from '../direct/start.ts';
import { askHand } from '../hearing/ask.ts';
import { CpuSampler } from '../hearing/cpu.ts';
import { drainOf } from '../hearing/drain.ts';
import { Dialogs } from '../hearing/dialog.ts';
import { withLimits } from '../hearing/limit.ts';
import { lookHand, type LookDeps } from '../hearing/look.ts';
import { Memory } from '../hearing/memory.ts';
import { peopleIn } from '../hearing/people.ts';
import { PaneQueue } from '../hearing/queue.ts';
import { nudgeHand } from '../hearing/nudge.ts';
import type { TypingDeps } from '../hearing/pace.ts';
import type { Announce, Hands } from '../ports.ts';
import { overviewOf, type Overview } from '../overview/overview.ts';
import { see } from '../overview/scene.ts';
import { listTreeHand } from '../proc/listTree.ts';
import { signalHand } from '../proc/signal.ts';
import { listSurvivorsHand } from '../proc/survivors.ts';
import type { KeepPane } from '../rescue/output.ts';
import { createRescuer, rescueHand } from '../rescue/rescue.ts';
import type { Packs } from '../screen/packs.ts';
import { adoptSession } from '../tmux/adopt.ts';
import { standsDead } from '../tmux/aside.ts';
import { clearSession } from '../tmux/clear.ts';
import { findLost } from '../tmux/lost.ts';
import type { SocketHold } from '../tmux/hold.ts';
import { scanSessions } from '../tmux/scan.ts';
import { startSession } from '../tmux/start.ts';
import { actorLife } from '../watchdog/actor.ts';
import { heartbeatOf, watchdogHands } from '../watchdog/hands.ts';
import { whilePaused } from '../watchdog/paused.ts';
import { openDoor, type Door } from './door.ts';
import { compact } from './compact.ts';
import { paneKeeper } from './keep.ts';
import { listen } from './listen.ts';
import { Lost, type LostNeeds } from './lost.ts';
import { configAlarm, diskAlarm, outputAlarm, socketAlarm } from './notices.ts';
import { paneReader } from './panes.ts';
import { tellingOf } from './telling.ts';

export interface HandsNeeds {
  readonly settings: Settings;
  readonly host: Host;
  readonly store: Store;
  readonly quarantine: Quarantine;
  readonly announce: Announce;
  /** On the tmux socket of `settings`. */
  readonly hold: SocketHold;
}

/** The Deacon's address (C-16). */
const DEACON = 'deacon';
/** Its session; null = it is an actor. */
const deaconIn = ({ policy: { watchdog } }: Settings): string | null =>
  watchdog.deacon.mode === 'session' ? watchdog.deacon.session : null;

/** The hands and what an engine asks of them besides orders. */
export interface HandsOf {
  readonly perform: Hands;
  /** Takes the tmux server for this root; why not, as a sentence, when another living town has it. null = ours, or none runs. */
  claim(): Promise<string | null>;
  /** Why the town is degraded by its hands (no tmux); null = it is not. */
  degradedBy(): string | null;
  /** What a person wants to see at a glance, looked up now. */
  overview(): Promise<Overview>;
  /** A file that does not count is told as an episode of its own. */
  alarm(refused: Refused): Promise<void>;
  /** An edge of the disk's trouble; null = it is over. */
  diskAlarm(why: string | null): Promise<void>;
  /** What is wrong with town.toml, at the start of a town that uses the last good one; null = it is right. */
  configAlarm(why: string | null): Promise<void>;
  /** Why the town does not go to the tmux socket that is configured; null = it did. */
  socketAlarm(why: string | null): Promise<void>;
  /** Listens, reminds and tidies until `stop`. */
  attend(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function createHands(needs: HandsNeeds): Promise<HandsOf> {
  const { settings, host, store, announce, hold } = needs;
  const secret = await rootSecret(host.disk, needs.quarantine);
  const door = openDoor(settings, host, announce, hold);
  const hearing = hearingOf(needs, door);
  const dialogs = new Dialogs(hearing);
  const { notices, subjects } = tellingOf(needs, {
    stands: (session) => standsDead(door, session),
    asks: (life) => dialogs.asks(life),
  });
  const { root, hands: policy } = settings;
  const tokens = (uuid: string): string => tokenFor(secret, uuid);
  const direct = directOf(needs, door, tokens);
  const keep = paneKeeper({
    ...{ tmux: door.tmux, disk: host.disk, mostBytes: settings.process.logBytes },
    told: (session, why) => outputAlarm(notices, session, why),
    wall: () => host.clock.wall(),
  });
  const lost = lostOf(needs, door, tokens, (refused, sequel) => subjects.refused(refused, sequel));
  const listening = { root, policy, announce, disk: host.disk, log: (text: string) => host.logger.warn(text) };
  return {
    perform: {
      checkpoint: () => Promise.resolve({ type: 'SAVED' }),
      readRecords: () => store.readRecords(),
      readWarrants: async () => ({ type: 'WARRANTS_READ', warrants: await store.readWarrants() }),
      readSessions: async () => ({
        type: 'SESSIONS_READ',
        ...(await lost.read()),
        serverDeaths: await readNote(notesOf(needs), 'serverDeaths'),
      }),
      tell: notices.tell,
      alert: notices.alert,
      endAlert: notices.endAlert,
      endOthers: notices.endOthers,
      mail: notices.mail,
      reply: host.reply,
      ...whilePaused(
        { deacon: deaconIn(settings), isPaused: async () => (await readPause(notesOf(needs))) !== null },
        hearingHands(needs, door, { hearing, direct, keep, lost }),
      ),
      ...chainHands(needs, door, hearing),
      ...sessionHands(needs, door, { tokens, direct, keep, packs: hearing.packs }),
    },
    claim: door.refusal,
    degradedBy: door.degradedBy,
    overview: () => overviewOf({ disk: host.disk, processes: host.processes, see: () => see(door.tmux) }),
    alarm: (refused) => (lost.keeps(refused) ? Promise.resolve() : subjects.refused(refused)),
    diskAlarm: (why) => diskAlarm(notices, why),
    configAlarm: (why) => configAlarm(notices, why),
    socketAlarm: (why) => socketAlarm(notices, why),
    attend: async (stop) => {
      const listens = listen({ ...listening, stop });
      const holds = hold.attend(host.clock, settings.process.holdEveryMs, stop);
      await Promise.all([notices.remind(stop), subjects.attend(stop), compact(needs, stop), listens, holds]);
    },
    close: () => door.tmux.close(),
  };
}

type HearingOrders = 'ask' | 'nudge' | 'look' | 'listSurvivors' | 'listTree' | 'rescue' | 'signal' | 'clear' | 'scan';

type Hearing = TypingDeps & LookDeps & { readonly cpu: CpuSampler };

/** What all who look at panes and type into them share. */
function hearingOf({ settings, host, store, quarantine }: HandsNeeds, { tmux }: Door): Hearing {
  const { processes, clock, disk } = host;
  const policy = settings.hands;
  const nudges = new Nudges({ disk, quarantine, policy: settings.state });
  return {
    ...{ tmux, processes, clock, policy, nudges },
    isProtected: (name) => coveredBy(name, settings.town.protected) !== null,
    cpu: new CpuSampler(processes, policy),
    memory: new Memory(policy),
    packs: host.packs,
    queue: new PaneQueue(),
    answerFor: async (code, uuid) => (await store.answerFor(code, uuid)) !== null,
    remarks: async (target) => (await nudges.of(target))?.texts ?? [],
    heartbeat: heartbeatOf({ disk, quarantine, mostBytes: settings.state.mostRecordBytes }),
  };
}

const notesOf = ({ settings, host: { disk }, quarantine }: HandsNeeds): NoteOptions => {
  return { disk, quarantine, mostBytes: settings.state.mostRecordBytes };
};

function chainHands(needs: HandsNeeds, { tmux, owner }: Door, hearing: Hearing): ReturnType<typeof watchdogHands> {
  const { host, store, announce } = needs;
  const notes = notesOf(needs);
  const { mostBytes, ...files } = notes;
  return watchdogHands({
    ...{ clock: host.clock, announce, hearing },
    notes,
    find: { tmux, processes: host.processes, root: owner.root },
    actor: actorLife(host.self),
    sessions: () => store.readSessions(),
    session: (name) => store.session(name),
    isHeard: (uuid) => store.hears(uuid),
    mailbox: new Mailbox(files, mostBytes, DEACON),
  });
}

/** What tells of lives without a record. */
function lostOf(
  { settings, host, store }: HandsNeeds,
  { tmux }: Door,
  tokenFor: (uuid: string) => string,
  tell: LostNeeds['tell'],
): Lost {
  const { root } = settings;
  const { processes, disk, logger } = host;
  const deacon = deaconSession(settings);
  return new Lost({
    ...{ disk, tell, sessions: () => store.readSessions() },
    configured: [...configuredAgents(settings), ...(deacon === null ? [] : [deacon])],
    find: (records) => findLost({ tmux, processes, root, tokenFor }, records),
    log: (text, more) => logger.warn(more, text),
  });
}

/** What starts and watches agents where there is no tmux. */
function directOf(needs: HandsNeeds, door: Door, tokenFor: (uuid: string) => string): DirectHandsDeps {
  const { settings, host, store, announce } = needs;
  const { root, hands, process } = settings;
  const starter = new DirectStarter({
    ...{ root, processes: host.processes, tokenFor, policy: { ...hands, ...process } },
    ended: () => announce({ type: 'POKED', what: 'sessions' }),
  });
  return {
    ...{ starter, processes: host.processes, condemned: (uuid) => store.condemned(uuid) },
    isAbsent: door.isAbsent,
  };
}

/** What a hearing needs, and the scan, which measures what a hearing compares with. */
function hearingHands(
  { settings, host, store }: HandsNeeds,
  door: Door,
  { hearing, direct, keep, lost }: { hearing: Hearing; direct: DirectHandsDeps; keep: KeepPane; lost: Lost },
): Pick<Hands, HearingOrders> {
  const { processes, clock, disk, logger } = host;
  const { tmux, owner } = door;
  const policy = settings.hands;
  const panes = paneReader(tmux);
  const personIn = peopleIn(tmux, clock, policy);
  const rescuer = createRescuer({
    policy,
    cwdOf: (agent) => processes.cwdOf(agent),
    dirOf: async (target) => (await store.session(target.session))?.spec.dir ?? null,
    saveRescue: async (folder, files) => {
      const named = Object.entries(files).map(([name, content]) => ({ name, content }));
      await saveRescue(disk, folder.replace(/^rescue\//, ''), named);
    },
  });
  const scan = withLimits(
    { tmux, packs: hearing.packs, lastWordsOf: (uuid) => store.endOf(uuid)?.lastWords ?? null },
    scanSessions({
      ...{ tmux, processes, condemned: (uuid) => store.condemned(uuid) },
      exitOf: (uuid) => store.endOf(uuid)?.exit ?? null,
    }),
  );
  const { ttyOf, scrollback } = panes;
  return {
    ask: askHand(hearing),
    nudge: nudgeHand(hearing),
    look: lookHand(hearing),
    listSurvivors: listSurvivorsHand({ processes, kinOf: (uuid) => hearing.cpu.kinOf(uuid) }),
    ...withDetached(direct, {
      listTree: listTreeHand({ processes, ttyOf }),
      rescue: rescueHand({ rescuer, scrollback }),
      signal: signalHand({
        processes,
        clock,
        ttyOf,
        mayKill: door.mayKill,
        drain: drainOf({
          ...{ processes, clock, policy, terminalOf: panes.terminalOf },
          log: { info: (text) => logger.info(text), warn: (text) => logger.warn(text) },
        }),
        policy: { ...settings.policy.dance, ...policy },
      }),
      clear: clearSession({ tmux, processes, owner, keep, personIn }),
      scan: async (order, signal) => {
        void hearing.cpu.sample(order.known, clock.now());
        const outcome = await scan(order, signal);
        return order.seek === true && outcome.type === 'SESSIONS_SEEN'
          ? { ...outcome, ...(await lost.seek()) }
          : outcome;
      },
    }),
  };
}

type SessionOrders = 'startSession' | 'adoptSession' | 'connect';

function sessionHands(
  { settings, host }: HandsNeeds,
  door: Door,
  {
    tokens,
    direct,
    keep,
    packs,
  }: {
    tokens: (uuid: string) => string;
    direct: DirectHandsDeps;
    keep: KeepPane;
    packs: Packs;
  },
): Pick<Hands, SessionOrders> {
  const { processes, logger } = host;
  const { tmux, owner, claim } = door;
  const { hands: policy } = settings;
  const personIn = peopleIn(tmux, host.clock, policy);
  const inPane = startSession({ tmux, processes, owner, claim, keep, personIn, tokenFor: tokens, policy });
  const start = startEither(direct, inPane);
  return {
    startSession: async (order, signal) => {
      const outcome = await start(order, signal);
      // The start may have been the server's own: do not wait for the connection's next try.
      const isInPane = outcome.type === 'SESSION_STARTED' && !isDetached(outcome.incarnation);
      if (isInPane && !tmux.connected)
        await door.connect().catch((error: unknown) => logger.warn({ err: error }, 'no control client yet'));
      return outcome;
    },
    adoptSession: adoptSession({ tmux, processes, packs, owner, claim, tokenFor: tokens }),
    connect: async ({ what }) => {
      await door.connect();
      return { type: 'CONNECTED', what };
    },
  };
}
