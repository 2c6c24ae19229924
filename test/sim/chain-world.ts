/**
 * What is so around a simulated watchdog chain: two agents with their lives, one of them the Deacon with its heartbeat, a tmux that
 * is silent at times, and what is drawn to happen there. Owns: the truth, and the log of it that the oracle reads.
 */
import type { Exit, Incarnation } from '../../machines/protocol.ts';
import type { PaneMood } from '../../machines/protocol/watchdog.ts';
import { incarnation } from '../world/drive.ts';
import { Chance } from '../world/chance.ts';
import type { Happened, Untimed } from './log.ts';

export const DEACON = 'hq-deacon';
export const WORKER = 'worker';

/** What an outside observer would write down. */
export type ChainEntry = Happened<
  Record<'booted' | 'killed' | 'paused' | 'resumed' | 'hidden' | 'shown', object> &
    Record<'hung' | 'cameTo', { life: string }> &
    Record<'alert' | 'recovered', { episode: string }> & {
      born: { session: string; life: string };
      died: { session: string; life: string; by: 'itself' | 'signal' };
      /** The hand was asked for a new life while one lived. */
      startedBeside: { session: string; life: string; lives: string };
      wrote: { life: string; letter: string; then: 'restart' | 'end' | 'nothing' };
      ordered: { type: string; giver: string; round: number; verb: string };
      observed: { round: number; isHeard: boolean };
      typed: { life: string; from: string; round: number };
      /** Somebody asks for a triage, or for a sign of life. */
      wanted: { triage: boolean };
      /** `own`: it asked for its end itself. */
      hearing: { dance: string; life: string; stage: string; force: boolean; own: boolean };
      asked: { life: string; dance: string | null };
      signalled: { life: string; lookedAt: number; force: boolean };
    }
>;

export interface Life {
  readonly incarnation: Incarnation;
  readonly bornAt: number;
  isAlive: boolean;
  exit: Exit | null;
  isHung: boolean;
  readonly said: Set<string>;
  typedAt: number;
}

/** A fault planted in the chain, for tests of the oracle. */
export type ChainPlant =
  | 'nobody looks'
  | 'hears of no hearing'
  | 'sees no pause'
  | 'takes the living for dead'
  | 'ticks twice'
  | 'tells twice'
  | 'leaves letters'
  | 'forgets who asked for its end';

/** Which of the three that find a dead Deacon are on. */
export const LINES = ['all', 'boot', 'daemon', 'discovery'] as const;
export type Line = (typeof LINES)[number];

const SECOND = 1_000;
/** Troubles come until then; what follows is long enough for all of it to be over. */
export const CALM_AT = 240 * SECOND;
export const ENDS_AT = CALM_AT + 300 * SECOND;
export const DEEDS = [
  ...(['crashes', 'crashes', 'leaves', 'hangs', 'hangs', 'hangs, accused', 'hangs, accused', 'cameTo'] as const),
  ...(['accused', 'accusedByForce', 'worker crashes', 'worker asks', 'worker asks', 'deacon asks'] as const),
  ...(['an older life asks', 'pauses', 'pauses', 'tmux is silent', 'is busy', 'waits for a person'] as const),
  ...(['is checked', 'is checked', 'triage', 'is lost'] as const),
] as const;
export interface Deed {
  readonly at: number;
  readonly does: (typeof DEEDS)[number];
  readonly forMs: number;
}
export interface ChainHistory {
  readonly seed: number;
  readonly line: Line;
  readonly isActor: boolean;
  readonly restart: 'permanent' | 'transient';
  readonly deeds: readonly Deed[];
  /** A kill after so many steps of each town process. */
  readonly fuses: readonly number[];
}

export function chainHistoryOf(seed: number): ChainHistory {
  const chance = new Chance(seed);
  const line = chance.oneOf(LINES);
  return {
    seed,
    line,
    isActor: chance.isHit(0.15),
    restart: chance.oneOf(['permanent', 'transient']),
    deeds: Array.from({ length: 3 + chance.upTo(14) }, () => ({
      at: chance.upTo(CALM_AT - 30 * SECOND),
      does: chance.oneOf(DEEDS),
      forMs: 1 + chance.upTo(70 * SECOND),
    })),
    fuses: Array.from({ length: chance.upTo(7) }, () => 1 + chance.upTo(chance.isHit(0.4) ? 80 : 1_500)),
  };
}

export class ChainWorld {
  readonly log: ChainEntry[] = [];
  readonly lives = new Map<string, Life>();
  readonly now: () => number;
  mood: PaneMood = 'idle';
  isPaused = false;
  isHidden = false;
  #pids = 1_000;

  constructor(now: () => number) {
    this.now = now;
  }

  tell(entry: Untimed<ChainEntry>): void {
    this.log.push({ t: this.now(), ...entry });
  }

  living(session: string): Life | undefined {
    return [...this.lives.values()].find((one) => one.isAlive && one.incarnation.session === session);
  }
  newest(session: string): Life | undefined {
    return [...this.lives.values()].findLast((one) => one.incarnation.session === session);
  }

  bear(session: string, uuid: string): Life {
    this.#pids += 1;
    const agent = { pid: this.#pids, started: `${this.#pids}@boot` };
    const born = incarnation(this.#pids, { uuid, session, agent });
    const life: Life = {
      incarnation: born,
      bornAt: this.now(),
      isAlive: true,
      exit: null,
      isHung: false,
      typedAt: -Infinity,
      said: new Set(),
    };
    this.lives.set(uuid, life);
    this.tell({ what: 'born', session, life: uuid });
    return life;
  }

  end(life: Life | undefined, exit: Exit, by: 'itself' | 'signal' = 'itself'): void {
    if (life?.isAlive !== true) return;
    const { session, uuid } = life.incarnation;
    life.isAlive = false;
    life.exit = exit;
    this.tell({ what: 'died', session, life: uuid, by });
  }

  hang(life: Life | undefined, isHung: boolean): void {
    if (life?.isAlive !== true || life.isHung === isHung) return;
    life.isHung = isHung;
    this.tell({ what: isHung ? 'hung' : 'cameTo', life: life.incarnation.uuid });
  }
}
