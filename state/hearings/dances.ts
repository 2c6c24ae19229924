/**
 * The records of dances on disk: active/ while they run, completed/ afterwards. Reading them, and what is known of them.
 * 1. A dance is written in its new place before it leaves the old one; found in both, completed/ wins.
 * 2. What memory knows is at least as new as any file: a reading never overrides it.
 */
import { isStop } from '../../machines/hearings/dance.ts';
import { heardOf as remembered } from '../../machines/hearings/history.ts';
import { verdictAlertOf } from '../../machines/hearings/verdict-alerts.ts';
import type { Dance, Exit, PastHearing, Spared, Verdict, WallMs, Warrant } from '../../machines/protocol.ts';
import { ALERTS } from '../alerts/episodes.ts';
import type { Decoded } from '../files/decode.ts';
import type { Disk } from '../files/disk.ts';
import { paths } from '../files/layout.ts';
import { recordKind } from '../files/record-kind.ts';
import { danceFile, danceStateOf, storedDance } from './schemas.ts';
import { warrantFingerprint } from './warrants.ts';

const placeOf = ({ id, stage }: Dance): string => (stage === 'closed' ? paths.completed(id) : paths.active(id));
export const DANCE = recordKind<Dance>('dance', {
  shape: danceFile,
  path: placeOf,
  write: (dance) => ({ state: danceStateOf(dance), context: storedDance(dance) }),
});
export const danceText = DANCE.text;
export const danceFileOf = (dance: Dance): { path: string; text: string } => ({
  path: placeOf(dance),
  text: danceText(dance),
});

/** Decodes a file of active/ (`closed` false) or completed/. */
export function decodeDance(text: string, name: string, closed: boolean): Decoded<Dance> {
  const decoded = DANCE.decode(text, name);
  if (!decoded.ok || (decoded.value.stage === 'closed') === closed) return decoded;
  return { ok: false, what: 'bad', why: `its stage is ${decoded.value.stage}`, requester: null };
}

/** What is left of closed dances for later decisions; those that closed before `since` and left nothing decide nothing any more. */
export function heardSince(completed: readonly Dance[], since: WallMs): PastHearing[] {
  return completed.flatMap((dance) => {
    const { verdict, closedAt } = dance;
    if (verdict === null || closedAt === null) return [];
    const heard = remembered(dance, closedAt);
    return closedAt < since && heard.open === undefined ? [] : [heard];
  });
}

/** Whether a person is told still what this dance left to them: when that is over, its record says. */
export async function isOpenStill(disk: Pick<Disk, 'stat'>, dance: Dance): Promise<boolean> {
  const left = verdictAlertOf(dance);
  return left !== null && (await disk.stat(ALERTS.place(left.episode))) !== null;
}

/** The number in a dance's id, `dog-<ms>`; 0 when there is none. */
export function numberOf(name: string): number {
  return Number(/^dog-(\d+)/.exec(name)?.[1] ?? 0);
}

interface Open {
  readonly uuid: string;
  readonly killing: boolean;
  readonly warrants: Dance['warrants'];
}

/** How a life ended that a hearing found dead. */
export interface FoundEnd {
  readonly exit: Exit;
  /** What its pane showed. */
  readonly lastWords: string;
}

/** Verdicts after which the target of a stop lives on. */
const SPARED: ReadonlySet<Verdict | null> = new Set(['pardoned', 'failed', 'escalated'] as const);

/**
 * What this process knows to be durable about dances. Until all are found, each life is unknown and its readers wait
 * (law 1).
 */
export class DanceIndex {
  readonly #open = new Map<string, Open>();
  readonly #closed = new Set<string>();
  readonly #executed = new Set<string>();
  readonly #ends = new Map<string, FoundEnd>();
  readonly #spared = new Map<string, Spared>();
  readonly #allRead = Promise.withResolvers<true>();
  /** By warrant. */
  readonly #taken = new Map<string, { readonly fingerprint: string; readonly dance: string }>();

  /** A dance that was just made durable. Returns the warrants that it did not hold before. */
  saved(dance: Dance): Dance['warrants'] {
    const { id, stage, verdict, target, killing, warrants, exit, tailAfter, reason } = dance;
    const { uuid } = target;
    const before = this.#open.get(id)?.warrants;
    if (exit !== undefined) this.#ends.set(uuid, { exit, lastWords: tailAfter });
    if (stage === 'closed') {
      this.#open.delete(id);
      this.#closed.add(id);
      if (verdict === 'executed') this.#executed.add(uuid);
      const stops = warrants.filter(isStop).map((warrant) => warrant.id);
      if (stops.length > 0 && SPARED.has(verdict)) this.#spared.set(uuid, { stops, why: reason });
    } else {
      this.#open.set(id, { uuid, killing, warrants });
    }
    return warrants === before ? [] : warrants.filter((warrant) => this.#hold(warrant, id));
  }

  /** A dance that was read. Returns its warrants when it is new here. */
  found(dance: Dance): Dance['warrants'] {
    return this.#open.has(dance.id) || this.#closed.has(dance.id) ? [] : this.saved(dance);
  }

  isClosed(id: string): boolean {
    return this.#closed.has(id);
  }

  /** True when a durable record says that this life may have been signalled, or was executed. */
  async maybeSignalled(uuid: string): Promise<boolean> {
    await this.#allRead.promise;
    if (this.#executed.has(uuid)) return true;
    for (const one of this.#open.values()) if (one.killing && one.uuid === uuid) return true;
    return false;
  }

  /** All that there is was found. */
  learned(): void {
    this.#allRead.resolve(true);
  }

  /** True while a hearing of this life is open. */
  async hears(uuid: string): Promise<boolean> {
    await this.#allRead.promise;
    return [...this.#open.values()].some((one) => one.uuid === uuid);
  }

  /** How this life ended, as a hearing found it in its pane; null = none did. */
  async endOf(uuid: string): Promise<FoundEnd | null> {
    await this.#allRead.promise;
    return this.#ends.get(uuid) ?? null;
  }

  /**
   * Whether an operator's order to end this life failed; null also while it may still be found. The caller does not
   * wait for that.
   */
  sparedBy(uuid: string): Spared | null {
    return this.#spared.get(uuid) ?? null;
  }

  /** The likeness of the warrant with this id that a dance holds. */
  taken(warrant: string): string | undefined {
    return this.#taken.get(warrant)?.fingerprint;
  }

  /** True when the dance that holds this warrant is not closed yet. */
  isHearingOpen(warrant: string): boolean {
    return this.#open.has(this.#taken.get(warrant)?.dance ?? '');
  }

  /** A closed dance whose file was removed for its age. */
  forget(dance: Dance): void {
    this.#closed.delete(dance.id);
    this.#executed.delete(dance.target.uuid);
    this.#ends.delete(dance.target.uuid);
    this.#spared.delete(dance.target.uuid);
    for (const { id } of dance.warrants) this.#taken.delete(id);
  }

  #hold(warrant: Warrant, dance: string): boolean {
    const alike = warrantFingerprint(warrant);
    const before = this.#taken.get(warrant.id);
    if (before?.fingerprint === alike && before.dance === dance) return false;
    this.#taken.set(warrant.id, { fingerprint: alike, dance });
    return true;
  }
}
