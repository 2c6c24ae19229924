/** A file on a disk that may hang: the town waits in a thread for a device of which it does not know that it answers. Real files. */
import { closeSync, constants, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { patientFile } from '../../state/files/patient-file.ts';
import { freshFolder } from '../world/over.ts';

beforeEach(async () => {
  // Of which kind the file system is: asked once for each.
  for (const path of [freshFolder(), '/proc/self']) await patientFile(path).stat();
  await vi.waitFor(() => expect(threads()).toBe(0));
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(1_000);
});
afterEach(() => vi.useRealTimers());

const threads = (): number => process.getActiveResourcesInfo().filter((one) => one.startsWith('FSReq')).length;

/** Whether a thread waits for it. */
async function isPatient(call: () => Promise<unknown>): Promise<boolean> {
  const before = threads();
  const answer = call();
  const waits = threads() > before;
  await answer;
  return waits;
}

test('a disk of this machine is asked by a thread, unless it has just answered', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'a'), 'a');
  writeFileSync(join(folder, 'b'), 'b');
  const [a, b] = [patientFile(join(folder, 'a')), patientFile(join(folder, 'b'))];
  expect(await isPatient(() => a.stat())).toBe(true);
  // Where it lies is not known yet.
  expect(await isPatient(() => b.stat())).toBe(true);
  expect(await isPatient(() => a.stat())).toBe(false);
  expect(await isPatient(async () => closeSync(await b.open(constants.O_RDONLY)))).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(await isPatient(() => a.stat())).toBe(true);
  expect(await isPatient(() => b.stat())).toBe(false);
});

test('a file system that may be elsewhere is always asked by a thread', async () => {
  const file = patientFile('/proc/self/status');
  for (const look of [file.stat, file.stat, file.stat]) expect(await isPatient(look)).toBe(true);
  expect(await isPatient(async () => closeSync(await file.open(constants.O_RDONLY)))).toBe(true);
});

test('what is missing is asked for as its neighbour is', async () => {
  const folder = freshFolder();
  const near = patientFile(folder);
  const none = patientFile(join(folder, 'none'), near);
  expect(await isPatient(() => none.stat())).toBe(true);
  expect(await near.stat()).not.toBeNull();
  expect(await isPatient(() => none.stat())).toBe(false);
  expect(await none.stat()).toBeNull();
  await expect(none.open(constants.O_RDONLY)).rejects.toThrow('ENOENT');
});

test('a link is looked at, not followed', async () => {
  const folder = freshFolder();
  symlinkSync('/', join(folder, 'link'));
  const link = patientFile(join(folder, 'link'));
  for (const look of [link.stat(), link.stat()]) expect((await look)?.isSymbolicLink()).toBe(true);
});
