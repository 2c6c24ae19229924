/** How long a remote that did not answer, or refused the login, is not asked again. */
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { GitFailed, GitLate } from '../../src/git/failure.ts';
import { GIT } from '../../src/git/policy.ts';
import { awayNow, restAfter, unlessSilent } from '../../src/git/silence.ts';
import { freshFolder, whenOver } from '../world/over.ts';

const MINUTE = 60_000;
const refused = new GitFailed('`git ls-remote -- origin HEAD`: git@host: Permission denied (publickey).');
const minutesAfter = (error: unknown, { tookMs = 100, pushes = false, lastMs = 0 } = {}): number =>
  restAfter(error, tookMs, { pushes, lastMs }) / MINUTE;

test('a refused login rests twice as long each time, up to an hour', () => {
  const rests: number[] = [];
  for (let lastMs = 0; rests.length < 6; lastMs = (rests.at(-1) ?? 0) * MINUTE)
    rests.push(minutesAfter(refused, { lastMs }));
  expect(rests).toEqual([5, 10, 20, 40, 60, 60]);
});

test.each([
  "fatal: Authentication failed for 'https://host/repo/'",
  "fatal: unable to access 'https://host/repo/': The requested URL returned error: 403",
  "fatal: could not read Username for 'https://host': terminal prompts disabled",
  'git@host: Permission denied, please try again.',
  'Received disconnect from 192.0.2.1 port 22:2: Too many authentication failures',
])('a login is refused by: %s', (said) => {
  expect(minutesAfter(new GitFailed(`\`git fetch -- origin\`: ${said}`))).toBe(GIT.refusedMs / MINUTE);
});

test.each([
  ["fatal: unable to access 'https://host/repo/': Could not resolve host: host", false],
  ['error: cannot open .git/FETCH_HEAD: Permission denied', false],
  ["fatal: unable to access 'https://host/repo/': The requested URL returned error: 500", false],
  ['git@host: Permission denied (publickey).', true],
])('the remote is asked again at once after: %s (of a push: %s)', (said, pushes) => {
  expect(minutesAfter(new GitFailed(said), { pushes })).toBe(0);
});

test('one that was silent rests ten times as long as that took, at the most ten minutes', () => {
  const late = new GitLate('`git fetch` stood still for 60 s');
  expect([15_000, 60_000, 240_000].map((tookMs) => minutesAfter(late, { tookMs }))).toEqual([2.5, 10, 10]);
});

/** A remote, and a clock that stands. `asks`: minutes later; resolves with what it was refused by, and whether it was asked at all. */
function remote() {
  const dir = freshFolder();
  const clock = { minutes: 0 };
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock.minutes * MINUTE);
  whenOver(() => now.mockRestore());
  const asks = async (minutes: number, pushes: boolean, error: GitFailed | null, takes = 0) => {
    clock.minutes += minutes;
    const call = vi.fn(() => {
      clock.minutes += takes;
      return error === null ? Promise.resolve('done') : Promise.reject(error);
    });
    const said = await unlessSilent(dir, 'origin', call, { pushes }).catch((why: unknown) => why);
    return [call.mock.calls.length, said];
  };
  return Object.assign(asks, { dir });
}
const [ASKED, RESTS] = [1, 0];
const readOnly = new GitFailed('remote: Permission denied (publickey).');

test('a push is tried while fetches are refused, until it is refused too, and leaves their rest as it is', async () => {
  const asks = remote();
  expect(await asks(0, false, refused)).toEqual([ASKED, refused]);
  expect(await asks(1, true, null)).toEqual([ASKED, 'done']);
  expect(await asks(0, false, null)).toEqual([RESTS, refused]);
  expect(await asks(1, true, readOnly)).toEqual([ASKED, readOnly]);
  expect(await asks(0, true, null)).toEqual([RESTS, readOnly]);
  expect(await asks(0, false, null)).toEqual([RESTS, refused]);
  // The rest is over; a push that is refused then does not begin the doubling anew.
  expect(await asks(3, true, readOnly)).toEqual([ASKED, readOnly]);
  expect(await asks(0, false, refused)).toEqual([ASKED, refused]);
  expect(await asks(9, false, null)).toEqual([RESTS, refused]);
  expect(await asks(1, false, null)).toEqual([ASKED, 'done']);
  expect(await asks(0, false, null)).toEqual([ASKED, 'done']);
});

test('after a remote that was silent rested, a refusal rests five minutes', async () => {
  const [asks, late] = [remote(), new GitLate('`git fetch` stood still for 60 s')];
  expect(await asks(0, false, late, 1)).toEqual([ASKED, late]);
  expect(await asks(9, true, null)).toEqual([RESTS, late]);
  expect(await asks(1, false, refused)).toEqual([ASKED, refused]);
  expect(await asks(4, false, null)).toEqual([RESTS, refused]);
  expect(await asks(1, false, null)).toEqual([ASKED, 'done']);
});

test('it is away from the first question that failed until one is answered; a refused push says nothing of it', async () => {
  const asks = remote();
  const down = new GitFailed('fatal: unable to connect to host');
  const now = async () => awayNow(asks.dir, 'origin');
  await asks(0, true, down);
  expect(await now()).toBeNull();
  await asks(1, false, down);
  expect(await now()).toEqual({ ms: 0, askedMs: 0, why: down.message });
  await asks(6, false, down);
  expect(await now()).toEqual({ ms: 6 * MINUTE, askedMs: 0, why: down.message });
  expect(await awayNow(asks.dir, 'other')).toBeNull();
  await asks(1, false, null);
  expect(await now()).toBeNull();
});

test('a fetch of another process that came through ends that, and what fails after it begins anew', async () => {
  const asks = remote();
  const down = new GitFailed('fatal: unable to connect to host');
  const now = async () => awayNow(asks.dir, 'origin');
  await asks(0, false, down);
  await asks(6, false, down);
  const note = join(asks.dir, 'FETCH_HEAD');
  const isPast = (wall: number): Promise<void> => vi.waitFor(() => expect(Date.now()).toBeGreaterThan(wall));
  // The clock of files goes in steps of some milliseconds.
  await isPast(Date.now() + 20);
  writeFileSync(note, 'commit\n');
  expect(await now()).toBeNull();
  await isPast(statSync(note).mtimeMs);
  await asks(1, false, down);
  expect(await now()).toEqual({ ms: 0, askedMs: 0, why: down.message });
});
