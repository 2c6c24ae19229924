/** What a commit writes, and what it leaves where the disk fails in the middle of it. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paths } from '../../state/files/layout.ts';
import { realDisk } from '../../state/files/disk.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { closed, dance, loose, NOW, open, saved, savedSession, session, sessionSheet, warrant } from './make.ts';
import { freshFolder } from '../world/over.ts';

describe('a commit', () => {
  test('writes unchanged records once', async () => {
    const sim = new SimDisk();
    const { store } = await open(sim.mount());
    await store.commit([saved(dance()), savedSession(session())]);
    const before = sim.operations;
    await store.commit([saved(dance()), savedSession(session())]);
    expect(sim.operations).toBe(before);
  });

  test('is refused while another runs', async () => {
    const { store } = await open(new SimDisk().mount());
    const first = store.commit([saved(dance())]);
    await expect(store.commit([])).rejects.toThrow('wait for it first');
    await first;
  });

  test.each(['write', 'rename', 'syncDir', 'append'] as const)(
    'that fails at %s writes all anew next time',
    async (what) => {
      const sim = new SimDisk();
      const { store } = await open(sim.mount());
      let broken = true;
      sim.fault = (operation) => (broken && operation === what ? systemError('ENOSPC') : undefined);
      const lines = [{ at: NOW, kind: 'dance.opened' }];
      await expect(store.commit([saved(dance())], lines)).rejects.toThrow('ENOSPC');
      broken = false;
      await store.commit([saved(dance())], lines);
      expect([...sim.files().keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
      sim.crash(() => true);
      const { store: next } = await open(sim.mount());
      expect((await next.readRecords()).dances).toEqual([dance()]);
    },
  );

  test('after one that failed late writes again what was there before it', async () => {
    const sim = new SimDisk();
    const { store } = await open(sim.mount());
    await store.commit([saved(dance())]);
    sim.fault = (operation) => (operation === 'syncDir' ? systemError('EIO') : undefined);
    await expect(store.commit([saved(dance(undefined, { observedMs: 99_999 }))])).rejects.toThrow('EIO');
    sim.fault = undefined;
    await store.commit([saved(dance())]);
    const { store: next } = await open(sim.mount());
    expect((await next.readRecords()).dances).toEqual([dance()]);
  });

  test('whose old places are gone, but not durably, brings nothing back once the record has aged', async () => {
    const sim = new SimDisk({ wall: () => NOW });
    sim.put(...sessionSheet());
    sim.put(paths.warrant('w-1'), loose('w-1'));
    const { store } = await open(sim.mount(), { completedMs: 1_000 });
    const warrants = await store.readWarrants();
    await store.commit([saved(dance(undefined, { warrants }))]);
    await store.commit([saved(closed(undefined, { warrants, closedAt: NOW - 2_000 }))]);
    expect(warrants).toHaveLength(1);
    expect(await store.compact()).toBe(1);
    sim.crash((path) => !path.startsWith('deacon/dogs/completed'));
    const { store: next } = await open(sim.mount());
    expect(await next.readRecords()).toMatchObject({ dances: [], warrants: [] });
  });

  test('whose old place cannot be left is a commit all the same, and leaves it later', async () => {
    const sim = new SimDisk();
    const { store } = await open(sim.mount());
    await store.commit([saved(dance())]);
    sim.fault = (operation) => (operation === 'remove' ? systemError('EIO') : undefined);
    await store.commit([saved(closed())]);
    expect(sim.files().has(paths.active(dance().id))).toBe(true);
    sim.fault = undefined;
    await store.commit([]);
    expect(sim.files().has(paths.active(dance().id))).toBe(false);
  });

  test('of a warrant that was replaced by a namesake leaves the namesake', async () => {
    const sim = new SimDisk({ wall: () => NOW });
    const { store } = await open(sim.mount());
    sim.put(...sessionSheet());
    sim.put(paths.warrant('w-1'), loose('w-1'));
    const [first] = await store.readWarrants();
    sim.put(paths.warrant('w-1'), loose('w-1', { requester: 'another' }));
    await store.commit([saved(dance(undefined, { warrants: [first!] }))]);
    const [second] = await store.readWarrants();
    expect(second).toMatchObject({ requester: 'another' });
    expect(second!.id).not.toBe('w-1');
  });

  test('keeps the texts that hold sessions apart from hostile names', async () => {
    const sim = new SimDisk();
    const { store } = await open(sim.mount());
    const name = '../../etc/\n passwd';
    await store.commit([savedSession(session(name))]);
    expect([...sim.files().keys()].every((path) => /^sessions\/=[0-9a-f]{32}\.json$/.test(path))).toBe(true);
    expect(await store.session(name)).toEqual(session(name));
    expect(sim.files().get(paths.session(name))).toBe(sessionText(session(name)));
    expect(warrant().id).toBe('w-1');
  });
});

test('a folder that stands where a record goes is put away with a reason and blocks no commit', async () => {
  const disk = realDisk(join(freshFolder(), 'root'), 1);
  await disk.mkdir('.');
  const { store, refused } = await open(disk);
  await store.commit([saved(dance()), savedSession(session())]);
  const path = paths.session(session().spec.name);
  await disk.remove(path);
  await disk.mkdir(`${path}/full`);
  const changed = session(undefined, { restarts: 7 });
  await store.commit([savedSession(changed), saved(dance(undefined, { observedMs: 99 }))]);
  expect(refused).toMatchObject([{ file: path, why: 'it is a folder where a record goes.' }]);
  const { store: next } = await open(disk);
  expect(await next.readSessions()).toEqual([changed]);
  expect((await next.readRecords()).dances).toMatchObject([{ observedMs: 99 }]);
});
