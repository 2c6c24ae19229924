/**
 * What a person is told of episodes: that one begins, again while nobody took note, and that it is over (law 8).
 * 1. One thing after the other for each episode: nothing is told twice beside itself, and no end before its beginning.
 * 2. What asks a person something is told again while nobody took note; news is told once.
 * 3. Told at least once: an episode counts as told after the telling, so a crash between tells it again.
 */
import type { Alert, Ms } from '../../machines/protocol.ts';
import type { Alerts, Episode } from '../../state/alerts/episodes.ts';
import { askedBy } from '../../machines/alert-kinds.ts';
import type { Notice } from './notify.ts';
import type { Clock } from '../ports/ports.ts';

export interface OfficeDeps {
  readonly clock: Clock;
  readonly alerts: Alerts;
  /** Runs `[notify] command`; never rejects. */
  readonly notify: (notice: Notice) => Promise<void>;
  readonly log: (text: string, more: object) => void;
  readonly remindEveryMs: Ms;
}

/** An episode that was open, and how it ended. */
export interface Ended {
  readonly episode: string;
  readonly text: string;
}

export class Office {
  readonly #deps: OfficeDeps;
  /** The last thing that is to be done about an episode. */
  readonly #turns = new Map<string, Promise<void>>();
  /** Which order raised an episode last. */
  readonly #raised = new Map<string, number>();
  #orders = 0;
  /** Episodes that were told without a record, since the disk refused one. */
  readonly #unrecorded = new Map<string, Alert>();

  constructor(deps: OfficeDeps) {
    this.#deps = deps;
  }

  /** `stands`: in the same words it is told already. */
  raise(alert: Alert, stands = false): Promise<void> {
    const { alerts, clock } = this.#deps;
    const { episode } = alert;
    this.#raised.set(episode, this.#nextOrder());
    return this.#inTurn(episode, async () => {
      await this.#tellEnd(episode); // which an earlier process left untold
      const due = await alerts.raise(alert, clock.wall(), stands);
      if (due === null) return;
      if (this.#unrecorded.delete(episode)) await alerts.told(episode, clock.wall());
      else await this.#tell(due);
    });
  }

  /** Resolves with the episode if it was open. */
  end(episode: string, text: string): Promise<readonly Ended[]> {
    return this.#end(episode, text);
  }

  /** Of all open episodes of this name or kind only these go on, and those that are raised after this was ordered. */
  async endOthers(of: string, except: readonly string[], text: string): Promise<readonly Ended[]> {
    const order = this.#nextOrder();
    const open = (await this.#deps.alerts.list()).filter(({ episode }) => `${episode}/`.startsWith(`${of}/`));
    const ended: Ended[] = [];
    for (const { episode } of open)
      if (!except.includes(episode)) ended.push(...(await this.#end(episode, text, order)));
    return ended;
  }

  /** As `raise`, but what cannot be recorded is told at once all the same, once. False = it is to be tried again. Never rejects. */
  async stands(alert: Alert): Promise<boolean> {
    try {
      await this.raise(alert);
      return true;
    } catch {
      if (!this.#unrecorded.has(alert.episode)) await this.#say('alert', alert, { count: 1, ...asking(alert) });
      this.#unrecorded.set(alert.episode, alert);
      return false;
    }
  }

  /** As `end`, also of what was told without a record. False = it is to be tried again. Never rejects. */
  async isOver(episode: string, text: string): Promise<boolean> {
    try {
      const ended = await this.end(episode, text);
      const told = this.#unrecorded.get(episode);
      this.#unrecorded.delete(episode);
      if (told !== undefined && ended.length === 0)
        await this.#say('recovered', { ...told, text }, { count: 1, ...NEWS });
      return true;
    } catch {
      return false;
    }
  }

  /** Tells again what is due, for as long as the town runs; `also` goes with each round. */
  async remind(stop: AbortSignal, also: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { alerts, clock, log, remindEveryMs } = this.#deps;
    while (!stop.aborted) {
      try {
        for (const { episode } of await alerts.due(clock.wall()))
          await this.#inTurn(episode, () => this.#tellDue(episode));
      } catch (error) {
        log('alerts could not be read; they are looked at again', { err: error });
      }
      await clock.sleep(remindEveryMs, stop);
      await also();
    }
  }

  #nextOrder(): number {
    this.#orders += 1;
    return this.#orders;
  }

  /** Unless it was raised after this order. */
  #end(episode: string, text: string, order = Infinity): Promise<readonly Ended[]> {
    return this.#inTurn(episode, async () => {
      if ((this.#raised.get(episode) ?? 0) > order) return [];
      this.#raised.delete(episode);
      const ended = await this.#deps.alerts.end(episode, text, this.#deps.clock.wall());
      if (ended !== null) await this.#tell(ended);
      return ended === null ? [] : [{ episode, text }];
    });
  }

  async #tellEnd(episode: string): Promise<void> {
    const before = await this.#deps.alerts.dueOf(episode, this.#deps.clock.wall());
    if (before !== null && before.ended_at !== null) await this.#tell(before);
  }

  async #tellDue(episode: string): Promise<void> {
    const due = await this.#deps.alerts.dueOf(episode, this.#deps.clock.wall());
    if (due !== null) await this.#tell(due);
  }

  async #tell(open: Episode): Promise<void> {
    const { alerts, clock } = this.#deps;
    const { count, recovery, ended_at: ended, told_at: told } = open;
    const asked = asking(open);
    // What ended before anybody was told of it has a beginning all the same.
    if (told === null || (ended === null && asked.question)) await this.#say('alert', open, { count, ...asked });
    if (ended === null) return alerts.told(open.episode, clock.wall());
    await this.#say('recovered', { ...open, text: recovery ?? open.text }, { count, ...NEWS });
    await alerts.forget(open.episode);
  }

  #say(kind: 'alert' | 'recovered', { episode, severity, session, text }: Alert, more: object): Promise<void> {
    const { clock, log, notify } = this.#deps;
    log(text, { episode, severity, session });
    const at = new Date(clock.wall()).toISOString();
    return notify({ schema: 'notice/1', kind, text, at, episode, severity, session, ...more });
  }

  #inTurn<T>(episode: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#turns.get(episode) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(episode, settled);
    void settled.then(() => {
      if (this.#turns.get(episode) === settled) this.#turns.delete(episode);
    });
    return result;
  }
}

const NEWS = { question: false, type: [] };
/** Whether it asks a person something, and what to type. */
function asking({ episode, session }: Pick<Alert, 'episode' | 'session'>): {
  question: boolean;
  type: readonly string[];
} {
  const type = askedBy(episode, session);
  return type === null ? NEWS : { question: true, type };
}
