/** Which root a command is for, and roots that cannot be. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exits, MAIN, TestTown } from './town.ts';

let town: TestTown;
beforeAll(() => {
  town = new TestTown('[town]\nprotected = ["mayor", "hq-*"]\n');
  town.session('builder');
  town.session('mayor');
  town.session('unborn', { incarnation: null, state: 'starting' });
  town.dance('dog-1', 'builder');
});

test.each([300, 5_000])('a root of %d characters is one sentence that shortens it, exit 2', async (length) => {
  const root = `/tmp/${'a'.repeat(length)}`;
  for (const words of [['up'], ['status'], ['down', '--purge'], ['doctor']]) {
    const { code, stderr } = await town.bare(['--root', root, ...words]);
    expect([words, code, stderr]).toEqual([
      words,
      2,
      expect.stringMatching(/^town: --root \/tmp\/a{35}…a{40} has a name.*\n$/),
    ]);
  }
});

test('a root whose databases could not be opened is one sentence with its length and the limit, exit 2', async () => {
  const root = (bytes: number): string => `/tmp/${'deep/'.repeat(100)}`.slice(0, bytes - 1) + 'x';
  for (const words of [['up'], ['status'], ['doctor']]) {
    const { code, stderr } = await town.bare(['--root', root(484), ...words]);
    expect([words, code, stderr]).toEqual([
      words,
      2,
      expect.stringMatching(/^town: --root \/tmp\/\S+…\S+ has a path of 484 bytes, and .* leave it 483; .*\n$/),
    ]);
  }
});

test('the longest root comes up, by a link too, and a link to a longer one does not', async () => {
  const linkTo = (bytes: number): string => {
    const folder = `${town.home}/${'deep/'.repeat(100)}`.slice(0, bytes - 1) + 'x';
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'town.toml'), `[tmux]\nsocket = ${JSON.stringify(town.socket)}\n`);
    const link = join(town.home, `link-${bytes}`);
    symlinkSync(folder, link);
    return link;
  };
  const link = linkTo(483);
  try {
    exits(await town.bare(['--root', link, 'up']), 0, '');
  } finally {
    exits(await town.bare(['--root', link, 'down', '--purge']), 0, '');
  }
  exits(await town.bare(['--root', linkTo(484), 'up']), 2, 'has a path of 484 bytes');
});

// Rules: F-1.
test('`daemon run` names the folder where a new town begins', async () => {
  const { stderr } = await town.bare(['--root', '/proc/none', 'daemon', 'run']);
  expect(stderr.split('\n')[0]).toBe('town: there is no town at /proc/none (from --root) yet: a new one begins there');
});

test('in a folder that was removed a command goes on in TOWN_ROOT, and says so; without it, it names the folder', () => {
  const gone = join(town.root, 'gone');
  const typed = (env: Readonly<Record<string, string>>) => {
    const line = `mkdir "${gone}" && cd "${gone}" && rmdir "${gone}" && exec "${process.execPath}" "${MAIN}" dog dances`;
    return spawnSync('sh', ['-c', line], { encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } });
  };
  const found = typed({ TOWN_ROOT: town.root });
  expect([found.status, found.stdout, found.stderr]).toEqual([
    0,
    expect.stringContaining('dog-1'),
    expect.stringContaining(`${gone} is gone; this runs in ${town.root}`),
  ]);
  const lost = typed({});
  expect([lost.status, lost.stderr]).toEqual([1, expect.stringContaining(`the folder ${gone} is gone`)]);
});

describe('the root', () => {
  test.each([
    [['--root', 'ROOT', 'dog', 'dances', '--json']],
    [['dog', '--root', 'ROOT', 'dances', '--json']],
    [['dog', 'dances', '--json', '--root', 'ROOT']],
    [['--json', 'dog', 'dances', '--root=ROOT']],
  ])('%j', async (words) => {
    const { stdout, code } = await town.bare(words.map((word) => word.replace('ROOT', town.root)));
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'dances/1', data: [{ id: 'dog-1' }] });
    expect(code).toBe(0);
  });

  test('comes from TOWN_ROOT, then GT_ROOT, then the nearest town.toml', async () => {
    const inner = join(town.root, 'some', 'where');
    mkdirSync(inner, { recursive: true });
    const ask = ['dog', 'dances', '--json'];
    const found = expect.objectContaining({ code: 0, stdout: expect.stringContaining('dog-1') as string }) as object;
    expect(await town.bare(ask, { env: { TOWN_ROOT: town.root, GT_ROOT: '/nonexistent' } })).toEqual(found);
    expect(await town.bare(ask, { env: { GT_ROOT: town.root } })).toEqual(found);
    expect(await town.bare(ask, { cwd: inner })).toEqual(found);
    exits(
      await town.bare(ask),
      3,
      /there is no town at .*\/town \(from home\); start one with `town up`, or give --root DIR/,
    );
  });

  test.each([
    ['nudge', 'a', 'hi'],
    ['session', 'stop', 'a'],
    ['session', 'attach', 'a'],
  ])('that is not there is told before its sessions: %s %s', async (...line) => {
    exits(await town.bare([...line, '--root', '/nonexistent']), 3, /there is no town at \/nonexistent/);
  });

  test('words behind -- belong to the agent', async () => {
    exits(
      await town.run('session', 'start', 'a', '--', 'agent', '--root', '/x', '--json'),
      3,
      /^town: the town is not running/,
    );
  });

  test.each([
    [['status', '--root'], /--root has no folder; write --root DIR/],
    [['--root', '--json', 'status'], /--root has no folder/],
    [['--root', 'a', 'status', '--root', 'b'], /--root is given twice, a and b/],
    [['--root', 'a\nb', 'status'], /control characters/],
    [['--root', '/proc/version', 'status'], /is not a folder/],
  ])('%j is refused', async (words, sentence) => {
    exits(await town.bare(words), 2, sentence);
  });

  // Rules: F-1.
  test('without a terminal and without a root, up starts nothing', async () => {
    exits(
      await town.bare(['up']),
      2,
      /no root is given, there is no town\.toml, and no terminal to ask; write --root DIR/,
    );
    const made = await town.bare(['status']);
    expect(made.code).toBe(3);
  });
});
