/** What a store keeps for the next process, and when it lets it go. */
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { paths } from '../../state/files/layout.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { SimDisk } from '../world/disk.ts';
import { closed, dance, life, loose, NOW, open, saved, savedSession, session, sessionSheet } from './make.ts';
import { freshFolder } from '../world/over.ts';

const folder = freshFolder();

let roots = 0;
const disks: Record<string, () => Disk> = {
  real: () => realDisk(join(folder, `root-${(roots += 1)}`), roots),
  simulated: () => new SimDisk({ wall: () => NOW }).mount(),
};

describe.each(Object.keys(disks))('the store on a %s disk', (kind) => {
  let disk: Disk;
  beforeEach(async () => {
    disk = disks[kind]!();
    if (kind === 'real') await disk.mkdir('.');
  });

  test('what was committed is read by the next process, field by field', async () => {
    const { store } = await open(disk);
    await store.commit([saved(dance()), savedSession(session())], [{ at: NOW, kind: 'dance.opened', dance: 'dog-1' }]);
    const { store: next, refused } = await open(disk);
    expect(await next.readRecords()).toEqual({
      type: 'RECORDS_READ',
      dances: [dance()],
      warrants: [],
      heard: [],
      lastDanceMs: 1767355200000,
    });
    expect(await next.readSessions()).toEqual([session()]);
    expect(refused).toEqual([]);
  });

  test('a closed dance is in completed/ alone, and its warrants and answers are gone', async () => {
    const { store } = await open(disk);
    await disk.write(...sessionSheet());
    await disk.write(paths.warrant('w-1'), loose('w-1', { reason: 'silent for an hour' }));
    const [filed] = await store.readWarrants();
    await store.commit([saved(dance('dog-5', { warrants: [filed!] }))]);
    expect(await disk.list('deacon/dogs/warrants')).toEqual([]);
    await disk.write(paths.answer('K73F'), '{}');
    await store.commit([saved(closed('dog-5', { warrants: [filed!] }))]);
    expect(await disk.list('deacon/dogs/active')).toEqual([]);
    expect(await disk.list('deacon/dogs/completed')).toEqual(['dog-5.json']);
    expect(await disk.list('deacon/dogs/answers')).toEqual([]);
    const { store: next } = await open(disk);
    expect((await next.readRecords()).heard).toEqual([
      {
        id: 'dog-5',
        uuid: 'uuid-gt-nux',
        session: 'gt-nux',
        verdict: 'executed',
        reason: 'silent',
        evidenceOnly: false,
        closedAt: NOW,
      },
    ]);
  });

  test('found in both places, completed/ wins and the old place is left', async () => {
    const { store } = await open(disk);
    await store.commit([saved(dance('dog-5'))]);
    const text = await disk.read(paths.active('dog-5'), 1e6);
    await store.commit([saved(closed('dog-5'))]);
    await disk.write(paths.active('dog-5'), text!);
    const { store: next } = await open(disk);
    expect((await next.readRecords()).dances).toEqual([]);
    await next.commit([]);
    expect(await disk.list('deacon/dogs/active')).toEqual([]);
  });

  test('an end that the journal could not tell before a crash is handed over until it does', async () => {
    const { store } = await open(disk);
    const text = async (id: string): Promise<string> => {
      await store.commit([saved(dance(id))]);
      return (await disk.read(paths.active(id), 1e6))!;
    };
    const olds = [await text('dog-5'), await text('dog-6')];
    const told = { at: NOW, kind: 'dance.closed', dance: 'dog-5' };
    await store.commit([saved(closed('dog-5')), saved(closed('dog-6'))], [told]);
    for (const [at, id] of ['dog-5', 'dog-6'].entries()) await disk.write(paths.active(id), olds[at]!);
    // A town that crashes before the line is durable finds it again.
    for (let crash = 0; crash < 2; crash += 1) {
      const { store: next } = await open(disk);
      const { dances, untold } = await next.readRecords();
      expect(dances).toEqual([]);
      expect(untold).toEqual([closed('dog-6')]);
      if (crash === 1) await next.commit([], [{ ...told, dance: 'dog-6' }]);
    }
    const { store: last } = await open(disk);
    expect((await last.readRecords()).untold).toBeUndefined();
    expect(await disk.list('deacon/dogs/active')).toEqual([]);
  });

  test('a life counts as maybe signalled from the durable intent on, and after its execution, also in the next process', async () => {
    const { store } = await open(disk);
    await store.commit([saved(dance())]);
    await store.readRecords();
    expect(await store.lives.maybeSignalled('uuid-gt-nux')).toBe(false);
    await store.commit([saved(dance(undefined, { killing: true }))]);
    expect(await store.lives.maybeSignalled('uuid-gt-nux')).toBe(true);
    const { store: next } = await open(disk);
    await next.readRecords();
    expect(await next.lives.maybeSignalled('uuid-gt-nux')).toBe(true);
    await next.commit([saved(closed())]);
    expect(await next.lives.maybeSignalled('uuid-gt-nux')).toBe(true);
    expect(await next.lives.maybeSignalled('another')).toBe(false);
  });

  test('an agent that was to be stopped and lives on is known with why, also in the next process', async () => {
    const { store } = await open(disk);
    const base = dance();
    const [warrant] = base.warrants;
    const stop = { ...warrant!, id: 'stop-1-uuid', force: true };
    const spared = closed(undefined, { warrants: [stop], verdict: 'escalated', reason: 'its work could not be saved' });
    await store.commit([saved(spared)]);
    const { store: next } = await open(disk);
    await next.readRecords();
    for (const { lives } of [store, next])
      expect(lives.sparedBy('uuid-gt-nux')).toEqual({ stops: ['stop-1-uuid'], why: 'its work could not be saved' });
    expect(next.lives.sparedBy('another')).toBeNull();
  });

  // Rules: C-5.
  test('what is known of a life is told once the records were read, and not guessed before', async () => {
    const exit = { kind: 'code', code: 0 } as const;
    const { store } = await open(disk);
    await store.commit([saved(dance(undefined, { killing: true, exit, tailAfter: 'words' }))]);
    const { store: next } = await open(disk);
    const told: unknown[] = [];
    const { lives } = next;
    const asked = [lives.hears('uuid-gt-nux'), lives.maybeSignalled('uuid-gt-nux'), lives.endOf('uuid-gt-nux')].map(
      (one) => one.then((known) => told.push(known)),
    );
    await next.readSessions();
    expect(told).toEqual([]);
    await next.readRecords();
    await Promise.all(asked);
    expect(told).toEqual([true, true, { exit, lastWords: 'words' }]);
    expect(await next.lives.hears('another')).toBe(false);
    await next.commit([saved(closed())]);
    expect(await next.lives.hears('uuid-gt-nux')).toBe(false);
  });

  test('how a life ended is known from a hearing that read it, also in the next process, until the record goes', async () => {
    const exit = { kind: 'code', code: 0 } as const;
    const { store } = await open(disk, { completedMs: 1_000 });
    await store.commit([saved(dance())]);
    await store.readRecords();
    expect(await store.lives.endOf('uuid-gt-nux')).toBeNull();
    await store.commit([saved(dance(undefined, { exit, tailAfter: 'its last words' }))]);
    expect(await store.lives.endOf('uuid-gt-nux')).toEqual({ exit, lastWords: 'its last words' });
    const { store: next } = await open(disk, { completedMs: 1_000 });
    await next.readRecords();
    expect(await next.lives.endOf('uuid-gt-nux')).toEqual({ exit, lastWords: 'its last words' });
    const over = { exit, tailAfter: 'the same', verdict: 'already_dead', closedAt: NOW - 2_000 } as const;
    await next.commit([saved(closed(undefined, over))]);
    expect(await next.lives.endOf('uuid-gt-nux')).toEqual({ exit, lastWords: 'the same' });
    await next.compact();
    expect(await next.lives.endOf('uuid-gt-nux')).toBeNull();
  });

  test('a reading says whose names are protected by now', async () => {
    const { store } = await open(disk);
    await store.commit([saved(dance('dog-1')), saved(dance('dog-2', { target: life('gt-protected') }))]);
    expect((await store.readRecords()).protected).toEqual(['gt-protected']);
  });

  test('a pardoned life counts as maybe signalled no longer', async () => {
    const { store } = await open(disk);
    await store.commit([saved(dance(undefined, { killing: true }))]);
    await store.commit([saved(closed(undefined, { verdict: 'pardoned' }))]);
    await store.readRecords();
    expect(await store.lives.maybeSignalled('uuid-gt-nux')).toBe(false);
  });

  // Rules: P-16.
  test('closed dances past their age become a line of the journal', async () => {
    const { store } = await open(disk, { completedMs: 1_000 });
    await store.commit([saved(closed('dog-1', { closedAt: NOW - 2_000 })), saved(closed('dog-2'))]);
    expect(await store.compact()).toBe(1);
    expect(await disk.list('deacon/dogs/completed')).toEqual(['dog-2.json']);
    const [line] = (await disk.read('journal/2026-01-02.jsonl', 1e6))!.trim().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ kind: 'dances.compacted', dances: 1, verdicts: { executed: 1 } });
  });
});

test('opening sweeps what crashed writers left: at once where only the town writes, elsewhere when it is old', async () => {
  const root = join(folder, 'sweep');
  const disk = realDisk(join(folder), 1);
  await disk.mkdir('sweep');
  const inside = realDisk(root, 1);
  await open(inside);
  await inside.mkdir('mail/mayor/new');
  await inside.write('mail/a file in the way', '');
  const left = ['deacon/dogs/active', 'deacon/dogs/warrants', 'mail/mayor/new'].map((at) => `${at}/.town-9-x-1.tmp`);
  for (const path of [...left, 'deacon/dogs/active/.other.tmp']) await inside.write(path, 'half');
  await open(inside, { staleTmpMs: 1e15 });
  expect(await inside.list('deacon/dogs/active')).toEqual(['.other.tmp']);
  expect(await inside.list('deacon/dogs/warrants')).toHaveLength(1);
  await open(inside, { staleTmpMs: -1e15 });
  expect(await inside.list('deacon/dogs/warrants')).toEqual([]);
  expect(await inside.list('mail/mayor/new')).toEqual([]);
});
