/** The unread mail of an agent, as it is put before its model: by `town mail check --inject`, and by the hook of its start. */
import { randomUUID } from 'node:crypto';
import { fenceOf } from '../../../machines/kernel/fence.ts';
import type { SessionSpec } from '../../../machines/protocol.ts';
import { isLifecycle } from '../../../machines/watchdog/lifecycle-requests.ts';
import type { Mailbox, Received } from '../../../state/mail/mailbox.ts';
import type { Settings } from '../../config/settings.ts';
import { clean } from '../../terminal/print.ts';
import { times } from '../../../machines/kernel/span.ts';

/** The Deacon's mailbox, whichever session it is. */
export const DEACON = 'deacon';

/** Whose mail this session reads beside its own; `own`: as its mailbox is called. */
export function addressesOf(
  { name, tags }: Pick<SessionSpec, 'name' | 'tags'>,
  own: string,
  policy: Settings['policy'],
): readonly string[] {
  const { watchdog, monitor } = policy;
  const tag = monitor.orchestratorTag;
  return [...(name === watchdog.deacon.session ? [DEACON] : []), own, ...(tags.includes(tag) ? [`tag/${tag}`] : [])];
}

export interface Unread {
  readonly box: Mailbox;
  readonly message: Received;
}

/** The oldest unread letters of each mailbox, at most `limit`; lifecycle requests are the town's. */
export async function unreadIn(boxes: readonly Mailbox[], limit: number): Promise<readonly Unread[]> {
  const unread: Unread[] = [];
  for (const box of boxes)
    for (const message of await box.page(['new'], { limit, from: 'oldest' }))
      if (!isLifecycle(message)) unread.push({ box, message });
  return unread;
}

/**
 * As a start hook puts it before a model: the town's own words say who wrote it and by which door, and what that one wrote stands in a
 * fence (law 11). Its body is indented, so that no line of it can pass for the head of another message.
 */
export function letter(m: Received): string {
  const body = clean(m.body, 'lines').replaceAll(/^/gm, '  ');
  const fence = fenceOf(randomUUID());
  return `--- from ${clean(m.from)} (${m.via}), ${m.sent_at}; its words:\n${fence.around(`${clean(m.subject)}\n${body}`)}`;
}

export const unreadText = (count: number): string => times(count, 'unread message');
