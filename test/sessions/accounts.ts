/** Three sessions of one account, as the hands would see and start them. */
import { POLICY } from '../../machines/policy.ts';
import type { Account, DeadLogin, OutcomeBody, SeenSession, SessionRecord, Standing } from '../../machines/protocol.ts';
import { Drive, incarnation } from '../world/drive.ts';
import { running, specOf } from './one.ts';

export const { scanEveryMs, limitRetryMs } = POLICY.sessions;
export const SOON = 2 * scanEveryMs;
export const ACCOUNT: Account = {
  id: 'claude-0a1b2c3d',
  label: '~/.claude',
  file: '/home/dev/.claude/.credentials.json',
};
export const OTHER: Account = { id: 'claude-99999999', label: '~/.other', file: null };
const NAMES = ['ada', 'bob', 'cay'] as const;
type Name = (typeof NAMES)[number];

export const LOGGED_OUT: Standing = { state: 'logged_out', credential: 'old' };
export const RESTS: Standing = { state: 'rests', credential: 'old' };
export const works = (credential: string) => ({ state: 'works', credential }) as const;
export const limited = (resets: string, resetsAt: number): Standing => ({
  state: 'limited',
  credential: 'old',
  resets,
  resetsAt,
});

interface Say {
  standing: Partial<Record<Name, Standing>>;
  /** null = it is not known. */
  account: Partial<Record<Name, Account | null>>;
  life: Partial<Record<Name, SeenSession['life']>>;
  asks: Partial<Record<Name, string | null>>;
  /** How the login's file stands, as the hands find it at a start. */
  credential: string | null;
}

export const lifeOf = (name: Name) => incarnation(NAMES.indexOf(name) + 1, { session: name });
const recordOf = (name: Name, more: Partial<SessionRecord> = {}): SessionRecord =>
  running({ spec: specOf(name), incarnation: lifeOf(name), ...more });

/** Three sessions of one account, as the hands would see and start them. */
export function town(more: Partial<Record<Name, Partial<SessionRecord>>> = {}, account: Say['account'] = {}) {
  const say: Say = { standing: {}, account, life: {}, asks: {}, credential: 'old' };
  const of = (name: string): Account | undefined =>
    name in say.account ? (say.account[name as Name] ?? undefined) : ACCOUNT;
  const holds = (name: string, dead: readonly DeadLogin[] = []): boolean =>
    dead.some(
      ({ account, credential, isTried }) =>
        account.id === of(name)?.id && (isTried || say.credential === null || credential === say.credential),
    );
  let births = NAMES.length;
  const started: string[] = [];
  const drive = new Drive(
    {
      scan: ({ known, waits = [] }): OutcomeBody => ({
        type: 'SESSIONS_SEEN',
        server: 'up',
        free: waits.filter(({ spec, dead }) => !holds(spec.name, dead)).map(({ spec }) => spec.name),
        seen: known.map(({ session, uuid }) => {
          const name = session as Name;
          const life = say.life[name] ?? 'alive';
          const exit = life === 'dead' ? ({ kind: 'code', code: 1 } as const) : null;
          const shows = { asks: say.asks[name], account: of(name), standing: say.standing[name] };
          return { name, uuid, life, exit, maybeSignalled: false, ...shows };
        }),
      }),
      startSession: ({ spec, uuid, dead }): OutcomeBody => {
        const account = of(spec.name);
        if (holds(spec.name, dead) && account !== undefined)
          return {
            type: 'SESSION_NOT_STARTED',
            why: `account ${account.label} is logged out`,
            taken: false,
            held: account,
            waits: true,
          };
        started.push(spec.name);
        births += 1;
        say.life[spec.name as Name] = 'alive';
        return {
          type: 'SESSION_STARTED',
          incarnation: incarnation(births, { session: spec.name, uuid }),
          tokenHash: 'hash',
        };
      },
    },
    { sessions: NAMES.map((name) => recordOf(name, more[name])) },
  );
  drive.run(scanEveryMs);
  const lastAlert = (kind: string): string =>
    drive.given('alert').findLast(({ alert }) => alert.episode.startsWith(kind))?.alert.text ?? '';
  const over = (): string[] => drive.ends.filter((one) => drive.alerts.includes(one));
  return { drive, say, started, lastAlert, over, now: (name: Name) => drive.session(name) };
}
export const LIMITED = `account-limited/${ACCOUNT.id}`;
export const OUT = `account-logged-out/${ACCOUNT.id}`;
export const OLD = `account-login-old/${ACCOUNT.id}`;
