/**
 * Accounts (M-9): limits and logins belong to a credential, not to a session. Pure decisions over the records.
 * 1. What an agent showed stays on its record until its program or its screen shows otherwise, also over its death and its
 *    next start. A reset time proves nothing, and neither does rest at an unchanged login.
 * 2. While one session shows a dead login, no session of that account is started automatically: each such start may revoke
 *    the token of those that still live. An account that is not known holds nothing.
 * 3. Once one of them works again, or the login's file is another one, the login is back. Those that still show the old one
 *    hold nothing any more: a running program does not read the new token.
 */
import type { Account, Bar, DeadLogin, Ms, SeenSession, SessionRecord, Stamp, Standing } from '../protocol.ts';
import { isWatched } from './state.ts';

type Records = Readonly<Record<string, SessionRecord>>;
type OfAccount = SessionRecord & { readonly account: Account };

const hasAccount = (r: SessionRecord): r is OfAccount => r.account !== undefined;
const isDead = (bar: Bar | undefined): bar is Bar => bar?.by === 'logged_out' && bar.outdated === undefined;
/** Its login is dead, as it showed last. One that ended for good tells nothing of now. */
export const showsDeadLogin = ({ state, bar }: SessionRecord): boolean => state !== 'ended' && isDead(bar);

/** A later life than the one that showed it, of which nothing is seen yet: the others wait for what it finds. */
const isProbe = ({ state, incarnation, bar }: SessionRecord): boolean =>
  state === 'starting' || (isWatched({ state }) && incarnation?.uuid !== bar?.life);

/**
 * The logins that keep this session from being started. One that an operator wants started may find out whether its login
 * works again, unless another agent that lives shows that it does not.
 */
export function deadLogins(records: Records, name: string, byHand = false): readonly DeadLogin[] {
  return Object.values(records).flatMap((one) => {
    const isOther = one.spec.name !== name;
    if (!showsDeadLogin(one) || !hasAccount(one) || (byHand && !(isOther && isWatched(one)))) return [];
    return [{ account: one.account, credential: one.bar?.credential ?? null, isTried: isOther && isProbe(one) }];
  });
}

/** Of starts whose wait is over: those that are made now, one of each account in a scan. */
export function oneOfEachAccount(records: Records, free: readonly string[]): readonly string[] {
  const taken = new Set(Object.values(records).flatMap((r) => (r.state === 'starting' ? (r.account?.id ?? []) : [])));
  return free.filter((name) => {
    const id = records[name]?.account?.id;
    if (id === undefined) return true;
    const isFirst = !taken.has(id);
    taken.add(id);
    return isFirst;
  });
}

/** How it is barred after its life ended. `limit`: the words of a usage limit that it left. */
export function barAtDeath(
  { bar, incarnation }: SessionRecord,
  limit: string | undefined,
  now: Stamp,
): Bar | undefined {
  if (bar?.outdated !== undefined) return undefined;
  if (limit === undefined) return bar;
  return bar?.by === 'limited' ? bar : { by: 'limited', life: incarnation?.uuid ?? '', since: now.wall };
}

function limited(
  bar: Bar | undefined,
  { resets, resetsAt }: Standing & { state: 'limited' },
  life: string,
  now: Stamp,
) {
  const before = bar?.by === 'limited' ? bar : undefined;
  if (before?.life === life && before.resets === (resets ?? undefined)) return before;
  const since = before?.since ?? now.wall;
  return {
    by: 'limited',
    life,
    since,
    ...(resets !== null && { resets }),
    ...(resetsAt !== null && { resetsAt }),
  } as const;
}

function loggedOut(bar: Bar | undefined, { credential }: Standing, life: string, now: Stamp): Bar {
  const before = bar?.by === 'logged_out' ? bar : undefined;
  if (before?.life === life) {
    const isNewLogin = before.outdated === undefined && credential !== null && credential !== before.credential;
    return isNewLogin ? { ...before, outdated: now.wall } : before;
  }
  const since = before?.since ?? now.wall;
  return { by: 'logged_out', life, since, ...(credential !== null && { credential }) };
}

function barAfter(bar: Bar | undefined, standing: Standing, life: string, now: Stamp): Bar | undefined {
  switch (standing.state) {
    case 'works':
      return undefined;
    case 'rests':
      return isDead(bar) && bar.credential !== undefined && bar.credential === standing.credential ? bar : undefined;
    case 'limited':
      return limited(bar, standing, life, now);
    case 'logged_out':
      return loggedOut(bar, standing, life, now);
  }
}

/** The login of its account is back. A session that does not live uses none, and may start. */
const withLogin = (r: SessionRecord, now: Stamp): SessionRecord =>
  isWatched(r) && r.bar !== undefined && r.incarnation?.uuid === r.bar.life
    ? { ...r, bar: { ...r.bar, outdated: now.wall } }
    : { ...r, bar: undefined };

interface Sighting {
  /** A life that is up for so long is steady. */
  readonly stableMs: Ms;
  readonly now: Stamp;
}

/** A later life than the one that showed it, whose program and screen tell nothing, has lasted for so long: unknown holds nothing. */
const isUntoldSteady = ({ bar, startedAt, incarnation }: SessionRecord, { stableMs, now }: Sighting): boolean =>
  bar !== undefined && bar.life !== incarnation?.uuid && startedAt !== null && now.wall - startedAt >= stableMs;

/** What this sight changes on its record; the same object where it is nothing. */
function sighted(r: SessionRecord, { uuid, life, account: told, standing }: SeenSession, at: Sighting): SessionRecord {
  if (life !== 'alive' || !isWatched(r) || r.incarnation?.uuid !== uuid) return r;
  const account = told === undefined || told.id === r.account?.id ? r.account : told;
  const untold = isUntoldSteady(r, at) ? undefined : r.bar;
  const bar = standing === undefined ? untold : barAfter(r.bar, standing, uuid, at.now);
  return account === r.account && bar === r.bar ? r : { ...r, account, bar };
}

/** The records after a scan; the same object where nothing is new. */
export function afterStandings(records: Records, seen: readonly SeenSession[], at: Sighting): Records {
  const changed: Record<string, SessionRecord> = {};
  const back = new Set<string>();
  for (const one of seen) {
    const before = records[one.name];
    const r = before && sighted(before, one, at);
    if (before === undefined || r === undefined || r === before) continue;
    changed[one.name] = r;
    if (isDead(before.bar) && !isDead(r.bar) && r.account !== undefined) back.add(r.account.id);
  }
  if (Object.keys(changed).length === 0) return records;
  const next = { ...records, ...changed };
  for (const [name, r] of Object.entries(next))
    if (isDead(r.bar) && r.account !== undefined && back.has(r.account.id)) next[name] = withLogin(r, at.now);
  return next;
}
