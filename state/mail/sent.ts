/**
 * How many letters a sender sent within this hour of the clock: mail/<sender>/sent/<hour> has a byte for each. Writers at once add to one
 * file, so that none is lost; files of other hours go.
 */
import type { WallMs } from '../../machines/protocol.ts';
import type { Disk } from '../files/disk.ts';
import { MailRefused } from './addresses.ts';
import { folderOf } from './mailbox.ts';
import { MAIL_BUDGET } from './policy.ts';

const { perHour, hourMs } = MAIL_BUDGET;

/** Counts one more letter, which is not written yet. Throws MailRefused for one over the budget. */
export async function countSent(
  disk: Pick<Disk, 'append' | 'list' | 'mkdir' | 'remove' | 'stat'>,
  sender: string,
  now: WallMs,
): Promise<void> {
  const folder = `${folderOf(sender)}/sent`;
  const hour = Math.floor(now / hourMs);
  const name = String(hour);
  if (((await disk.stat(`${folder}/${name}`))?.bytes ?? 0) >= perHour) refuse(sender, hour);
  await disk.mkdir(folder);
  for (const other of await disk.list(folder)) if (other !== name) await disk.remove(`${folder}/${other}`);
  await disk.append(`${folder}/${name}`, '.');
}

function refuse(sender: string, hour: number): never {
  const until = new Date((hour + 1) * hourMs).toISOString();
  throw new MailRefused(
    'too_many_letters',
    `${sender} sent ${String(perHour)} letters within this hour, and this one was not sent; put it into a file, or send it after ${until}`,
  );
}
