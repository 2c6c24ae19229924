/** One town a root, proved with processes that really compete. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STATE } from '../../state/files/policy.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { beginEpoch, readEpoch } from '../../state/process/epoch.ts';
import { FILES } from '../../state/files/layout.ts';
import { goOn, restoredAt } from '../../state/process/restored.ts';
import { takeLock, type LockOptions } from '../../state/process/lock.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import { runningOf } from '../../state/process/pid-files.ts';
import { SimDisk, systemError } from '../world/disk.ts';
import { freshFolder } from '../world/over.ts';

let root: string;
let disk: Disk;
const children: ChildProcess[] = [];
beforeEach(() => {
  root = freshFolder();
  for (const folder of ['daemon', 'quarantine']) mkdirSync(join(root, folder));
  disk = realDisk(root, 1);
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null && child.signalCode === null) await end(child);
});

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Starts a program that says one line, and resolves with it. */
async function say(command: string, args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, line };
}
const hold = () => say(process.execPath, [fileURLToPath(new URL('programs/hold.ts', import.meta.url)), root]);
const options = (more: Partial<LockOptions> = {}): LockOptions => ({
  root,
  disk,
  isAlive: () => true,
  maxBytes: STATE.maxRecordBytes,
  ...more,
});

describe('the lock', () => {
  // Rules: C-12.
  test('goes to one of many that start at once; kill -9 frees it, and each holder has a higher epoch', async () => {
    const epochs: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const all = await Promise.all(Array.from({ length: 4 }, hold));
      const holders = all.filter(({ line }) => line.startsWith('held'));
      expect(holders).toHaveLength(1);
      epochs.push(Number(holders[0]!.line.slice('held '.length)));
      expect(all.filter(({ line }) => line.startsWith('refused'))).toHaveLength(3);
      await end(holders[0]!.child);
    }
    expect(epochs[1]).toBe(epochs[0]! + 1);
  });

  test('names the town that runs, also through a lock file that was overwritten meanwhile', async () => {
    await hold();
    const post = {
      pid: 4711,
      started: '1@boot',
      epoch: 1,
      version: '0',
      root: null,
      socket: '/s',
      ports: { inspect: null },
    };
    await runningOf(disk, STATE.maxRecordBytes).putTown(post);
    await expect(takeLock(options())).rejects.toMatchObject({
      pid: 4711,
      message: expect.stringContaining('(pid 4711)') as string,
    });
    writeFileSync(join(root, 'daemon/lock.db'), 'x'.repeat(5_000));
    await expect(takeLock(options())).rejects.toMatchObject({ pid: 4711 });
  });

  test('is free after its release, and a broken lock file is no obstacle', async () => {
    (await takeLock(options())).release();
    expect(statSync(join(root, 'daemon/lock.db')).mode & 0o777).toBe(0o600);
    writeFileSync(join(root, 'daemon/lock.db'), 'no database '.repeat(500));
    const lock = await takeLock(options());
    await expect(takeLock(options())).rejects.toThrow('runs on');
    lock.release();
  });

  // Rules: C-12.
  test('is refused where a plain number in daemon.pid names a living process', async () => {
    writeFileSync(join(root, 'daemon/daemon.pid'), '12345\n');
    await expect(takeLock(options())).rejects.toMatchObject({
      pid: 12345,
      message: expect.stringContaining('Another daemon (pid 12345') as string,
    });
    (await takeLock(options({ isAlive: () => false }))).release();
  });

  test('is refused where a Gas Town daemon holds its own lock, and free when it ended', async () => {
    const path = join(root, 'daemon/daemon.lock');
    writeFileSync(path, '');
    // A shell holds the lock itself, so that its pid is the one the kernel lists.
    const { child } = await say('bash', ['-c', 'exec 9<"$1"; flock 9; echo locked; read -r', 'bash', path]);
    await expect(takeLock(options())).rejects.toThrow('A Gas Town daemon (pid ');
    await end(child);
    (await takeLock(options())).release();
  });

  test('is refused where something else stands in its place', async () => {
    mkdirSync(join(root, 'daemon/lock.db'));
    await expect(takeLock(options())).rejects.toThrow('not a regular file');
  });
});

test('a daemon.pid and a latch that are closed to us name no process, and stop every starter', async () => {
  const sim = new SimDisk();
  const running = runningOf(sim.mount(), STATE.maxRecordBytes);
  await running.latch('town down');
  sim.put('daemon/daemon.pid', '4711\n');
  sim.fault = (operation) => (operation === 'read' ? systemError('EACCES') : undefined);
  expect(await running.town()).toEqual({ kind: 'nothing' });
  expect(await running.stopped()).toMatch(/^daemon\/stopped is there; `town up` takes it away$/);
});

describe('the epoch', () => {
  const wall = Date.UTC(2026, 0, 1);
  function fresh() {
    const sim = new SimDisk();
    sim.put(FILES.lock, '');
    const refused: Refused[] = [];
    const mount = () => sim.mount();
    const begin = (at = wall, d = mount()) =>
      beginEpoch(d, new Quarantine({ disk: d, wall: () => at, onRefused: (r) => refused.push(r) }), at);
    return { sim, refused, mount, begin };
  }

  test('rises by one at each start, and survives a loss of everything that was not synced', async () => {
    const { sim, mount, begin } = fresh();
    expect(await readEpoch(mount())).toBe(0);
    const first = await begin();
    for (let n = 1; n <= 5; n += 1) {
      expect(await begin()).toBe(first + n);
      sim.crash(() => true);
      expect(await readEpoch(mount())).toBe(first + n);
    }
  });

  test.each([
    ['its file is lost', FILES.epoch, null, false],
    ['daemon/ came back from a copy', FILES.lock, 'another file', true],
    ['a person wrote a small one', FILES.epoch, '1\n', false],
  ])('is newer than that of a town that may still run where %s', async (_, path, text, isCopy) => {
    const { sim, mount, begin } = fresh();
    const first = await begin();
    if (text === null) await mount().remove(path);
    else sim.put(path, text);
    const later = wall + 60_000;
    expect(await begin(later)).toBe(later + 1);
    expect(await begin(later)).toBe(later + 2);
    expect(later).toBeGreaterThan(first);
    // It stays on record over starts, until a person says to go on.
    expect((await restoredAt(mount())) !== null).toBe(isCopy);
    expect([await goOn(mount()), await restoredAt(mount())]).toEqual([isCopy, null]);
    await begin(later);
    expect(await restoredAt(mount())).toBe(null);
  });

  /** Removed, and back from a copy, as `rm -rf` and `cp -a` do it. */
  function restore(): void {
    const [folder, copy] = [join(root, 'daemon'), join(root, 'copy')];
    cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true, preserveTimestamps: true });
  }
  const beginHere = () =>
    beginEpoch(disk, new Quarantine({ disk, wall: () => wall, onRefused: () => undefined }), Date.now());

  test('a folder that was removed and came back from a copy is a copy, also where its lock file has the same number', async () => {
    (await takeLock(options())).release();
    await beginHere();
    await beginHere();
    expect(await restoredAt(disk)).toBe(null);
    restore();
    await beginHere();
    expect(await restoredAt(disk)).not.toBe(null);
  });

  test('a file of an earlier version says that this root is no copy, and the next start finds one', async () => {
    (await takeLock(options())).release();
    const { ino, size, mtimeMs } = statSync(join(root, FILES.lock));
    const named = (lock: string): void =>
      writeFileSync(join(root, FILES.epoch), `7 ${fingerprint('7')}${lock}\n`, { mode: 0o600 });
    named('');
    await beginHere();
    expect(await restoredAt(disk)).toBe(null);
    named(` ${fingerprint(`${ino}:${size}:${mtimeMs}`)}`);
    expect([await beginHere(), await restoredAt(disk)]).toEqual([8, null]);
    restore();
    await beginHere();
    expect(await restoredAt(disk)).not.toBe(null);
  });

  test('a copy whose lock file has the number and the time of change of the first is known by its birth', async () => {
    const { begin, mount } = fresh();
    await begin();
    const reborn: Disk = {
      ...mount(),
      stat: async (path) => {
        const stat = await mount().stat(path);
        return stat && { ...stat, bornAt: stat.bornAt + 1 };
      },
    };
    await begin(wall, reborn);
    expect(await restoredAt(mount())).not.toBe(null);
  });

  test('a crash anywhere in a start never takes it back', async () => {
    for (let point = 1; point < 20; point += 1) {
      for (const lost of [true, false]) {
        const { sim, mount, begin } = fresh();
        const first = await begin();
        let left = point;
        const crashed = new Promise<'crashed'>((resolve) => {
          sim.burn = () => {
            left -= 1;
            if (left > 0) return;
            resolve('crashed');
            throw new Error('crash');
          };
        });
        await Promise.race([begin(), crashed]);
        sim.burn = undefined;
        sim.crash(() => lost);
        expect([first, first + 1]).toContain(await readEpoch(mount()));
        expect(await begin()).toBeGreaterThan(first);
      }
    }
  });

  test.each(['', 'x', '7 00000000\n', '-1', '1e9', '99999999999999999999'])(
    '%j is unknown, and the next start is newer than all',
    async (text) => {
      const { sim, refused, mount, begin } = fresh();
      sim.put('daemon/epoch', text);
      await expect(readEpoch(mount())).rejects.toThrow('holds no epoch');
      expect(await begin()).toBe(wall + 1);
      expect(refused).toHaveLength(1);
    },
  );

  test('what is closed to us is set aside, and the next start is newer than all', async () => {
    const { sim, refused, begin } = fresh();
    sim.put('daemon/epoch', '7\n');
    sim.fault = (operation, path) => (operation === 'read' && path === FILES.epoch ? systemError('EACCES') : undefined);
    expect(await begin()).toBe(wall + 1);
    expect(refused).toMatchObject([
      { why: 'it may not be read (permission denied).', movedTo: expect.any(String) as string },
    ]);
  });

  test('a number that lost digits does not take the next start behind the last town', async () => {
    const { sim, mount, begin } = fresh();
    const post = {
      pid: 4711,
      started: '1@boot',
      epoch: wall + 1234,
      version: '0',
      root: null,
      socket: '/s',
      ports: { inspect: null },
    };
    await runningOf(mount(), STATE.maxRecordBytes).putTown(post);
    sim.put('daemon/epoch', '12');
    expect(await begin()).toBe(wall + 1235);
  });

  test('a number that a person wrote counts', async () => {
    const { sim, mount } = fresh();
    sim.put('daemon/epoch', '41\n');
    expect(await readEpoch(mount())).toBe(41);
  });
});
