/** The mail of a witness, as its patrol sees it: each message read once, and whether what a MERGED names is merged. */
import { sessionOf } from '../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../machines/rigs/records.ts';
import type { LetterSeen } from '../../machines/witness/observation.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import type { Mailbox, Received } from '../../state/mail/mailbox.ts';
import { messageOf } from '../../state/mail/messages.ts';
import { witnessOf } from './polecats.ts';
import type { Trees } from './trees.ts';

const COMMIT = /^[0-9a-f]{7,64}$/i;

/** What a polecat writes of itself. */
const OWN: ReadonlySet<string | undefined> = new Set(['POLECAT_STARTED', 'POLECAT_DONE', 'LIFECYCLE', 'HELP']);

interface Reading {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly polecats: ReadonlyMap<string, PolecatRecord>;
  readonly lifeOf: Mail['lifeOf'];
  readonly merged: Awaited<ReturnType<Trees['merged']>>;
}

/** Written by another polecat of the name. Which life wrote it tells that, else the clock. */
async function isOfEarlier(mail: Received, named: PolecatRecord, lifeOf: Reading['lifeOf']): Promise<boolean> {
  const life = mail.incarnation === undefined ? null : await lifeOf(sessionOf(named));
  return life === null ? Date.parse(mail.sent_at) < named.at : mail.incarnation !== life;
}

async function letterSeen(reading: Reading, mail: Received): Promise<LetterSeen> {
  const { rig, ledger, polecats, merged, lifeOf } = reading;
  const { id, from, subject, body } = mail;
  const message = messageOf(mail);
  const named = polecats.get(message?.polecat ?? '');
  const told =
    message === null || message.type === 'LIFECYCLE' ? await ledger.newestEvidence(witnessOf(rig, `mail/${id}`)) : null;
  return {
    ...{ id, from, subject, body, message, wasTold: told !== null },
    // What others write of its work stays true.
    isStale: OWN.has(message?.type) && named !== undefined && (await isOfEarlier(mail, named, lifeOf)),
    isMerged: (message?.type === 'MERGED' && merged.get(message.commit ?? '')) || 'unknown',
  };
}

export interface Mail {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly box: Mailbox;
  readonly trees: Pick<Trees, 'merged'>;
  readonly polecats: readonly PolecatRecord[];
  /** Of a session on record, the life that it has or had last; null = nobody knows. */
  readonly lifeOf: (session: string) => Promise<string | null>;
  /** An agent reads here what its last life left to it: that stays until it did. */
  readonly heir: boolean;
}

/** The oldest first. */
export async function lettersOf({ rig, ledger, box, trees, polecats, heir, lifeOf }: Mail): Promise<LetterSeen[]> {
  const isKept = (mail: Received): boolean => heir && mail.box === 'new' && messageOf(mail)?.type === 'HANDOFF';
  const mails = (await box.inbox()).filter((mail) => !isKept(mail));
  const commits = mails.flatMap((mail) => {
    const message = messageOf(mail);
    return message?.type === 'MERGED' && COMMIT.test(message.commit ?? '') ? [message.commit ?? ''] : [];
  });
  const merged = await trees.merged([...new Set(commits)]);
  const reading = { rig, ledger, merged, lifeOf, polecats: new Map(polecats.map((one) => [one.name, one])) };
  const found: LetterSeen[] = [];
  for (const mail of mails) found.push(await letterSeen(reading, mail));
  return found;
}
