/**
 * The town's side of the mutual watch: sees its guard go and starts a new one, which adopts this very process (C-12).
 * Owns nothing but its round. A guard that is not proved dead is alive (law 1); a stopped town needs none (C-13). One of an older
 * version, which would hear nothing of this town and end it, is asked to end, once.
 */
import { nextMultiple } from '../../machines/kernel/schedule.ts';
import type { Clock } from '../ports/ports.ts';
import { endGuard, type ProcessTable } from '../proc/processes.ts';
import type { GuardPost, Running, TownPost } from '../../state/process/pid-files.ts';
import { fall } from './backoff.ts';
import { guardOrders, launchGuard, type TownSettings } from './launch.ts';
import { cannotRun } from './liveness.ts';

export interface KeeperNeeds {
  readonly settings: TownSettings;
  /** How the guard starts the town again: this process's own command. */
  readonly command: readonly [string, ...string[]];
  readonly self: TownPost;
  readonly clock: Clock;
  readonly processes: Pick<ProcessTable, 'alive' | 'cannotRun'>;
  readonly running: Running;
  readonly say: (text: string) => void;
  /** Starts a guard; the real one unless a test says otherwise. */
  readonly launch?: typeof launchGuard;
}

export class Keeper {
  readonly #needs: KeeperNeeds;
  #guard: GuardPost | null = null;
  /** Guards started in a row without a stable spell. */
  #tries = 0;
  #launchedAt = -Infinity;

  constructor(needs: KeeperNeeds) {
    this.#needs = needs;
  }

  /** The living guard's pid, as of the last round. */
  get guardPid(): number | null {
    return this.#guard?.pid ?? null;
  }

  /** Whether that one cannot act: stopped, or waiting for a disk. False when it is unknown. */
  get isHeld(): boolean {
    return this.#guard !== null && cannotRun(this.#needs.processes, this.#guard);
  }

  /** Whether it would start the town again. */
  get canAct(): boolean {
    return this.#guard?.hears === true && !this.isHeld;
  }

  /** Looks at the guard every `watchEveryMs` until `stop`. Never rejects. */
  async keep(stop: AbortSignal): Promise<void> {
    const { clock, settings, say } = this.#needs;
    while (!stop.aborted) {
      try {
        await this.#look(stop);
      } catch (error) {
        say(`cannot find out whether the guard lives: ${String(error)}`);
      }
      await clock.sleep(nextMultiple(clock.now(), settings.process.watchEveryMs) - clock.now(), stop);
    }
  }

  async #look(stop: AbortSignal): Promise<void> {
    const { running, processes, clock, settings, say } = this.#needs;
    // Its file is read when it went, not at each look: a quiet town opens as few files as it can.
    const known = this.#guard;
    const guard = known !== null && processes.alive(known) ? known : await running.guard();
    const sinceMs = clock.now() - this.#launchedAt;
    this.#guard = guard !== null && processes.alive(guard) ? guard : null;
    if (this.#guard !== null) {
      if (sinceMs >= settings.process.stableMs) this.#tries = 0;
      if (this.#guard !== known && !this.#guard.hears) this.#dismiss(this.#guard);
      return;
    }
    if (stop.aborted || (await running.stopped()) !== null) return;
    if (this.#tries > 0 && sinceMs < fall(this.#tries - 1, 0, settings.process).waitMs) return;
    this.#tries += 1;
    this.#launchedAt = clock.now();
    say('the guard is gone: a new one is started');
    this.#launch();
  }

  #dismiss(guard: GuardPost): void {
    this.#needs.say(
      `the guard (pid ${String(guard.pid)}) is of an older version: it is asked to end, a new one follows`,
    );
    endGuard(guard);
  }

  #launch(): void {
    const { settings, command, self, say, launch = launchGuard } = this.#needs;
    const { pid, started, epoch } = self;
    const child = launch(guardOrders(settings, command, { pid, started, epoch }));
    child.on('error', (error) => say(`a guard could not be started: ${error.message}`));
  }
}
