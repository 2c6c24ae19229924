/** Mailboxes by address, for whoever acts without being the town: nothing is moved away, what does not count is named. */
import type { Disk } from '../../state/files/disk.ts';
import { STATE } from '../../state/files/policy.ts';
import { addressOf, Mailbox } from '../../state/mail/mailbox.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import type { Settings } from '../config/settings.ts';
import { Onlooker } from '../overview/onlooker.ts';
import { readSessions } from '../overview/records.ts';

export interface Post {
  readonly disk: Disk;
  readonly rigs: Settings['rigs'];
  readonly note: (text: string) => void;
}

/** The mailbox of an address that is known to be one. */
export const boxAt = ({ disk, note }: Pick<Post, 'disk' | 'note'>, address: string): Mailbox =>
  new Mailbox({ disk, quarantine: new Onlooker(disk, note) }, STATE.maxRecordBytes, address);

/** The mailbox of an address, in any of its spellings; rejects with MailRefused where nobody has it. */
export async function mailboxIn({ disk, rigs, note }: Post, text: string): Promise<{ address: string; box: Mailbox }> {
  const { found } = await readSessions(disk);
  const sessions = found.map(({ value }) => value.spec.name);
  const added = await new RigRecords({ disk, policy: STATE }).correspondents();
  const address = addressOf(text, { ...added, rigs: [...Object.keys(rigs), ...added.rigs], sessions });
  return { address, box: boxAt({ disk, note }, address) };
}
