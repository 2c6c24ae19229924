/**
 * What an agent is given as its program starts, by the hook of its start: its unread mail, in the words of `town mail check --inject`. A
 * letter counts as read once its program has lived on with it for a while, and what does not fit stays unread.
 */
import type { HandsNeeds } from '../host/hands-needs.ts';
import { addressesOf, letter, unreadIn, unreadText, type Unread } from '../patrols/agent/letters.ts';
import { mailboxIn } from '../patrols/witness/post.ts';
import type { HookServerDeps } from '../sources/hook-server.ts';
import { SOURCES } from '../sources/policy.ts';

const MORE = 'There are more: town mail check --inject';

/** By the uuid of a life. */
export function greeter({ settings, host, store }: HandsNeeds): HookServerDeps['greet'] {
  const note = (text: string): void => host.logger.warn(text);
  const post = { disk: host.disk, rigs: settings.rigs, note };
  return async (uuid) => {
    const all = await store.sessionsNow();
    const spec = all.find(({ incarnation, pending }) => incarnation?.uuid === uuid || pending === uuid)?.spec;
    if (spec === undefined) return null;
    const boxes = [];
    for (const address of addressesOf(spec, spec.name, settings.policy))
      boxes.push((await mailboxIn(post, address)).box);
    const unread = await unreadIn(boxes, SOURCES.maxGreeting.letters + 1);
    return unread.length === 0 ? null : greetingOf(unread);
  };
}

function greetingOf(unread: readonly Unread[]): Awaited<ReturnType<HookServerDeps['greet']>> {
  const fits: Unread[] = [];
  const texts: string[] = [];
  let chars = 0;
  for (const one of unread.slice(0, SOURCES.maxGreeting.letters)) {
    const text = letter(one.message);
    chars += text.length;
    if (fits.length > 0 && chars > SOURCES.maxGreeting.chars) break;
    fits.push(one);
    texts.push(text);
  }
  const more = fits.length < unread.length ? [MORE] : [];
  return {
    text: [`You have ${unreadText(fits.length)}:`, ...texts, ...more].join('\n\n'),
    given: async () => {
      for (const { box, message } of fits) await box.read(message.id);
    },
  };
}
