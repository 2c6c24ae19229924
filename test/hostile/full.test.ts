/** `up` on a disk that is full: the disk is named, nothing is left running, and with room again the same root comes up. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestTown } from '../cli/town.ts';

const FAULTS = join(import.meta.dirname, 'faults.ts');
const town = new TestTown();
const mountPoint = join(town.home, 'small');
const stuffing = join(mountPoint, 'stuffing');
let mounted = false;

/** Fills the disk but for so many bytes; not root, or no right to mount: the same command with the error the kernel would give. */
function fill(free: number): Readonly<Record<string, string>> {
  rmSync(join(mountPoint, 'root'), { recursive: true, force: true });
  rmSync(stuffing, { force: true });
  mkdirSync(join(mountPoint, 'root'));
  writeFileSync(join(mountPoint, 'root/town.toml'), `[tmux]\nsocket = ${JSON.stringify(town.socket)}\n`);
  if (mounted) {
    const dd = spawnSync('dd', ['if=/dev/zero', `of=${stuffing}`, 'bs=4k'], { encoding: 'utf8' });
    expect(dd.stderr).toContain('No space left');
    expect(spawnSync('truncate', ['-s', `-${free}`, stuffing]).status).toBe(0);
    return {};
  }
  writeFileSync(join(town.home, 'faults'), 'full');
  return { NODE_OPTIONS: `--import=${FAULTS}` };
}

const up = (env: Readonly<Record<string, string>>) => town.bare(['--root', join(mountPoint, 'root'), 'up'], { env });

beforeAll(() => {
  mkdirSync(mountPoint);
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1M', 'tmpfs', mountPoint]).status === 0;
});
afterAll(async () => {
  rmSync(stuffing, { force: true });
  await town.bare(['--root', join(mountPoint, 'root'), 'down', '--purge']);
  if (mounted) spawnSync('umount', [mountPoint]);
});

test.each([0, 8_192, 16_384, 65_536])('with %d bytes left up says that the disk is full', async (free) => {
  const { code, stdout, stderr } = await up(fill(free));
  const root = join(mountPoint, 'root');
  expect(stderr).toMatch(
    new RegExp(`^town: the disk of ${root} is full \\(ENOSPC\\); free some space and try again\\n$`),
  );
  expect([code, stdout]).toEqual([1, '']);
  expect((await town.bare(['--root', root, 'daemon', 'status', '--json'])).stdout).toContain('"guard_pid": null');
});

test('with room again the same root comes up', async () => {
  fill(0);
  rmSync(mounted ? stuffing : join(town.home, 'faults'));
  expect(await up({})).toMatchObject({ code: 0, stdout: expect.stringContaining('is up: town') as string });
});
