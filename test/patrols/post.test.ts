/** The mailbox of an address: of all sessions only the record of the one that it may name is opened. */
import { expect, test, vi } from 'vitest';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { realDisk } from '../../state/files/disk.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { SESSIONS } from '../../state/sessions/records.ts';
import { mailboxIn } from '../../src/patrols/witness/post.ts';
import { freshFolder } from '../world/over.ts';
import { specOf } from '../world/records.ts';

const NAMES = ['builder', 'ace', 'bob', 'cid'];
const rigs = {};
const note = () => undefined;

async function townDisk() {
  const disk = realDisk(freshFolder(), 0);
  await disk.mkdir(FOLDERS.sessions);
  await writeFiles(
    disk,
    NAMES.map((name) => SESSIONS.fileOf(freshSession(specOf(name), ''))),
  );
  return disk;
}

// Rules: C-16.
test('a session of the town has a mailbox of its own, and the record of no other is opened', async () => {
  const disk = await townDisk();
  const read = vi.spyOn(disk, 'read');
  expect((await mailboxIn({ disk, rigs, note }, 'builder/')).address).toBe('builder');
  expect((await mailboxIn({ disk, rigs, note }, 'mayor')).address).toBe('mayor');
  const opened = read.mock.calls.map(([path]) => path).filter((path) => path.startsWith(FOLDERS.sessions));
  expect(new Set(opened)).toEqual(new Set([paths.session('builder')]));
});

// Rules: C-16.
test('an unknown session has none, and neither has one whose record cannot be read', async () => {
  const disk = await townDisk();
  await writeFiles(disk, [{ path: paths.session('torn'), text: '{' }]);
  for (const name of ['dan', 'torn', '../sessions/ace'])
    await expect(mailboxIn({ disk, rigs, note }, name)).rejects.toMatchObject({ code: 'unknown_address' });
});
