/** The mailboxes and the open alerts of a root, for commands. They work with the town down. */
import { Alerts } from '../../../state/alerts/episodes.ts';
import { MailRefused } from '../../../state/mail/addresses.ts';
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { mailboxIn } from '../../patrols/witness/post.ts';
import { openAlert, type OpenAlert, type OpenAlerts } from '../../overview/open-alerts.ts';
import type { Context } from '../context.ts';
import { note } from '../../terminal/print.ts';
import { Onlooker } from '../../overview/onlooker.ts';

/** The address whose mailbox holds messages for the person (C-16). */
export const OVERSEER = 'overseer';

/** The mailbox of an address, in any of its spellings; throws MailRefused for an unknown one. */
export async function mailboxOf(context: Context, text: string): Promise<{ address: string; box: Mailbox }> {
  const { rigs } = await context.settings();
  return mailboxIn({ disk: await context.disk(), rigs, note }, text);
}

/** True where two spellings name one mailbox; false if one is unknown. */
export async function areOneBox(context: Context, one: string, other: string): Promise<boolean> {
  if (one === other) return true;
  try {
    return (await mailboxOf(context, one)).address === (await mailboxOf(context, other)).address;
  } catch (error) {
    if (error instanceof MailRefused) return false;
    throw error;
  }
}

export const alertsOnRecord = async (context: Context): Promise<readonly OpenAlert[]> =>
  (await (await alertsOf(context)).list()).map(openAlert);

/** Those that `town status` shows: the running town knows of each dialog whether it stands now. null = it does not answer, or is an older one. */
export async function alertsSeen(context: Context): Promise<OpenAlerts> {
  const seen = await context.askIfUp((town) => town.overview()).catch(() => null);
  const alerts = seen?.alerts ?? null;
  return alerts?.every(({ question, answers }) => question !== undefined && answers !== undefined) === true
    ? alerts
    : null;
}

export async function alertsOf(context: Context): Promise<Alerts> {
  const disk = await context.disk();
  return new Alerts({ disk, quarantine: new Onlooker(disk, note) });
}
