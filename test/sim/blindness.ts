/**
 * When the town could not have seen an answer: down, stopped, tmux silent, a person or a dialog in the way. Own arithmetic.
 */
import type { Log } from './log.ts';

interface Span {
  readonly from: number;
  readonly to: number;
  /** A gap that the town cannot tell from two looks in a row may count as one of them. */
  readonly isGap: boolean;
}

export class Blindness {
  readonly #ofAll: Span[] = [];
  readonly #ofSession = new Map<string, Span[]>();
  readonly #sessionOf = new Map<string, string>();
  readonly #boots: { town: number; t: number }[] = [];

  constructor(log: Log) {
    let downSince: number | null = 0;
    for (const entry of log) {
      if (entry.what === 'booted') {
        if (downSince !== null) this.#ofAll.push({ from: downSince, to: entry.t, isGap: false });
        downSince = null;
        this.#boots.push({ town: entry.town, t: entry.t });
      }
      // A successor that ended before it began leaves the older one watching.
      if (entry.what === 'ended' && entry.town === this.#boots.at(-1)?.town) downSince = entry.t;
      if (entry.what === 'frozen' && this.#boots.some(({ town }) => town === entry.town))
        // one that never began watched nothing
        this.#ofAll.push({ from: entry.t, to: this.#until(entry.until, log, entry.town), isGap: true });
      if (entry.what === 'born') this.#sessionOf.set(entry.life, entry.session);
      if (entry.what === 'hindered' && entry.cause !== 'busy') {
        const spans = this.#ofSession.get(entry.session) ?? [];
        spans.push({ from: entry.t, to: entry.until, isGap: true });
        this.#ofSession.set(entry.session, spans);
      }
    }
    if (downSince !== null) this.#ofAll.push({ from: downSince, to: Infinity, isGap: false });
  }

  /** A stopped town that was replaced meanwhile hides nothing any more. */
  #until(until: number, log: Log, town: number): number {
    const next = log.find((entry) => entry.what === 'booted' && entry.town > town);
    return next === undefined ? until : Math.min(until, next.t);
  }

  /** A newer town had begun. */
  isSuperseded(town: number, t: number): boolean {
    return this.#boots.some((boot) => boot.town > town && boot.t <= t);
  }

  /** The part of [from, to] in which this life could be seen, and the length of each gap in it. */
  seenMs(life: string, from: number, to: number): { seenMs: number; gaps: number[] } {
    const spans = [...this.#ofAll, ...(this.#ofSession.get(this.#sessionOf.get(life) ?? '') ?? [])]
      .filter((span) => span.to > from && span.from < to)
      .sort((a, b) => a.from - b.from);
    let seenMs = 0;
    let at = from;
    for (const span of spans) {
      if (span.from > at) seenMs += span.from - at;
      at = Math.max(at, Math.min(span.to, to));
    }
    return { seenMs: seenMs + Math.max(0, to - at), gaps: spans.filter((s) => s.isGap).map((s) => s.to - s.from) };
  }

  /** The instant at which a running town has had so much time since `from`. */
  after(from: number, ms: number): number {
    const spans = [...this.#ofAll].filter((span) => span.to > from).sort((a, b) => a.from - b.from);
    let at = from;
    let left = ms;
    for (const span of spans) {
      if (span.from - at >= left) break;
      if (span.from > at) left -= span.from - at;
      if (span.to > at) {
        at = span.to;
        left = ms; // it may have to read everything anew
      }
    }
    return at + left;
  }
}
