/** The mail of a witness, as its patrol sees it: each message read once, with who wrote it by the door that it came through. */
import { trackedBy } from '../../../machines/ledger/bead.ts';
import { polecatOf } from '../../../machines/witness/authority.ts';
import type { ProtocolMessage } from '../../../machines/witness/messages.ts';
import { SWARM_NAME } from '../../../machines/witness/swarms.ts';
import { refineryAddress, sessionOf } from '../../../machines/rigs/names.ts';
import type { PolecatRecord } from '../../../machines/rigs/records.ts';
import type { LetterSeen, Sender } from '../../../machines/witness/observation.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Mailbox, Received } from '../../../state/mail/mailbox.ts';
import { messageOf } from '../../../state/mail/messages.ts';
import { PATROL_HANDS } from '../policy.ts';
import { swarmId } from '../../ledger/swarms.ts';
import { eachCalled } from '../../ledger/walk.ts';
import { age, order } from '../../ports/age.ts';

/** What a polecat writes of itself. */
const OWN: ReadonlySet<string | undefined> = new Set(['POLECAT_STARTED', 'POLECAT_DONE', 'LIFECYCLE', 'HELP']);

interface Reading {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  readonly polecats: ReadonlyMap<string, PolecatRecord>;
  readonly lifeOf: Mail['lifeOf'];
}

/** By the door: what a letter's text says of its writer is text. */
export function senderOf(rig: string, { via, from }: Pick<Received, 'via' | 'from'>): Sender {
  const refinery = refineryAddress(rig);
  const isRefinery = from === refinery || from === sessionOf({ rig, name: 'refinery' });
  const polecat = polecatOf(rig, from);
  if (via !== 'agent') return { is: via, polecat };
  if (isRefinery) return { is: 'refinery', polecat: null };
  return { is: polecat === null ? 'other' : 'polecat', polecat };
}

/** Written by another polecat of the name. Which life wrote it tells that, else the clock. */
async function isOfEarlier(mail: Received, named: PolecatRecord, lifeOf: Reading['lifeOf']): Promise<boolean> {
  const life = mail.incarnation === undefined ? null : await lifeOf(sessionOf(named));
  return life === null ? order(Date.parse(mail.sent_at)) < order(named.at) : mail.incarnation !== life;
}

async function letterSeen({ rig, ledger, now, polecats, lifeOf }: Reading, mail: Received): Promise<LetterSeen> {
  const { id, from, subject, body } = mail;
  const message = messageOf(mail);
  const sender = senderOf(rig, mail);
  const isOperator = sender.is === 'operator';
  const named = polecats.get((isOperator ? message?.polecat : null) ?? sender.polecat ?? '');
  return {
    id,
    from,
    subject,
    body,
    message,
    sender,
    life: mail.via === 'agent' ? (mail.incarnation ?? null) : null,
    isLate: mail.box === 'later',
    unknownBeads: message?.type === 'SWARM_START' ? await unknownAmong(ledger, message.swarm?.beads ?? []) : [],
    isNameTaken: message?.type === 'SWARM_START' && (await isNameTaken(ledger, message.swarm, mail)),
    ageMs: age(Date.parse(mail.sent_at), now),
    // What others write of its work stays true.
    isStale: OWN.has(message?.type) && named !== undefined && (await isOfEarlier(mail, named, lifeOf)),
  };
}

async function unknownAmong(ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  const known = new Set(await Array.fromAsync(eachCalled(ledger, [...new Set(ids)]), ({ id }) => id));
  return ids.filter((id) => !known.has(id));
}

/** The same letter, read once more after a kill, finds its own swarm: made later, of the same beads. */
async function isNameTaken(ledger: Ledger, swarm: ProtocolMessage['swarm'], mail: Received): Promise<boolean> {
  if (swarm === null || !SWARM_NAME.test(swarm.id)) return false;
  const [before] = await ledger.beads([swarmId(swarm.id)]);
  if (before === undefined) return false;
  const tracked = new Set(trackedBy(before));
  const isSame = tracked.size === new Set(swarm.beads).size && swarm.beads.every((id) => tracked.has(id));
  return (
    !isSame || (before.status === 'closed' && order(Date.parse(before.createdAt)) < order(Date.parse(mail.sent_at)))
  );
}

export interface Mail {
  readonly rig: string;
  readonly ledger: Ledger;
  readonly now: number;
  readonly box: Mailbox;
  readonly polecats: readonly PolecatRecord[];
  /** The life that a session on record has, or had last; null = unknown. */
  readonly lifeOf: (session: string) => Promise<string | null>;
  /** An agent reads here what its last life left to it: that stays until it did. */
  readonly heir: boolean;
  /** Whether letters of this sender that waited for another hour are looked at in this one. */
  readonly hasBudget: (mail: Received) => boolean;
}

/** The oldest first, at most so many in a cycle. */
export async function lettersOf({ box, polecats, heir, hasBudget, ...mail }: Mail): Promise<LetterSeen[]> {
  const isKept = (mail: Received): boolean => heir && mail.box === 'new' && messageOf(mail)?.type === 'HANDOFF';
  const late = (await box.page(['later'], { limit: PATROL_HANDS.maxLate, from: 'oldest' })).filter(hasBudget);
  const waiting = await box.page(['new', 'cur'], { limit: PATROL_HANDS.maxLetters, from: 'oldest' });
  const mails = [...late, ...waiting].filter((mail) => !isKept(mail));
  const byName = new Map(polecats.map((one) => [one.name, one]));
  const reading = { rig: mail.rig, ledger: mail.ledger, now: mail.now, lifeOf: mail.lifeOf, polecats: byName };
  const found: LetterSeen[] = [];
  for (const mail of mails) found.push(await letterSeen(reading, mail));
  return found;
}
