/** A letter of a command to the person, for which their `[notify] command` is started. */
import type { Mailbox } from '../../../state/mail/mailbox.ts';
import { Bell } from '../../alerts/bell.ts';
import { waysOf } from '../../channels/settings.ts';
import { sendToPerson } from '../../alerts/letter.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

/** Sent once for each id. `sent` runs once the message is safe: from then on a command that fails costs a note. */
export async function tellPerson(
  context: Context,
  box: Mailbox,
  message: Parameters<Mailbox['send']>[0],
  sent: () => void = () => undefined,
): Promise<void> {
  const { root, channels, process: limits } = await context.settings();
  const at = { root, disk: await context.disk(), wall: () => Date.now() };
  const bell = new Bell({ ...at, ...waysOf(channels), limitMs: limits.notifyMs });
  const ring = await sendToPerson((...told) => bell.keep(...told), box, message);
  sent();
  note((await ring?.()) ?? '');
}
