/**
 * The engine of a town process: hands, tree and loop put together over the real ports. Owns their start and their end.
 * 1. The records are opened before anything is observed, the tmux server is claimed before anything is touched.
 * 2. A tmux that is absent or silent makes the town degraded, never dead: warrants wait, files still work.
 */
import { randomUUID } from 'node:crypto';
import type { NewsBody, Reply, Request, WallMs } from '../../machines/protocol.ts';
import { LEVELS } from '../../machines/alert-kinds.ts';
import type { AliveCommand } from '../../machines/hearings/question.ts';
import { town, type TownInput } from '../../machines/town.ts';
import type { JournalLine } from '../../state/journal.ts';
import type { Refused as RefusedFile } from '../../state/files/quarantine.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { Store } from '../../state/store.ts';
import { Chronicle } from '../journal/chronicle.ts';
import { alertsInJournal, type StandingAlerts } from '../journal/standing-alerts.ts';
import type { TownLine } from '../journal/town.ts';
import { configuredAgents, deaconSession } from '../config/agents.ts';
import { coveredBy } from '../config/glob.ts';
import { CHANNELS_PROCESS } from '../channels/child.ts';
import { channelsIn } from '../channels/settings.ts';
import type { Settings } from '../config/settings.ts';
import { Refused, type Engine, type Host, type MakeEngine } from '../host/host.ts';
import { createHands, type HandsOf } from './hands.ts';
import { FactQueue } from './fact-queue.ts';
import { answerCommand, clockOf, keepConfig, keepPrompt } from './kept-at-start.ts';
import { Loop } from './loop.ts';
import type { CostRow } from '../costs/view.ts';
import type { Overview } from '../overview/overview.ts';
import { watchdogSession } from '../monitor/session.ts';
import { denialOf } from '../socket/denial.ts';
import { rulesOf, type Asker, type Rules } from '../socket/permission.ts';
import type { EngineView } from '../socket/protocol.ts';
import { settleSocket } from './choose-socket.ts';
import { ActorTree } from './actor-tree.ts';
import type { SocketHold } from '../tmux/socket-hold.ts';
import { actorLife } from '../watchdog/observe.ts';
import { openWindow, type Window } from './observability.ts';
import { startsOf, windowsOf } from './question-deadlines.ts';
import { sendsOf, timersOf, workersOf } from './workers-view.ts';

/** What a town keeps a connection to. */
const connectionsOf = ({ channels }: Settings): readonly string[] =>
  channelsIn(channels).length === 0 ? ['tmux'] : ['tmux', CHANNELS_PROCESS];
const REFUSED = 5;

export interface EngineOptions {
  /** Opens the inspector's port. */
  readonly inspect: boolean;
  /** What is wrong with town.toml, when the settings are the last good ones; null = they are its own. */
  readonly broken: string | null;
  /** Its guard starts it again: there is no caller to refuse. */
  readonly again: boolean;
}

/** An engine for these settings; `Refused` when another town owns the tmux server, or this one still stands on another. */
export const engineOf =
  (configured: Settings, { inspect, broken, again }: EngineOptions): MakeEngine =>
  async (host) => {
    const inbox = new FactQueue(host.clock);
    // Told once there are hands to tell with: most files are read before.
    const untold: RefusedFile[] = [...host.refused];
    let alarm: HandsOf['alarm'] | null = null;
    const onRefused = (refused: RefusedFile): void => {
      host.logger.warn({ ...refused }, `${refused.file} does not count: ${refused.why}`);
      if (alarm === null) untold.push(refused);
      else void alarm(refused);
    };
    const store = new Store({
      disk: host.disk,
      policy: configured.state,
      heardWithinMs: configured.state.completedMs,
      wall: () => host.clock.wall(),
      isProtected: (name) => coveredBy(name, configured.town.protected) !== null,
      onRefused,
    });
    await store.open();
    const { quarantine } = store;
    const { settings, held, hold } = await settleSocket({ settings: configured, host, store, quarantine, again });
    const hands = await createHands({ settings, broken, host, store, quarantine, announce: inbox.announce, hold });
    const claim = await hands.claim();
    if (claim !== null) {
      await hold.release();
      throw new Refused(REFUSED, claim);
    }
    alarm = hands.alarm;
    for (const refused of untold) void hands.alarm(refused);
    if (broken === null && held === null) await keepConfig(settings, host, quarantine);
    if (settings.numbers !== null) host.logger.info(settings.numbers, '$TOWN_NUMBERS replaces constants');
    inbox.announce({ type: 'CONDITION_FOUND', what: 'config-broken', why: broken });
    inbox.announce({ type: 'CONDITION_FOUND', what: 'socket-moved', why: held });
    // Else its process tells.
    if (channelsIn(settings.channels).length === 0)
      for (const what of ['channel-silent', 'channel-deaf'] as const)
        inbox.announce({ type: 'CONDITION_FOUND', what, why: null });
    await keepPrompt(settings, host);
    const command = await answerCommand(settings, host);
    const window = await openWindow(settings, host, inspect);
    const wallAtZero = await clockOf(host, { quarantine });
    const deps = { disk: host.disk, alerts: new Alerts({ disk: host.disk, quarantine }) };
    const alerts = await alertsInJournal(deps, (text) => host.logger.warn(text));
    return new TownEngine(settings, host, store, { hands, hold, inbox, window, wallAtZero, command, alerts });
  };

interface Parts {
  readonly hands: HandsOf;
  readonly hold: SocketHold;
  readonly inbox: FactQueue;
  readonly window: Window;
  readonly wallAtZero: WallMs;
  readonly command: AliveCommand;
  readonly alerts: StandingAlerts;
}

function inputOf(settings: Settings, { self }: Host, { wallAtZero, command }: Parts): TownInput {
  return {
    policy: settings.policy,
    entropy: randomUUID(),
    command,
    connections: connectionsOf(settings),
    wallAtZero,
    agents: [...configuredAgents(settings), ...watchdogSession(settings)],
    chain: { deacon: deaconSession(settings), life: actorLife(self) },
    isProtected: (name) => coveredBy(name, settings.town.protected) !== null,
    monitors: true,
    rigs: settings.patrols,
  };
}

class TownEngine implements Engine {
  readonly #settings: Settings;
  readonly #host: Host;
  readonly #parts: Parts;
  readonly #rules: Rules;
  readonly #tree: ActorTree;
  readonly #loop: Loop<JournalLine>;
  readonly #stop = new AbortController();
  /** After the last save of the loop. */
  readonly #sayStopped: () => Promise<void>;
  #isReady = false;
  #longestMs = 0;

  constructor(settings: Settings, host: Host, store: Store, parts: Parts) {
    const { hands, inbox, window } = parts;
    this.#settings = settings;
    this.#host = host;
    this.#parts = parts;
    this.#rules = rulesOf(settings);
    const chronicle = new Chronicle(parts.alerts);
    const { epoch, self } = host;
    const began: TownLine[] = [{ at: host.clock.wall(), kind: 'town.started', epoch, pid: self.pid }];
    this.#sayStopped = async () => {
      await host.stillOurs();
      const line: TownLine = { at: host.clock.wall(), kind: 'town.stopped', epoch, pid: self.pid };
      await store.commit([], [line]);
    };
    this.#tree = new ActorTree(town, inputOf(settings, host, parts), LEVELS, {
      ...window.tree,
      onCrash: (actor, error) =>
        host.logger.warn({ err: error, actor }, 'an actor crashed; its supervisor restarts it'),
    });
    let wasDegraded = false;
    this.#loop = new Loop<JournalLine>({
      tree: this.#tree,
      inbox,
      clock: host.clock,
      hands: hands.perform,
      commit: async (records, lines) => {
        await host.stillOurs(); // a town that was stopped for a while may have a successor: nothing of it is saved or done
        await store.commit(records, lines);
      },
      journal: (seen) => {
        window.pulse.stepped(seen, host.clock.now());
        return [...began.splice(0), ...chronicle.lines(seen)];
      },
      policy: { ...settings.state, ...settings.process },
      progress: ({ steps, saving }) => {
        host.progress(steps, saving);
        this.#checkReady();
      },
      stepped: (ms) => (this.#longestMs = Math.max(this.#longestMs, ms)),
      degraded: (why) => {
        host.degraded(why);
        host.progress(this.#loop.steps, this.#loop.saving);
        if (why !== null) host.logger.error(`degraded: ${why}`);
        else if (wasDegraded) host.logger.info('the disk takes records again');
        wasDegraded = why !== null;
        inbox.announce({ type: 'CONDITION_FOUND', what: 'disk', why });
      },
    });
  }

  async run(): Promise<void> {
    const { hands, hold, window } = this.#parts;
    const background = hands.attend(this.#stop.signal);
    try {
      await this.#loop.run();
      await this.#sayStopped().catch((error: unknown) => {
        this.#host.logger.warn({ err: error }, 'the journal does not say that the town stopped');
      });
    } finally {
      this.#stop.abort();
      await window.close();
      await hands.close();
      await background;
      await hold.release();
    }
  }

  stop(): void {
    this.#loop.stop();
  }

  /**
   * Refuses what the caller may not ask, every request that could not be recorded, and every start on a tmux server
   * that another town holds.
   */
  async refuses(request: Request, caller: Asker): Promise<Reply | null> {
    const denial = denialOf(caller, request, this.#rules);
    if (denial !== null) return { ok: false, exit: REFUSED, ...denial };
    const isStart = request.verb === 'startSession';
    const held = isStart ? await this.#parts.hold.check() : null;
    const trouble = this.#loop.degradedBy ?? (held?.kind === 'closed' ? held.why : null);
    if (trouble !== null) {
      const text = `the town is degraded (${trouble}): nothing was begun; try again when \`town status\` says that it is up`;
      return { ok: false, exit: 4, code: 'degraded', text };
    }
    if (!isStart) return null;
    const owned = await this.#parts.hands.claim();
    if (owned === null) return null;
    const text = `session ${request.spec.name} was not started: ${owned}`;
    return { ok: false, exit: REFUSED, code: 'tmux_owned', text };
  }

  announce(news: NewsBody): void {
    this.#parts.inbox.announce(news);
  }

  overview(): Promise<Overview> {
    return this.#parts.hands.overview();
  }

  costs(from: WallMs | null): Promise<readonly CostRow[]> {
    return this.#parts.hands.costs(from);
  }

  inspector(): string | null {
    return this.#parts.window.url;
  }

  status(): EngineView {
    const { hands, window } = this.#parts;
    const disk = this.#loop.degradedBy;
    const why = disk ?? hands.degradedBy();
    return {
      ready: this.#isReady,
      degraded: { is: why !== null, why, by_disk: disk !== null },
      changes: hands.changes(),
      waiting: this.#loop.isSlow ? 'waiting for disk' : null,
      tmux_socket: this.#settings.tmux.socket,
      inspect_port: window.port,
      health: window.health(),
      pool_size: this.#settings.policy.dance.poolSize,
      actors: this.#tree.actors,
      windows: windowsOf(this.#tree, this.#host.clock),
      starts: startsOf(this.#tree, this.#host.clock),
      workers: workersOf(this.#tree, this.#host.clock),
      timers: timersOf(this.#tree, this.#host.clock),
      sends: sendsOf(this.#tree),
      steps: { count: this.#loop.steps, longest_ms: Math.round(this.#longestMs * 10) / 10 },
    };
  }

  /** Ready when the records are read and no actor is still opening. */
  #checkReady(): void {
    if (this.#isReady || this.#tree.actors.some(({ state }) => state === 'opening')) return;
    this.#isReady = true;
    this.#host.ready();
  }
}
