/**
 * `town alerts poll`: what the town told the sessions of a tag, for a program that acts on it. Files, so it works with the
 * town down.
 * 1. Without --after a message counts as read once it is printed: killed in between, it is printed again, under the same id.
 * 2. With --after nothing counts as read by being printed, only by the next call that names it, or a later one. A caller
 *    that keeps the id of the last message it handled gets each exactly once.
 */
import { z } from 'zod';
import { orNull } from '../../../state/files/or-null.ts';
import type { Received } from '../../../state/mail/mailbox.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { mailboxOf } from '../asking/post.ts';
import type { Context } from '../context.ts';
import { whoCalls } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { MAIL_PAGE } from '../policy.ts';

export interface PollOptions {
  readonly for: string;
  readonly after?: string;
}

const BODY = z.object({
  payload: z.record(z.string(), z.unknown()),
  suggested: z.object({ action: z.string(), options: z.array(z.string()) }),
});

interface Polled {
  readonly id: string;
  readonly msg_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly suggested: z.infer<typeof BODY>['suggested'];
}

/** null = a letter that another wrote to the tag: mail, and no message of the town. */
function polledOf({ id, via, subject, body }: Received): Polled | null {
  const { data } = BODY.safeParse(via === 'town' ? orNull(() => JSON.parse(body) as unknown) : null);
  return data === undefined ? null : { id, msg_type: subject, ...data };
}

/** Throws Failure (5) for an agent without the tag. */
async function mayRead(context: Context, tag: string): Promise<void> {
  const caller = await whoCalls(context);
  if (caller.is === 'operator' || caller.spec.tags.includes(tag)) return;
  const text = `${caller.session} has no tag ${quoteName(tag)}, so these messages are not for it`;
  throw new Failure(EXIT.refused, 'not_yourself', text);
}

function textOf({ msg_type: type, payload, suggested }: Polled): string {
  const fields = Object.entries(payload).map(([name, value]) => `  ${name}: ${clean(JSON.stringify(value))}`);
  return [type, ...fields, `  ${suggested.action}:`, ...suggested.options.map((one) => `    ${one}`)].join('\n');
}

export async function poll(context: Context, { for: tag, after }: PollOptions): Promise<void> {
  context.existing();
  await mayRead(context, tag);
  const { box } = await mailboxOf(context, `tag/${tag}`);
  const isOwn = (message: Received): boolean => polledOf(message) !== null;
  // By their names, so that letters of others to the tag keep none of these from being read.
  const page = { limit: MAIL_PAGE.letters, from: 'oldest', of: (name: string) => name.startsWith('worker-') } as const;
  if (after !== undefined) {
    const shown = (await box.page(['cur'], page)).filter(isOwn);
    const at = shown.findIndex(({ id }) => id === after);
    await box.archiveAll(shown.slice(0, at + 1).map(({ id }) => id));
  }
  const found = (await box.page(after === undefined ? ['new'] : ['new', 'cur'], page)).filter(isOwn);
  const messages = found.map(polledOf).filter((one) => one !== null);
  context.answer('tag-messages', messages, () =>
    messages.length === 0 ? `no message for ${tag}` : messages.map(textOf),
  );
  const ids = found.map(({ id }) => id);
  if (after === undefined) await box.archiveAll(ids);
  else for (const id of ids) await box.read(id);
}
