/** Starts the person's `[notify] command` for a letter that a command wrote. */
import type { Cause } from '../../../machines/alerts/policy.ts';
import { Bell, mailCause } from '../../alerts/bell.ts';
import { waysOf } from '../../channels/settings.ts';
import { mailNotice } from '../../alerts/notify.ts';
import { note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';

/** The message is safe already: a command that fails costs a note. */
export async function tellPerson(
  context: Context,
  message: Parameters<typeof mailNotice>[0],
  cause: Cause = mailCause(message),
): Promise<void> {
  const { root, channels, process: limits } = await context.settings();
  const at = { root, disk: await context.disk(), wall: () => Date.now() };
  const bell = new Bell({ ...at, ...waysOf(channels), limitMs: limits.notifyMs });
  note((await bell.ring(mailNotice(message), cause)) ?? '');
}
