/** The mailboxes and the open alerts of a root, for commands. They work with the town down. */
import { STATE } from '../../state/files/policy.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { addressOf, Mailbox } from '../../state/mail/mailbox.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import type { Context } from './context.ts';
import { note } from '../terminal/print.ts';
import { Onlooker } from '../overview/onlooker.ts';
import { readSessions } from '../overview/records.ts';

/** Where messages for the person wait (C-16). */
export const OVERSEER = 'overseer';

/** The mailbox of an address, in any of its spellings; throws MailRefused when nobody has it. */
export async function mailboxOf(context: Context, text: string): Promise<{ address: string; box: Mailbox }> {
  const disk = await context.disk();
  const { rigs } = await context.settings();
  const { found } = await readSessions(disk);
  const sessions = found.map(({ value }) => value.spec.name);
  const added = await new RigRecords({ disk, policy: STATE }).correspondents();
  const address = addressOf(text, { ...added, rigs: [...Object.keys(rigs), ...added.rigs], sessions });
  return { address, box: new Mailbox({ disk, quarantine: new Onlooker(disk, note) }, STATE.maxRecordBytes, address) };
}

export async function alertsOf(context: Context): Promise<Alerts> {
  const disk = await context.disk();
  return new Alerts({ disk, quarantine: new Onlooker(disk, note), policy: STATE });
}
