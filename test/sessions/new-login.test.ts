/** Lives that use an old login are restarted once, one at a time, where nothing is lost (M-9). */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { RENEWAL } from '../../machines/sessions/policy.ts';
import type { Account, SeenSession, SessionRecord, Standing } from '../../machines/protocol.ts';
import { outdatedLives, renewedNow } from '../../machines/sessions/new-login.ts';
import { Drive, incarnation } from '../world/drive.ts';
import { running, specOf } from './one.ts';

const { scanEveryMs, conversationDeaths, stableMs } = POLICY.sessions;
const ACCOUNT: Account = { id: 'claude-0a1b2c3d', label: '~/.claude', file: '/home/dev/.claude/.credentials.json' };
const OTHER: Account = { id: 'claude-99999999', label: '~/.other', file: '/home/dev/.other/.credentials.json' };
const NAMES = ['ada', 'bob', 'cay'] as const;
type Name = (typeof NAMES)[number];

const conversation = { id: 'c-1', resumed: false, deaths: 0 };
const lifeOf = (name: Name) => incarnation(NAMES.indexOf(name) + 1, { session: name });
/** It showed a dead login, and its account is logged in again. */
const old = (name: Name, more: Partial<SessionRecord> = {}): SessionRecord => {
  const life = lifeOf(name);
  return running({
    spec: specOf(name),
    incarnation: life,
    account: ACCOUNT,
    conversation,
    bar: { by: 'logged_out', life: life.uuid, since: 1, credential: 'old', outdated: 2 },
    login: { life: life.uuid, credential: 'old' },
    startedAt: 1,
    ...more,
  });
};
const LONG = { at: stableMs * 2, wall: stableMs * 2 };
const byName = (all: readonly SessionRecord[]) => Object.fromEntries(all.map((r) => [r.spec.name, r] as const));
const bookOf = (...all: readonly SessionRecord[]) => ({
  records: byName(all),
  policy: POLICY.sessions,
  isProtected: (name: string) => name === 'mayor',
});
const free = (name: Name): SeenSession => {
  const { uuid } = lifeOf(name);
  return { name, uuid, life: 'alive', exit: null, maybeSignalled: false, isFree: true };
};

test.each<[string, Partial<SessionRecord>]>([
  ['that was adopted', { state: 'observed', incarnation: { ...lifeOf('ada'), origin: 'adopted' } }],
  ['without a pane', { incarnation: { ...lifeOf('ada'), origin: 'detached' } }],
  ['whose login is dead still', { bar: { by: 'logged_out', life: lifeOf('ada').uuid, since: 1 } }],
  ['that shows a limit', { bar: { by: 'limited', life: lifeOf('ada').uuid, since: 1 } }],
  [
    'that is a later one than the one that showed it',
    { bar: { by: 'logged_out', life: 'u-9', since: 1, outdated: 2 } },
  ],
  ['without a conversation to go on with', { conversation: undefined }],
  ['whose conversation is left', { conversation: { ...conversation, deaths: conversationDeaths } }],
  ['of an unknown account', { account: undefined }],
  ['that is ended already', { asked: { uuid: lifeOf('ada').uuid, then: 'end', operatorAt: 3 } }],
  ['that wishes another life itself', { asked: { uuid: lifeOf('ada').uuid, then: 'restart' } }],
  ['with a protected name', { spec: specOf('mayor'), incarnation: { ...lifeOf('ada'), session: 'mayor' } }],
])('no life %s', (_, more) => {
  const r = old('ada', more);
  const book = bookOf(r);
  expect(outdatedLives(book, LONG)).toEqual([]);
  expect(renewedNow(book, [{ ...free('ada'), name: r.spec.name }], LONG)).toEqual([]);
});

test('one of an account at a time, and each account for itself', () => {
  const book = bookOf(old('ada'), old('bob'), old('cay', { account: OTHER }));
  expect(outdatedLives(book, LONG)).toEqual(NAMES.map((name) => lifeOf(name).uuid));
  expect(renewedNow(book, NAMES.map(free), LONG)).toEqual(['ada', 'cay']);
  expect(renewedNow(book, [free('bob')], LONG)).toEqual(['bob']);
  expect(renewedNow(book, [{ ...free('bob'), isFree: undefined }], LONG)).toEqual([]);
});

const ordered = (renewedAt: number) => ({ uuid: lifeOf('ada').uuid, then: 'restart', renewedAt }) as const;
test.each<[string, Partial<SessionRecord>, boolean]>([
  ['is being restarted', { asked: ordered(LONG.wall - 1) }, true],
  [
    'was to be restarted, and lives on for long',
    { asked: ordered(LONG.wall - RENEWAL.againMs), bar: undefined },
    false,
  ],
  ['is stopped by its person', { asked: { uuid: lifeOf('ada').uuid, then: 'end', operatorAt: 3 } }, true],
  ['waits for its start', { state: 'backing_off', bar: undefined }, true],
  ['is being started', { state: 'starting', bar: undefined, login: undefined }, true],
  [
    'was started, and its login was not seen',
    { bar: undefined, login: { life: 'u-9', credential: 'old' }, startedAt: LONG.wall },
    true,
  ],
  [
    'was started, and works by the new login',
    { bar: undefined, login: { life: lifeOf('ada').uuid, credential: 'new' }, startedAt: LONG.wall },
    false,
  ],
  [
    'was started long ago, and tells nothing',
    { bar: undefined, login: undefined, startedAt: LONG.wall - stableMs },
    false,
  ],
  ['shows that the login is dead again', { bar: { by: 'logged_out', life: lifeOf('ada').uuid, since: 1 } }, true],
])('while another one %s', (_, more, isHeld) => {
  expect(renewedNow(bookOf(old('ada', more), old('bob')), [free('bob')], LONG)).toEqual(isHeld ? [] : ['bob']);
});

test('the order is on record with its warrant, which names the town, and is filed once', () => {
  const standing: Standing = { state: 'logged_out', credential: 'new' };
  const drive = new Drive(
    {
      scan: ({ known, outdated = [] }) => ({
        type: 'SESSIONS_SEEN',
        server: 'up',
        seen: known.map(({ session: name, uuid }): SeenSession => {
          const observation = {
            name,
            uuid,
            life: 'alive',
            exit: null,
            maybeSignalled: false,
            account: ACCOUNT,
            standing,
          } as const;
          return outdated.includes(uuid) ? { ...observation, isFree: true } : observation;
        }),
      }),
    },
    { sessions: [old('ada'), old('bob')] },
  );
  drive.run(3 * scanEveryMs);
  const filed = drive.given('fileWarrant').map(({ warrant }) => warrant);
  expect(new Set(filed.map(({ id }) => id)).size).toBe(1);
  expect(filed[0]).toMatchObject({
    target: lifeOf('ada'),
    force: true,
    via: 'town',
    requester: 'daemon',
    reason: 'was restarted, since its account is logged in again and it used the old login',
  });
  expect(drive.session('ada')).toMatchObject({
    state: 'running',
    asked: { uuid: lifeOf('ada').uuid, then: 'restart', renewedAt: expect.any(Number) as number },
  });
  expect(drive.session('bob').asked ?? null).toBeNull();
});
