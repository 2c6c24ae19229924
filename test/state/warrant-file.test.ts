/** A warrant's file is kept while its dance is open: a record that is lost loses no warrant, and no agent is heard twice. */
import { expect, test } from 'vitest';
import { realDisk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { closed, dance, loose, open, saved, sessionSheet } from './make.ts';
import { freshFolder } from '../world/over.ts';

/** Two warrants, held by one open dance. */
async function filed() {
  const disk = realDisk(freshFolder(), 1);
  const { store } = await open(disk);
  await disk.write(...sessionSheet());
  for (const id of ['w-1', 'w-2']) await disk.write(paths.warrant(id), loose(id));
  const warrants = await store.readWarrants();
  await store.commit([saved(dance('dog-5', { warrants }))]);
  return { disk, store, warrants };
}

test('a dance whose record is lost loses none of its warrants: they are pending again', async () => {
  const { disk, store, warrants } = await filed();
  expect(warrants).toHaveLength(2);
  expect([await disk.list(FOLDERS.warrants), await store.readWarrants()]).toEqual([[], []]);
  const text = (await disk.read(paths.active('dog-5'), 1e6))!;
  await disk.remove(paths.active('dog-5'));
  await disk.write(paths.active('dog-5'), text.replace('"attempt":', '"attempt": 1'));
  const { store: next, refused } = await open(disk);
  expect(await next.readRecords()).toMatchObject({ dances: [], warrants, heard: [] });
  expect(refused).toMatchObject([{ file: paths.active('dog-5') }]);
  await next.commit([saved(dance('dog-6', { warrants }))]);
  await next.commit([saved(closed('dog-6', { warrants }))]);
  const { store: last } = await open(disk);
  expect(await last.readRecords()).toMatchObject({ dances: [], warrants: [] });
  expect([await disk.list(FOLDERS.held), await disk.list(FOLDERS.warrants)]).toEqual([[], []]);
});

test('what a closed dance left in held/ goes, and is not heard again', async () => {
  const { disk, store, warrants } = await filed();
  await disk.write('copy', (await disk.read(paths.held('w-1'), 1e6))!);
  await store.commit([saved(closed('dog-5', { warrants }))]);
  await disk.rename('copy', paths.held('w-1'));
  const { store: next } = await open(disk);
  expect(await next.readRecords()).toMatchObject({ dances: [], warrants: [] });
  expect(await disk.list(FOLDERS.held)).toEqual([]);
});

test('while a record that is left alone may hold them, nothing in held/ is heard anew', async () => {
  const { disk, warrants } = await filed();
  const text = (await disk.read(paths.active('dog-5'), 1e6))!;
  await disk.remove(paths.active('dog-5'));
  await disk.write(paths.active('dog-5'), text.replace('dance/1', 'dance/2'));
  const { store: next } = await open(disk);
  expect(await next.readRecords()).toMatchObject({ dances: [], warrants: [] });
  await disk.remove(paths.active('dog-5'));
  await disk.write(paths.active('dog-5'), text);
  const { store: last } = await open(disk);
  expect(await last.readRecords()).toMatchObject({ dances: [{ id: 'dog-5', warrants }], warrants: [] });
  expect(await disk.list(FOLDERS.held)).toHaveLength(2);
});
