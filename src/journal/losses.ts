/**
 * Time that was lost, by cause, as far as the journal dates it: between a death and the next life, between the end of a
 * town and its next start, in hearings that ended in an execution, in waits for a person that ended.
 * Causes overlap (an agent may be dead while the town is down), so they do not add up.
 */
import { VERDICT_ALERTS } from '../../machines/hearings/verdict-alerts.ts';
import { HALT_KINDS } from '../../machines/sessions/halts.ts';
import { aboutOf } from '../../machines/protocol.ts';
import type { Line } from './lines.ts';

/** The stretch of the report, in wall ms; `isDown`: no town runs at its end. */
export interface Stretch {
  readonly since: number;
  readonly until: number;
  readonly isDown: boolean;
}

/** One restart that came to life. */
export interface Restart {
  /** ISO; when the new life was seen. */
  readonly at: string;
  readonly session: string;
  readonly why: string;
  readonly cause: Cause;
  /** From the death to the new life. */
  readonly lost_ms: number;
}

export interface TownDown {
  readonly from: string;
  readonly to: string;
  readonly ms: number;
  /** Told to stop; false = it ended without a word. */
  readonly asked: boolean;
  /** It may have been shorter: `from` is only its last line before. */
  readonly at_most: boolean;
  /** It is down now. */
  readonly goes_on: boolean;
}

export type Cause =
  | 'restart'
  | 'usage limit'
  | 'tmux server died'
  | 'asked by the agent'
  | 'asked by the operator'
  | 'town down'
  | 'stall'
  | 'blocked on a person';

export interface Loss {
  readonly cause: Cause;
  readonly ms: number;
  readonly times: number;
  /** Some of it may have been shorter. */
  readonly at_most: boolean;
  /** Some of it goes on. */
  readonly goes_on: boolean;
}

interface Death {
  readonly at: number;
  readonly uuid: string | null | undefined;
  readonly cause: Cause;
  readonly why: string;
}

/** A life that was seen after a death. */
interface Back {
  readonly death: Death;
  readonly at: number;
}

/** The shell's codes for a program that could not be run, or is not there: who ends so at once never lived. */
const NEVER_RAN = /\bexit code 12[67]\b/;
const AT_ONCE_MS = 5_000;

const CAUSES: readonly (readonly [RegExp, Cause])[] = [
  [/usage limit/, 'usage limit'],
  [/tmux server died/, 'tmux server died'],
  [/as its agent asked/, 'asked by the agent'],
  [/as the operator asked/, 'asked by the operator'],
];

/** Episodes for as long as which nothing was done, by what kept it from being done. */
const WAITS: ReadonlyMap<string, Cause> = new Map([
  ...HALT_KINDS.map((kind) => [kind, 'blocked on a person'] as const),
  ...VERDICT_ALERTS.flatMap(({ kind, subject }): [string, Cause][] => {
    const shown = typeof subject === 'object' ? subject.lifeShows : 'anything';
    return shown === 'anything' ? [] : [[kind, shown === 'usage limit' ? shown : 'blocked on a person']];
  }),
]);

const causeOf = (note: string): Cause => CAUSES.find(([words]) => words.test(note))?.[1] ?? 'restart';

export class Losses {
  readonly #stretch: Stretch;
  readonly #deaths = new Map<string, Death>();
  /** Whether they lived is seen by how they go on. */
  readonly #back = new Map<string, Back>();
  readonly #hearings = new Map<string, number>();
  readonly #blocked = new Map<string, number>();
  readonly #restarts: Restart[] = [];
  readonly #downs: TownDown[] = [];
  readonly #losses = new Map<Cause, Loss>();
  #lastAt: number | null = null;
  #stoppedAt: number | null = null;

  constructor(stretch: Stretch) {
    this.#stretch = stretch;
  }

  take(line: Line): void {
    const at = Date.parse(line.at);
    if (Number.isNaN(at)) return;
    if (line.kind === 'town.started') this.#townUp(at, false);
    this.#stoppedAt = line.kind === 'town.stopped' ? at : line.kind === 'town.started' ? null : this.#stoppedAt;
    this.#lastAt = at;
    this.#session(line, at);
    this.#hearing(line, at);
    const episode = line.episode ?? '';
    const waits = WAITS.get(aboutOf(episode).kind);
    if (waits === undefined) return;
    const since = this.#blocked.get(episode);
    if (line.kind === 'alert' && since === undefined) this.#blocked.set(episode, at);
    if (line.kind !== 'alert.ended' || since === undefined) return;
    this.#blocked.delete(episode);
    this.#add(waits, since, at);
  }

  /** What the whole stretch came to. Called once, after the last line. */
  end(): { restarted: readonly Restart[]; town_downs: readonly TownDown[]; lost: readonly Loss[] } {
    const { until, isDown } = this.#stretch;
    for (const session of [...this.#back.keys()]) this.#lived(session);
    for (const { at, cause } of this.#deaths.values()) this.#add(cause, at, until, { goes_on: true });
    if (isDown) this.#townUp(until, true);
    const lost = [...this.#losses.values()].sort((a, b) => b.ms - a.ms);
    return {
      restarted: this.#restarts.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
      town_downs: this.#downs,
      lost,
    };
  }

  #session(line: Line, at: number): void {
    const session = line.session ?? '';
    const death = this.#deaths.get(session);
    if (line.kind === 'session.ended') this.#deaths.delete(session);
    // A start of what had ended before, too: the line that told its death may be older than all that is kept.
    const isDead = line.kind === 'session.backing_off' || (line.kind === 'session.starting' && line.exit !== undefined);
    if (isDead && death === undefined) {
      const why = line.note ?? '';
      const back = this.#back.get(session);
      const isStill = back !== undefined && NEVER_RAN.test(why) && at - back.at < AT_ONCE_MS;
      if (isStill) this.#back.delete(session);
      else this.#lived(session);
      this.#deaths.set(session, isStill ? back.death : { at, uuid: line.uuid, cause: causeOf(why), why });
    }
    if (line.kind !== 'session.running' || death === undefined || line.uuid === death.uuid) return;
    this.#deaths.delete(session);
    this.#lived(session);
    this.#back.set(session, { death, at });
  }

  #lived(session: string): void {
    const back = this.#back.get(session);
    this.#back.delete(session);
    if (back === undefined || back.at < this.#stretch.since) return;
    const { death, at } = back;
    const lost_ms = this.#add(death.cause, death.at, at);
    const why = death.why.replace(/; (starts again|tried again)$/, '');
    this.#restarts.push({ at: new Date(at).toISOString(), session, why, cause: death.cause, lost_ms });
  }

  #hearing(line: Line, at: number): void {
    const { dance } = line;
    if (!dance) return;
    const began = this.#hearings.get(dance);
    if (began === undefined) this.#hearings.set(dance, at);
    if (line.kind !== 'dance.closed' || line.verdict !== 'executed' || !Number.isFinite(began)) return;
    this.#hearings.set(dance, Infinity); // told once, however often it is told
    // What a person ended by force did not stall, as far as anybody knows.
    if (line.forced !== true) this.#add('stall', began ?? at, at);
  }

  /** Nothing when no line tells of an earlier town: it is the first start. */
  #townUp(at: number, goesOn: boolean): void {
    const from = this.#stoppedAt ?? this.#lastAt;
    if (from === null || at < this.#stretch.since) return;
    const more = { at_most: this.#stoppedAt === null, goes_on: goesOn };
    const ms = this.#add('town down', from, at, more);
    const [begin, end] = [new Date(from).toISOString(), new Date(at).toISOString()];
    this.#downs.push({ from: begin, to: end, ms, asked: this.#stoppedAt !== null, ...more });
  }

  /** The part within the stretch, which it returns. */
  #add(cause: Cause, from: number, to: number, more: { at_most?: boolean; goes_on?: boolean } = {}): number {
    const { since, until } = this.#stretch;
    if (to < since) return 0;
    const ms = Math.max(0, Math.min(to, until) - Math.max(from, since));
    const { ms: sum = 0, times = 0, at_most = false, goes_on = false } = this.#losses.get(cause) ?? {};
    this.#losses.set(cause, {
      cause,
      ms: sum + ms,
      times: times + 1,
      at_most: at_most || more.at_most === true,
      goes_on: goes_on || more.goes_on === true,
    });
    return ms;
  }
}
