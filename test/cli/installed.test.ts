/** The package as a stranger gets it, run by whatever Node the system has. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { PACKAGE, Packed } from './packed.ts';

const ROOT = join(import.meta.dirname, '../..');
const packed = new Packed();
const { env } = packed;
const at = packed.at.bind(packed);
const run = (program: string, ...args: string[]) => execa(program, args, { env, extendEnv: false, cwd: at('home') });

beforeAll(() => packed.pack(), 600_000);

test('npm install -g: the command, its manual, and a town whose processes run in one Node that is new enough', async () => {
  await run('npm', 'install', '-g', packed.tarball);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect((await run('town', '--version')).stdout).toBe(version);
  const beside = readdirSync(at(PACKAGE, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(beside.filter((name) => !name.startsWith('node-'))).toEqual([]);
  expect(readFileSync(at('prefix/share/man/man1/town.1'), 'utf8')).toMatch(/^\.TH TOWN/m);
  const town = (...words: string[]) => run('town', '--root', at('root'), '--json', ...words);
  const up = await town('up', '--set', `tmux.socket=${at('tmux')}`);
  try {
    const { pid, guard_pid: guard } = (JSON.parse(up.stdout) as { data: { pid: number; guard_pid: number } }).data;
    const [node = '', of = ''] = [pid, guard].map((one) => readlinkSync(`/proc/${one}/exe`));
    expect(of).toBe(node);
    expect(parseInt((await run(node, '-p', 'process.versions.node')).stdout, 10)).toBeGreaterThanOrEqual(24);
  } finally {
    await town('down', '--purge');
  }
}, 600_000);

const typesAt = (folder: string, name: string): string =>
  join(folder, 'node_modules', name === 'node' ? '@types/node' : name);

/** A program that uses the library as docs/programs.md has it, and whose types are checked as strictly as they can be. */
const PROGRAM = `import { connect, Failure, type Ask, type TownEvent } from 'townwatch/client';
const town = await connect({ root: process.argv[2] ?? '' });
const { running, sessions } = await town.status();
const asks: readonly Ask[] = await town.asks();
const kinds: string[] = [];
for await (const { kind, cursor } of town.events({ after: 'start', signal: AbortSignal.timeout(1000) })) {
  const place: TownEvent['cursor'] = cursor;
  if (place !== '') kinds.push(kind);
}
const refused = await town.send('absent', 'x').catch((error: unknown) => (error instanceof Failure ? error.code : ''));
// @ts-expect-error: a status has no such field.
const absent: unknown = (await town.status()).nothing;
console.log(JSON.stringify({ running, sessions: sessions?.length, asks: asks.length, kinds, refused, absent }));
`;

test('a program of another package compiles against the library, and sees the town by it', async () => {
  const folder = at('program');
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(at(PACKAGE), join(folder, 'node_modules/townwatch'));
  // As a program has them that runs on Node.
  for (const name of ['node', 'undici-types'])
    symlinkSync(
      realpathSync(join(ROOT, 'node_modules', name === 'node' ? '@types/node' : name)),
      typesAt(folder, name),
    );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const options = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2024'];
  await execa('tsc', [...options, '--types', 'node', 'program.ts'], { cwd: folder, preferLocal: true, localDir: ROOT });
  const town = (...words: string[]) => run('town', '--root', at('embedded'), '--json', ...words);
  await town('up', '--set', `tmux.socket=${at('tmux2')}`);
  try {
    const { stdout } = await run(process.execPath, join(folder, 'program.js'), at('embedded'));
    expect(JSON.parse(stdout)).toMatchObject({ running: true, sessions: 0, asks: 0, refused: 'unknown_session' });
    expect((JSON.parse(stdout) as { kinds: string[] }).kinds).toContain('town.started');
  } finally {
    await town('down', '--purge');
  }
}, 600_000);

/** In the package that the test before installed. */
test.each([
  ['guard/main.cjs', ['up']],
  ['screen/packs/claude.toml', ['rules', 'list']],
  ['screen/packs/generic.toml', ['rules', 'list']],
  ['screen/packs/names', ['watch', '--once']],
])('where %s is missing, one sentence says so and how to mend it', async (name, words) => {
  const file = at(PACKAGE, 'dist', name);
  renameSync(file, at('away'));
  const ran = await execa('town', ['--root', at('root'), ...words], { env, extendEnv: false, reject: false });
  renameSync(at('away'), file);
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^town: the package is not whole, .* is missing\); try again, or install it again: npm install -g townwatch$/,
    ),
  ]);
  expect(ran.stderr).toContain(file);
});

test('npx plays the demo, and leaves nothing but its own cache', async () => {
  const { stdout } = await run('npx', '--yes', `file:${packed.tarball}`, 'demo');
  expect(stdout).toContain('Every outcome is the expected one');
  expect(readdirSync(at('tmp')).filter((name) => name.startsWith('town-'))).toEqual([]);
}, 600_000);
