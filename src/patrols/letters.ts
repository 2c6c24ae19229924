/** The mail of a witness, as its patrol sees it: each message read once, and whether what a MERGED names is merged. */
import { branchOf, refineryAddress, sessionOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { ProtocolMessage } from '../../machines/witness/messages.ts';
import type { LetterSeen } from '../../machines/witness/observation.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { Mailbox, Received } from '../../state/mail/mailbox.ts';
import { branchIn, commitIn } from '../ledger/branches.ts';
import { beadsIn } from '../ledger/walk.ts';
import { messageOf } from '../../state/mail/messages.ts';
import { witnessOf } from './evidence.ts';
import type { Trees } from './trees.ts';

const COMMIT = /^[0-9a-f]{7,64}$/i;

/** What a polecat writes of itself. */
const OWN: ReadonlySet<string | undefined> = new Set(['POLECAT_STARTED', 'POLECAT_DONE', 'LIFECYCLE', 'HELP']);

interface Reading {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  readonly polecats: ReadonlyMap<string, PolecatRecord>;
  readonly lifeOf: Mail['lifeOf'];
  /** Of each MERGED what should be merged, by the letter. */
  readonly commits: ReadonlyMap<string, string>;
  readonly merged: Awaited<ReturnType<Trees['merged']>>;
}

/** Written by another polecat of the name. Which life wrote it tells that, else the clock. */
async function isOfEarlier(mail: Received, named: PolecatRecord, lifeOf: Reading['lifeOf']): Promise<boolean> {
  const life = mail.incarnation === undefined ? null : await lifeOf(sessionOf(named));
  return life === null ? Date.parse(mail.sent_at) < named.at : mail.incarnation !== life;
}

async function letterSeen(reading: Reading, mail: Received): Promise<LetterSeen> {
  const { rig, ledger, now, polecats, merged, lifeOf } = reading;
  const { id, from, subject, body } = mail;
  const message = messageOf(mail);
  const named = polecats.get(message?.polecat ?? '');
  const told =
    message === null || message.type === 'LIFECYCLE' ? await ledger.newestEvidence(witnessOf(rig, `mail/${id}`)) : null;
  return {
    ...{ id, from, subject, body, message, wasTold: told !== null },
    ageMs: Math.max(0, now - Date.parse(mail.sent_at)),
    // What others write of its work stays true.
    isStale: OWN.has(message?.type) && named !== undefined && (await isOfEarlier(mail, named, lifeOf)),
    isMerged: merged.get(reading.commits.get(id) ?? '') ?? 'unknown',
  };
}

/** The commit of a MERGED: the one that it names, else the one that its polecat left to the refinery. */
async function commitNamed(
  { rig, ledger }: Pick<Reading, 'rig' | 'ledger'>,
  message: ProtocolMessage | null,
): Promise<string | null> {
  if (message?.type !== 'MERGED') return null;
  const { commit, issue, polecat } = message;
  if (commit !== null) return COMMIT.test(commit) ? commit : null;
  const branch = message.branch ?? branchOf({ rig, name: polecat ?? '' });
  const assignee = refineryAddress(rig);
  if (issue !== null) return (await ledger.beads([issue])).map(commitIn)[0] ?? null;
  for await (const bead of beadsIn(ledger, { rig, assignee, statuses: ['in_progress'] }))
    if (branchIn(bead) === branch) return commitIn(bead);
  return null;
}

export interface Mail {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  readonly box: Mailbox;
  readonly trees: Pick<Trees, 'merged'>;
  readonly polecats: readonly PolecatRecord[];
  /** Of a session on record, the life that it has or had last; null = nobody knows. */
  readonly lifeOf: (session: string) => Promise<string | null>;
  /** An agent reads here what its last life left to it: that stays until it did. */
  readonly heir: boolean;
}

/** The oldest first. */
export async function lettersOf({ rig, ledger, now, box, trees, polecats, heir, lifeOf }: Mail): Promise<LetterSeen[]> {
  const isKept = (mail: Received): boolean => heir && mail.box === 'new' && messageOf(mail)?.type === 'HANDOFF';
  const mails = (await box.inbox()).filter((mail) => !isKept(mail));
  const commits = new Map<string, string>();
  for (const mail of mails) {
    const commit = await commitNamed({ rig, ledger }, messageOf(mail));
    if (commit !== null) commits.set(mail.id, commit);
  }
  const merged = await trees.merged([...new Set(commits.values())]);
  const byName = new Map(polecats.map((one) => [one.name, one]));
  const reading = { rig, ledger, now, commits, merged, lifeOf, polecats: byName };
  const found: LetterSeen[] = [];
  for (const mail of mails) found.push(await letterSeen(reading, mail));
  return found;
}
