/** What waits for the person: hearings under way, open alerts, unread mail. */
import { STATE } from '../../../machines/policy.ts';
import { FOLDERS, isRecordName } from '../../../state/layout.ts';
import { Mailbox } from '../../../state/mail.ts';
import type { Context } from '../context.ts';
import { Onlooker } from '../onlooker.ts';
import { alertsOf, OVERSEER } from '../post.ts';

export interface Waiting {
  /** Hearings under way. */
  readonly dances: number;
  readonly alerts: readonly {
    readonly episode: string;
    readonly severity: string;
    readonly session: string | null;
    readonly text: string;
    /** ISO. */
    readonly since: string;
    readonly acked: boolean;
  }[];
  /** Unread messages for the overseer. */
  readonly mail: readonly { readonly id: string; readonly from: string; readonly subject: string }[];
}

export async function waiting(context: Context): Promise<Waiting> {
  const disk = await context.disk();
  const box = new Mailbox({ disk, quarantine: new Onlooker(disk) }, STATE.mostRecordBytes, OVERSEER);
  const [dances, alerts, mail] = await Promise.all([
    disk.list(FOLDERS.active),
    alertsOf(context).then((all) => all.list()),
    box.inbox(),
  ]);
  return {
    dances: dances.filter(isRecordName).length,
    alerts: alerts.map(({ episode, severity, session, text, since, acked }) => {
      return { episode, severity, session, text, since: new Date(since).toISOString(), acked: acked !== null };
    }),
    mail: mail.filter((m) => m.box === 'new').map(({ id, from, subject }) => ({ id, from, subject })),
  };
}
