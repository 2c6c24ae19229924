/** A dead login belongs to its account (M-9): one alert for all its sessions, and no start into it. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { specOf } from './one.ts';
import {
  ACCOUNT,
  lifeOf,
  town,
  LOGGED_OUT,
  SOON,
  limitRetryMs,
  OUT,
  OTHER,
  RESTS,
  OLD,
  scanEveryMs,
  works,
} from './accounts.ts';

describe('a dead login', () => {
  const waiting = { state: 'backing_off', waitMs: 1, account: ACCOUNT } as const;
  const held = { ...waiting, waitMs: 3_600_000, startBlocked: true } as const;
  const out = {
    account: ACCOUNT,
    bar: { by: 'logged_out', life: lifeOf('ada').uuid, since: 1, credential: 'old' },
  } as const;

  test('holds every automatic start of its account, is one alert, and costs nothing that is counted', () => {
    const { drive, say, started, now, lastAlert } = town();
    say.standing = { ada: LOGGED_OUT, bob: LOGGED_OUT };
    drive.run(SOON);
    say.life = { bob: 'dead', cay: 'dead' };
    drive.run(20 * limitRetryMs);
    expect(started).toEqual([]);
    expect([now('bob').state, now('cay').state]).toEqual(['backing_off', 'backing_off']);
    expect([now('bob').streak, now('bob').restartAgesMs, now('bob').crashLoop]).toEqual([0, [], false]);
    expect([now('cay').failedStarts, now('cay').note]).toEqual([
      undefined,
      'waits with its start: account ~/.claude is logged out',
    ]);
    expect(new Set(drive.alerts)).toEqual(new Set([OUT]));
    expect(lastAlert('account-logged-out')).toMatch(/2 of 3 sessions .* Log in there: town session attach ada\.$/);
  });

  test('of another account, or of one that is not known, holds nothing', () => {
    const { drive, say, started } = town({ cay: waiting });
    say.account = { ada: OTHER };
    say.standing = { ada: LOGGED_OUT };
    drive.run(SOON);
    expect(started).toEqual(['cay']);
  });

  test('holds an operator’s start too, who is told where to log in; it then starts by itself, once the login is back', () => {
    const { drive, say, started, now } = town({ ada: out, cay: held });
    drive.ask({ verb: 'startSession', spec: specOf('cay') }, { rpc: 'mine', via: 'operator' });
    drive.run(SOON);
    const reply = drive.given('reply').find(({ to }) => to === 'mine')?.reply;
    expect(reply).toMatchObject({ ok: false, code: 'logged_out' });
    expect(reply?.ok === false && reply.text).toMatch(
      /is logged out\. Log in there: town session attach ada\. It then starts by itself/,
    );
    expect([started, now('cay').state]).toEqual([[], 'backing_off']);
    [say.credential, say.standing] = ['new', { ada: { state: 'rests', credential: 'new' } }];
    drive.run(SOON);
    expect([started, now('cay').state]).toEqual([['cay'], 'running']);
    expect(drive.ends).toEqual([OUT]);
  });

  test('that no living session shows any more may be tried by an operator’s start, and holds the others until that shows', () => {
    const { drive, say, started, now } = town();
    say.standing = { ada: LOGGED_OUT };
    drive.run(SOON);
    say.life = { ada: 'dead', cay: 'dead' };
    say.standing = {};
    drive.run(10 * limitRetryMs);
    expect(started).toEqual([]);
    drive.ask({ verb: 'startSession', spec: specOf('ada') }, { via: 'operator' });
    say.credential = 'new';
    drive.run(POLICY.sessions.stableMs / 2);
    expect(started).toEqual(['ada']);
    say.standing = { ada: { state: 'rests', credential: 'new' } };
    drive.run(SOON);
    expect([started, now('ada').bar, now('cay').state]).toEqual([['ada', 'cay'], undefined, 'running']);
  });

  test('is not back because its agent rests at the same login', () => {
    const { drive, say, started, over } = town({ ada: out, cay: held });
    say.standing = { ada: LOGGED_OUT };
    drive.run(SOON);
    say.standing = { ada: RESTS };
    drive.run(10 * limitRetryMs);
    expect([started, over()]).toEqual([[], []]);
  });

  test('is back for all once one of them works again; those that still show it are named with what to type', () => {
    const { drive, say, lastAlert, started, over } = town({ ada: out, cay: held });
    say.standing = { ada: LOGGED_OUT, bob: LOGGED_OUT };
    drive.run(SOON);
    say.standing = { ada: { state: 'works', credential: 'new' }, bob: { state: 'logged_out', credential: 'new' } };
    [say.credential] = ['new'];
    drive.run(SOON);
    expect(new Set(drive.alerts)).toEqual(new Set([OUT, OLD]));
    expect(over()).toEqual([OUT]);
    expect(lastAlert('account-login-old')).toMatch(
      /1 of 3 sessions \(bob\) still uses the old login.*town session restart bob\.$/,
    );
    expect(started).toEqual(['cay']);
  });

  test('that is back lets one session of its account start in a scan', () => {
    const { drive, say, started } = town({ ada: out, bob: held, cay: held });
    drive.run(SOON);
    expect(started).toEqual([]);
    [say.credential, say.standing] = ['new', { ada: { state: 'works', credential: 'new' } }];
    drive.run(scanEveryMs);
    expect(started).toHaveLength(1);
    drive.run(scanEveryMs);
    expect(started).toHaveLength(2);
  });

  test('is not waited for without an end by those whose first start tells nothing', () => {
    const { drive, say, started, now } = town({ ada: { ...out, state: 'backing_off' }, cay: held });
    say.credential = 'new';
    drive.run(SOON);
    drive.ask({ verb: 'startSession', spec: specOf('ada') }, { via: 'operator' });
    drive.run(SOON);
    expect([started, now('cay').state]).toEqual([['ada'], 'backing_off']);
    drive.run(POLICY.sessions.stableMs + SOON);
    expect([started, now('ada').bar]).toEqual([['ada', 'cay'], undefined]);
  });

  test('is another one to a process that read the last one: it is named, and holds nothing, however often it shows that', () => {
    const { drive, say, started, now } = town();
    say.standing = { ada: RESTS, bob: works('old') };
    drive.run(SOON);
    // A login elsewhere; the old token of ada fails only later.
    [say.credential, say.standing] = ['new', { ada: { ...RESTS, credential: 'new' }, bob: works('new') }];
    drive.run(SOON);
    say.standing = { ...say.standing, ada: { ...LOGGED_OUT, credential: 'new' } };
    drive.run(SOON);
    expect(now('ada').bar).toMatchObject({ by: 'logged_out', outdated: expect.any(Number) as number });
    const again = { ...LOGGED_OUT, credential: 'new' };
    for (const [standing, isNamed] of [
      [works('new'), true],
      [{ ...RESTS, credential: 'new' }, false],
      [again, true],
    ] as const) {
      say.standing = { ada: standing };
      drive.run(SOON);
      expect(now('ada').bar?.outdated !== undefined).toBe(isNamed);
    }
    say.life = { cay: 'dead' };
    drive.run(20 * SOON);
    expect(started).toEqual(['cay']);
    expect(new Set(drive.alerts)).toEqual(new Set([OLD]));
  });

  test('is another one to a process that showed it, once another works for minutes by the same file', () => {
    const { drive, say, started, now } = town({ ada: out, cay: held });
    say.standing = { ada: LOGGED_OUT, bob: works('old') };
    drive.run(20 * SOON);
    expect(started).toEqual([]);
    say.standing = { ada: LOGGED_OUT, bob: { ...works('old'), isLong: true } };
    drive.run(SOON);
    expect([now('ada').bar?.outdated !== undefined, started]).toEqual([true, ['cay']]);
  });

  test('is not back because its agent is busy at the same login for a while: it tries again', () => {
    const { drive, say, started, now } = town({ ada: out, cay: held });
    say.standing = { ada: works('old') };
    drive.run(20 * SOON);
    expect([started, now('ada').bar?.by]).toEqual([[], 'logged_out']);
    say.standing = { ada: { ...works('old'), isLong: true } };
    drive.run(SOON);
    expect([started, now('ada').bar]).toEqual([['cay'], undefined]);
  });

  test('holds its account after the session that showed it ended for good, until the login is another one', () => {
    const { drive, say, started, now, lastAlert } = town({ ada: { ...out, state: 'ended' }, cay: held });
    say.standing = { bob: RESTS };
    drive.run(20 * limitRetryMs);
    expect([started, now('cay').state]).toEqual([[], 'backing_off']);
    expect(new Set(drive.alerts)).toEqual(new Set([OUT]));
    expect(lastAlert('account-logged-out')).toMatch(/Log in, then: town session start cay\.$/);
    expect(drive.given('alert').at(-1)?.alert.session).toBe('cay');
    [say.credential, say.standing] = ['new', { bob: { ...RESTS, credential: 'new' } }];
    drive.run(SOON);
    expect([started, now('ada').bar, drive.ends]).toEqual([['cay'], undefined, [OUT]]);
  });

  test('of an account that is not known is an alert once its session has ended, and over with its next life', () => {
    const { drive, say, lastAlert } = town({}, { ada: null });
    const episode = 'account-logged-out/ada';
    say.standing = { ada: LOGGED_OUT };
    drive.run(SOON);
    expect(drive.alerts).not.toContain(episode);
    say.life = { ada: 'dead' };
    drive.run(SOON);
    expect(drive.alerts).toContain(episode);
    expect(lastAlert('account-logged-out')).toMatch(/ended while it was logged out.* town session start ada\.$/);
    say.standing = { ada: RESTS };
    drive.run(3 * limitRetryMs);
    expect(drive.ends).toContain(episode);
  });

  test('of a session that ended for good is tried by its start alone, and is no alert where none waits', () => {
    const { drive, say, started, now } = town({ ada: { ...out, state: 'ended' }, cay: held });
    drive.run(SOON);
    say.credential = 'new';
    drive.ask({ verb: 'startSession', spec: specOf('ada') }, { via: 'operator' });
    drive.run(SOON);
    expect([started, now('cay').state]).toEqual([['ada'], 'backing_off']);
    const alone = town({ ada: { ...out, state: 'ended' }, bob: { state: 'ended' }, cay: { state: 'ended' } });
    alone.drive.run(SOON);
    expect(alone.drive.alerts).toEqual([]);
  });

  test('is no dialog of each session beside', () => {
    const { drive, say } = town();
    [say.standing, say.asks] = [{ ada: LOGGED_OUT }, { ada: 'Select login method:' }];
    drive.run(SOON);
    expect(drive.alerts).not.toContain('needs-input/ada');
  });

  // Rules: law 7.
  test('hides no dialog that comes after it, though its end is not seen yet', () => {
    const { drive, say, now } = town({ ada: out });
    [say.standing, say.asks] = [{}, { ada: 'Do you want to proceed?' }];
    drive.run(SOON);
    expect([drive.alerts.includes('needs-input/ada'), now('ada').bar?.by]).toEqual([true, 'logged_out']);
  });
});
