/**
 * Which agents wait for a person now, as the scan tells it (law 7): the look that `town watch` takes, at every pane of the town.
 * 1. What the agent's program says itself comes first (M-2). The screen of one that works or asks is not read.
 * 2. One question over the control client tells on which panes something was printed. Only those are read, over the same client, so
 *    that no program is started.
 * 3. A screen that stands still is read once. One that goes on moving is read now and then: dialogs may be animated.
 * 4. A screen that its pack does not know says neither that a dialog came nor that it went (law 1).
 * 5. A dialog counts once it has stood for a while: one that a person answers at once raises no alert. A person at the keys delays
 *    none: they may type elsewhere in that session, or leave. What follows an answer from afar counts at once.
 * 6. A close look reads also the screen of one that works and made no step: it may stream (M-3). The program's word stays.
 * 7. The same look finds words of the town's that a program put back into its composer, and has them taken out.
 * 8. Who asks for the status has the look taken now: a dialog is named at once, and a town that is not asked looks no more often for it.
 */
import type { Incarnation, Instant, Ms, WallMs } from '../../machines/protocol.ts';
import { leavesDoubt } from '../../machines/sessions/agent-state.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { TakeOutPutBack } from '../hearings/put-back.ts';
import { isLeftOver } from '../hearings/draft-state.ts';
import type { HearingDeps } from '../hearings/view.ts';
import type { Heard } from '../sources/port.ts';
import type { Sources } from '../sources/sources.ts';
import type { ControlTmux } from '../tmux/client.ts';
import { AnsweredFromAfar } from './answered-lives.ts';
import { Conversations } from './conversations.ts';
import { isSettled, paneOf, PLACES, rowsAbove } from './places.ts';
import { after, byProgram, isNameless, withName, unseen, type Known, type Seen } from './known.ts';
import { questionId } from './question.ts';
import { readPane, UNREADABLE, type PaneRead } from './read-pane.ts';
import type { TypedWords } from './records.ts';
import { Standstill, stillWrote } from './standstill.ts';
import { takePictures } from './study.ts';
import type { AskedNow } from './open-alerts.ts';
import { WorkSeen } from './work-seen.ts';

/** Two readings of the clocks differ by a little: one question began at one time. */
const SECOND_MS = 1_000;

export interface AskingDeps extends Pick<HearingDeps, 'processes' | 'clock' | 'packs' | 'memory'> {
  readonly tmux: Pick<ControlTmux, 'query' | 'printed'>;
  readonly policy: Pick<HandsPolicy, 'askingLookMs' | 'askingReadMs' | 'askingGlanceMs' | 'asksAfterMs'>;
  /** What the programs say themselves. */
  readonly sources: Pick<Sources, 'of'>;
  /** What the town typed to each life: no words of the agent's. */
  readonly typed: () => Promise<(life: Incarnation) => Promise<TypedWords>>;
  /** Called where nothing but old words of the town's stands in a composer. May reject. */
  readonly takeOut: TakeOutPutBack;
}

export class Asking {
  readonly #deps: AskingDeps;
  #known: ReadonlyMap<string, Known> = new Map();
  #heard: ReadonlyMap<string, Heard> = new Map();
  #nextAt: Instant = 0;
  /** The look that goes on now; false = it failed. */
  #looking: Promise<boolean> | null = null;
  /** Of the last look. */
  #lives: readonly Incarnation[] = [];
  readonly #standstill = new Standstill();
  /** When each life worked last. */
  readonly work = new WorkSeen();
  readonly answered = new AnsweredFromAfar();
  readonly #conversations = new Conversations();
  /** Lives whose question an answer ended, until a look begins after that. */
  readonly #over = new Set<string>();
  /** Lives whose composer is being emptied of our words. */
  readonly #takenOut = new Set<string>();

  constructor(deps: AskingDeps) {
    this.#deps = deps;
  }

  /**
   * What this life asks a person; null = nothing, undefined = it was not looked at yet. Empty = not known: by its pack, or since a
   * dialog came only now, which one of an earlier process may be (a restart of the town ends no alert).
   */
  of(uuid: string): string | null | undefined {
    const { clock, policy } = this.#deps;
    const known = this.#known.get(uuid);
    if (known === undefined) return undefined;
    if (this.#over.has(uuid)) return '';
    if (known.asks === null) return known.isKnown ? null : '';
    const { what, since } = known.asks;
    return this.answered.isAwaited(uuid, since) || clock.now() - since >= policy.asksAfterMs ? what : '';
  }

  /** What it asks, also where that came only now; null = nothing that is known, undefined = it was not looked at yet. */
  asksNow(uuid: string): string | null | undefined {
    const known = this.#known.get(uuid);
    if (known === undefined) return undefined;
    return this.#over.has(uuid) ? null : (known.asks?.what ?? null);
  }

  /** Its question as it stands now; null = it asks nothing for certain, undefined = that is not known. */
  questionNow(uuid: string): AskedNow | null | undefined {
    const asks = this.#known.get(uuid)?.asks ?? null;
    if (asks === null || this.#over.has(uuid)) return this.of(uuid) === null ? null : undefined;
    const { clock } = this.#deps;
    const since = clock.wall() - (clock.now() - asks.since);
    return {
      what: asks.what,
      question: questionId(uuid, asks.marks),
      since: Math.round(since / SECOND_MS) * SECOND_MS,
    };
  }

  /** The marks of the question that it shows, also of one that came only now; undefined = none is known. */
  questionOf(uuid: string): string | undefined {
    const asks = this.#known.get(uuid)?.asks ?? null;
    return asks === null || this.#over.has(uuid) ? undefined : questionId(uuid, asks.marks);
  }

  /** An answer ended its question: what was seen before counts no more, also by a look that goes on. The next scan looks again. */
  readonly endQuestion = (uuid: string): void => {
    this.#over.add(uuid);
    this.#nextAt = 0;
  };

  /** Whether its screen, read now, shows an empty composer, no work, and no menu. False also where that is not known. Rejects as tmux does. */
  async isEmptyNow(life: Incarnation): Promise<boolean> {
    const { tmux, clock } = this.#deps;
    const [picture] = await takePictures({ tmux, wall: clock.wall() }, [life.paneId]);
    if (picture === undefined || picture.serverPid !== life.server.pid || picture.inMode) return false;
    const typed = await (await this.#deps.typed())(life);
    const read = await readPane(this.#deps, life, { picture, typed, above: 0 });
    if (typeof read === 'string') return false;
    const { composer, busy, options, state } = read.screen;
    return composer?.draft === '' && !busy && options.length === 0 && state !== 'blocked' && state !== 'picker';
  }

  /** The conversation that the program of this life says it is in; undefined = it does not say. */
  conversationOf(uuid: string): string | undefined {
    return this.#conversations.of(uuid);
  }

  /** What its screen said when it was read last, or why it said nothing; undefined = it was not looked at yet. */
  seen(uuid: string): Seen | undefined {
    return this.#known.get(uuid);
  }

  /** What programs said at the last look, by the uuid of a life. */
  get heard(): ReadonlyMap<string, Heard> {
    return this.#heard;
  }

  /**
   * Looks at these lives, where it is time for that, and forgets all others. Never rejects: what cannot be seen stays as it was.
   * `isNow`: in any case, and at each screen that changed; at those of `closely` also while their programs work and tell no step.
   */
  async look(lives: readonly Incarnation[], isNow = false, closely = lives): Promise<void> {
    if (this.#looking !== null || (this.#deps.clock.now() < this.#nextAt && !isNow)) return;
    await this.#begin(lives, isNow ? { closely } : {});
  }

  /**
   * The same for a person who asks now, also before it is time for a look. False where that takes long, or cannot be seen: what was seen
   * before counts then. Lives of the last look that are not among these are looked at too.
   */
  async glance(lives: readonly Incarnation[]): Promise<boolean> {
    const { clock, policy } = this.#deps;
    const uuids = new Set(lives.map(({ uuid }) => uuid));
    const all = [...lives, ...this.#lives.filter(({ uuid }) => !uuids.has(uuid))];
    const over = new AbortController();
    const late = clock.sleep(policy.askingGlanceMs, over.signal).then(
      () => false,
      () => false,
    );
    const looked = this.#looking ?? this.#begin(all, { glanceMs: policy.askingGlanceMs });
    return Promise.race([looked, late]).finally(() => over.abort());
  }

  /** Never rejects. */
  #begin(lives: readonly Incarnation[], how: How): Promise<boolean> {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    this.#nextAt = now + policy.askingLookMs;
    this.#lives = lives;
    this.#known = new Map([...this.#known].map(([uuid, one]) => [uuid, this.#over.has(uuid) ? unseen(one) : one]));
    this.#over.clear();
    const looked = lives.length === 0 ? Promise.resolve() : this.#lookAt(lives, now, how);
    const looking = looked
      .then(
        () => true,
        // tmux or the process table gave no answer: the next look asks again.
        () => false,
      )
      .finally(() => (this.#looking = null));
    this.#looking = looking;
    return looking;
  }

  async #lookAt(lives: readonly Incarnation[], now: Instant, { closely, glanceMs }: How): Promise<void> {
    const { tmux, clock } = this.#deps;
    const doubtful = await this.#hear(lives, now);
    const wall = clock.wall();
    this.#noteWork(lives, wall);
    // A life without a pane has no screen: what its program says of itself is all that is known.
    const inPanes = lives.filter(({ origin }) => origin !== 'detached');
    if (inPanes.length === 0) return;
    const rows = await tmux.query(['list-panes', '-a', '-F', PLACES]);
    const readMs = closely !== undefined ? 0 : (glanceMs ?? this.#deps.policy.askingReadMs);
    const when = { second: Math.floor(wall / 1_000), now, readMs };
    const still = closely === undefined ? new Set<string>() : this.#standstill.of(this.#heard, closely);
    const places = new Map(rows.map((row) => [paneOf(row), row] as const));
    const shown = inPanes.filter((life) => still.has(life.uuid) || doubtful.includes(life));
    const due = shown.filter((life) => this.#isDue(life, places.get(life.paneId), when));
    if (due.length === 0) return;
    const pictures = await takePictures(
      { tmux, wall },
      due.map(({ paneId }) => paneId),
    );
    const typedTo = await this.#deps.typed();
    const next = new Map(this.#known);
    for (const [at, life] of due.entries()) {
      const picture = pictures[at];
      const place = places.get(life.paneId) ?? '';
      if (picture === undefined || picture.serverPid !== life.server.pid) continue;
      const typed = await typedTo(life);
      const read = await readPane(this.#deps, life, { picture, typed, above: rowsAbove(place) }).catch(
        () => UNREADABLE,
      );
      const before = next.get(life.uuid);
      const more = before && this.#besideItsWord(life, before, read, still.has(life.uuid));
      if (more !== undefined) {
        next.set(life.uuid, more);
        continue;
      }
      const draft = typeof read === 'string' ? '' : (read.screen.composer?.draft ?? '');
      const isPutBack = isLeftOver(draft, life.session, typed.sentTexts);
      if (isPutBack) this.#takeOut(life);
      const stands = { place: isSettled(place, when.second) && !isPutBack ? place : '', readAt: now };
      next.set(life.uuid, after(before, read, { ...stands, wall }));
    }
    this.#known = next;
  }

  /** What its screen adds to what its program says of itself; undefined = its screen alone is judged. */
  #besideItsWord({ uuid }: Incarnation, before: Known, read: PaneRead | string, isStill: boolean): Known | undefined {
    const { word = null, progress } = this.#heard.get(uuid) ?? {};
    const isAsking = before.asks?.by === 'program' && !leavesDoubt(word);
    if (!isAsking && !isStill) return undefined;
    if (typeof read === 'string') return before;
    return isAsking ? withName(before, read) : { ...before, wrote: stillWrote(before.wrote, read.written, progress) };
  }

  #noteWork(lives: readonly Incarnation[], wall: WallMs): void {
    const words = lives.map(({ uuid }) => {
      const { word = null } = this.#heard.get(uuid) ?? {};
      return [uuid, leavesDoubt(word) ? (this.#known.get(uuid)?.word ?? word) : word] as const;
    });
    this.work.note(new Map(words), wall, this.#heard);
  }

  /** Notes what the programs say; those lives of which a screen could say more. */
  async #hear(lives: readonly Incarnation[], now: Instant): Promise<readonly Incarnation[]> {
    const heard = await this.#deps.sources.of(lives);
    this.#heard = heard;
    this.#conversations.note(lives, heard);
    const uuids = new Set(lives.map(({ uuid }) => uuid));
    const next = new Map([...this.#known].filter(([uuid]) => uuids.has(uuid)));
    const doubtful = lives.filter(({ uuid }) => {
      const word = heard.get(uuid)?.word ?? null;
      const isDoubtful = leavesDoubt(word);
      // A program that says it is at rest ends the question that it told of itself.
      if (word !== null && (!isDoubtful || next.get(uuid)?.asks?.by === 'program'))
        next.set(uuid, byProgram({ ...heard.get(uuid), word, life: uuid }, now, next.get(uuid)));
      return isDoubtful || isNameless(next.get(uuid), now, this.#deps.policy.asksAfterMs);
    });
    this.#known = next;
    return doubtful;
  }

  /** The looks go on meanwhile. */
  #takeOut(life: Incarnation): void {
    if (this.#takenOut.has(life.uuid)) return;
    this.#takenOut.add(life.uuid);
    const isOver = (): boolean => this.#takenOut.delete(life.uuid);
    this.#deps.takeOut(life).then(isOver, isOver);
  }

  #isDue({ uuid }: Incarnation, place: string | undefined, { second, now, readMs }: When): boolean {
    const known = this.#known.get(uuid);
    if (place === undefined || known?.place === place) return false;
    return known === undefined || isSettled(place, second) || now - known.readAt >= readMs;
  }
}

interface How {
  /** Those that are also read while their programs work and tell no step, each screen that changed beside them; absent = none are. */
  readonly closely?: readonly Incarnation[];
  /** A person asks now: so often at most a screen that moves is read. */
  readonly glanceMs?: Ms;
}

interface When {
  readonly second: number;
  readonly now: Instant;
  /** A screen that moves is read again after this. */
  readonly readMs: Ms;
}
