/**
 * Mailboxes by address, for processes that act without being the town: it moves no file, and names each invalid one.
 */
import type { Letter } from '../../../machines/witness/observation.ts';
import { fingerprint } from '../../../state/files/checksum.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { addressOf } from '../../../state/mail/addresses.ts';
import { Mailbox } from '../../../state/mail/mailbox.ts';
import { RigRecords } from '../../../state/rigs/records.ts';
import type { Settings } from '../../config/settings.ts';
import { Onlooker } from '../../overview/onlooker.ts';
import { readSession } from '../../overview/records.ts';
import { witnessOf } from '../memory/evidence.ts';

export interface Post {
  readonly disk: Disk;
  readonly rigs: Settings['rigs'];
  readonly note: (text: string) => void;
}

/** The mailbox of an address that is known to be one. */
export const boxAt = ({ disk, note }: Pick<Post, 'disk' | 'note'>, address: string): Mailbox =>
  new Mailbox({ disk, quarantine: new Onlooker(disk, note) }, address);

/** The mailbox of an address, in any of its spellings; rejects with MailRefused for an unknown one. */
export async function mailboxIn({ disk, rigs, note }: Post, text: string): Promise<{ address: string; box: Mailbox }> {
  // Of all sessions only the one of this name matters; a record that cannot be read is left out.
  const name = text.replace(/\/$/, '');
  const sessions = (await readSession(disk, name).catch(() => null)) === null ? [] : [name];
  const added = await new RigRecords({ disk }).agents();
  const address = addressOf(text, { ...added, rigs: [...Object.keys(rigs), ...added.rigs], sessions });
  return { address, box: boxAt({ disk, note }, address) };
}

export interface Sending {
  readonly boxOf: (address: string) => Promise<Mailbox>;
  readonly rig: string;
  readonly now: number;
  /** Sends a letter to the person and notifies them. False = it was sent before. */
  readonly tellPerson: (box: Mailbox, letter: Parameters<Mailbox['send']>[0]) => Promise<boolean>;
}

/** As the ids of letters begin that a witness writes. */
export const BY_WITNESS = 'witness-';

/** A letter of a rig's witness; null = the same was sent before. What is said once of a thing is not said again, however often a cycle wants it. */
export async function sendLetter(
  { boxOf, rig, now, tellPerson }: Sending,
  { to, subject, body, of }: Letter,
): Promise<string | null> {
  const box = await boxOf(to);
  const from = witnessOf(rig);
  const id = `${BY_WITNESS}${rig}-${fingerprint(`${to}\n${subject}\n${of}`)}`;
  const letter = { id, from, subject, body, via: 'town', urgent: false, needs_response: false, sentAt: now } as const;
  const isNew = to === 'overseer' ? await tellPerson(box, letter) : await box.send(letter);
  return isNew ? subject : null;
}
