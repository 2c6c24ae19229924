/** A nudge to orchestrators (`to = ["pane"]`): one that is at work is waited for, one that can never be typed to is a fault. */
import { expect, test } from 'vitest';
import type { Reply } from '../../machines/protocol.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { SESSIONS } from '../../state/sessions/records.ts';
import { reachOf } from '../../src/alerts/reach.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { life } from '../state/make.ts';
import { freshFolder } from '../world/over.ts';
import { running } from '../world/records.ts';

const refused = (exit: 1 | 2 | 5): Reply => ({ ok: false, exit, code: 'nudge_refused', text: `refused with ${exit}` });

async function nudged(replies: Readonly<Record<string, Reply | null>>) {
  const disk = realDisk(freshFolder(), 0);
  await disk.mkdir(FOLDERS.sessions);
  const records = Object.keys(replies).map((name) => {
    return SESSIONS.fileOf(running({ ...life(name), session: name }, { tags: ['orchestrator'] }));
  });
  await writeFiles(disk, records);
  const reach = reachOf({
    disk,
    tag: 'orchestrator',
    nudge: ({ name }) => Promise.resolve(replies[name] ?? null),
    wall: Date.now,
    log: () => undefined,
    tmux: { query: () => Promise.resolve([]) },
    processes: createProcesses(),
  });
  return reach({ do: 'nudge', text: 'look' });
}

test.each([
  ['no session has the tag', {}, false],
  ['each is protected, or unfit for words', { a: refused(5), b: refused(2) }, false],
  ['one of them is at work', { a: refused(5), b: refused(1) }, true],
  ['no town runs', { a: null }, true],
])('where %s', async (_what, replies, isWaiting) => {
  await expect(nudged(replies)).rejects.toMatchObject({ isWaiting });
});

test('one that was typed to is enough', async () => {
  expect(await nudged({ a: refused(5), b: { ok: true, value: {} } })).toBe('typed to b');
});
