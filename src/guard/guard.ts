/**
 * The guard: keeps one town process alive, for ever. Owns its child, its ear and guard.json.
 * 1. The town is known by pid + start time; what is unknown about it changes nothing (law 1).
 * 2. The latch is read before every start and at every wake-up while nothing runs (C-13).
 * 3. It never gives up: falls are retried at a capped pace, with an alarm when they repeat (law 9).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Proc } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Running } from '../../state/process/pid-files.ts';
import { FILES } from '../../state/files/layout.ts';
import { socketPath } from '../../state/process/socket-path.ts';
import { fall } from './backoff.ts';
import { Ear, type ProgressLine } from './ear.ts';
import { EXIT, judge, type End } from './exits.ts';
import { HangWatch, toldText } from './hang.ts';
import { AGAIN, type GuardOrders } from './orders.ts';
import { isoOf } from '../../machines/kernel/iso-time.ts';
import { span } from '../../machines/kernel/span.ts';

/** The outside of a guard; its tests bring their own. */
export interface GuardNeeds {
  readonly clock: Clock;
  readonly processes: Pick<ProcessTable, 'proc' | 'alive' | 'cannotRun'>;
  /** Ends this very town at once; false = it is gone. */
  kill(town: Proc): boolean;
  readonly running: Running;
  /** The newest epoch of the root; null = unknown. */
  epoch(): Promise<number | null>;
  /** Starts the town and returns its pid; `ended` is called later, with how it ended. null = it could not be started. */
  spawn(command: readonly [string, ...string[]], ended: (end: End) => void): number | null;
  /** Starts a guard of this town from the programs that are there now. It takes the guard's lock once this one left. */
  succeed(town: NonNullable<GuardOrders['adopt']>): void;
  say(text: string): void;
  alarm(text: string): void;
  /** Aborted when the guard is stopped; the town is left alone. */
  readonly stop: AbortSignal;
}

interface Town {
  readonly proc: Proc;
  /** null = not known yet: it has not written daemon.pid. */
  epoch: number | null;
  readonly bornAt: number;
  /** Set when our child ended. */
  end: End | null;
  readonly adopted: boolean;
}

export class Guard {
  readonly #orders: GuardOrders;
  readonly #needs: GuardNeeds;
  readonly #self: Proc;
  readonly #ear: Ear;
  #hang: HangWatch;
  #town: Town | null = null;
  #wasReady = false;
  #starts = 0;
  #falls = 0;
  #lastExit: string | null = null;
  #nextTryAt: string | null = null;
  /** The town began anew with other programs or settings; once it is ready, a guard of the same ones takes this one's place. */
  #renews = false;
  #isReplaced = false;
  #rouse = new AbortController();

  constructor(orders: GuardOrders, needs: GuardNeeds) {
    const self = needs.processes.proc(process.pid);
    if (self === null) throw new Error('the system does not show the guard its own process');
    this.#self = self;
    this.#orders = orders;
    this.#needs = needs;
    this.#hang = new HangWatch(orders.policy);
    const { root, policy } = orders;
    this.#ear = new Ear({
      path: socketPath(root, policy.maxSocketPathBytes, 'guard'),
      limits: policy,
      heard: (line) => this.#heard(line),
      say: needs.say,
    });
    needs.stop.addEventListener('abort', () => this.#rouse.abort());
  }

  /** Only of its own town: one of before may still speak. */
  #heard({ pid, started, steps, saving }: ProgressLine): boolean {
    const proc = this.#town?.proc;
    if (proc?.pid !== pid || proc.started !== started) return false;
    this.#wasReady ||= steps > 0;
    this.#isReplaced ||= this.#renews && steps > 0;
    if (this.#hang.isUnheard) this.#needs.say(`hears the town of pid ${String(pid)}`);
    this.#hang.heard(steps, saving);
    return true;
  }

  /** Guards until there is nothing left to guard. Resolves with the guard's exit code. */
  async run(): Promise<number> {
    const missed = await this.#adopt();
    if (missed !== null) {
      const exit = await this.#ended(missed);
      if (exit !== null) return exit;
    }
    // Before the town is started: it looks for its guard there.
    await this.#note();
    for (;;) {
      if (this.#needs.stop.aborted) return this.#leave(EXIT.done, 'told to end');
      if (this.#isReplaced) return this.#giveOver();
      if (this.#town === null) {
        const stopped = await this.#needs.running.stopped();
        if (stopped !== null) return this.#leave(EXIT.done, `the town is stopped: ${stopped}`);
        this.#start();
      }
      await this.#note();
      const end = await this.#watch();
      if (end === null) continue;
      const exit = await this.#ended(end);
      if (exit !== null) return exit;
    }
  }

  /** The successor runs before this guard leaves: one that found its town dead would start it, so that no kill comes between. */
  #giveOver(): Promise<number> {
    const { proc, epoch } = this.#town ?? { proc: this.#self, epoch: null };
    if (epoch !== null) this.#needs.succeed({ ...proc, epoch });
    return this.#leave(EXIT.done, 'the town began anew; a guard of the same programs takes its place');
  }

  /** Takes on the town that runs. Resolves with how the one ended that called this guard and did not wait for it. */
  async #adopt(): Promise<End | null> {
    const said = await this.#needs.running.town();
    const { adopt } = this.#orders;
    const found = adopt ?? (said.kind === 'town' ? said.town : null);
    if (found === null) return null;
    const { pid, started, epoch } = found;
    if (!this.#needs.processes.alive(found)) return adopt === null ? null : this.#traces({ proc: found, epoch });
    this.#needs.say(`adopts the town of pid ${String(pid)}, epoch ${String(epoch)}`);
    const bornAt = this.#needs.clock.now();
    this.#town = { proc: { pid, started }, epoch, bornAt, end: null, adopted: true };
    this.#hang = new HangWatch(this.#orders.policy, true);
    this.#wasReady = true;
    return null;
  }

  #start(): void {
    const bornAt = this.#needs.clock.now();
    const pid = this.#needs.spawn(this.#command(), (end) => {
      town.end ??= end;
      this.#rouse.abort();
    });
    // A child is not reaped before its end is reported, so its pid is its own; a zombie ends right after.
    const proc = (pid === null ? null : this.#needs.processes.proc(pid)) ?? { pid: pid ?? 0, started: '' };
    const town: Town = { proc, epoch: null, bornAt, end: null, adopted: false };
    this.#town = town;
    this.#hang = new HangWatch(this.#orders.policy);
    this.#nextTryAt = null;
    this.#needs.say(`started the town: pid ${String(pid)}`);
  }

  /** The first start answers a waiting `town up`; later starts have no caller to refuse. */
  #command(): readonly [string, ...string[]] {
    const { command, adopt } = this.#orders;
    const isFirst = this.#starts === 0 && !this.#wasReady && adopt === null;
    this.#starts += 1;
    return isFirst || command.includes(AGAIN) ? command : [...command, AGAIN];
  }

  /** Until the town ended, or the guard is stopped (null). */
  async #watch(): Promise<End | null> {
    const { clock, stop, running } = this.#needs;
    for (;;) {
      const town = this.#town;
      if (town === null || stop.aborted || this.#isReplaced) return null;
      if (town.end !== null) return town.end;
      await this.#learn(town);
      if (town.adopted && !this.#mayBe('alive', town.proc)) return this.#traces(town);
      // Without an ear silence proves nothing; the time until it is back counts as a late wake-up.
      const found = this.#ear.isOpen() ? this.#hang.woke(clock.now(), this.#mayBe('cannotRun', town.proc)) : null;
      if (found !== null && found !== 'hangs') this.#needs.alarm(toldText(found, town.proc.pid, this.#orders.policy));
      // A town that was ordered to stop ends by itself, or its stopper ends it.
      if (found === 'hangs' && (await running.stopped()) === null) this.#endHung(town.proc);
      await this.#rest(this.#orders.policy.watchEveryMs);
    }
  }

  /** Takes the epoch from daemon.pid once the town wrote it, and puts guard.json back when it is no file any more. */
  async #learn(town: Town): Promise<void> {
    if (town.epoch === null) {
      const said = await this.#needs.running.town();
      if (said.kind === 'town' && said.town.pid === town.proc.pid && said.town.started === town.proc.started) {
        town.epoch = said.town.epoch;
        await this.#note();
      }
    }
    const note = statSync(join(this.#orders.root, FILES.guard), { throwIfNoEntry: false });
    if (note?.isFile() !== true) await this.#note();
  }

  /** An unknown may be true: the guard neither counts a process as gone nor ends one on it. */
  #mayBe(what: 'alive' | 'cannotRun', proc: Proc): boolean {
    try {
      return this.#needs.processes[what](proc);
    } catch (error) {
      const words = what === 'alive' ? 'lives' : 'is stopped';
      this.#needs.say(`cannot find out whether pid ${String(proc.pid)} ${words}: ${String(error)}`);
      return true;
    }
  }

  /** How an adopted town ended: what ends in order says so on the disk. */
  async #traces(town: Pick<Town, 'proc' | 'epoch'>): Promise<End> {
    const epoch = await this.#needs.epoch();
    const superseded = epoch !== null && town.epoch !== null && epoch > town.epoch;
    return { kind: 'gone', superseded, inOrder: await this.#needs.running.endOf(town.proc) };
  }

  #endHung(proc: Proc): void {
    this.#needs.alarm(`the town of pid ${String(proc.pid)} hangs: no progress for ${span(this.#hang.limitMs)}`);
    try {
      this.#needs.kill(proc);
    } catch (error) {
      this.#needs.say(`it could not be ended: ${String(error)}`);
    }
    this.#hang = new HangWatch(this.#orders.policy);
  }

  /** What follows from an end; a number = the guard ends with it. */
  async #ended(end: End): Promise<number | null> {
    const { clock, running } = this.#needs;
    const { policy } = this.#orders;
    const livedMs = clock.now() - (this.#town?.bornAt ?? 0);
    this.#town = null;
    const verdict = judge(end, this.#wasReady);
    this.#lastExit = verdict.why;
    if (verdict.kind === 'leave') return this.#leave(verdict.exit, verdict.why);
    if ((await running.stopped()) !== null) return this.#leave(EXIT.done, `stopped; ${verdict.why}`);
    this.#renews = verdict.kind === 'renew';
    if (this.#renews) {
      this.#needs.say(`the town is started anew: ${verdict.why}`);
      return null;
    }
    const { falls, waitMs, alarm } = fall(this.#falls, livedMs, policy);
    this.#falls = falls;
    this.#nextTryAt = isoOf(clock.wall() + waitMs);
    const text = `the town fell: ${verdict.why}; fall ${String(falls)} in a row, next try in ${span(waitMs)}`;
    if (alarm) this.#needs.alarm(text);
    else this.#needs.say(text);
    await this.#note();
    await this.#waitOut(waitMs);
    return null;
  }

  /** Waits, but not past the latch. */
  async #waitOut(waitMs: number): Promise<void> {
    const { clock, stop, running } = this.#needs;
    const until = clock.now() + waitMs;
    while (clock.now() < until && !stop.aborted && (await running.stopped()) === null) {
      await this.#rest(Math.min(until - clock.now(), this.#orders.policy.watchEveryMs));
    }
  }

  async #rest(ms: number): Promise<void> {
    if (!this.#rouse.signal.aborted) await this.#needs.clock.sleep(ms, this.#rouse.signal);
    if (!this.#needs.stop.aborted) this.#rouse = new AbortController();
  }

  /** guard.json is information: a disk that refuses it costs a line in the log, never the town. */
  async #note(): Promise<void> {
    try {
      await this.#needs.running.putGuard({
        ...this.#self,
        epoch: this.#town?.epoch ?? null,
        town: this.#town?.proc ?? null,
        hears: true,
        falls: this.#falls,
        lastExit: this.#lastExit,
        nextTryAt: this.#nextTryAt,
      });
    } catch (error) {
      this.#needs.say(`guard.json could not be written: ${String(error)}`);
    }
  }

  async #leave(exit: number, why: string): Promise<number> {
    this.#ear.close();
    this.#needs.say(`ends: ${why}`);
    await this.#needs.running.dropGuard(this.#self);
    return exit;
  }
}
