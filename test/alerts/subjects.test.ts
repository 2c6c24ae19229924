/** Episodes whose subject is a thing that a person may take away are over with it, each case by itself, across restarts (law 8). On a real disk. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { episodeIn, type Checked, type NewsBody } from '../../machines/protocol.ts';
import { changeIn } from '../../machines/alerts/things.ts';
import { endOf, type SubjectsDeps } from '../../src/alerts/subjects.ts';
import { tellingOf } from '../../src/alerts/telling.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { realDisk, type Stat } from '../../state/files/disk.ts';
import { makeFolders } from '../../state/folders.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { tempFolder } from '../world/over.ts';
import { noOffers } from '../channels/make.ts';

const ACTIVE = 'deacon/dogs/active';
const FILE = `${ACTIVE}/dog-1.json`;

/** What these episodes are not about. */
const UNASKED = { session: () => Promise.resolve(null), asks: () => Promise.resolve(null) };

async function house() {
  const root = tempFolder('subjects');
  const disk = realDisk(root, 0);
  await makeFolders(disk, 0, 0);
  /** What a process of the town says of this file, as the owner of episodes hears it. */
  const refuse = async (how: 'move' | 'leave'): Promise<Checked> => {
    const refused: Refused[] = [];
    const news: NewsBody[] = [];
    const quarantine = new Quarantine({ disk, wall: Date.now, onRefused: (one) => refused.push(one) });
    const stat = (await disk.stat(FILE)) as Stat;
    if (how === 'move') await quarantine.move(FILE, stat, 'it is not JSON');
    else quarantine.leave(FILE, stat, { is: 'newer', why: 'it is of a newer version' });
    const clock = { now: Date.now, wall: Date.now, sleep: () => Promise.resolve() };
    const host = { disk, clock, logger: { warn: () => undefined } } as never;
    const telling = tellingOf(
      { settings: DEFAULTS as never, host, store: {} as never, quarantine, announce: (one) => news.push(one) },
      { ...UNASKED, offers: noOffers, stands: () => Promise.resolve(false) },
    );
    for (const one of refused) await telling.refused(one);
    const [said] = news;
    const change = said && changeIn(said);
    if (change?.type !== 'alert' || said?.type !== 'FILE_REFUSED') throw new Error('nothing was said');
    return { episode: change.alert.episode, count: 1, ...(said.mark !== undefined && { mark: said.mark }) };
  };
  const end = (of: Checked, more: Partial<SubjectsDeps> = {}): Promise<string | null> =>
    endOf({ ...UNASKED, disk, stands: () => Promise.resolve(true), ...more }, of);
  const put = (text: string): void => writeFileSync(join(root, FILE), text);
  const remove = (path: string): void => rmSync(join(root, path));
  const moved = (): string[] => readdirSync(join(root, 'quarantine')).filter((name) => !name.endsWith('.why'));
  return { put, refuse, end, remove, moved };
}

// Rules: law 8.
test('each file that was moved away is a case of its own, over when it is taken away', async () => {
  const { put, refuse, end, remove, moved } = await house();
  put('{');
  const first = await refuse('move');
  const [name = ''] = moved();
  put('{{');
  const second = await refuse('move');
  expect(first.episode).toBe(`file-refused/quarantine/${name}`);
  expect(second.episode).not.toBe(first.episode);
  expect([await end(first), await end(second)]).toEqual([null, null]);
  remove(`quarantine/${name}`);
  expect([await end(first), await end(second)]).toEqual([`quarantine/${name} is gone.`, null]);
});

test('one that was left in place is over when it changed, went, or a later process does not refuse it', async () => {
  const { put, refuse, end, remove } = await house();
  put('{"schema":"dance/9"}');
  const left = await refuse('leave');
  expect(left.episode).toBe(`file-refused/${FILE}`);
  expect(await end(left)).toBeNull();
  // A later process has not seen it refused.
  expect(await end({ episode: left.episode, count: 1 })).toContain('it counts again');
  put('{"schema":"dance/1","now":"it counts"}');
  expect(await end(left)).toContain('is another file now');
  expect(await end(await refuse('leave'))).toBeNull();
  remove(FILE);
  expect(await end(left)).toBe(`${FILE} is gone.`);
});

test('a hearing that cannot go on is over when its record left active/', async () => {
  const { put, end, remove } = await house();
  put('{}');
  const [hopeless, other] = ['dance-hopeless/dog-1', 'crash-loop/dog-1'].map((episode) => ({
    episode: episodeIn(episode),
    count: 1,
  }));
  expect([await end(hopeless!), await end(other!)]).toEqual([null, null]);
  remove(FILE);
  expect([await end(hopeless!), await end(other!)]).toEqual([`${FILE} is gone.`, null]);
});

// Rules: law 8.
test('a dead pane that could not be saved: over when none of its session stands in tmux, not while that cannot be told', async () => {
  const { end } = await house();
  const unsaved = { episode: episodeIn('output-unsaved/agent'), count: 1 };
  expect(await end(unsaved)).toBeNull();
  await expect(end(unsaved, { stands: () => Promise.reject(new Error('tmux is silent')) })).rejects.toThrow('silent');
  expect(await end(unsaved, { stands: () => Promise.resolve(false) })).toContain('agent');
});

test('a hearing that failed: over with the life that was heard, and not where its work may be unsaved', async () => {
  const { end } = await house();
  const failed = { episode: episodeIn('dance-failed/dog-1'), count: 1, session: 'gt-rig-1' };
  // No record of the session is on the disk: the agent is gone.
  expect(await end({ ...failed, life: 'uuid-1' })).toBe('The town has no record of gt-rig-1 any more.');
  expect(await end(failed)).toBeNull();
});
