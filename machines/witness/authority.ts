/**
 * What a letter may speak of (law 11, P-2): its sender, and the bead on that sender's own hook. The text decides neither.
 * 1. A polecat speaks of itself. Its name in a text is an identity that anybody can write; the token of its session is one that it has.
 * 2. The refinery speaks of work that a MERGE_READY handed to it, and so does the operator. The operator may name any polecat.
 * 3. A bead that a letter names counts where the source agrees: it is on that polecat's hook, or it was handed over.
 */
import { isSameAgent, polecatIn, sessionOf, unfitPolecat } from '../rigs/names.ts';
import type { ProtocolMessage } from './messages.ts';
import type { HandedSeen, LetterSeen, PolecatSeen, WitnessSeen } from './observation.ts';

/** `why`: the letter speaks of nothing that its sender may speak of. */
export type Speaks =
  | { readonly polecat: PolecatSeen; readonly bead: string | null; readonly ignores: string | null }
  | { readonly polecat: null; readonly why: string };

/** Of which polecat a letter says that it is done, and which bead that was. */
export function speaksOf({ sender, from }: LetterSeen, message: ProtocolMessage, seen: WitnessSeen): Speaks {
  const { is, polecat: own } = sender;
  const wanted = message.polecat;
  if (is !== 'operator' && is !== 'polecat')
    return {
      polecat: null,
      why: `${from} is no polecat of ${seen.rig.name}: only a polecat itself says that it is done`,
    };
  // A word that names no polecat is text like any other.
  const isOther = wanted !== own && seen.polecats.some((one) => one.name === wanted);
  if (is === 'polecat' && isOther)
    return {
      polecat: null,
      why: `${from} speaks of ${wanted ?? ''}: each polecat says only of itself that it is done`,
    };
  const name = is === 'operator' ? (wanted ?? own) : own;
  if (name === null) return { polecat: null, why: 'it names no polecat' };
  const polecat = seen.polecats.find((one) => one.name === name);
  if (polecat === undefined) return { polecat: null, why: 'there is no such polecat any more' };
  return { polecat, ...beadOf(polecat, message.issue, seen) };
}

/** The bead on the hook of a polecat. Where more lie there, the letter may choose among them. */
function beadOf(
  { agent, hook }: PolecatSeen,
  wanted: string | null,
  { rig }: WitnessSeen,
): { readonly bead: string | null; readonly ignores: string | null } {
  const held = rig.work.flatMap(({ id, assignee }) => (isSameAgent(assignee ?? '', agent) ? [id] : []));
  const isOwn = wanted !== null && (wanted === hook || held.includes(wanted));
  if (isOwn) return { bead: wanted, ignores: null };
  return { bead: hook ?? held[0] ?? null, ignores: wanted };
}

/** A merge, or a failed one, is the refinery's to say, or the operator's. */
export const mayJudgeMerges = ({ sender }: Pick<LetterSeen, 'sender'>): boolean =>
  sender.is === 'refinery' || sender.is === 'operator';

type Named = Pick<HandedSeen, 'bead' | 'branch' | 'polecat' | 'commit'>;

/**
 * What a letter about a merge is about: work that was handed over, by its bead, else by its branch or its polecat. Where two that lie with
 * the refinery share that name, its commit decides; without one it is about neither.
 */
export function handedBy<T extends Named>(message: ProtocolMessage, handed: readonly T[]): T | undefined {
  const { issue, branch, polecat, commit } = message;
  if (issue !== null) return handed.find(({ bead }) => bead === issue);
  const named = handed.filter((one) =>
    branch === null ? polecat !== null && one.polecat === polecat : one.branch === branch,
  );
  return named.length > 1 ? named.find((one) => commit !== null && one.commit === commit) : named[0];
}

const MERGES: ReadonlySet<string> = new Set(['MERGED', 'MERGE_FAILED']);
/** A letter that may be believed says what became of this work. */
export const judgesMerge = (letter: LetterSeen, one: Named): boolean =>
  letter.message !== null &&
  MERGES.has(letter.message.type) &&
  mayJudgeMerges(letter) &&
  handedBy(letter.message, [one]) !== undefined;

/** The name of a polecat of this rig, by its address or by its session; null = it is none. */
export function polecatOf(rig: string, from: string): string | null {
  const before = sessionOf({ rig, name: '' });
  const named = from.startsWith(before) ? { rig, name: from.slice(before.length) } : polecatIn(from);
  return named?.rig === rig && unfitPolecat(named) === null ? named.name : null;
}
