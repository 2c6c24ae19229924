/** The town as a process that holds its root: its control socket, its guard, its engine, its orderly end. An error that no part caught ends it with 1. */
import type { Proc } from '../../machines/protocol.ts';
import { textOf, type Disk } from '../../state/files/disk.ts';
import { beginEpoch } from '../../state/process/epoch.ts';
import { holdsRoot, type Lock } from '../../state/process/lock.ts';
import { Quarantine, type Refused as RefusedFile } from '../../state/files/quarantine.ts';
import type { Running, TownPost } from '../../state/process/pid-files.ts';
import { systemClock } from '../ports/clock.ts';
import { openLog, type Log } from '../ports/log.ts';
import { createSystemd, type Systemd } from './systemd.ts';
import { callerOn } from '../socket/token-owner.ts';
import { node } from '../proc/node.ts';
import { createProcesses } from '../proc/processes.ts';
import { Packs, packsFolder } from '../screen/packs.ts';
import { createDesk, type RequestRouter } from '../socket/request-router.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import type { StatusView } from '../socket/protocol.ts';
import { openControlSocket, type ControlServer } from '../socket/server.ts';
import { print } from '../terminal/streams.ts';
import { refusedText } from './displace.ts';
import { EXIT } from './exits.ts';
import { Refused, STARTING, type Engine, type Host, type MakeEngine } from '../host/host.ts';
import { isFirst, REAP, UNREAPED } from './first-process.ts';
import { Keeper } from './keeper.ts';
import { ARENAS, compileCache, type TownSettings } from './launch.ts';
import { whyNotAnew } from './room.ts';
import { tellerTo, type ProgressTeller } from './progress-teller.ts';
import { createSuccession, type Succession } from './succession.ts';

export interface RunOptions {
  /** Started by a guard, and keeps one. */
  readonly guarded: boolean;
  readonly version: string;
  readonly level: string;
  /** Why the configuration as it stands now cannot be taken up, in one sentence; null = it can. */
  readonly misread: () => string | null;
  /** Prints why no town runs here; one line on stderr unless it is given. */
  readonly tell?: (exit: number, text: string) => void;
}

/** Prints why no town runs, and returns the exit code. */
export function refuse({ tell }: RunOptions, exit: number, text: string): number {
  if (tell === undefined) print(`${text}\n`, 'stderr');
  else tell(exit, text);
  return exit;
}

/** What a town has when it holds its root. */
export interface Held {
  readonly disk: Disk;
  readonly running: Running;
  readonly lock: Lock;
  /** Files that did not count so far; more are added. */
  readonly refused: RefusedFile[];
}

export class TownProcess {
  readonly #settings: TownSettings;
  readonly #options: RunOptions;
  readonly #held: Held;
  readonly #stop = new AbortController();
  #renews = false;
  readonly #startedAt = new Date(systemClock.wall()).toISOString();
  readonly #systemd: Systemd;
  readonly #log: Log;
  readonly #packs: Packs;
  readonly #processes = createProcesses({ services: () => this.#packs.services() });
  #engine: Engine | null = null;
  /** A call that comes earlier waits for it: the town drops no call that it took. */
  readonly #made = Promise.withResolvers<Engine>();
  #keeper: Keeper | null = null;

  constructor(settings: TownSettings, options: RunOptions, held: Held) {
    this.#settings = settings;
    this.#options = options;
    this.#held = held;
    this.#log = openLog({ root: settings.root, level: options.level, policy: settings.process });
    this.#packs = new Packs({ folder: packsFolder(settings.root), refused: (why) => this.#log.logger.warn(why) });
    this.#systemd = createSystemd(process.env, settings.process.callMs, (text) => this.#say(text));
    // Nothing of ours goes on to agents, which inherit what the town starts tmux with.
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) Reflect.deleteProperty(process.env, name);
    if (process.env['NODE_COMPILE_CACHE'] === compileCache(settings.root)) delete process.env['NODE_COMPILE_CACHE'];
    if (process.env[ARENAS.name] === ARENAS.value) Reflect.deleteProperty(process.env, ARENAS.name);
  }

  async run(makeEngine: MakeEngine): Promise<number> {
    this.#catchAll();
    const epoch = await this.#beginEpoch();
    const self = this.#processes.proc(process.pid);
    if (self === null) throw new Error('the system does not show the town its own process');
    const post = this.#post(self, epoch);
    if (isFirst(process.pid)) this.#say(`${UNREAPED}; ${REAP}`);
    const desk = createDesk({
      announce: (news) => void this.#made.promise.then((engine) => engine.announce(news)),
      agentOf: (token) => callerOn(this.#held.disk, token),
      refuses: async (request, caller) => (await this.#made.promise).refuses(request, caller),
      status: () => this.#status(post),
      overview: () => this.#running((engine) => engine.overview()),
      costs: (from) => this.#running((engine) => engine.costs(from)),
      inspector: () => this.#engine?.inspector() ?? null,
      stop: () => this.#end('asked to stop'),
      answerMs: this.#settings.process.orderMs,
      patienceMs: this.#settings.process.callMs,
    });
    const { process: limits } = this.#settings;
    const server = await openControlSocket(post.socket, desk.handlers, limits, (text) => this.#say(text));
    const teller = tellerTo(this.#settings.root, self, limits);
    // A guard may adopt one that it did not start. Until the loop speaks the disk is at work: records are opened, folders made.
    teller.tell(0, true);
    await this.#held.running.putTown(post);
    // Either `town down` finds the record that was just written, or its latch is seen here.
    const stopped = await this.#held.running.stopped();
    if (stopped !== null) this.#end(`the town is stopped: ${stopped}`);
    this.#keep(post);
    this.#log.logger.info({ epoch, socket: post.socket }, 'the town starts');
    try {
      if (this.#stop.signal.aborted) return EXIT.done;
      this.#engine = await makeEngine(this.#host(self, post, desk, teller));
      this.#made.resolve(this.#engine);
      await this.#runEngine(this.#engine);
      return this.#renews ? EXIT.renewed : EXIT.done;
    } catch (error) {
      return this.#failed(error);
    } finally {
      teller.close();
      await this.#close(desk, server, self);
    }
  }

  #beginEpoch(): Promise<number> {
    const wall = (): number => systemClock.wall();
    const { disk, refused } = this.#held;
    const onRefused = (file: RefusedFile): void => {
      refused.push(file);
      this.#say(refusedText(file));
    };
    return beginEpoch(disk, new Quarantine({ disk, wall, onRefused }), wall());
  }

  #post(self: Proc, epoch: number): TownPost {
    const { root, process: limits } = this.#settings;
    const socket = socketPath(root, limits.maxSocketPathBytes);
    return { ...self, epoch, version: this.#options.version, root, socket, ports: { inspect: null } };
  }

  #host(self: Proc, post: TownPost, desk: RequestRouter, teller: ProgressTeller): Host {
    const { epoch } = post;
    return {
      self,
      epoch,
      refused: this.#held.refused,
      disk: this.#held.disk,
      clock: systemClock,
      processes: this.#processes,
      packs: this.#packs,
      logger: this.#log.logger,
      reply: desk.reply,
      ask: desk.ask,
      degraded: desk.degraded,
      progress: (steps, saving) => {
        teller.tell(steps, saving);
        if (!saving) this.#systemd.progress(systemClock.now());
      },
      inspected: (port) => this.#held.running.putTown({ ...post, ports: { inspect: port } }),
      stillOurs: this.#succession(epoch).check,
      renew: (why) => this.#renew(why),
      ready: () => {
        this.#systemd.ready();
        this.#log.logger.info('the town is ready');
      },
    };
  }

  /** An orderly end has a limit: after it the process ends as a kill would end it, which loses nothing either. */
  async #runEngine(engine: Engine): Promise<void> {
    const over = new AbortController();
    const { signal: stop } = this.#stop;
    const stopping = new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve());
    });
    const limit = stopping.then(() => {
      engine.stop();
      return systemClock.sleep(this.#settings.process.lastSaveMs, over.signal);
    });
    await Promise.race([engine.run(), limit]);
    over.abort();
  }

  #running<T>(ask: (engine: Engine) => Promise<T>): Promise<T> {
    return this.#engine === null
      ? Promise.reject(new Error('the town is still reading its records'))
      : ask(this.#engine);
  }

  #status(post: TownPost): StatusView {
    return {
      running: true,
      pid: post.pid,
      guard_pid: this.#keeper?.guardPid ?? null,
      guard_held: this.#keeper?.isHeld ?? false,
      is_service: this.#systemd.restarts,
      epoch: post.epoch,
      version: post.version,
      root: this.#settings.root,
      started_at: this.#startedAt,
      ...(this.#engine?.status() ?? { ...STARTING, tmux_socket: this.#settings.tmux.socket }),
    };
  }

  /** Looks after the guard, and for a newer epoch, until the end. */
  #keep(self: TownPost): void {
    const { signal: stop } = this.#stop;
    if (this.#options.guarded) {
      const command = [node.find(), ...process.execArgv, ...process.argv.slice(1)] as const;
      this.#keeper = new Keeper({
        settings: this.#settings,
        command,
        self,
        clock: systemClock,
        processes: this.#processes,
        running: this.#held.running,
        say: (text: string) => this.#say(text),
      });
      void this.#keeper.keep(stop);
    }
    void this.#succession(self.epoch).watch(stop);
  }

  #succession(epoch: number): Succession {
    const { successionEveryMs: everyMs } = this.#settings.process;
    const needs = { disk: this.#held.disk, clock: systemClock, logger: this.#log.logger };
    return createSuccession({ ...needs, epoch, everyMs, holds: () => holdsRoot(this.#settings.root) });
  }

  #end(why: string): void {
    if (this.#stop.signal.aborted) return;
    this.#log.logger.info(`the town ends: ${why}`);
    this.#systemd.stopping();
    this.#stop.abort();
  }

  /** Only with a guard that can act, or as a service: else nothing would start the town again. */
  #renew(why: string): boolean {
    this.#renews = this.#keeper?.canAct ?? this.#systemd.restarts;
    if (this.#renews) this.#end(why);
    return this.#renews;
  }

  /**
   * `town reload`: a process of the new configuration takes the place of this one, as after a fall. One that neither a guard nor a
   * service manager would start again takes SIGHUP as the end of its terminal.
   */
  async #reload(): Promise<void> {
    const isAlone = !this.#options.guarded && !this.#systemd.restarts;
    const disk = isAlone ? null : await whyNotAnew(this.#settings, this.#engine?.status() ?? null);
    const why = this.#options.misread() ?? (disk && `the configuration is not read anew: ${disk}`);
    if (isAlone) this.#end('SIGHUP');
    else if (why !== null) this.#say(why);
    else if (!this.#renew('its configuration is read anew'))
      this.#say('the configuration is not read anew: no guard could start the town again now');
  }

  #catchAll(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#end(signal));
    process.on('SIGHUP', () => void this.#reload());
    for (const fault of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(fault, (error: unknown) => {
        this.#failed(error);
        process.exit(EXIT.failed);
      });
    }
  }

  #failed(error: unknown): number {
    const refused = error instanceof Refused;
    this.#log.logger.fatal({ err: error }, refused ? 'the town may not run here' : 'the town failed');
    return refuse(this.#options, refused ? error.exit : EXIT.failed, textOf(error));
  }

  async #close(desk: RequestRouter, server: ControlServer, self: Proc): Promise<void> {
    this.#stop.abort();
    desk.close();
    const limit = new AbortController();
    await Promise.race([server.close(), systemClock.sleep(this.#settings.process.callMs, limit.signal)]);
    limit.abort();
    // A guard that is no parent of this town knows an orderly end by it: it starts nothing then, or the next town at once.
    // A disk that refuses it makes no fall of the end.
    const { running } = this.#held;
    await running
      .endTown(self, this.#renews ? 'renewed' : 'done')
      .catch((error: unknown) => this.#say(`its end is not on disk: ${textOf(error)}`));
    this.#log.close();
    this.#held.lock.release();
  }

  #say(text: string): void {
    this.#log.logger.warn(text);
  }
}
