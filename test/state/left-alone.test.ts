/** A record that this version cannot read is none for no writer: it stays, or goes to quarantine before another is written there. */
import { describe, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { AskBook } from '../../state/channels/asks.ts';
import { FILES, FOLDERS, paths } from '../../state/files/layout.ts';
import { STATE } from '../../state/files/policy.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { keepNote, noteOf } from '../../state/patrols/notes.ts';
import { addEntries, entriesOf } from '../../state/patrols/plugins.ts';
import { keepWork, workOn } from '../../state/rigs/work.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { NUDGES, Nudges } from '../../state/sessions/nudges.ts';
import { Store } from '../../state/store.ts';
import type { NoteOptions } from '../../state/watchdog/records.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { savedSession, session } from './make.ts';

const AT = Date.UTC(2026, 0, 2);
const LIFE = { session: 'builder', uuid: 'u1' };

async function house() {
  const failing = new Set<string>();
  const sim = new SimDisk({
    fault: (operation, path) => (operation === 'read' && failing.has(path) ? systemError('EIO') : undefined),
  });
  const disk = sim.mount();
  const refused: Refused[] = [];
  const { heardWithinMs } = POLICY.dance;
  const store = new Store({
    disk,
    policy: STATE,
    heardWithinMs,
    wall: () => AT,
    onRefused: (one) => refused.push(one),
  });
  await store.open();
  const options: NoteOptions = { disk, quarantine: store.quarantine };
  const put = async (path: string, text: string): Promise<void> => {
    await disk.remove(path);
    await disk.write(path, text);
  };
  const kept = (): string[] =>
    [...sim.files()].flatMap(([path, text]) =>
      path.startsWith(FOLDERS.quarantine) && !path.endsWith('.why') ? [text] : [],
    );
  return { sim, disk, store, options, refused, failing, put, kept };
}
const newer = (kind: string): string => `{"schema":"${kind}/2","work":"of the night"}\n`;

test('a session of a newer version is kept where the town begins one of that name', async () => {
  const { store, put, kept } = await house();
  const text = newer('session');
  await put(paths.session('builder'), text);
  expect(await store.readSessions()).toEqual([]);
  await store.commit([savedSession(session('builder'))]);
  expect(kept()).toEqual([text]);
});

describe('the book of questions', () => {
  const one = { at: AT, session: 'builder', life: 'u1', dialog: 'd1', question: 'which?', tags: [], options: [] };
  const ask = { ...one, kind: 'permission' as const };

  test('of a newer version takes no question, and stays', async () => {
    const { options, put, sim } = await house();
    await put(FILES.asks, newer('asks'));
    const book = new AskBook(options);
    await expect(book.add(ask)).rejects.toThrow(FILES.asks);
    await expect(book.salt()).rejects.toThrow('newer version');
    expect(sim.files().get(FILES.asks)).toBe(newer('asks'));
  });

  test('goes on with its salt and its answers after a disk that failed for a moment', async () => {
    const { options, failing } = await house();
    const before = new AskBook(options);
    const [salt, { number }] = [await before.salt(), await before.add(ask)];
    failing.add(FILES.asks);
    const book = new AskBook(options);
    await expect(book.all()).rejects.toThrow(FILES.asks);
    failing.clear();
    expect(await book.salt()).toBe(salt);
    expect(await book.all()).toMatchObject([{ number }]);
  });
});

test('what was typed to a life stays known over a disk that failed for a moment (law 5)', async () => {
  const { options, failing } = await house();
  const nudge = { at: AT, from: 'town', text: 'go on', isTyped: false };
  await new Nudges({ ...options }).add(LIFE, nudge, 9);
  failing.add('nudges/builder.json');
  const nudges = new Nudges({ ...options });
  await expect(nudges.add(LIFE, { ...nudge, text: 'once more' }, 9)).rejects.toThrow('nudges/builder.json');
  failing.clear();
  await nudges.add(LIFE, { ...nudge, text: 'once more' }, 9);
  expect(await nudges.of(LIFE)).toMatchObject({ texts: ['go on', 'once more'] });
});

const WORK = { rig: 'app', of: 'gt-1' };
const HANDED = [{ polecat: 'p', uuid: 'u', branch: 'b', commit: null, main: null, at: AT }];
describe.each([
  {
    path: 'patrols/work/app.gt-1.json',
    kind: 'work',
    read: (disk: NoteOptions['disk']): Promise<unknown> => workOn(disk, WORK),
    write: (disk: NoteOptions['disk']) => keepWork(disk, WORK, { handed: HANDED }),
  },
  {
    path: 'patrols/notes/deacon.json',
    kind: 'notes',
    read: (disk: NoteOptions['disk']): Promise<unknown> => noteOf(disk, 'deacon', 'wake'),
    write: (disk: NoteOptions['disk']) => keepNote(disk, 'deacon', 'wake', { kind: 'wake', text: '', at: AT }),
  },
  {
    path: 'patrols/plugins/tidy.json',
    kind: 'plugin',
    read: (disk: NoteOptions['disk']): Promise<unknown> => entriesOf(disk, 'tidy'),
    write: (disk: NoteOptions['disk']) => addEntries(disk, 'tidy', [{ id: 'a', kind: 'seen', text: '', at: AT }], 9),
  },
])('$path', ({ path, kind, read, write }) => {
  test.each([newer(kind), '{"schema":', 'torn'])('that reads %j is never overwritten', async (text) => {
    const { disk, sim, put } = await house();
    await put(path, text);
    await expect(read(disk)).rejects.toThrow(`${path} does not count`);
    await expect(write(disk)).rejects.toThrow(`${path} does not count`);
    expect(sim.files().get(path)).toBe(text);
  });

  test('is written where there is none', async () => {
    const { disk, sim } = await house();
    await write(disk);
    await read(disk);
    expect(sim.files().has(path)).toBe(true);
  });
});

// Rules: A-2.
test('a pressed key that an older town noted is read as one that may have been pressed, in a pane of unknown size', () => {
  const pressed = { dialog: 'dialog-1', option: 'Yes', at: AT };
  const { session, uuid } = LIFE;
  const text = withChecksum({ schema: 'nudge/1', session, uuid, at: null, from: null, texts: [], pressed });
  expect(NUDGES.decode(text, `${session}.json`)).toMatchObject({
    ok: true,
    value: { pressed: { ...pressed, sure: false, size: null } },
  });
});
