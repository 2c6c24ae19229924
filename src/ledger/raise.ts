/**
 * Raises an escalation for a cause: one of a cause is open at a time, found again by its label, and counts what occurs once more.
 * The id of a new one follows from its cause and the one before it, so that two who raise it at once raise the same.
 */
import { newBead, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { MAX_ALIKE } from '../../machines/patrols/policy.ts';
import type { Severity } from '../../machines/protocol.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeBead, closeBead, createBead } from './change.ts';
import { ESCALATION, escalation, isAcked, severityOf, standing, withCount } from './escalations.ts';
import { newWrite, PREFIX } from './ids.ts';
import { firstOf, newestOf } from './walk.ts';

const ID_SIGNS = 8;

export interface Cause {
  /** It is found again by this. */
  readonly label: string;
  /** Who remembers that it was raised, as evidence: a digest may take the escalation itself. */
  readonly author: string;
  /** A second label, which all of its kind have: of many a few are raised by name, and one more counts the others. */
  readonly kind?: string;
}

interface Words {
  readonly severity: Severity;
  readonly text: string;
  /** All that there is to read; absent = the text. */
  readonly body?: string | undefined;
  /** A bead that it is about … */
  readonly related?: string | null;
  /** … and whose end ends it. */
  readonly endsWithIt?: boolean;
  /** How many it stands for; `more`: it occurred once more. */
  readonly count?: number | 'more' | undefined;
}

interface By {
  readonly by: string;
  readonly rig: string;
  readonly now: number;
  /** Of doors alone. */
  readonly official?: Official;
}

/** `graver`: it stood, and is graver by now. `known`: it stood. */
export interface Raised {
  readonly bead: Bead;
  readonly is: 'new' | 'graver' | 'known';
}

const openOf = async (ledger: Ledger, label: string): Promise<Bead | undefined> =>
  (await ledger.list({ labels: [ESCALATION, label] }, { limit: 1 })).items[0];

/** How many of this kind are open; as many as are named is enough to know. */
export const countOpen = async (ledger: Ledger, kind: string): Promise<number> =>
  (await firstOf((page) => ledger.list({ labels: [ESCALATION, kind] }, page), MAX_ALIKE)).length;

/** What counts those of a kind that no alert names. */
const restOf = (kind: string): Cause => ({ label: `${kind}/+`, author: `escalations/${kind}/+` });
const restWords = ({ severity, text, body }: Words): Words => {
  return { severity, body, text: `more like ${MAX_ALIKE} others; the last: ${text}`, count: 'more' };
};

/** One that stands keeps its count. It is raised anew where a person took note and it occurred once more. */
export async function raise(ledger: Ledger, cause: Cause, words: Words, by: By): Promise<Raised> {
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    const open = await openOf(ledger, cause.label);
    if (open === undefined && cause.kind !== undefined && (await countOpen(ledger, cause.kind)) >= MAX_ALIKE)
      return raise(ledger, restOf(cause.kind), restWords(words), by);
    const raised =
      open !== undefined && (words.count !== 'more' || !isAcked(open))
        ? await raiseStanding(ledger, open, words, by)
        : await raiseNew(ledger, cause, { words, by, open });
    if (raised !== null) return raised;
  }
  throw new LedgerFault(
    'ledger_busy',
    `${cause.label} was raised by others ${LEDGER.maxTries} times in a row; try again`,
  );
}

async function raiseStanding(ledger: Ledger, open: Bead, words: Words, { now }: By): Promise<Raised | null> {
  const { text, body = text, severity, count = null } = words;
  const stand = { text, body, severity, count, at: new Date(now).toISOString() };
  const bead = await changeBead(ledger, open.id, (one) => standing(one, stand));
  if (bead === null || bead.status === 'closed') return null;
  return { bead, is: severityOf(bead) === severityOf(open) ? 'known' : 'graver' };
}

interface New {
  readonly words: Words;
  readonly by: By;
  /** One that a person took note of. */
  readonly open: Bead | undefined;
}

/** null = another was raised meanwhile. */
async function raiseNew(
  ledger: Ledger,
  { label, author, kind }: Cause,
  { words, by, open }: New,
): Promise<Raised | null> {
  const { text, body = text, severity, related = null, endsWithIt = false, count } = words;
  const { now, rig, official } = by;
  if (open !== undefined) await closeBead(ledger, open.id, 'a person saw it; it occurred again', now);
  // A digest may have taken the one before it, and who raised it may have fallen before it was remembered.
  const [closed] = (await ledger.list({ labels: [ESCALATION, label], statuses: ['closed'] }, { limit: 1 })).items;
  const before = [(await newestOf(ledger, author))?.text, closed?.id].join(' ');
  const id = `${PREFIX}-wisp-${fingerprint(`${label}\n${before}`).slice(0, ID_SIGNS)}`;
  const reason = body.slice(0, LEDGER.maxText);
  const at = new Date(now).toISOString();
  const given = escalation({ title: text, severity, reason, related, endsWithIt, by: by.by, at, label });
  const labels = [...(given.labels ?? []), ...(kind === undefined ? [] : [kind])];
  const whole = newBead({ ...given, labels, id, rig });
  const bead = count === undefined ? whole : withCount(whole, count === 'more' ? 1 : count);
  const put = await ledger.put(bead, { expects: 0, write: newWrite(), ...(official && { official }) });
  if (put.is !== 'done' && put.bead?.labels.includes(label) === true) return null;
  // Another bead has that id: it silences no alert.
  const { id: _, ...fields } = bead;
  const options = { prefix: PREFIX, kind: 'wisp', ...(official && { official }) } as const;
  const raised = put.is === 'done' ? put.bead : await createBead(ledger, fields, options);
  await ledger.addEvidence({ id: `told-${raised.id}`, author, kind: 'told', text: raised.id, at: now });
  return { bead: raised, is: 'new' };
}

/** Ends what stands for a cause. False = nothing did. */
export async function endRaised(ledger: Ledger, label: string, reason: string, now: number): Promise<boolean> {
  const open = await openOf(ledger, label);
  return open !== undefined && (await closeBead(ledger, open.id, reason, now)) !== null;
}
