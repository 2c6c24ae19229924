/**
 * Accounts (M-9): limits and logins belong to a credential, not to a session. Pure decisions over the records.
 * 1. What an agent showed stays on its record until its program or its screen shows otherwise, also over its death and its
 *    next start. A reset time proves nothing, and neither does rest at an unchanged login.
 * 2. While one session shows a dead login, no session of that account is started automatically: each such start may revoke
 *    the token of those that still live. An account that is not known holds nothing.
 *    The session that showed it may end for good: its account's login is dead still.
 * 3. Once one of them works again, or the login's file is another one, the login is back. Those that still show the old one
 *    hold nothing any more: a running program does not read the new token. Neither does one that shows it only later.
 * 4. A turn that is busy for a while at an unchanged login proves nothing: programs try again for minutes.
 */
import type { Account, Bar, DeadLogin, Ms, SeenSession, SessionRecord, Stamp, Standing } from '../protocol.ts';
import { limitBar } from './limits.ts';
import { isWatched } from './state.ts';

type Records = Readonly<Record<string, SessionRecord>>;
type OfAccount = SessionRecord & { readonly account: Account };

const hasAccount = (r: SessionRecord): r is OfAccount => r.account !== undefined;
const isDead = (bar: Bar | undefined): bar is Bar => bar?.by === 'logged_out' && bar.outdated === undefined;
/** Its login is dead, as it showed last. */
export const showsDeadLogin = ({ bar }: Pick<SessionRecord, 'bar'>): boolean => isDead(bar);

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

type Login = NonNullable<SessionRecord['login']>;
const isProven = (standing: Standing): boolean => standing.state === 'works' && standing.isLong === true;

/** What its process has read. */
function loginOf({ login, bar }: SessionRecord, standing: Standing, life: string): Login {
  const { credential } = standing;
  if (login?.life === life) return isProven(standing) && login.credential !== credential ? { life, credential } : login;
  return { life, credential: isDead(bar) && bar.life === life ? (bar.credential ?? null) : credential };
}

function loggedOut(bar: Bar | undefined, { credential }: Standing, read: Login, now: Stamp): Bar {
  const before = bar?.by === 'logged_out' ? bar : undefined;
  const { life } = read;
  const isOutdated = credential !== null && credential !== read.credential;
  if (before?.life === life)
    return isOutdated && before.outdated === undefined ? { ...before, outdated: now.wall } : before;
  const since = before?.since ?? now.wall;
  return {
    by: 'logged_out',
    life,
    since,
    ...(credential !== null && { credential }),
    ...(isOutdated && { outdated: now.wall }),
  };
}

/** The same, of one that shows neither a limit nor a login. */
function unbarred(bar: Bar | undefined, standing: Standing, life: string): Bar | undefined {
  if (isProven(standing) || bar?.by !== 'logged_out') return undefined;
  // At rest its screen shows no login any more: a person may have logged in there.
  if (bar.outdated !== undefined) return bar.life === life && standing.state === 'works' ? bar : undefined;
  const isSame = (bar.credential ?? null) === standing.credential;
  // Without a file, rest is all that ever shows.
  return isSame && (standing.state === 'works' || standing.credential !== null) ? bar : undefined;
}

function barAfter(bar: Bar | undefined, standing: Standing, read: Login, now: Stamp): Bar | undefined {
  switch (standing.state) {
    case 'works':
    case 'rests':
      return unbarred(bar, standing, read.life);
    case 'limited':
      return limitBar(bar, standing, read.life, now);
    case 'logged_out':
      return loggedOut(bar, standing, read, now);
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

const isOfLife = (r: SessionRecord | undefined, { uuid, life }: SeenSession): r is SessionRecord =>
  r !== undefined && life === 'alive' && isWatched(r) && r.incarnation?.uuid === uuid;

/** What this observation changes on its record; the same object where it is nothing. */
function sighted(r: SessionRecord, { uuid, account: told, standing }: SeenSession, at: Sighting): SessionRecord {
  const account = told === undefined || told.id === r.account?.id ? r.account : told;
  if (standing === undefined) {
    const bar = isUntoldSteady(r, at) ? undefined : r.bar;
    return account === r.account && bar === r.bar ? r : { ...r, account, bar };
  }
  // A program shows a limit also where the file of the login cannot be read.
  const read = standing.state === 'limited' ? r.login : loginOf(r, standing, uuid);
  const bar = barAfter(r.bar, standing, read ?? { life: uuid, credential: null }, at.now);
  if (account === r.account && bar === r.bar && read === r.login) return r;
  return { ...r, account, bar, ...(read !== undefined && { login: read }) };
}

/** What a scan showed of the login of an account. */
interface Shown {
  /** One that showed it dead does not any more. */
  readonly isBack: boolean;
  /** How its file stands; null = not known. */
  readonly credential: string | null;
  /** The logins by which one of its sessions worked for long. */
  readonly proven: readonly (string | null)[];
}

/** Whether that makes the dead login of this record one that was. */
const isOver = (shown: Shown | undefined, { state, bar }: SessionRecord): boolean => {
  if (shown === undefined || bar === undefined) return false;
  const { isBack, credential, proven } = shown;
  // One that waits is tried by its start, one that ended for good is not.
  const isOther = state === 'ended' && credential !== null && credential !== bar.credential;
  return isBack || isOther || proven.includes(bar.credential ?? null);
};

/** Most sessions of an account have one login. */
const withOne = <T>(all: readonly T[], one: T): readonly T[] => (all.includes(one) ? all : [...all, one]);

/** The records after a scan; the same object where nothing is new. */
export function afterStandings(records: Records, seen: readonly SeenSession[], at: Sighting): Records {
  const changed: Record<string, SessionRecord> = {};
  const shown = new Map<string, Shown>();
  for (const one of seen) {
    const before = records[one.name];
    if (!isOfLife(before, one)) continue;
    const r = sighted(before, one, at);
    if (r !== before) changed[one.name] = r;
    if (r.account === undefined) continue;
    const { isBack, credential, proven } = shown.get(r.account.id) ?? { isBack: false, credential: null, proven: [] };
    const { standing } = one;
    shown.set(r.account.id, {
      isBack: isBack || (isDead(before.bar) && !isDead(r.bar)),
      credential: standing?.credential ?? credential,
      proven: standing !== undefined && isProven(standing) ? withOne(proven, standing.credential) : proven,
    });
  }
  for (const [name, before] of Object.entries(records)) {
    const r = changed[name] ?? before;
    if (isDead(r.bar) && r.account !== undefined && isOver(shown.get(r.account.id), r))
      changed[name] = withLogin(r, at.now);
  }
  return Object.keys(changed).length === 0 ? records : { ...records, ...changed };
}
