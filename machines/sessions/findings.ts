/**
 * Cells of what a scan finds of a life (C-6, law 1): it lives, it ended, or it is unclear.
 * 1. A life that stays up long enough clears the record of earlier deaths. Memory counts that spell at each scan, the
 *    record only in steps: otherwise a restart costs a write every two seconds for ten minutes. A kill -9 loses part of
 *    the spell and only makes it longer.
 * 2. An unclear life though tmux answers (an agent that outlived its pane, a process that cannot be looked at) changes
 *    nothing. Such a session would neither run nor be restarted for ever (law 9). So the record says how long it lasts,
 *    and the person's alert comes from that (alerts.ts).
 */
import { order } from '../kernel/decision.ts';
import type { Ms, SessionRecord } from '../protocol.ts';
import { barAtDeath } from './accounts.ts';
import { commandFor } from './background.ts';
import { afterHeard, afterSteadyLife } from './conversation.ts';
import { afterDeath, AT_PEACE, isClean, withoutWish } from './lifecycle.ts';
import type { Events, Next, SeenDead, Scene, States } from './session.ts';
import { idOf, NOT_LIVE, type Live, type SessionsState } from './state.ts';
import { withRemains } from './survivors.ts';

type Running = States['running'];

/** The record counts nothing against the session. */
const isCalm = (r: SessionRecord): boolean => r.streak === 0 && !r.crashLoop;
/** Whether a life that is seen alive changes anything. A thousand quiet sessions are walked once a scan, and no further. */
export const isQuiet = (r: SessionRecord, live: Live = NOT_LIVE): boolean =>
  isCalm(r) && r.unknownTold !== true && live.unknownSince === undefined;

/** The part of the time since the last look that the town really watched. */
const spentMs = ({ scannedAt, policy }: SessionsState, now: number): Ms =>
  scannedAt === null ? 0 : Math.max(0, Math.min(now - scannedAt, 2 * policy.scanEveryMs));

/** Any sight of the life ends the unclear spell. */
function known(r: SessionRecord): SessionRecord {
  const { unknownTold, ...rest } = r;
  return unknownTold === true ? rest : r;
}

/** With the conversation that its program says it is in. The town does not start an adopted agent again. */
function withHeard(r: SessionRecord, heard: string | undefined, { policy }: SessionsState): SessionRecord {
  if (heard === undefined || r.state === 'observed') return r;
  const conversation = afterHeard(r.conversation, heard, policy);
  return conversation === r.conversation ? r : { ...r, conversation };
}

/** A scan saw the life alive. */
export function steadies(
  { r: before, live }: Running,
  { conversation: heard }: Events['SEEN_ALIVE'],
  { book, now }: Scene,
): Next {
  const r = withHeard(known(before), heard, book);
  const { unknownSince: _, aliveMs: soFar = r.stableMs, ...rest } = live;
  if (isCalm(r)) return { record: r, live: rest };
  const { stableMs, stableSteps } = book.policy;
  const aliveMs = soFar + spentMs(book, now.at);
  if (aliveMs >= stableMs)
    return {
      record: { ...r, ...AT_PEACE, ...(r.conversation && { conversation: afterSteadyLife(r.conversation) }) },
      live: rest,
    };
  const isStep = aliveMs - r.stableMs >= stableMs / stableSteps;
  return { record: isStep ? { ...r, stableMs: aliveMs } : r, live: { ...rest, aliveMs } };
}

/** Its life cannot be determined. */
export function isUnclear({ r, live }: Running, _: object, { book, now }: Scene): Next {
  const unknownSince = live.unknownSince ?? now.at;
  const isLong = r.unknownTold !== true && now.at - unknownSince >= book.policy.unknownAlarmMs;
  return { live: { ...live, unknownSince }, ...(isLong && { record: { ...r, unknownTold: true } }) };
}

/** The rig's witness looks soon at what the life left, even while the rig rests. */
const isOfRig = ({ spec: { tags } }: SessionRecord): boolean => tags.some((tag) => tag.startsWith('rig:'));

/** The life ended: the policy restarts the session or not. The pane that a clean end leaves is cleared. */
export function dies({ r: before, life }: Running, { seen, exit, sharedWaitMs }: SeenDead, { book, now }: Scene): Next {
  const elapsedMs = book.agedAt === null ? 0 : now.at - book.agedAt;
  const { maybeSignalled, limit, lastWords, uuid } = seen;
  const death = { exit, maybeSignalled, limit, lastWords, sharedWaitMs, elapsedMs };
  const after = afterDeath(known(before), death, book.policy, book.entropy);
  const bar = barAtDeath(before, limit, now);
  const record = withRemains(bar === after.bar ? after : { ...after, bar }, life, book);
  const isLeft = record.state === 'ended' && seen.life === 'dead' && isClean(seen.exit);
  const clear = order(idOf('clear', { life: uuid }), { type: 'clear', target: life, tree: [], unsaved: true });
  const confirmAt = record.endUnconfirmed === true ? now.at + book.policy.confirmEndMs : null;
  const dueAt = record.state === 'backing_off' ? now.at + record.waitMs : confirmAt;
  const news = order(idOf('announce', { life: uuid }), { type: 'announce', news: { type: 'CHANGED', what: 'ends' } });
  const orders = [...(isLeft ? [clear] : []), ...(isOfRig(record) ? [news] : [])];
  return { record, live: { ...NOT_LIVE, dueAt }, orders };
}

/** The town has outlived the session's clean end by long enough. */
export function isWished({ r: { endUnconfirmed: _, ...r }, live }: States['ended']): Next {
  return { record: r, live: { ...live, dueAt: null } };
}

/** The record was read. An agent whose town and tmux server ended with it did not wish to end. */
export function isReadEnded({ r, live }: States['ended'], { outlived }: Events['READ'], { book, now }: Scene): Next {
  if (r.endUnconfirmed !== true) return {};
  if (outlived === true) return { live: { ...live, dueAt: now.at + book.policy.confirmEndMs } };
  const record = withoutWish(r, book.policy);
  return { record, live: { ...NOT_LIVE, dueAt: now.at + record.waitMs } };
}

/** An adopted agent ended. The town does not restart it: a person reads of it in a letter. */
export function leaves({ r }: Running, { seen, isServerGone, letter: endLetter }: SeenDead): Next {
  const { background } = r.spec;
  const note = background
    ? `its program ended it, and keeps its conversation: ${commandFor(background, 'respawn').join(' ')}`
    : seen.life !== 'absent'
      ? 'the adopted agent ended; its pane is left alone'
      : isServerGone
        ? 'the adopted agent ended with its tmux server'
        : 'the adopted agent ended, and its pane with it';
  const told = endLetter === undefined ? {} : { endLetter };
  return { record: { ...known(r), state: 'ended', lastExit: seen.exit, note, ...told }, live: NOT_LIVE };
}

/** The tmux server died while this session waited: it waits with those that lived in the server. */
export const waitsAlong = ({ r }: States['waiting'], { waitMs }: Events['HELD_BACK'], { now }: Scene): Next => ({
  record: { ...r, waitMs },
  live: { ...NOT_LIVE, dueAt: now.at + waitMs },
});
