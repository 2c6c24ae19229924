/**
 * How agents are, and what their programs and their screens say of that, truly or not (M-2). A source may be missing, say what was so
 * a while ago, or lie. What is true is asked of the agents' own panes, limits and logins.
 */
import type { SaidState, Word } from '../../machines/sessions/agent-state.ts';
import type { Life } from './agent-plans.ts';
import type { World } from './world.ts';

export type Source = 'true' | 'missing' | 'late' | 'lies';
export interface Sourced {
  readonly program: Source;
  readonly screen: Source;
  /** What a source that lies says. */
  readonly lie: SaidState;
}
const TRUE: Sourced = { program: 'true', screen: 'true', lie: 'idle' };
/** So long ago is what one says that is late. */
const LATE_MS = 15_000;

interface Mind {
  worksUntil: number;
  rest: SaidState;
  state: SaidState;
  since: number;
  /** Before this state. */
  before: SaidState;
  /** Steps of its work. */
  steps: number;
  /** A limit ended its turn, and it did not go on since. */
  isCut: boolean;
}

export class Minds {
  readonly #world: World;
  readonly #minds = new Map<string, Mind>();
  /** By session, until all are honest. */
  readonly sources: Readonly<Record<string, Sourced>>;
  /** All sources say what is so. */
  isHonest = false;

  constructor(world: World, sources: Readonly<Record<string, Sourced>>) {
    this.#world = world;
    this.sources = sources;
  }

  sourcesOf({ session }: Life): Sourced {
    return this.isHonest ? TRUE : (this.sources[session.plan.name] ?? TRUE);
  }

  works(life: Life | undefined, forMs: number): void {
    if (life === undefined) return;
    const mind = this.#mindOf(life);
    mind.worksUntil = this.#world.time.now + forMs;
    mind.rest = 'idle';
    mind.steps += 1;
    mind.isCut = this.#isAtLimit(life);
    if (mind.isCut) this.#meetsAgain(life, mind);
    this.stateOf(life);
    this.#world.in(forMs, () => this.stateOf(life));
  }
  rests(life: Life | undefined, as: SaidState): void {
    if (life === undefined) return;
    const mind = this.#mindOf(life);
    mind.worksUntil = 0;
    mind.rest = as;
    mind.isCut = false;
    this.stateOf(life);
  }

  /** A limit ended its turn. */
  isCut(life: Life): boolean {
    return this.#mindOf(life).isCut;
  }

  /** How it is now. */
  stateOf(life: Life): SaidState {
    const { time } = this.#world;
    const mind = this.#mindOf(life);
    const state = this.#truth(life, mind);
    if (state === mind.state) return state;
    if (state === 'limited' && mind.state === 'working') [mind.isCut, mind.worksUntil] = [true, 0];
    mind.before = mind.state;
    mind.state = state;
    mind.since = time.now;
    if (life.alive) this.#world.tell({ what: 'became', life: life.uuid, state });
    return state;
  }

  /** What it wrote so far. */
  stepsOf(life: Life): number {
    return this.#mindOf(life).steps;
  }

  /** What this source says of it; null = nothing. */
  wordOf(life: Life, by: 'program' | 'screen'): Word | null {
    const { time, wall } = this.#world;
    const source = this.sourcesOf(life);
    if (source[by] === 'missing') return null;
    const shown = this.stateOf(life);
    const { since, before, isCut } = this.#mindOf(life);
    // Its screen alone shows the limit of one that was at rest.
    const truth = shown === 'limited' && !isCut && by === 'program' ? 'idle' : shown;
    const isOld = source[by] === 'late' && time.now - since < LATE_MS;
    const state = source[by] === 'lies' ? source.lie : isOld ? before : truth;
    const begun = by === 'screen' || state !== truth ? null : wall - time.now + since;
    return {
      by,
      source: `${by}, simulated`,
      state,
      since: begun,
      at: wall,
      detail: state === 'asks' ? 'Proceed?' : null,
      rule: null,
    };
  }

  /** It does nothing, and nothing is asked or typed there. */
  isAtRest(life: Life): boolean {
    const { agents } = this.#world;
    const isHindered = (['dialog', 'person', 'limited'] as const).some((cause) =>
      agents.isHindered(life.session, cause),
    );
    return !isHindered && this.#truth(life, this.#mindOf(life)) !== 'working';
  }

  #mindOf({ uuid }: Life): Mind {
    const { now } = this.#world.time;
    const fresh: Mind = {
      worksUntil: 0,
      rest: 'idle',
      state: 'idle',
      since: now,
      before: 'idle',
      steps: 0,
      isCut: false,
    };
    const known = this.#minds.get(uuid) ?? fresh;
    this.#minds.set(uuid, known);
    return known;
  }

  #isAtLimit({ session }: Life): boolean {
    return this.#world.agents.isHindered(session, 'limited');
  }

  /** Another turn of it ends at the limit. */
  #meetsAgain(life: Life, mind: Mind): void {
    mind.worksUntil = 0;
    if (mind.state !== 'limited') return;
    mind.since = this.#world.time.now;
    if (life.alive) this.#world.tell({ what: 'became', life: life.uuid, state: 'limited' });
  }

  #truth(life: Life, { worksUntil, rest, isCut }: Mind): SaidState {
    const { agents, time } = this.#world;
    if (agents.isLoggedOut(life)) return 'logged_out';
    if (this.#isAtLimit(life) || isCut) return 'limited';
    if (agents.isHindered(life.session, 'dialog')) return 'asks';
    return time.now < worksUntil ? 'working' : rest;
  }
}
