/**
 * Many alerts of one kind are one (law 8): a person reads a few by name, and of all others one alert with their count. Pure.
 * 1. A grave one is named beside lesser ones, however many these are.
 * 2. Those beyond the few are members of that one alert. It is over when the last of its members is.
 * 3. A restart forgets who they were. Actors claim theirs anew; of files the hand looks whether any is left.
 */
import { aboutOf, episodeIn, episodeOf, isGroup, MANY } from '../protocol.ts';
import type { Alert, AlertChange, Checked, Ended, Episode, EpisodeName, WallMs } from '../protocol.ts';
import { isOpen, type Held } from './holding.ts';
import { MANY_ALERTS } from './policy.ts';
import { rank } from './severity.ts';

type Holds = Readonly<Record<string, Held>>;

export const groupOf = (kind: string): EpisodeName => episodeOf({ kind, asks: null }, MANY);
const kindOf = (episode: EpisodeName): string => aboutOf(episode).kind;

const openGroup = (held: Holds, kind: string): Held | null => {
  const group = held[groupOf(kind)];
  return group !== undefined && isOpen(group) ? group : null;
};

/** Whether a person reads enough of its kind by name that are as grave. */
export function exceeds(held: Holds, alert: Alert): boolean {
  const { episode, session } = alert;
  const kind = kindOf(episode);
  if (openGroup(held, kind)?.members?.some((one) => one.episode === episode) === true) return true;
  const before = held[episode];
  if ((before !== undefined && isOpen(before)) || aboutOf(episode).name === '') return false;
  const open = Object.values(held).filter(isOpen);
  const named = open.filter(
    ({ record }) => kindOf(record.episode) === kind && !isGroup(record.episode) && rank(record) >= rank(alert),
  );
  return named.length >= (session === null ? MANY_ALERTS.things : MANY_ALERTS.sessions);
}

/** As a person reads it: how many, and the words of the first; one alone has its own words. */
const wordsOf = (count: number, first: string): string =>
  count === 1 ? first : `${count} more like this one: ${first}`;
const firstOf = (text: string): string => text.replace(/^\d+ more like this one: /, '');

function withOne(
  members: readonly Checked[],
  { episode, life, session }: Alert,
  mark: string | undefined,
): readonly Checked[] {
  const one = { episode, session, count: 1, ...(life !== undefined && { life }), ...(mark !== undefined && { mark }) };
  return [...members.filter((before) => before.episode !== episode), one];
}

/** The one alert with this one in it. A person who acknowledged it is alerted again if it is graver now. */
export function withMember(held: Holds, alert: Alert, now: WallMs, mark: string | undefined): Held {
  const name = groupOf(kindOf(alert.episode));
  const open = openGroup(held, kindOf(alert.episode));
  const members = withOne(open?.members ?? [], alert, mark);
  const earlier = open?.members === undefined ? (open?.record.count ?? 0) + 1 : 0;
  const count = Math.max(members.length, earlier);
  const isNews = open === null || rank(alert) > rank(open.record);
  const { severity } = isNews ? alert : open.record;
  const text = wordsOf(count, open === null ? alert.text : firstOf(open.record.text));
  const { since, climbs, told_at: toldAt } = open?.record ?? { since: now, climbs: undefined, told_at: null };
  const told_at = isNews ? null : toldAt;
  const record: Episode = {
    episode: name,
    severity,
    session: null,
    text,
    since,
    count,
    told_at,
    ended_at: null,
    recovery: null,
    climbs,
  };
  const acked = isNews ? null : open.acked;
  return {
    record,
    acked,
    members,
    isAsRead: false,
    telling: held[name]?.telling ?? null,
    waiting: open?.waiting ?? [],
  };
}

const counting = (held: Held, members: readonly Checked[]): Held => {
  const text = wordsOf(members.length, firstOf(held.record.text));
  return { ...held, members, isAsRead: false, record: { ...held.record, text, count: members.length } };
};

/** The groups that shrink without these members, and those that end with their last one. */
export function withoutMembers(
  held: Holds,
  ended: readonly Ended[],
): { readonly fewer: Held[]; readonly over: Ended[] } {
  const gone = new Map(ended.map(({ episode, text }) => [episode, text]));
  const fewer: Held[] = [];
  const over: Ended[] = [];
  for (const group of Object.values(held).filter(isOpen)) {
    const { members = [], record } = group;
    const left = members.filter(({ episode }) => !gone.has(episode));
    const last = members.findLast(({ episode }) => gone.has(episode));
    if (last === undefined) continue;
    if (left.length > 0) fewer.push(counting(group, left));
    else over.push({ episode: record.episode, text: gone.get(last.episode) ?? '' });
  }
  return { fewer, over };
}

export const hasMember = (group: Held | undefined, episode: EpisodeName, mark: string | undefined): boolean =>
  group?.members?.some((one) => one.episode === episode && one.mark === mark) === true;

/** Names of all that are open, those that one alert stands for among them. */
export const openNames = (held: Holds): readonly EpisodeName[] =>
  Object.values(held)
    .filter(isOpen)
    .flatMap(({ record: { episode }, members }) =>
      isGroup(episode) ? (members ?? []).map((one) => one.episode) : [episode],
    );

/** What is looked at for this one: its members, or itself where they are not known. */
export const checkedOf = (one: Checked, { members }: Held): readonly Checked[] =>
  members === undefined ? [one] : members.slice(0, MANY_ALERTS.checked);

/** A group without known members takes the members that the order names, except those with an alert of their own. */
export function standingAmong(held: Holds, ordered: AlertChange): Holds {
  const group = ordered.type === 'endOthers' ? openGroup(held, ordered.of) : null;
  if (ordered.type !== 'endOthers' || group === null || group.members !== undefined) return held;
  const names = ordered.except.filter((one) => held[one] === undefined);
  const members = names.map((one): Checked => ({ episode: episodeIn(one), count: 1 }));
  const { episode } = group.record;
  // A group without members is over in the way in which a member would be.
  const next = members.length > 0 ? counting(group, members) : { ...group, members: [{ episode, count: 1 }] };
  return { ...held, [episode]: next };
}
