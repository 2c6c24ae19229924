/**
 * The digest of a stretch of the journal: what was asked, judged, restarted and lost in it (V-3).
 * 1. It holds nothing that no line says. A town that starts anew tells old things again; each counts once.
 * 2. Where a beginning or an end lies outside the stretch, its border stands in, so a length is never more than was seen.
 * 3. What ends without a word is dated by the last line before it: `at_most` says so.
 */
import type { WrittenLine } from '../../state/journal.ts';
import { askedBy } from '../../machines/alert-kinds.ts';
import { quoteOf, savedIn } from './hearings.ts';
import { read, type Line, type LineOf } from './lines.ts';
import { Losses, type Loss, type Restart, type Stretch, type TownDown } from './losses.ts';

/** One hearing that ended. Times are ISO. */
export interface Judged {
  readonly at: string;
  readonly session: string;
  readonly dance: string;
  readonly verdict: string;
  readonly reason: string;
  /** What was seen or said at the end, in its own words; null = nothing was. */
  readonly evidence: string | null;
  /** Signs of life, no answer. */
  readonly evidence_only: boolean;
  readonly forced: boolean;
  /** The operator stopped or restarted it. */
  readonly stopped: boolean;
  /** Its agent wanted its own end: a handoff, or work that is done. */
  readonly own_wish: boolean;
  /** The town restarted it, since its account was logged in again. */
  readonly new_login: boolean;
  /** Folder of its rescue, below the root; null = there was none. */
  readonly rescue: string | null;
  /** What that rescue saved, in words. */
  readonly saved: string | null;
}

/** One that was told to go on after a usage limit. Times are ISO. */
export interface WentOn {
  readonly at: string;
  readonly session: string;
  /** null = it did not go on, as far as the journal says. */
  readonly over_at: string | null;
}

/** An alert to a person. */
export interface Paged {
  readonly at: string;
  readonly episode: string;
  readonly severity: string;
  readonly text: string;
  /** It asked for something; false = it was news. */
  readonly question: boolean;
  /** ISO; null = it goes on, as far as the journal says. */
  readonly ended_at: string | null;
}

/** What a patrol did about work, or could not. */
export interface Worked {
  readonly at: string;
  readonly patrol: string;
  readonly act: string;
  /** A bead, a polecat or a convoy. */
  readonly about: string;
  readonly done: boolean;
  readonly text: string;
}

export interface Digest {
  readonly asked: { readonly hearings: number; readonly questions: number; readonly sessions: readonly string[] };
  readonly pardoned: readonly Judged[];
  /** Ended by a hearing alone. */
  readonly executed: readonly Judged[];
  /** Ended by an operator, without a hearing: `session stop`, `restart`, `kill --force`. */
  readonly stopped: readonly Judged[];
  /** Ended by its own wish, without a hearing. */
  readonly own_wish: readonly Judged[];
  /** Restarted by the town for a new login, without a hearing. */
  readonly new_login: readonly Judged[];
  readonly escalated: readonly Judged[];
  /** already_dead, void, failed. */
  readonly otherwise: readonly Judged[];
  readonly restarted: readonly Restart[];
  readonly crash_loops: readonly { readonly at: string; readonly session: string }[];
  readonly paged: readonly Paged[];
  readonly went_on: readonly WentOn[];
  readonly nudges: { readonly typed: number; readonly not_typed: number };
  readonly worked: readonly Worked[];
  readonly town_downs: readonly TownDown[];
  readonly lost: readonly Loss[];
}

/** What becomes of work. Letters, cleanups and the like are the patrols' own. */
const OF_WORK: ReadonlySet<string> = new Set(['spawn', 'nuke', 'reopen', 'fail', 'unhook', 'land', 'close']);

class Telling {
  readonly worked: Worked[] = [];
  readonly judged = new Map<string, Judged>();
  readonly questions = new Set<string>();
  readonly heard = new Set<string>();
  readonly sessions = new Set<string>();
  readonly loops: { readonly at: string; readonly session: string }[] = [];
  readonly #looping = new Set<string>();
  readonly paged: Paged[] = [];
  readonly wentOn: WentOn[] = [];
  /** Sessions that are being told. */
  readonly #telling = new Set<string>();
  typed = 0;
  notTyped = 0;
  /** The attempt that a dance is at; a question that is typed belongs to it. */
  readonly #attempts = new Map<string, number>();
  readonly #evidence = new Map<string, string>();

  take(line: Line): void {
    const { at } = line;
    const [dance, session] = [line.dance ?? '', line.session ?? ''];
    switch (line.kind) {
      // A health check has these too, and names no dance.
      case 'question.typed':
        if (dance !== '') this.#asked(dance, session);
        return;
      case 'look':
        if (dance !== '') this.#evidence.set(dance, quoteOf(line.sight));
        return;
      case 'dance.closed':
        if (!this.judged.has(dance)) this.judged.set(dance, this.#judged(line));
        return;
      case 'session.backing_off':
        if (line.crashLoop === true && !this.#looping.has(session)) this.loops.push({ at, session });
        if (line.crashLoop === true) this.#looping.add(session);
        else this.#looping.delete(session);
        return;
      case 'session.ended':
        this.#looping.delete(session);
        return;
      case 'alert':
        this.#alert(line);
        return;
      case 'alert.ended':
        this.#alertEnded(line);
        return;
      case 'patrol.did':
      case 'patrol.did_not':
        if (OF_WORK.has(line.act)) this.#worked(line);
        return;
      case 'limit.told':
        this.#telling.add(session);
        return;
      case 'limit.over':
        this.#wentOn(session, at);
        return;
      case 'nudge.typed':
        this.typed += 1;
        if (this.#telling.delete(session)) this.wentOn.push({ at, session, over_at: null });
        return;
      case 'nudge.not_typed':
        this.notTyped += 1;
        this.#telling.delete(session);
        return;
      default:
        if ('attempt' in line) this.#attempts.set(dance, line.attempt);
    }
  }

  #wentOn(session: string, at: string): void {
    const i = this.wentOn.findLastIndex((one) => one.session === session && one.over_at === null);
    const one = this.wentOn[i];
    if (one !== undefined) this.wentOn[i] = { ...one, over_at: at };
  }

  #worked({ at, kind, patrol, act, about, text }: LineOf<'patrol.did' | 'patrol.did_not'>): void {
    this.worked.push({ at, patrol, act, about, done: kind === 'patrol.did', text });
  }

  #asked(dance: string, session: string): void {
    this.questions.add(`${dance}/${this.#attempts.get(dance) ?? 0}`);
    this.heard.add(dance);
    if (session !== '') this.sessions.add(session);
  }

  #judged({ at, dance, session, verdict, reason, rescue, ...line }: LineOf<'dance.closed'>): Judged {
    return {
      at,
      session: session ?? '',
      dance: dance ?? '',
      verdict: verdict ?? '',
      reason: reason ?? '',
      evidence: this.#evidence.get(dance ?? '') || null,
      evidence_only: line.evidenceOnly === true,
      forced: line.forced === true,
      stopped: line.stopped === true,
      own_wish: line.ownWish === true,
      new_login: line.renewal === true,
      rescue: rescue?.folder ?? null,
      saved: savedIn(rescue),
    };
  }

  #alert({ at, episode: about, session, severity, text }: LineOf<'alert'>): void {
    const episode = about ?? '';
    if (this.paged.some((one) => one.episode === episode && one.ended_at === null)) return;
    const question = askedBy(episode, session || null) !== null;
    this.paged.push({ at, episode, severity, text, question, ended_at: null });
  }

  #alertEnded({ at, episode }: LineOf<'alert.ended'>): void {
    const i = this.paged.findIndex((one) => one.episode === episode && one.ended_at === null);
    const one = this.paged[i];
    if (one !== undefined) this.paged[i] = { ...one, ended_at: at };
  }
}

/** Lines may begin before the stretch: they tell what was under way at its beginning, and count for nothing else. */
export async function digestOf(lines: AsyncIterable<WrittenLine>, stretch: Stretch): Promise<Digest> {
  const telling = new Telling();
  const losses = new Losses(stretch);
  for await (const written of lines) {
    const line = read(written);
    losses.take(line);
    if (Date.parse(line.at) >= stretch.since) telling.take(line);
  }
  const judged = [...telling.judged.values()];
  // One that had ended by then, too: it was to end.
  const isOver = ({ verdict }: Judged): boolean => verdict === 'executed' || verdict === 'already_dead';
  const isOwn = (one: Judged): boolean => one.own_wish && isOver(one);
  const isRenewed = (one: Judged): boolean => one.new_login && isOver(one);
  const isStopped = (one: Judged): boolean =>
    !isOwn(one) && !isRenewed(one) && ((one.stopped && isOver(one)) || (one.forced && one.verdict === 'executed'));
  const heard = judged.filter((one) => !isStopped(one) && !isOwn(one) && !isRenewed(one));
  const of = (...verdicts: string[]): Judged[] => heard.filter((one) => verdicts.includes(one.verdict));
  const named = new Set(['pardoned', 'executed', 'escalated']);
  return {
    asked: { hearings: telling.heard.size, questions: telling.questions.size, sessions: [...telling.sessions] },
    pardoned: of('pardoned'),
    executed: of('executed'),
    escalated: of('escalated'),
    stopped: judged.filter(isStopped),
    own_wish: judged.filter(isOwn),
    new_login: judged.filter(isRenewed),
    otherwise: heard.filter((one) => !named.has(one.verdict)),
    crash_loops: telling.loops,
    paged: telling.paged,
    went_on: telling.wentOn,
    nudges: { typed: telling.typed, not_typed: telling.notTyped },
    worked: telling.worked,
    ...losses.end(),
  };
}
