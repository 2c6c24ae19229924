/** Limits and logins belong to accounts (M-9): one alert for all sessions of one, and no start into a dead login. */
import { describe, expect, test } from 'vitest';
import { town, limited, SOON, RESTS, LIMITED, limitRetryMs, OTHER } from './accounts.ts';

// Rules: M-9.
describe('a usage limit', () => {
  test('is one alert for all sessions of the account, with a count, names and the first end, over with the last', () => {
    const { drive, say, lastAlert } = town();
    say.standing = { ada: limited('20:50', 2_000), bob: limited('19:10', 1_000) };
    drive.run(SOON);
    say.standing = { ...say.standing, bob: RESTS };
    drive.run(SOON);
    expect(new Set(drive.alerts)).toEqual(new Set([LIMITED]));
    expect(drive.given('alert').map(({ alert }) => alert.text)).toContain(
      'Account ~/.claude: 2 of 3 sessions (ada, bob) are at their usage limit; the first names its end: 19:10. Meanwhile the town files no warrant against them and pages them no more.',
    );
    expect(lastAlert('account-limited')).toMatch(/1 of 3 sessions \(ada\) is at its usage limit; .* 20:50/);
    say.standing = {};
    drive.run(SOON);
    expect(drive.ends).toEqual([]); // what is not known ends nothing
    say.standing = { ada: { state: 'works', credential: 'old' } };
    drive.run(SOON);
    expect(drive.ends).toEqual([LIMITED]);
  });

  test('stays on record over a restart of the town, and its reset time ends nothing', () => {
    const { drive, say } = town();
    say.standing = { ada: limited('20:50', 1) };
    drive.run(10 * limitRetryMs);
    expect([drive.session('ada').bar?.by, drive.ends]).toEqual(['limited', []]);
  });

  test('of an account that is not known is the session’s own', () => {
    const { drive, say } = town();
    say.account = { ada: OTHER };
    say.standing = { ada: limited('20:50', 1), bob: limited('20:50', 1) };
    drive.run(SOON);
    expect(new Set(drive.alerts)).toEqual(new Set([LIMITED, `account-limited/${OTHER.id}`]));
  });
});
