/** A disk that is full: `up` names it and leaves nothing running, and a town that runs is not ended for one that could not begin. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestTown, until } from '../cli/town.ts';

const FAULTS = join(import.meta.dirname, 'faults.ts');
const town = new TestTown();
const mountPoint = join(town.home, 'small');
const stuffing = join(mountPoint, 'stuffing');
let mounted = false;

/** A root that is not written yet, on a disk with so many bytes left. */
function fill(free: number): Readonly<Record<string, string>> {
  rmSync(join(mountPoint, 'root'), { recursive: true, force: true });
  rmSync(stuffing, { force: true });
  mkdirSync(join(mountPoint, 'root'));
  writeFileSync(join(mountPoint, 'root/town.toml'), `[tmux]\nsocket = ${JSON.stringify(town.socket)}\n`);
  return stuff(free);
}

/** Not root, or no right to mount: the program's environment gives it the error that the kernel would give. */
function stuff(free: number): Readonly<Record<string, string>> {
  if (mounted) {
    const dd = spawnSync('dd', ['if=/dev/zero', `of=${stuffing}`, 'bs=4k'], { encoding: 'utf8' });
    expect(dd.stderr).toContain('No space left');
    expect(spawnSync('truncate', ['-s', `-${free}`, stuffing]).status).toBe(0);
    return {};
  }
  writeFileSync(join(town.home, 'faults'), 'full');
  return { NODE_OPTIONS: `--import=${FAULTS}` };
}

const unstuff = (): void => rmSync(mounted ? stuffing : join(town.home, 'faults'));

const up = (env: Readonly<Record<string, string>>) => town.bare(['--root', join(mountPoint, 'root'), 'up'], { env });

beforeAll(() => {
  mkdirSync(mountPoint);
  mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4M', 'tmpfs', mountPoint]).status === 0;
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
  unstuff();
  expect(await up({})).toMatchObject({ code: 0, stdout: expect.stringContaining('is up: town') as string });
});

// Rules: I-10, C-17.
test('restart, reload and SIGHUP on a full disk end no town that is alive', async () => {
  const root = join(mountPoint, 'root');
  const cli = (...words: string[]) => town.bare(['--root', root, ...words], { env: faults });
  const faults = fill(0);
  unstuff();
  expect(await cli('up')).toMatchObject({ code: 0 });
  const pidOf = async (): Promise<unknown> => {
    const said = await cli('daemon', 'status', '--json');
    return (JSON.parse(said.stdout) as { data: { pid: unknown } }).data.pid;
  };
  const pid = await pidOf();
  writeFileSync(join(root, 'town.toml'), `[tmux]\nsocket = ${JSON.stringify(town.socket)}\n[dance]\npool_size = 7\n`);
  stuff(0);
  const kept = {
    code: 4,
    stderr: expect.stringMatching(/^town: the town is degraded \(.*ENOSPC.*\): nothing was stopped; /) as string,
  };
  expect(await cli('restart')).toMatchObject(kept);
  expect(await cli('reload')).toMatchObject(kept);
  process.kill(Number(pid), 'SIGHUP');
  await until(
    () => cli('daemon', 'logs'),
    ({ stdout }) => stdout.includes('the configuration is not read anew: '),
  );
  expect(await pidOf()).toBe(pid);
  unstuff();
  expect(
    await until(
      () => cli('reload'),
      ({ code }) => code !== 4,
    ),
  ).toMatchObject({ code: 0 });
});
