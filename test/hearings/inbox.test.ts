/** What lies in warrants/, from any writer: one sentence for each bad file, nothing lost, no warrant blocked. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import type { Warrant } from '../../machines/protocol.ts';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { withChecksum } from '../../state/files/checksum.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { dance, life, loose, NOW, open, saved, session, sessionSheet, warrant, type Opened } from '../state/make.ts';
import { tempFolder } from '../world/over.ts';

describe('on a real disk', () => {
  let root: string;
  let opened: Opened;
  const at = (name: string) => join(root, FOLDERS.warrants, name);
  const drop = (name: string, text: string) => writeFileSync(at(name), text);

  beforeEach(async () => {
    root = tempFolder('town-inbox');
    const disk = realDisk(root, 1);
    opened = await open(disk);
    // The life began before any file of this test.
    await disk.write(paths.session('gt-nux'), sessionText(session('gt-nux', { startedAt: 1 })));
    await disk.write(paths.session('gt-new'), sessionText(session('gt-new', { startedAt: Date.now() + 3_600_000 })));
    await disk.write(paths.session('gt-none'), sessionText(session('gt-none', { incarnation: null })));
  });

  const says = (more: Parameters<typeof loose>[1]) => (name: string) => drop(name, loose('x', more));
  const wish = (more: Partial<Warrant>) => (name: string) =>
    drop(name, warrantText(warrant('w-1', { target: life('gt-protected'), force: true, ...more })));
  const bad: [string, (name: string) => void, RegExp][] = [
    ['100 MB', (name) => writeFileSync(at(name), Buffer.alloc(100_000_000)), /100000000 bytes, the limit is 1048576/],
    ['a pipe', (name) => void execFileSync('mkfifo', [at(name)]), /not a regular file/],
    ['a link', (name) => symlinkSync('/etc/passwd', at(name)), /symbolic link/],
    ['a link to nothing', (name) => symlinkSync('/nowhere', at(name)), /symbolic link/],
    ['a folder', (name) => mkdirSync(at(name)), /not a regular file/],
    ['a list', (name) => drop(name, '[]'), /not a JSON object/],
    ['a foreign schema', says({ schema: 'bill/1' }), /schema is "bill\/1"/],
    ['no reason', says({ reason: undefined }), /reason/],
    ['an invisible reason', says({ reason: '\u200b\u202e \u0301' }), /its reason is empty/],
    ['an empty reason', says({ reason: ' \n' }), /reason: must not be empty/],
    ['an endless reason', says({ reason: 'a'.repeat(5_000) }), /5000 characters/],
    ['no requester', says({ requester: '' }), /requester/],
    ['a time that is none', says({ filed_at: 'soon' }), /filed_at/],
    ['an unknown target', says({ target: 'gt-nu' }), /knows no session "gt-nu"/],
    ['a hostile target', says({ target: '../../etc/passwd\n' }), /knows no session "..\/../],
    ['a protected target', says({ target: 'gt-protected' }), /is protected/],
    ['a wish of a protected agent', wish({ requester: 'gt-protected' }), /is protected/],
    ['a wish of one that a patrol saw', wish({ requester: 'witness:rig', via: 'town' }), /is protected/],
    ['a target that never lived', says({ target: 'gt-none' }), /has not lived yet/],
    ['an earlier life', says({ target: 'gt-new' }), /before the present life/],
    ['a made-up life', says({ incarnation: life('gt-nux', 'forged') }), /not the present one/],
    ['a life of another', says({ incarnation: life('gt-new') }), /but a life of "gt-new"/],
    ['a flipped byte', (name) => drop(name, warrantText(warrant()).replace('silent', 'sileot')), /check sum/],
  ];
  test('a name that is no UTF-8 is set aside with a sentence, once; what is no record stays, and the good file counts', async () => {
    const raw = (...bytes: number[]) => Buffer.concat([Buffer.from(`${at('')}/`), Buffer.from(bytes)]);
    const json = [...Buffer.from('.json')];
    writeFileSync(raw(0xff, ...json), loose('x'));
    writeFileSync(raw(0x61, 0xfe, ...json), loose('y'));
    writeFileSync(raw(0xff, 0x74), 'under way');
    drop('good.json', loose('good'));
    for (let round = 0; round < 2; round += 1)
      expect((await opened.store.readWarrants()).map(({ id }) => id)).toEqual(['good']);
    expect(opened.refused.map(({ why }) => why)).toEqual(['its name was no UTF-8.', 'its name was no UTF-8.']);
    expect(readdirSync(join(root, FOLDERS.quarantine))).toHaveLength(4);
    expect(readdirSync(join(root, FOLDERS.warrants), { encoding: 'buffer' })).toHaveLength(2);
  });

  // Rules: D-13, I-15.
  test.each(bad)('%s is set aside with a sentence, and the good file counts', async (_, make, why) => {
    make('bad.json');
    drop('good.json', loose('good'));
    const pending = await opened.store.readWarrants();
    expect(pending.map(({ id }) => id)).toEqual(['good']);
    expect(opened.refused).toHaveLength(1);
    const [refused] = opened.refused;
    expect(refused).toMatchObject({ file: 'deacon/dogs/warrants/bad.json' });
    expect(refused!.why).toMatch(why);
    expect(refused!.why).not.toContain('\n');
    const kept = readdirSync(join(root, FOLDERS.quarantine));
    expect(kept).toHaveLength(2);
    const reason: unknown = JSON.parse(readFileSync(join(root, `${refused!.movedTo!}.why`), 'utf8'));
    expect(reason).toMatchObject({ file: 'deacon/dogs/warrants/bad.json', why: expect.stringMatching(why) as string });
    await opened.store.readWarrants();
    expect(opened.refused).toHaveLength(1);
  });

  test('a file of a newer version stays where it is and is told once', async () => {
    drop('next.json', loose('next', { schema: 'warrant/2' }));
    for (let round = 0; round < 3; round += 1) expect(await opened.store.readWarrants()).toEqual([]);
    expect(opened.refused).toMatchObject([{ movedTo: null, why: expect.stringContaining('newer version') as string }]);
    expect(readdirSync(join(root, FOLDERS.warrants))).toEqual(['next.json']);
  });

  test('a file that is still being written gets one more round', async () => {
    drop('slow.json', loose('slow').slice(0, 20));
    expect(await opened.store.readWarrants()).toEqual([]);
    expect(opened.refused).toEqual([]);
    drop('slow.json', loose('slow'));
    expect(await opened.store.readWarrants()).toHaveLength(1);
  });

  test.each(['', '{"id":', 'no JSON'])('%j is refused when it does not change', async (text) => {
    drop('cut.json', text);
    await opened.store.readWarrants();
    await opened.store.readWarrants();
    expect(opened.refused).toHaveLength(1);
  });

  test('files that are no records are left alone', async () => {
    for (const name of ['.w.json.tmp', 'README', 'w.json.swp', '.hidden.json']) drop(name, 'x');
    expect(await opened.store.readWarrants()).toEqual([]);
    expect(opened.refused).toEqual([]);
  });
});

describe('binding', () => {
  const at = (name: string) => `${FOLDERS.warrants}/${name}`;
  async function town() {
    const sim = new SimDisk({ wall: () => NOW });
    sim.put(...sessionSheet());
    return { sim, ...(await open(sim.mount())) };
  }

  // Rules: D-15.
  test('a loose file is rewritten with the present life of its target, and read again as the same', async () => {
    const { sim, store } = await town();
    sim.put(at('w-7.json'), loose('w-7'));
    const expected = [warrant('w-7', { requester: 'mayor', reason: 'silent', filedAt: NOW - 1_000 })];
    expect(await store.readWarrants()).toEqual(expected);
    expect(sim.files().get(at('w-7.json'))).toBe(warrantText(expected[0]!));
    sim.crash(() => true);
    expect(await (await open(sim.mount())).store.readWarrants()).toEqual(expected);
  });

  // Rules: law 3.
  test('a bound warrant keeps its life when the session has another one by now', async () => {
    const { sim, store } = await town();
    sim.put(at('w-1.json'), warrantText(warrant('w-1', { target: life('gt-nux', 'older') })));
    expect((await store.readWarrants())[0]?.target.uuid).toBe('older');
  });

  test('the word force counts only under the sum of the operator’s own command', async () => {
    const { sim, store } = await town();
    const asked = { target: 'gt-nux', reason: 'r', requester: 'x' };
    const file = { schema: 'warrant/1', ...asked, incarnation: life(), force: true };
    sim.put(at('a.json'), JSON.stringify({ ...file, id: 'a', via: 'operator' }));
    sim.put(at('b.json'), withChecksum({ ...file, id: 'b', via: 'agent' }));
    sim.put(at('c.json'), withChecksum({ ...file, id: 'c', via: 'operator' }));
    const forced = (await store.readWarrants()).map(({ id, force }) => [id, force]);
    expect(forced.sort()).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
  });

  test('who filed it stays with it under our sum, also where its file is written anew; of others it is not known', async () => {
    const { sim, store } = await town();
    const file = { schema: 'warrant/1', target: 'gt-nux', reason: 'r', requester: 'mayor' };
    sim.put(at('away.json'), withChecksum({ ...file, id: 'a', via: 'operator' }));
    sim.put(at('b.json'), withChecksum({ ...file, id: 'b', via: 'agent' }));
    sim.put(at('c.json'), JSON.stringify({ ...file, id: 'c', via: 'operator' }));
    const known = [
      ['a', 'operator'],
      ['b', 'agent'],
      ['c', undefined],
    ];
    const filers = (all: readonly Warrant[]) => all.map(({ id, via }) => [id, via]).sort();
    const first = await store.readWarrants();
    expect(filers(first)).toEqual(known);
    expect(filers(await (await open(sim.mount())).store.readWarrants())).toEqual(known);
    const held = dance('dog-1767355200000', { warrants: first });
    await store.commit([saved(held)]);
    const { dances } = await (await open(sim.mount())).store.readRecords();
    expect(filers(dances.flatMap((one) => one.warrants))).toEqual(known);
  });

  test('ids and time may be left out', async () => {
    const { sim, store } = await town();
    sim.put(at('plain.json'), loose('x', { id: undefined, filed_at: undefined }));
    expect(await store.readWarrants()).toMatchObject([{ id: 'plain', filedAt: NOW }]);
  });

  test('two files with one id are two warrants', async () => {
    const { sim, store } = await town();
    sim.put(at('a.json'), loose('same', { requester: 'a' }));
    sim.put(at('same.json'), loose('same', { requester: 'b' }));
    sim.put(at('z.json'), loose('same', { requester: 'c' }));
    const read = await store.readWarrants();
    expect(read.map(({ requester }) => requester).sort()).toEqual(['a', 'b', 'c']);
    expect(new Set(read.map(({ id }) => id)).size).toBe(3);
    expect([...sim.files().keys()].filter((path) => path.startsWith(FOLDERS.warrants))).toHaveLength(3);
  });

  test('an id that a closed hearing used is free for another request', async () => {
    const { sim, store } = await town();
    sim.put(at('w-1.json'), loose('w-1'));
    const [first] = await store.readWarrants();
    await store.commit([saved(dance(undefined, { warrants: [first!] }))]);
    sim.put(at('w-1.json'), loose('w-1', { filed_at: new Date(NOW).toISOString() }));
    expect(await store.readWarrants()).toHaveLength(1);
  });

  test('a hostile id cannot leave the folder', async () => {
    const { sim, store } = await town();
    sim.put(at('x.json'), loose('../../sessions/gt-nux'));
    expect(await store.readWarrants()).toHaveLength(1);
    expect(sim.files().get(paths.session('gt-nux'))).toBe(sessionText(session()));
  });

  test('what a dance holds is not pending, and its leftover file goes', async () => {
    const { sim, store } = await town();
    sim.put(at('w-1.json'), loose('w-1'));
    const [first] = await store.readWarrants();
    sim.fault = (operation) => (operation === 'remove' ? systemError('EIO') : undefined);
    await store.commit([saved(dance(undefined, { warrants: [first!] }))]);
    expect(await store.readWarrants().catch(() => [])).toEqual([]);
    sim.fault = undefined;
    const { store: next } = await open(sim.mount());
    expect((await next.readRecords()).warrants).toEqual([]);
    expect(sim.files().has(at('w-1.json'))).toBe(false);
  });

  test('when quarantine cannot be written the file stays, is told once, and the others count', async () => {
    const { sim, store, refused } = await town();
    sim.put(at('bad.json'), '[]');
    sim.put(at('w-1.json'), warrantText(warrant()));
    sim.fault = (_, path) => (path.startsWith(FOLDERS.quarantine) ? systemError('EROFS') : undefined);
    for (let round = 0; round < 3; round += 1) expect(await store.readWarrants()).toHaveLength(1);
    expect(refused).toMatchObject([{ movedTo: null, why: expect.stringContaining('EROFS') as string }]);
    expect(sim.files().has(at('bad.json'))).toBe(true);
  });

  test.each(['EMFILE', 'ENFILE', 'ENOMEM'])('%s is unknown: the reading fails and no agent is judged', async (code) => {
    const { sim, store, refused } = await town();
    sim.put(at('w-1.json'), loose('w-1'));
    sim.fault = (operation) => (operation === 'read' ? systemError(code) : undefined);
    await expect(store.readWarrants()).rejects.toThrow(code);
    sim.fault = undefined;
    expect(refused).toEqual([]);
    expect(await store.readWarrants()).toHaveLength(1);
  });

  test('a file that gives EIO is left, the others count', async () => {
    const { sim, store, refused } = await town();
    sim.put(at('a.json'), loose('a'));
    sim.put(at('b.json'), loose('b'));
    sim.fault = (operation, path) => (operation === 'read' && path === at('a.json') ? systemError('EIO') : undefined);
    expect(await store.readWarrants()).toMatchObject([{ id: 'b' }]);
    expect(refused).toMatchObject([{ file: at('a.json'), movedTo: null }]);
  });
});

test('files that are left alone do not keep others out', async () => {
  const sim = new SimDisk({ wall: () => NOW - 60_000 });
  sim.put(...sessionSheet());
  for (let i = 0; i < 20; i += 1) sim.put(`${FOLDERS.warrants}/a-${i}.json`, loose(`a-${i}`, { schema: 'warrant/9' }));
  sim.wall = () => NOW;
  sim.put(`${FOLDERS.warrants}/good.json`, loose('good'));
  const { store } = await open(sim.mount(), { maxFiles: 10 });
  const rounds = [await store.readWarrants(), await store.readWarrants(), await store.readWarrants()];
  expect(rounds.at(-1)).toMatchObject([{ id: 'good' }]);
});

describe('10,000 warrants and more', () => {
  test('are held up to the limit, the oldest first; the others follow as room comes', async () => {
    const sim = new SimDisk({ wall: () => NOW });
    sim.put(...sessionSheet());
    const many = STATE.maxFiles + 500;
    for (let i = 0; i < many; i += 1) {
      sim.wall = () => NOW + ((i * 7_919) % many);
      sim.put(paths.warrant(`w-${i}`), warrantText(warrant(`w-${i}`, { filedAt: NOW + ((i * 7_919) % many) })));
    }
    const { store } = await open(sim.mount());
    const read = await store.readWarrants();
    expect(read).toHaveLength(STATE.maxFiles);
    expect(read.at(0)?.filedAt).toBe(NOW);
    expect(read.at(-1)?.filedAt).toBe(NOW + STATE.maxFiles - 1);
    await store.commit([saved(dance(undefined, { warrants: read.slice(0, 200) }))]);
    const next = await store.readWarrants();
    expect(next).toHaveLength(STATE.maxFiles);
    expect(next.at(-1)?.filedAt).toBe(NOW + STATE.maxFiles + 199);
    const before = sim.operations;
    await store.readWarrants();
    // One listing, and what waits for room is not looked at.
    expect(sim.operations - before).toBe(1);
  });
});
