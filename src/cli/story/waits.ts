/** What waits for a person now: open alerts, unread mail, warrants that nobody hears yet, hearings under way. */
import { openAlert, type OpenAlert, type UnreadMail } from '../../overview/overview.ts';
import { readDances, readPending } from '../../overview/records.ts';
import type { Context } from '../context.ts';
import { NotReadable } from '../../../state/files/disk.ts';
import { clean, note } from '../../terminal/print.ts';
import { alertsOf, mailboxOf, OVERSEER } from '../post.ts';

export interface Waits {
  readonly alerts: readonly OpenAlert[];
  /** null = the mailbox cannot be read. */
  readonly mail: readonly (Required<UnreadMail> & { readonly sent_at: string })[] | null;
  /** Pending: no dog has them yet. */
  readonly warrants: readonly { readonly id: string; readonly target: string; readonly reason: string }[];
  /** Hearings; they need nobody. */
  readonly under_way: readonly { readonly id: string; readonly session: string }[];
}

/** Looks only. */
export async function overseerWaits(context: Context): Promise<Waits> {
  const disk = await context.disk();
  const { box } = await mailboxOf(context, OVERSEER);
  const [alerts, mail, pending, { open }] = await Promise.all([
    (await alertsOf(context)).list(),
    box.inbox().catch((error: unknown) => {
      if (!(error instanceof NotReadable)) throw error;
      note(`${error.message}, so it is unknown what mail waits for you: move it away.`);
      return null;
    }),
    readPending(disk),
    readDances(disk),
  ]);
  const heard = new Set(open.flatMap(({ value }) => value.warrants.map(({ id }) => id)));
  const id = (name: string): string => name.slice(0, -'.json'.length);
  return {
    alerts: alerts.map((one) => openAlert({ ...one, text: clean(one.text) })),
    mail:
      mail
        ?.filter((m) => m.box === 'new')
        .map(({ from, subject, ...m }) => ({
          id: m.id,
          from: clean(from),
          subject: clean(subject),
          via: m.via,
          sent_at: m.sent_at,
        })) ?? null,
    warrants: pending.found
      .map(({ name, value }) => ({
        id: value.id ?? id(name),
        target: clean(value.target),
        reason: clean(value.reason),
      }))
      .filter((warrant) => !heard.has(warrant.id)),
    under_way: open.map(({ value }) => ({ id: value.id, session: value.target.session })),
  };
}
