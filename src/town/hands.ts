/**
 * The hands of a running town: one performer per order over the real ports, and what goes on beside them.
 * What listens (deaths, changes in tmux, a folder) only hints; findings come from orders.
 */
import { Mailbox } from '../../state/mail/mailbox.ts';
import { readNote, readPause } from '../../state/watchdog/records.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { outputPath } from '../../state/sessions/output.ts';
import { readEnvironment } from '../../state/sessions/environment.ts';
import { rootSecret, tokenFor } from '../../state/sessions/tokens.ts';
import { rulesOf } from '../socket/permission.ts';
import { type DirectHandsDeps, startEither } from '../sessions/detached/hands.ts';
import { DirectStarter, isDetached } from '../sessions/detached/start.ts';
import { Dialogs } from '../hearings/dialog.ts';
import { takeOutPutBack } from '../hearings/put-back.ts';
import { personAt } from '../hearings/people.ts';
import { Spendings } from '../costs/spendings.ts';
import { spelledAs } from '../config/agents.ts';
import { configuredSessions } from '../monitor/session.ts';
import type { Hands } from '../ports/ports.ts';
import { Asking } from '../overview/asking.ts';
import { isOver } from '../../machines/sessions/report-state.ts';
import { ReportsSeen } from '../overview/reports-seen.ts';
import { Standings } from '../overview/standing.ts';
import { readTyped } from '../overview/records.ts';
import { Reports } from '../../state/monitor/reports.ts';
import type { Packs } from '../screen/packs.ts';
import { Sources } from '../sources/sources.ts';
import { Accounts } from '../sessions/accounts.ts';
import { adoptSession } from '../sessions/adopt.ts';
import { standsDead } from '../sessions/aside.ts';
import { outlivedIn } from '../sessions/outlived.ts';
import { findLost } from '../sessions/find-unrecorded.ts';
import { heldAfterCopy } from '../sessions/obstacle.ts';
import { startSession } from '../sessions/start.ts';
import { actorLife } from '../watchdog/observe.ts';
import { watchdogHands } from '../watchdog/hands.ts';
import { whilePaused } from '../watchdog/paused.ts';
import { createTownTmux, type TownTmux } from '../host/town-tmux.ts';
import { CHANNELS_PROCESS, type ChannelsProcess } from '../channels/child.ts';
import { attendAll } from './attend.ts';
import { glancesOf, type Glances } from './glance.ts';
import { channelsOf } from './channels.ts';
import { openHooks } from './hooks.ts';
import { paneKeeper, type KeepPane } from '../sessions/kept-output.ts';
import { takeAlong } from '../sessions/moved-root.ts';
import { UnrecordedLives, type LostNeeds } from '../sessions/unrecorded.ts';
import { tellingOf } from '../alerts/telling.ts';
import { type HandsNeeds, notesOf } from '../host/hands-needs.ts';
import { watchedPrograms } from './programs.ts';
import { handsOfMonitor } from './monitor-hands.ts';
import type { PageAgent } from '../tickle/hands.ts';
import { threadsOf } from './thread-hands.ts';
import type { AgentSources } from './agent-sources.ts';
import { type PaneTools, handsOfHearings, namedOptions, paneToolsOf } from './hearing-hands.ts';

/** The Deacon's address (C-16). */
const DEACON = 'deacon';

/** The hands and what an engine asks of them besides orders. */
export interface HandsOf extends Glances {
  readonly perform: Hands;
  /** Takes the tmux server for this root; why not, as a sentence, when another living town has it. null = ours, or none runs. */
  claim(): Promise<string | null>;
  /** Why the town is degraded by its hands (no tmux); null = it is not. */
  degradedBy(): string | null;
  /** What became of programs that it uses by their path, in words. */
  changes(): readonly string[];
  /** An invalid file is alerted as an episode of its own. */
  alarm(refused: Refused): Promise<void>;
  /** Listens and tidies until `stop`. */
  attend(stop: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface AllSources extends AgentSources {
  readonly sources: Sources;
}

/**
 * Makes every hand over the real ports, each once: hands share the connection to tmux, the packs and what was typed to each
 * agent. To add a hand, list it under `perform`; the type `Hands` names one that is missing.
 */
export async function createHands(needs: HandsNeeds): Promise<HandsOf> {
  const { settings, host, store, announce, hold } = needs;
  const secret = await rootSecret(host.disk, needs.quarantine);
  const claim = createTownTmux(settings, host, announce, hold);
  const hearing = paneToolsOf(needs, claim);
  const tokens = (uuid: string): string => tokenFor(secret, uuid);
  const hooks = await openHooks(needs, tokens);
  const sources = new Sources({ ...host, packs: hearing.packs, held: hooks.server });
  const agents = agentSourcesOf(needs, claim, { ...hearing, sources });
  const { asking } = agents;
  const observers = { ...hearing, sources, asking, named: namedOptions(settings) };
  const channelHands = await channelsOf(needs, secret, observers, (spoken) => void threads.spoke(spoken));
  const { process: channels, asks: answers } = channelHands;
  const dialogs = new Dialogs(hearing, (uuid) => asking.of(uuid));
  const {
    perform: telling,
    refused,
    attend: ringLate,
  } = tellingOf(needs, {
    stands: (session) => standsDead(claim, session),
    asks: (life) => dialogs.asks(life),
    offers: answers,
  });
  const direct = directOf(needs, claim, tokens);
  const keep = keepOf(needs, claim);
  const lost = lostOf(needs, claim, tokens, refused);
  const log = (text: string): void => host.logger.warn(text);
  const programs = watchedPrograms(needs, claim, log);
  const glances = glancesOf(needs, claim, { ...hearing, ...agents });
  const page: PageAgent = (line) => channels.page(line);
  const threads = threadsOf(needs, { ...agents, ...hearing, refused, page, overview: glances.overview });
  const hearings = whilePaused(
    { deacon: rulesOf(settings).deacon, isPaused: async () => (await readPause(notesOf(needs))) !== null },
    handsOfHearings(needs, claim, { hearing, direct, keep, lost, agents }),
  );
  return {
    perform: {
      checkpoint: () => Promise.resolve({ type: 'SAVED' }),
      readRecords: () => store.readRecords(),
      readWarrants: async () => ({ type: 'WARRANTS_READ', warrants: await store.readWarrants() }),
      readSessions: () => sessionsOf(needs, lost),
      ...telling,
      reply: host.reply,
      ...hearings,
      ...chainHands(needs, claim, hearing),
      ...handsOfMonitor(needs, claim, { asking, sources, nudge: hearings.nudge }),
      ...threads.perform,
      ...sessionHands(needs, claim, { tokens, direct, keep, packs: hearing.packs, channels, hooksFile: hooks.file }),
    },
    claim: claim.refusal,
    degradedBy: () => claim.degradedBy() ?? programs.fault(),
    changes: () => programs.changes(),
    ...glances,
    alarm: (file) => (lost.keeps(file) ? Promise.resolve() : refused(file)),
    attend: (stop) =>
      attendAll(needs, { hold, hooks, programs, ringLate, channels: channelHands, drops: threads.drops }, stop),
    close: () => (hooks.server.close(), channels.close(), threads.close().then(() => claim.close())),
  };
}

const keepOf = ({ settings, host: { disk, clock }, announce }: HandsNeeds, { tmux }: TownTmux): KeepPane =>
  paneKeeper({
    tmux,
    disk,
    maxBytes: settings.process.logBytes,
    told: (session, why) => announce({ type: 'OUTPUT_KEPT', session, file: outputPath(session), why }),
    wall: () => clock.wall(),
  });

/**
 * All ways to learn how an agent is without a hearing: its screen, its program's own interface, its account, its reports, what
 * it spent. The scan of the sessions, the patrols and `town status` read the same ones, so that they agree.
 */
function agentSourcesOf(
  needs: HandsNeeds,
  { tmux }: TownTmux,
  hearing: PaneTools & Pick<AllSources, 'sources'>,
): AllSources {
  const { settings, host } = needs;
  const { clock } = host;
  const { sources, packs } = hearing;
  const typed = () => readTyped(host.disk);
  const asking = new Asking({ ...hearing, tmux, typed, takeOut: takeOutPutBack(hearing) });
  const accounts = new Accounts({ ...host, packs });
  const standings = new Standings({ asking, accounts, clock, policy: settings.hands });
  const reports = new ReportsSeen(new Reports(notesOf(needs)), (one) => isOver(one, asking.work.of(one.uuid)));
  const reported = { of: reports.of, workOf: asking.work.of, wall: () => clock.wall() };
  const spendings = new Spendings(host);
  return { asking, accounts, standings, sources, spendings, reports, reported, policy: settings.hands };
}

async function sessionsOf(needs: HandsNeeds, lost: UnrecordedLives): ReturnType<Hands['readSessions']> {
  const read = await lost.read();
  const serverDeaths = await readNote(notesOf(needs), 'serverDeaths');
  return { type: 'SESSIONS_READ', ...read, outlived: outlivedIn(read.sessions, needs.host.processes), serverDeaths };
}

function chainHands(
  needs: HandsNeeds,
  { tmux, owner }: TownTmux,
  hearing: PaneTools,
): ReturnType<typeof watchdogHands> {
  const { host, store, announce } = needs;
  const notes = notesOf(needs);
  return watchdogHands({
    clock: host.clock,
    announce,
    hearing,
    notes,
    find: { tmux, processes: host.processes, root: owner.root },
    actor: actorLife(host.self),
    sessions: () => store.readSessions(),
    session: (name) => store.session(name),
    isHeard: (uuid) => store.lives.hears(uuid),
    mailbox: new Mailbox(notes, DEACON),
  });
}

/** What tells of lives without a record. */
function lostOf(
  { settings, host, store }: HandsNeeds,
  { tmux }: TownTmux,
  tokenFor: (uuid: string) => string,
  tell: LostNeeds['tell'],
): UnrecordedLives {
  const { root } = settings;
  const { processes, disk, logger } = host;
  const configured = configuredSessions(settings);
  return new UnrecordedLives({
    disk,
    tell,
    sessions: async () => (await store.readSessions()).map(spelledAs(configured)),
    configured,
    find: async (records) => {
      await takeAlong({ tmux, root }, records);
      return findLost({ tmux, processes, root, tokenFor }, records);
    },
    log: (text, more) => logger.warn(more, text),
  });
}

/** What starts and watches agents where there is no tmux. */
function directOf(needs: HandsNeeds, townTmux: TownTmux, tokenFor: (uuid: string) => string): DirectHandsDeps {
  const { settings, host, store, announce } = needs;
  const { root, hands, process } = settings;
  const starter = new DirectStarter({
    root,
    processes: host.processes,
    tokenFor,
    policy: { ...hands, ...process },
    environmentOf: (session) => readEnvironment(host.disk, session),
    heldBack: heldAfterCopy(host.disk),
    ended: () => announce({ type: 'CHANGED', what: 'sessions' }),
  });
  return {
    starter,
    processes: host.processes,
    maybeSignalled: (uuid) => store.lives.maybeSignalled(uuid),
    isAbsent: townTmux.isAbsent,
  };
}

type SessionOrders = 'startSession' | 'adoptSession' | 'connect';

interface Starting {
  readonly tokens: (uuid: string) => string;
  readonly direct: DirectHandsDeps;
  readonly keep: KeepPane;
  readonly packs: Packs;
  readonly channels: ChannelsProcess;
  readonly hooksFile: string | null;
}

function sessionHands(
  { settings, host }: HandsNeeds,
  townTmux: TownTmux,
  { tokens, direct, keep, packs, channels, hooksFile }: Starting,
): Pick<Hands, SessionOrders> {
  const { processes, logger } = host;
  const { tmux, owner, claim } = townTmux;
  const { hands: policy } = settings;
  const personIn = (sessionIds: readonly string[]) => personAt({ tmux, clock: host.clock, policy }, sessionIds);
  const environmentOf = (session: string) => readEnvironment(host.disk, session);
  const inPane = startSession({
    tmux,
    processes,
    owner,
    claim,
    keep,
    personIn,
    tokenFor: tokens,
    environmentOf,
    heldBack: heldAfterCopy(host.disk),
    packs,
    hooksFile,
    policy,
  });
  const start = startEither(direct, inPane);
  return {
    startSession: async (order, signal) => {
      const outcome = await start(order, signal);
      // The start may have been the server's own: do not wait for the connection's next try.
      const isInPane = outcome.type === 'SESSION_STARTED' && !isDetached(outcome.incarnation);
      if (isInPane && !tmux.connected)
        await townTmux.connect().catch((error: unknown) => logger.warn({ err: error }, 'no control client yet'));
      return outcome;
    },
    adoptSession: adoptSession({ tmux, processes, packs, owner, claim, tokenFor: tokens }),
    connect: async ({ what }) => {
      await (what === CHANNELS_PROCESS ? channels : townTmux).connect();
      return { type: 'CONNECTED', what };
    },
  };
}
