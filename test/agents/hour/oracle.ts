/**
 * What is true of each agent at each moment, by the script and the model, beside what the town says: in its sessions, which are
 * read once in a while, and in its journal. A wrong state that stays, an alert without a cause, one that comes twice, too late or
 * stays too long, and a life that ends without a cause are faults.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SessionView, Town, TownEvent } from '../../../src/client/connect.ts';
import { WITHIN } from './policy.ts';

/** Why alerts may come, and whether one must. */
export interface Cause {
  readonly agent: string;
  /** Kinds of alerts that it may lead to, as the part of an episode before its name. */
  readonly kinds: readonly string[];
  readonly from: number;
  to: number | null;
  /** It leads to an alert so many ms after `from`; null = it may. */
  readonly dueMs: number | null;
  /** Not before this. */
  readonly earliestMs: number;
  readonly alerts: { readonly episode: string; readonly at: number; endedAt: number | null }[];
}

interface Truth {
  readonly states: readonly string[];
  readonly from: number;
}

/** A time in which its program alone said how it is. */
export interface Spell {
  readonly agent: string;
  readonly state: string;
  readonly from: number;
  readonly to: number;
}

/** How long after it was so the town said it. */
export interface Noticed {
  readonly scene: string;
  readonly agent: string;
  readonly what: string;
  readonly ms: number;
  readonly limitMs: number;
  /** The town was killed meanwhile. */
  readonly isAcross: boolean;
}

export interface Fault {
  readonly at: number;
  readonly agent: string;
  readonly kind: 'missed' | 'late' | 'false alarm' | 'twice' | 'harm' | 'wrong state';
  readonly text: string;
}

export class Oracle {
  readonly faults: Fault[] = [];
  readonly noticed: Noticed[] = [];
  readonly causes: Cause[] = [];
  /** When the town was killed. */
  readonly kills: number[] = [];
  readonly spells: Spell[] = [];
  /** When the bench had the town show all questions. */
  readonly shown: { readonly from: number; to: number }[] = [];
  readonly #town: Town;
  readonly #say: (line: string) => void;
  readonly #truths = new Map<string, Truth>();
  readonly #wrong = new Map<string, { readonly state: string; readonly since: number; readonly isTold: boolean }>();
  readonly #lives = new Map<string, string>();
  /** Episodes of alerts. */
  readonly #open = new Set<string>();
  readonly #ending = new Set<string>();
  /** When its last process ended, and when the next one showed a state; Infinity = it did not yet. */
  readonly #starts = new Map<string, { readonly from: number; readonly to: number }>();
  #views = new Map<string, SessionView>();
  #readAt = 0;
  readonly #end = new AbortController();

  constructor(town: Town, say: (line: string) => void) {
    this.#town = town;
    this.#say = say;
  }

  begin(): Promise<unknown> {
    return Promise.all([this.#look(), this.#read()]);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  end(): void {
    this.#end.abort();
  }

  view(agent: string): SessionView | undefined {
    return this.#views.get(agent);
  }

  fault(kind: Fault['kind'], agent: string, text: string): void {
    this.faults.push({ at: Date.now(), agent, kind, text });
    this.#say(`! ${new Date().toISOString().slice(11, 19)} ${kind}: ${agent}: ${text}`);
  }

  /** From now on the agent is in one of these states. */
  truth(agent: string, ...states: readonly string[]): void {
    const { states: [state, ...others] = [], from = 0 } = this.#truths.get(agent) ?? {};
    if (state !== undefined && SPOKEN.has(state) && others.length === 0)
      this.spells.push({ agent, state, from: from + WITHIN.settledMs, to: Date.now() - WITHIN.stateMs });
    this.#truths.set(agent, { states, from: Date.now() });
    const start = this.#starts.get(agent);
    if (start?.to === Infinity && states.length > 0) this.#starts.set(agent, { ...start, to: Date.now() });
  }

  truthOf(agent: string): readonly string[] {
    return this.#truths.get(agent)?.states ?? [];
  }

  /** Its process is about to end. */
  ends(agent: string): void {
    this.#ending.add(agent);
    this.truth(agent);
    this.#starts.set(agent, { from: Date.now(), to: Infinity });
  }

  cause(
    agent: string,
    kinds: readonly string[],
    more: { readonly dueMs?: number; readonly earliestMs?: number } = {},
  ): Cause {
    const { dueMs = null, earliestMs = 0 } = more;
    const cause: Cause = { agent, kinds, from: Date.now(), to: null, dueMs, earliestMs, alerts: [] };
    this.causes.push(cause);
    return cause;
  }

  /** The cause is over; what it led to is judged a while later. */
  over(cause: Cause): void {
    cause.to = Date.now();
    this.#judgeLater(cause);
  }

  /** The town may be killed meanwhile, and an agent that starts shows no end of what was. */
  #judgeLater(cause: Cause): void {
    const restMs = Math.min(this.#shownSince(cause) + JUDGED_MS - Date.now(), JUDGED_MS);
    if (restMs <= 0) this.#judge(cause);
    else setTimeout(() => this.#judgeLater(cause), restMs).unref();
  }

  /** Since when its agent shows that it is over; Infinity = it does not yet. */
  #shownSince({ agent, from, to }: Cause): number {
    const start = this.#starts.get(agent);
    return Math.max(to ?? 0, start !== undefined && start.from > from ? start.to : 0);
  }

  /** Waits until the town says so; a fault if that takes too long. `from`: since when it is true. `isOver`: it is no longer so. */
  async notices(
    what: {
      readonly scene: string;
      readonly agent: string;
      readonly what: string;
      readonly from: number;
      readonly limitMs: number;
    },
    isSo: (view: SessionView) => boolean,
    isOver = (): boolean => false,
  ): Promise<boolean> {
    const { agent, from, limitMs } = what;
    const giveUpAt = from + limitMs + WITHIN.giveUpMs;
    while (Date.now() < giveUpAt) {
      const view = this.#views.get(agent);
      if (view !== undefined && this.#readAt > from && isSo(view)) {
        const ms = this.#readAt - from;
        const isAcross = this.kills.some((at) => at > from - WITHIN.upAgainMs && at < this.#readAt);
        this.noticed.push({ ...what, ms, isAcross });
        const allowedMs = limitMs + WITHIN.slackMs + (isAcross ? WITHIN.upAgainMs : 0);
        if (ms > allowedMs) this.fault('late', agent, `${what.scene}: ${what.what} after ${String(ms)} ms`);
        return true;
      }
      if (isOver() && this.isAcross(from)) return false;
      await pause(WITHIN.pollMs / 2);
    }
    this.fault('missed', agent, `${what.scene}: ${what.what}, it is ${said(this.#views.get(agent))}`);
    return false;
  }

  /** The town was killed since then, or is not there again. */
  isAcross(from: number): boolean {
    return this.kills.some((at) => at > from - WITHIN.upAgainMs);
  }

  #slackSince(from: number): number {
    return this.isAcross(from) ? WITHIN.upAgainMs : 0;
  }

  async #look(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        const at = Date.now();
        const { running, sessions } = await this.#town.status();
        if (running && sessions !== null) {
          this.#views = new Map(sessions.map((view) => [view.name, view]));
          this.#readAt = at;
          for (const [agent, truth] of this.#truths) this.#check(agent, truth, at);
        }
      } catch (error) {
        if (!this.kills.some((at) => Date.now() - at < WITHIN.upAgainMs)) this.#say(`  no status: ${String(error)}`);
      }
      await pause(WITHIN.pollMs);
    }
  }

  #check(agent: string, truth: Truth, at: number): void {
    const view = this.#views.get(agent);
    if (view === undefined) return;
    const { uuid } = view;
    const old = this.#lives.get(agent);
    if (uuid !== null && uuid !== old) {
      if (old !== undefined && !this.#ending.delete(agent)) this.fault('harm', agent, `its life ended: ${view.note}`);
      this.#lives.set(agent, uuid);
    }
    const state = view.screen?.state ?? 'none';
    const isSettled = at - truth.from > WITHIN.settledMs && !this.kills.some((kill) => at - kill < WITHIN.upAgainMs);
    const isWrong = truth.states.length > 0 && isSettled && !truth.states.includes(state);
    const before = this.#wrong.get(agent);
    if (!isWrong) this.#wrong.delete(agent);
    else if (before?.state !== state) this.#wrong.set(agent, { state, since: at, isTold: false });
    else if (!before.isTold && at - before.since > WITHIN.wrongMs) {
      this.#wrong.set(agent, { ...before, isTold: true });
      this.fault('wrong state', agent, `it is ${truth.states.join(' or ')}; ${said(view)}`);
    }
  }

  async #read(): Promise<void> {
    try {
      for await (const event of this.#town.events({ after: 'start', signal: this.#end.signal })) this.#hear(event);
    } catch (error) {
      if (!this.#end.signal.aborted) this.#say(`  the journal ended: ${String(error)}`);
    }
  }

  #hear(event: TownEvent): void {
    const { at: iso, kind, episode, text, session } = event as Heard;
    const at = Date.parse(iso);
    if (kind === 'alert') this.#alerted(String(episode), String(text), at);
    if (kind === 'alert.ended') {
      this.#open.delete(String(episode));
      const all = this.causes.flatMap(({ alerts }) => alerts);
      const open = all.findLast((one) => one.episode === episode && one.endedAt === null);
      if (open !== undefined) open.endedAt = at;
    }
    if (HARMS.test(kind)) this.fault('harm', String(session), JSON.stringify(event).slice(0, SHOWN));
  }

  #alerted(episode: string, text: string, at: number): void {
    const fits = ({ agent, kinds, from, to }: Cause): boolean =>
      kinds.includes(episode.split('/')[0] ?? '') &&
      (episode.includes(agent) || text.includes(agent)) &&
      at > from - WITHIN.slackMs &&
      at < (to ?? Infinity) + WITHIN.alertEndsMs;
    // A changed text, or a town that was killed: the same alert.
    if (this.#open.has(episode)) return;
    this.#open.add(episode);
    const cause = this.causes.findLast(fits);
    if (cause === undefined) {
      this.fault('false alarm', episode, text);
      return;
    }
    if (at - cause.from < cause.earliestMs) this.fault('false alarm', cause.agent, `too early: ${episode}: ${text}`);
    const before = cause.alerts.findLast((one) => one.episode === episode);
    if (before !== undefined) this.fault('twice', cause.agent, `${episode}: ${text}`);
    cause.alerts.push({ episode, at, endedAt: null });
  }

  #judge(cause: Cause): void {
    const { agent, kinds, from, to, dueMs, alerts } = cause;
    const lasted = (to ?? Date.now()) - from;
    const slackMs = WITHIN.slackMs + this.#slackSince(from);
    const [first] = alerts;
    if (dueMs !== null && first === undefined && lasted > dueMs + slackMs)
      this.fault('missed', agent, `no alert ${kinds.join(' or ')} in ${String(lasted)} ms`);
    if (first !== undefined && dueMs !== null) {
      const isAcross = slackMs > WITHIN.slackMs;
      this.noticed.push({ scene: kinds[0] ?? '', agent, what: 'alert', ms: first.at - from, limitMs: dueMs, isAcross });
      if (first.at - from > dueMs + slackMs)
        this.fault('late', agent, `${first.episode} after ${String(first.at - from)} ms`);
    }
    for (const { episode, endedAt } of alerts)
      if ((endedAt ?? Infinity) - this.#shownSince(cause) > WITHIN.alertEndsMs + slackMs)
        this.fault('late', agent, `${episode} goes on behind its cause`);
  }
}

/** ms, behind a cause. */
export const JUDGED_MS = WITHIN.alertEndsMs + WITHIN.slackMs + WITHIN.upAgainMs;

/** Of these states each program of the bench tells itself. */
const SPOKEN: ReadonlySet<string> = new Set(['working', 'asks']);

const SHOWN = 300;
type Heard = TownEvent & Readonly<Record<'episode' | 'text' | 'session', unknown>>;
/** None of them has a cause in this hour. */
const HARMS = /^(?:question\.typed|warrant\.filed|signalled|signal\.ordered|order\.failed)$/;

const said = (view: SessionView | undefined): string =>
  view === undefined
    ? 'unseen'
    : `${view.state}, ${view.screen?.state ?? 'no state'} by ${view.screen?.source ?? JSON.stringify(view.screen?.disagree ?? view.screen?.not_watched ?? null)}, asks ${view.asks ?? 'nothing'}${view.note === '' ? '' : `, ${view.note}`}`;
