/** Lives that a usage limit cut off are told to go on once its time is over: one first, and the others once that one works (M-9). */
import { describe, expect, test } from 'vitest';
import type {
  Account,
  NudgeObstacle,
  OutcomeBody,
  SeenSession,
  SessionRecord,
  Standing,
} from '../../machines/protocol.ts';
import { Drive, incarnation, SELDOM, townInput } from '../world/drive.ts';
import { running, specOf } from './one.ts';

const { scanEveryMs, limitOverMs, limitProofMs, limitProbeMs, limitAgainMs, jitter } = SELDOM.sessions;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The town tells the first one within that after the time that a limit names. */
const DUE = limitOverMs * (1 + jitter) + 4 * scanEveryMs;
const ACCOUNT: Account = { id: 'claude-0a1b2c3d', label: '~/.claude', file: null };
const OTHER: Account = { ...ACCOUNT, id: 'claude-99999999' };
const NAMES = ['ada', 'bob', 'cay', 'mayor'] as const;
type Name = (typeof NAMES)[number];
type Limit = Standing & { readonly state: 'limited' };

const WORKS: Standing = { state: 'works', credential: null };
const RESTS: Standing = { state: 'rests', credential: null };
const lifeOf = (name: Name) => incarnation(NAMES.indexOf(name) + 1, { session: name });

interface Say {
  readonly standing: Partial<Record<Name, Standing | undefined>>;
  obstacle: Partial<Record<Name, NudgeObstacle>>;
  readonly account: Partial<Record<Name, Account>>;
  /** What a told one shows a moment later. */
  then: (name: Name) => Standing | undefined;
  isKilled: boolean;
}

function town(names: readonly Name[], more: Partial<Record<Name, Partial<SessionRecord>>> = {}) {
  const say: Say = { standing: {}, obstacle: {}, account: {}, then: () => WORKS, isKilled: false };
  const told: { name: Name; at: number }[] = [];
  const drive: Drive = new Drive(
    {
      scan: ({ known }): OutcomeBody => ({
        type: 'SESSIONS_SEEN',
        server: 'up',
        seen: known.map(({ session, uuid }): SeenSession => {
          const name = session as Name;
          const { [name]: standing } = say.standing;
          const account = say.account[name] ?? ACCOUNT;
          return { name, uuid, life: 'alive', exit: null, maybeSignalled: false, account, standing };
        }),
      }),
      nudge: ({ target }): OutcomeBody => {
        const name = target.session as Name;
        const { [name]: obstacle } = say.obstacle;
        if (obstacle !== undefined) return { type: 'NOT_NUDGED', obstacle };
        told.push({ name, at: drive.now });
        say.standing[name] = say.then(name);
        return say.isKilled ? { type: 'ORDER_FAILED', why: 'it took too long' } : { type: 'NUDGED' };
      },
    },
    {
      sessions: names.map((name) => running({ spec: specOf(name), incarnation: lifeOf(name), ...more[name] })),
      input: townInput(SELDOM, { isProtected: (name) => name === 'mayor' }),
    },
  );
  const limit = (inMs: number | null, part: Partial<Limit> = { isCut: true }): Limit => {
    const resetsAt = inMs === null ? null : drive.wall + inMs;
    return { state: 'limited', credential: null, resets: inMs === null ? null : `at ${resetsAt}`, resetsAt, ...part };
  };
  const show = (standing: Standing, some: readonly Name[] = names) => {
    for (const name of some) say.standing[name] = standing;
  };
  return { drive, say, told, limit, show, names: () => told.map(({ name }) => name) };
}

// Rules: M-9.
describe('after the time that a limit names', () => {
  test('one life of the account is told, and the others one by one, each once the one before works', () => {
    const { drive, limit, show, names, told } = town(['ada', 'bob', 'cay']);
    show(limit(HOUR));
    drive.run(HOUR);
    expect(names()).toEqual([]);
    drive.run(DUE);
    expect(names()).toEqual(['ada', 'bob', 'cay']);
    expect(told[1]!.at - told[0]!.at).toBeGreaterThanOrEqual(scanEveryMs);
    expect(drive.given('nudge')[0]).toMatchObject({ raw: false, atRest: true, atLimit: true, target: lifeOf('ada') });
    drive.run(2 * HOUR);
    expect(names()).toEqual(['ada', 'bob', 'cay']);
    expect(drive.sessions.flatMap(({ bar }) => bar ?? [])).toEqual([]);
    expect(drive.ends).toEqual([`account-limited/${ACCOUNT.id}`]);
  });

  test('no other one is told while the first shows nothing, for a while', () => {
    const { drive, say, limit, show, names } = town(['ada', 'bob']);
    const stands = limit(HOUR);
    show(stands);
    say.then = () => stands;
    drive.run(HOUR + DUE + limitProofMs - MINUTE);
    expect(names()).toEqual(['ada']);
    drive.run(2 * MINUTE);
    expect(names()).toEqual(['ada', 'bob']);
    drive.run(2 * HOUR);
    expect(names()).toEqual(['ada', 'bob']);
  });

  test('one that goes on by itself is not told, and neither is one that comes to rest', () => {
    const { drive, limit, show, names } = town(['ada', 'bob']);
    show(limit(HOUR));
    drive.run(HOUR);
    show(WORKS, ['ada']);
    show(RESTS, ['bob']);
    drive.run(DUE);
    expect(names()).toEqual([]);
  });

  test('a limit that comes anew is another one: all wait for its end', () => {
    const { drive, say, limit, show, names } = town(['ada', 'bob']);
    show(limit(HOUR));
    say.then = () => limit(5 * HOUR);
    drive.run(HOUR + DUE);
    expect(names()).toEqual(['ada']);
    say.then = () => WORKS;
    drive.run(5 * HOUR - DUE);
    expect(names()).toEqual(['ada']);
    drive.run(2 * DUE);
    expect(names().toSorted()).toEqual(['ada', 'ada', 'bob']);
  });

  test('the same by a later word of its program, whose time is no end then', () => {
    const { drive, say, limit, show, names } = town(['ada']);
    const first = limit(HOUR, { since: drive.wall, isCut: true });
    show(first);
    say.then = () => ({ ...first, since: drive.wall + 1 });
    drive.run(HOUR + DUE);
    expect(names()).toEqual(['ada']);
    drive.run(limitProbeMs - DUE);
    expect(names()).toEqual(['ada']);
    drive.run(2 * DUE);
    expect(names()).toEqual(['ada', 'ada']);
  });

  test('each account for itself', () => {
    const { drive, say, limit, show, names } = town(['ada', 'bob']);
    say.account.bob = OTHER;
    const stands = limit(HOUR);
    show(stands);
    say.then = () => stands;
    drive.run(HOUR + DUE);
    expect(names().toSorted()).toEqual(['ada', 'bob']);
  });
});

test('its alert names what the town does after it, and the session that the town told', () => {
  const { drive, say, limit, show } = town(['ada', 'bob']);
  const texts = (): string[] => drive.given('alert').map(({ alert }) => alert.text);
  const stands = limit(HOUR);
  show(stands);
  drive.run(MINUTE);
  expect(texts().at(-1)).toMatch(
    /pages them no more\. Once that time is over it tells one whose turn was cut off to go on, and the others one by one once that one works\.$/,
  );
  say.then = () => stands;
  drive.run(HOUR + DUE);
  expect(texts().at(-1)).toMatch(/ It told ada to go on\. Once that time is over it tells bob to go on\.$/);
});

test.each<[string, Name, Partial<SessionRecord>, Partial<Limit>]>([
  ['at rest when the limit came', 'ada', {}, {}],
  ['with a protected name', 'mayor', {}, { isCut: true }],
  ['that was adopted', 'ada', { state: 'observed' }, { isCut: true }],
  ['that is ended', 'ada', { asked: { uuid: lifeOf('ada').uuid, then: 'end' } }, { isCut: true }],
])('none %s is told', (_, name, more, part) => {
  const { drive, limit, show, names } = town([name], { [name]: more });
  show(limit(HOUR, part));
  drive.run(3 * HOUR);
  expect(names()).toEqual([]);
});

test('a limit that names no time is tried by one life of the account, each in its turn', () => {
  const { drive, say, limit, show, names } = town(['ada', 'bob']);
  show(limit(null, { since: drive.wall, isCut: true }));
  say.then = () => limit(null, { since: drive.wall + 1, isCut: true });
  drive.run(limitProbeMs - MINUTE);
  expect(names()).toEqual([]);
  drive.run(limitProbeMs * 3);
  expect(names()).toEqual(['ada', 'bob', 'ada']);
});

test.each([1, 2])('where only screens show it, %d of them are tried in turn, one in each hour', (many) => {
  const { drive, say, limit, show, names } = town(many === 1 ? ['ada'] : ['ada', 'bob']);
  const stands = limit(null);
  show(stands);
  say.then = () => stands;
  drive.run(4 * limitProbeMs + MINUTE);
  expect(names()).toEqual(many === 1 ? ['ada', 'ada', 'ada', 'ada'] : ['ada', 'bob', 'ada', 'bob']);
});

test('one that is to be tried again waits for the end of a limit that came anew', () => {
  const { drive, say, limit, show, names } = town(['ada', 'bob']);
  show(limit(HOUR));
  say.obstacle.ada = { kind: 'dialog', what: 'Proceed?' };
  say.then = () => limit(5 * HOUR);
  drive.run(HOUR + DUE);
  expect(names()).toEqual(['bob']);
  [say.obstacle, say.then] = [{}, () => WORKS];
  drive.run(5 * HOUR - DUE);
  expect(names()).toEqual(['bob']);
  drive.run(2 * DUE);
  expect(names().toSorted()).toEqual(['ada', 'bob', 'bob']);
});

test('where it cannot be typed another one is told, and it is tried again later', () => {
  const { drive, say, limit, show, names } = town(['ada', 'bob']);
  show(limit(HOUR));
  say.obstacle.ada = { kind: 'dialog', what: 'Proceed?' };
  drive.run(HOUR + DUE);
  expect(names()).toEqual(['bob']);
  const { length } = drive.given('nudge');
  say.obstacle = {};
  drive.run(limitAgainMs - DUE);
  expect([names(), drive.given('nudge').length]).toEqual([['bob'], length]);
  drive.run(2 * DUE);
  expect(names()).toEqual(['bob', 'ada']);
});

test('what a killed town may have typed is not typed by the next one, until its life shows for long that it was not', () => {
  const { drive, say, limit, show, names } = town(['ada']);
  const stands = limit(HOUR);
  show(stands);
  [say.then, say.isKilled] = [() => stands, true];
  drive.run(HOUR + DUE);
  expect(drive.session('ada').bar?.goOn?.is).toBe('asked');
  drive.restart(MINUTE);
  drive.run(limitProbeMs - 2 * DUE);
  expect(names()).toEqual(['ada']);
  say.isKilled = false;
  drive.run(3 * DUE);
  expect(names()).toEqual(['ada', 'ada']);
  drive.run(2 * HOUR);
  expect(names()).toEqual(['ada', 'ada']);
});
