/** Alerts of accounts (M-9): one for all sessions of an account that a limit or a dead login keeps from working. */
import type { Claim, Level, Standing } from '../alerts/levels.ts';
import { firstNames, times } from '../kernel/span.ts';
import type { Account, Bar, SessionRecord } from '../protocol.ts';
import { showsDeadLogin } from './accounts.ts';
import { isCutOff } from './limits.ts';
import { isRenewable } from './new-login.ts';
import { isWatched, type SessionsState } from './state.ts';

type Records = SessionsState['records'];
type Book = Pick<SessionsState, 'records' | 'policy' | 'isProtected'>;
type Barred = SessionRecord & { readonly bar: Bar };

const BEFORE = 'It was over when the town started.';
/** Names in a sentence; the others are in `town status`. */
const MAX_NAMED = 5;

/** The sessions that share a credential. */
interface Fleet {
  /** Of the episode. */
  readonly name: string;
  /** null = not known: the session is alone. */
  readonly label: string | null;
  readonly all: readonly SessionRecord[];
}

function fleetsIn(records: Records): readonly Fleet[] {
  const ours = Object.values(records).filter((r) => r.state !== 'ended' || showsDeadLogin(r));
  const groups = Map.groupBy(ours, ({ account, spec }) => account?.id ?? spec.name);
  // A dead login that no session needs is no matter.
  const wanted = [...groups].filter(([, all]) => all.some(({ state }) => state !== 'ended'));
  return wanted.map(([name, all]) => ({ name, label: all[0]?.account?.label ?? null, all }));
}

export const namesOf = (all: readonly SessionRecord[]): string =>
  firstNames(
    all.map(({ spec }) => spec.name),
    MAX_NAMED,
  );

/** `Account ~/.claude: 3 of 12 sessions` */
const countText = ({ label, all }: Fleet, some: readonly SessionRecord[]): string =>
  label === null
    ? namesOf(some)
    : `Account ${label}: ${some.length} of ${times(all.length, 'session')} (${namesOf(some)})`;
const verb = ({ length }: readonly unknown[], one: string, many: string): string => (length === 1 ? one : many);

/** The one whose limit ends first, as far as they say. */
const firstBack = (all: readonly Barred[]): Bar | undefined =>
  all.map(({ bar }) => bar).sort((one, other) => (one.resetsAt ?? Infinity) - (other.resetsAt ?? Infinity))[0];

function limitText(book: Book, fleet: Fleet, all: readonly Barred[]): string {
  const resets = firstBack(all)?.resets;
  const back = resets === undefined ? '' : `; the first names its end: ${resets}`;
  return `${countText(fleet, all)} ${verb(all, 'is', 'are')} at ${verb(all, 'its', 'their')} usage limit${back}. Meanwhile the town files no warrant against ${verb(all, 'it', 'them')} and pages ${verb(all, 'it', 'them')} no more.${goOnText(book, all)}`;
}

/** What the town does for those whose turn the limit ended. */
function goOnText(book: Book, all: readonly Barred[]): string {
  const told = all.filter(({ bar }) => bar.goOn?.is === 'told');
  const left = all.filter((r) => isCutOff(book, r) && !told.includes(r));
  const done = told.length === 0 ? '' : ` It told ${namesOf(told)} to go on.`;
  if (left.length === 0) return done;
  const [one] = left;
  const then = left.length === 1 ? '' : ', and the others one by one once that one works';
  return `${done} Once that time is over it tells ${left.length === 1 ? (one?.spec.name ?? '') : 'one whose turn was cut off'} to go on${then}.`;
}

const isLimited = (r: SessionRecord): r is Barred => r.bar?.by === 'limited';
const isOutdated = (r: SessionRecord): r is Barred => isWatched(r) && r.bar?.outdated !== undefined;
const isLoggedOut = (r: SessionRecord): r is Barred => showsDeadLogin(r);

/** Where a person can log in, or start one that tries the login. */
function tries(records: Records, account: Account): SessionRecord | undefined {
  const all = Object.values(records).filter((r) => r.account?.id === account.id);
  const shows = all.filter(showsDeadLogin);
  const [living] = shows.filter(isWatched);
  if (living !== undefined) return living;
  // One that was stopped may be wanted so.
  const isUp = ({ state }: SessionRecord): boolean => state !== 'ended';
  return shows.find(isUp) ?? all.find((r) => isUp(r) && !isWatched(r)) ?? shows[0];
}

/** How to log in, as a sentence. */
export function loginText(records: Records, account: Account): string {
  const one = tries(records, account);
  if (one === undefined) return 'Log in.';
  const { name } = one.spec;
  return isWatched(one) ? `Log in there: town session attach ${name}.` : `Log in, then: town session start ${name}.`;
}

function loggedOutText({ records }: Book, fleet: Fleet, all: readonly Barred[]): string | null {
  const [{ account } = { account: undefined }] = all;
  if (account === undefined) return unknownAccountText(all);
  return `${countText(fleet, all)} ${verb(all, 'is', 'are')} logged out. The town starts no session of this account meanwhile, since that could end the login of those that still work. ${loginText(records, account)}`;
}

/** Of one whose account is not known: while it runs, its screen asks for the login, which is an alert already. */
function unknownAccountText([one]: readonly Barred[]): string | null {
  if (one === undefined || isWatched(one) || one.state === 'ended') return null;
  const { name } = one.spec;
  return `${name} ended while it was logged out. The town does not know where its login is kept, so it cannot see when you have logged in: it tries again at long intervals. Log in, then: town session start ${name}.`;
}

/** What becomes of those that still use the old login. */
function outdatedText(book: Book, fleet: Fleet, all: readonly Barred[]): string {
  const [itself, others] = [all.filter((r) => isRenewable(book, r)), all.filter((r) => !isRenewable(book, r))];
  const begin = `${countText(fleet, all)} still ${verb(all, 'uses', 'use')} the old login, though the account is logged in again. A running program does not read the new one.`;
  const renewed = `The town restarts ${namesOf(itself)}${verb(itself, '', ', one after the other')}: once at rest, with nothing typed, to go on with ${verb(itself, 'its', 'their')} conversation${verb(itself, '', 's')}.`;
  const left = others.map(({ state, spec: { name } }) =>
    state === 'observed' ? `end ${name} in its own pane` : `town session restart ${name}`,
  );
  const byHand = `By hand, when ${verb(others, 'it is', 'they are')} at rest: ${left.join('; ')}.`;
  return [begin, ...(itself.length > 0 ? [renewed] : []), ...(others.length > 0 ? [byHand] : [])].join(' ');
}

interface OfAccount extends Pick<Level<SessionsState>, 'kind' | 'asks'> {
  readonly severity: Standing['severity'];
  readonly is: (r: SessionRecord) => r is Barred;
  readonly text: (book: Book, fleet: Fleet, all: readonly Barred[]) => string | null;
  readonly over: (label: string) => string;
}

const OF_ACCOUNTS: readonly OfAccount[] = [
  {
    kind: 'account-limited',
    asks: null,
    severity: 'medium',
    is: isLimited,
    text: limitText,
    over: (label) => `${label} shows no usage limit any more.`,
  },
  {
    kind: 'account-logged-out',
    // The text says which: only one of them fits.
    asks: ({ session }) => [`town session attach ${session}`, `town session start ${session}`],
    severity: 'high',
    is: isLoggedOut,
    text: loggedOutText,
    over: (label) => `${label} is logged in again, as far as its sessions show.`,
  },
  {
    kind: 'account-login-old',
    asks: ({ session }) => [`town session restart ${session}`],
    severity: 'medium',
    is: isOutdated,
    text: outdatedText,
    over: (label) => `${label} has no session with the old login any more.`,
  },
];

function claimOf({ is, severity, text: textOf }: OfAccount, book: Book): Claim {
  const { records } = book;
  const stands = fleetsIn(records).flatMap((fleet): Standing[] => {
    const all = fleet.all.filter(is);
    const [first] = all;
    const text = first === undefined ? null : textOf(book, fleet, all);
    const tried = is === isLoggedOut && first?.account !== undefined ? tries(records, first.account) : undefined;
    // The one in which a person can do something.
    const session = (tried ?? all.find(isWatched) ?? first)?.spec.name ?? null;
    return text === null ? [] : [{ name: fleet.name, severity, session, text }];
  });
  return { stands, only: [] };
}

function labelOf(name: string, records: Records): string {
  const known = Object.values(records).find(({ account }) => account?.id === name)?.account;
  return known === undefined ? name : `Account ${known.label}`;
}

const claims = new WeakMap<Records, Map<string, Claim>>();
const isAnyBarred = (records: Records): boolean => Object.values(records).some(({ bar }) => bar !== undefined);
const NONE: Claim = { stands: [], only: [] };

export const ACCOUNT_LEVELS: readonly Level<SessionsState>[] = OF_ACCOUNTS.map((of) => ({
  kind: of.kind,
  asks: of.asks,
  claim: (book) => {
    const { records } = book;
    const known = claims.get(records) ?? new Map<string, Claim>();
    claims.set(records, known);
    const claim = known.get(of.kind) ?? (isAnyBarred(records) ? claimOf(of, book) : NONE);
    known.set(of.kind, claim);
    return claim;
  },
  ended: (name, { records }) => (name === null ? BEFORE : of.over(labelOf(name, records))),
}));
