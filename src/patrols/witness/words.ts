/**
 * What a polecat says of itself: by the report of its present life, by evidence in its own name, or by a label that anybody may have
 * written. A report neither ends an agent that has work nor hands its work over: POLECAT_DONE alone says that it is done.
 */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { StatusReport } from '../../../machines/protocol.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { SaidState } from '../../../machines/sessions/agent-state.ts';
import { reportWord } from '../../../machines/sessions/report-state.ts';
import type { PolecatSeen } from '../../../machines/witness/observation.ts';
import type { WitnessPolicy } from '../../../machines/witness/policy.ts';
import type { Evidence } from '../../../state/ledger/port.ts';
import type { Note, Notes } from '../../../state/patrols/notes.ts';
import { EVIDENCE } from '../memory/evidence.ts';
import { UNTYPED } from '../memory/notes.ts';
import { age, latest, order } from '../../ports/age.ts';
import { wasHeard } from './ends.ts';

const REPORTS: Readonly<Partial<Record<SaidState, PolecatSeen['report']>>> = {
  working: 'working',
  idle: 'idle',
  asks: 'asks',
  error: 'stuck',
};

interface Reporting extends Pick<Heard, 'life' | 'report' | 'goesOnAt' | 'end'> {
  readonly now: number;
}

/** One that was started without work waits for a person when it is idle. One that was heard and goes on has to say that it is done. */
function reportIn({ bead }: PolecatRecord, { now, life, report, goesOnAt, end }: Reporting): PolecatSeen['report'] {
  if (life === null || report === undefined || (goesOnAt !== null && order(report.at) <= order(goesOnAt))) return null;
  const said = reportWord(report, { life: life.uuid, now, workedSince: null, watchedSince: null });
  const word = said === null ? null : (REPORTS[said.word.state] ?? null);
  return word === 'idle' && (bead === null || wasHeard(end, life.uuid)) ? null : word;
}

/** `done-intent:<type>:<seconds>`, as Gas Town's polecats write it on the bead of their work, or on their own. */
const INTENT = /^done-intent:(?:[^:]*:)?(\d+)$/;

/** When a label says that it begins to finish (wall ms); null = none does, or something came of it after that. */
function labelledAt(
  now: number,
  { at }: PolecatRecord,
  sinceAt: number,
  beads: readonly (Bead | undefined)[],
): number | null {
  const labels = beads.flatMap((bead) => (bead === undefined || bead.status === 'closed' ? [] : bead.labels));
  const all = labels.flatMap((label) => INTENT.exec(label)?.[1] ?? []).map(Number);
  const since = Math.floor(order(latest(at, sinceAt)) / 1_000);
  // One of tomorrow is no word of this polecat's.
  const [first, ...rest] = all
    .map((one) => one * 1_000)
    .filter((one) => {
      return Math.floor(order(one) / 1_000) >= since && order(one) <= order(now);
    });
  return first === undefined ? null : latest(first, ...rest);
}

/**
 * When it was decided last that this life goes on with what it has (wall ms; null = never): by a person, or by a text of the witness that
 * it is not done. Its check fails, it left files, or it left nothing to merge. A wish from before that is void. A text that its pane did not
 * take decides nothing.
 */
export function decidedIn(
  { 'hook-goes-on': goesOn, red, dirty, empty }: Notes,
  now: number,
): { readonly goesOnAt: number | null } & Pick<PolecatSeen, 'goesOnMs' | 'dirtyToldMs'> {
  const typed = [red, dirty, empty].filter((one) => one?.kind !== UNTYPED);
  const decisions = [goesOn, ...typed].map((one) => one?.at ?? 0);
  const at = latest(0, ...decisions);
  if (at === 0) return { goesOnAt: null, goesOnMs: null, dirtyToldMs: null };
  const goesOnMs = age(at, now);
  return { goesOnAt: at, goesOnMs, dirtyToldMs: typed.includes(dirty) && dirty?.at === at ? goesOnMs : null };
}

type Words = Pick<PolecatSeen, 'life' | 'report' | 'doneIntentMs' | 'isOwnIntent' | 'idleMs'> & {
  /** It says that its work is over. */
  readonly isOver: boolean;
};

export interface LifeSeen {
  readonly uuid: string;
  /** When it was started (wall ms). */
  readonly at: number;
}

export interface Heard {
  /** The life that its session has, or had last; null = unknown. */
  readonly life: LifeSeen | null;
  /** The last report of its session that still counts, of whichever life. */
  readonly report: StatusReport | undefined;
  /** Its last evidence, of this life. */
  readonly newest: Evidence | null;
  /** When it was decided last that it goes on (wall ms): what it said before counts no more; null = never. */
  readonly goesOnAt: number | null;
  /** How its end was asked for last. */
  readonly end: Note | undefined;
}

/** `beads`: of the work that it has, and of itself. */
export function wordsOfIt(
  { now, policy }: { readonly now: number; readonly policy: Pick<WitnessPolicy, 'doneIntentMs'> },
  record: PolecatRecord,
  heard: Heard,
  beads: readonly (Bead | undefined)[],
): Words {
  const { newest, goesOnAt } = heard;
  const said = newest !== null && (goesOnAt === null || order(newest.at) > order(goesOnAt)) ? newest : null;
  const isOwnIntent = said?.kind === EVIDENCE.doneIntent;
  const lastAt = latest(newest?.at ?? 0, goesOnAt ?? 0);
  const intentAt = isOwnIntent ? said.at : labelledAt(now, record, lastAt, beads);
  const doneIntentMs = intentAt === null ? null : age(intentAt, now);
  const report = reportIn(record, { now, ...heard });
  const isOver = (doneIntentMs ?? 0) > policy.doneIntentMs;
  const life = heard.life?.uuid ?? null;
  return { life, report, doneIntentMs, isOwnIntent, isOver, idleMs: idleSince(now, record, heard, beads[0]) };
}

/** One that was started without work waits for a person, and owes no word. */
function idleSince(now: number, record: PolecatRecord, { newest, goesOnAt, life }: Heard, work?: Bead): number | null {
  if (newest === null && (life === null || work === undefined)) return null;
  return age(latest(begunAt(record, life).at, newest?.at ?? 0, goesOnAt ?? 0), now);
}

/** What an earlier life of it said is not the word of this one (law 3). */
export const begunAt = ({ at }: PolecatRecord, life: LifeSeen | null): Record<'at', number> => ({
  at: latest(at, life?.at ?? 0),
});

type Gone = Pick<Words, 'isOver' | 'doneIntentMs' | 'isOwnIntent'>;
/** An earlier process took it away, which counts as its own word that it is done. */
export const goneFor = ({ policy }: { readonly policy: Pick<WitnessPolicy, 'doneIntentMs'> }): Gone => ({
  isOver: true,
  doneIntentMs: policy.doneIntentMs + 1,
  isOwnIntent: true,
});
