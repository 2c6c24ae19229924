/** What a glance at a mailbox costs: its folders are listed once, and as many letters are opened as are shown. */
import { expect, test } from 'vitest';
import { unreadIn } from '../../src/overview/overview.ts';
import { OVERVIEW } from '../../src/overview/policy.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { tempFolder } from '../world/over.ts';

const LETTERS = 2 * OVERVIEW.mail + 5;

/** A disk that counts what is asked of it. */
function counting(): { readonly disk: Disk; readonly lists: Map<string, number>; readonly read: Set<string> } {
  const real = realDisk(tempFolder('still'), 0);
  const lists = new Map<string, number>();
  const read = new Set<string>();
  const disk: Disk = {
    ...real,
    list: (dir) => {
      lists.set(dir, (lists.get(dir) ?? 0) + 1);
      return real.list(dir);
    },
    read: (path, maxBytes) => {
      if (!path.endsWith('/index.json')) read.add(path);
      return real.read(path, maxBytes);
    },
  };
  return { disk, lists, read };
}

// Rules: law 8.
test('each folder is listed once, and only the letters of a page are opened', async () => {
  const { disk, lists, read } = counting();
  const box = boxAt({ disk, note: () => undefined }, 'overseer');
  const letter = (id: string) => {
    const flags = { via: 'agent', urgent: false, needs_response: false } as const;
    return box.send({ id, from: 'nux', subject: 's', body: '', sentAt: 0, ...flags });
  };
  for (let nth = 0; nth < LETTERS; nth += 1) await letter(`m-${1_700_000_000_000 + nth}-0`);
  lists.clear();
  await expect(unreadIn(box)).resolves.toMatchObject({ count: LETTERS });
  expect(lists.size).toBeGreaterThan(0);
  expect([...lists.values()].every((times) => times === 1)).toBe(true);
  expect(read.size).toBe(OVERVIEW.mail);
  // The mailbox itself sees what came since.
  await letter('m-1800000000000-0');
  await expect(unreadIn(box)).resolves.toMatchObject({ count: LETTERS + 1 });
});
