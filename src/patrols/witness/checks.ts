/**
 * Which `done_check` of a polecat was asked for last, and what it found, as a note: the witness asks for a check, and the process that runs
 * it (`town polecat check`) writes that it began, and the result. A note about another commit does not count. A process that a kill ended
 * before it wrote a result is followed by another at once; if that one ends so too, the result is unknown, from when that was seen.
 */
import { z } from 'zod';
import type { Ms, Proc } from '../../../machines/protocol.ts';
import type { LeftSeen } from '../../../machines/patrols/observation.ts';
import { addressOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import { isChecked, type CheckSeen } from '../../../machines/witness/check-seen.ts';
import { orNull } from '../../../state/files/or-null.ts';
import { proc } from '../../../state/files/shapes.ts';
import { noteOf, type Note, type Notes } from '../../../state/patrols/notes.ts';
import { age, order } from '../../ports/age.ts';
import { ofLife, remember, type Noting } from '../memory/notes.ts';
import { PATROL_HANDS } from '../policy.ts';

export interface CheckNote {
  /** As an assignee is written: `<rig>/polecats/<name>`. */
  readonly agent: string;
  readonly commit: string;
  readonly kind: 'asked' | 'began' | 'passed' | 'failed' | 'unknown';
  /** Its first line says what failed; the rest is output. Of one without a result yet: an `Attempt`, as JSON. */
  readonly text: string;
}
type CheckOf = Pick<CheckNote, 'agent' | 'commit'>;

export const noteCheck = (noting: Noting, { agent, commit, kind, text }: CheckNote): Promise<void> =>
  remember(noting, agent, 'check', kind, `${commit}\n${text}`);

const attempt = z.strictObject({
  /** It runs the check; null = it has not begun, or is unknown. */
  process: proc.nullable(),
  /** So many before it in a row ended without a result. */
  lost: z.int().min(0),
});
type Attempt = Readonly<z.infer<typeof attempt>>;

/** An older town wrote none: then it is not known whether its process lives. */
const attemptIn = (text: string): Attempt =>
  attempt.safeParse(orNull(() => JSON.parse(text) as unknown)).data ?? { process: null, lost: 0 };

interface CheckRead {
  readonly commit: string;
  readonly text: string;
}
function checkIn({ text }: Note): CheckRead {
  const [commit = '', ...lines] = text.split('\n');
  return { commit, text: lines.join('\n') };
}

/** The last attempt at this commit; null = its note says something else. */
async function lastAttempt(
  { disk }: Noting,
  { agent, commit }: CheckOf,
): Promise<(Attempt & Pick<Note, 'kind' | 'at'>) | null> {
  const note = await noteOf(disk, agent, 'check');
  if (note === null || (note.kind !== 'asked' && note.kind !== 'began')) return null;
  const read = checkIn(note);
  return read.commit === commit ? { ...attemptIn(read.text), kind: note.kind, at: note.at } : null;
}

/** This process runs it. */
export async function noteBegan(noting: Noting, of: CheckOf, process: Proc | null): Promise<void> {
  const last = await lastAttempt(noting, of);
  const began: Attempt = { process, lost: last?.kind === 'asked' ? last.lost : 0 };
  await noteCheck(noting, { ...of, kind: 'began', text: JSON.stringify(began) });
}

interface Asking extends Checking {
  readonly check: (polecat: string, commit: string) => void;
  readonly bornAt: (agent: string) => number | null;
}

/** Asks for the check of a commit, unless one that was given up on has begun since, or has a result. Resolves with the commit. */
export async function beginCheck(
  needs: Asking,
  { polecat, ...of }: CheckOf & { readonly polecat: string },
): Promise<string> {
  if (await hasResult(needs, of)) return of.commit;
  const last = await lastAttempt(needs, of);
  if (last?.kind === 'began' && needs.doneCheck && standing(last, age(last.at, needs.now), needs.doneCheck) === 'runs')
    return of.commit;
  const asked: Attempt = { process: null, lost: last === null ? 0 : last.lost + 1 };
  // Before: the next cycle knows of it.
  await noteCheck(needs, { ...of, kind: 'asked', text: JSON.stringify(asked) });
  needs.check(polecat, of.commit);
  return of.commit;
}

async function hasResult({ disk, bornAt }: Pick<Asking, 'disk' | 'bornAt'>, { agent, commit }: CheckOf) {
  const note = ofLife({ at: bornAt(agent) ?? 0 }, await noteOf(disk, agent, 'check'));
  return note !== null && RESULTS.has(note.kind) && checkIn(note).commit === commit;
}

const RESULTS: ReadonlySet<string> = new Set(['passed', 'failed'] satisfies CheckNote['kind'][]);

export interface Checking extends Noting {
  /** The rig's `done_check`; null = it has none. */
  readonly doneCheck: {
    /** How long it may take. */
    readonly limitMs: Ms;
    /** Throws where that is unknown. */
    readonly lives: (process: Proc) => boolean;
  } | null;
}

export async function checkSeen(
  { disk, now, doneCheck }: Checking,
  record: PolecatRecord,
  left: LeftSeen,
  notes: Notes,
): Promise<CheckSeen | null> {
  if (doneCheck === null || !isChecked(left)) return null;
  const agent = addressOf(record);
  const noteNow = async (): Promise<Note | null> => ofLife(record, await noteOf(disk, agent, 'check'));
  const newest = await noteNow();
  if (newest === null) return { is: 'due' };
  const { commit, text } = checkIn(newest);
  if (commit !== left.commit) return { is: 'due' };
  const agoMs = age(newest.at, now);
  switch (newest.kind) {
    case 'passed':
      return { is: 'passed' };
    case 'failed': {
      const { red } = notes;
      const isTold = red !== undefined && order(red.at) >= order(newest.at);
      return { is: 'failed', commit, text, toldMs: isTold ? age(red.at, now) : null };
    }
    case 'asked': {
      if (agoMs < PATROL_HANDS.checkSlackMs) return { is: 'running' };
      const { lost } = attemptIn(text);
      return lost === 0 ? { is: 'due' } : unknown(lostText('did not begin', lost), agoMs - PATROL_HANDS.checkSlackMs);
    }
    case 'began': {
      const one = attemptIn(text);
      const stands = standing(one, agoMs, doneCheck);
      if (stands === 'runs') return { is: 'running' };
      if (stands === 'late') return unknown('its process wrote no result in its time', agoMs - doneCheck.limitMs);
      // Its last act may have been to write its result, after the note was read.
      if ((await noteNow())?.kind !== 'began') return checkSeen({ disk, now, doneCheck }, record, left, notes);
      if (one.lost === 0) return { is: 'due' };
      const why = lostText('ended before it wrote a result', one.lost);
      // On a full disk the next look sees the same.
      await noteCheck({ disk, now }, { agent, commit, kind: 'unknown', text: why }).catch(() => undefined);
      return unknown(why, 0);
    }
    default:
      return unknown(text, agoMs);
  }
}

const unknown = (text: string, agoMs: Ms): CheckSeen => ({ is: 'unknown', text, agoMs });

type Doing = NonNullable<Checking['doneCheck']>;

/** How an attempt that began so long ago stands. Whether its process lives may be unknown, which is no end (law 1). */
function standing({ process }: Attempt, agoMs: Ms, { limitMs, lives }: Doing): 'runs' | 'ended' | 'late' {
  if (process !== null && orNull(() => lives(process)) === false) return 'ended';
  return agoMs < limitMs + PATROL_HANDS.checkSlackMs ? 'runs' : 'late';
}

/** The first loss is a kill that the work has no part in, as of the whole town. */
const lostText = (how: string, lost: number): string => `its process ${how}, ${lost + 1} times in a row`;
