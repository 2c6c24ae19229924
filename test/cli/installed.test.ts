/**
 * The package as a stranger gets it: packed, installed with npm into a folder of its own, and run by whatever Node the
 * system has. What npm has in its cache is not fetched again; nothing outside the folder is written but that cache.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { scrubbedEnvironment } from '../../src/proc/environment.ts';
import { tempFolder } from '../world/over.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What a package is made from; the rest of the project is not needed for it. */
const MADE_FROM = [
  ...['package.json', '.npmrc', 'tsconfig.json', 'scripts', 'machines', 'state', 'src'],
  ...['README.md', 'DESIGN.md', 'RULES.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE', 'docs'],
];

const scratch = tempFolder('town-installed');
const at = (...names: string[]): string => join(scratch, ...names);
const system = scrubbedEnvironment(process.env);
const env = {
  ...Object.fromEntries(Object.entries(system).filter(([name]) => !name.startsWith('XDG_'))),
  ...{ HOME: at('home'), TMPDIR: at('tmp'), LC_ALL: 'C.UTF-8', PATH: `${at('prefix/bin')}:${system['PATH'] ?? ''}` },
  ...{ npm_config_cache: at('cache'), npm_config_prefix: at('prefix'), npm_config_prefer_offline: 'true' },
};
const run = (program: string, ...args: string[]) => execa(program, args, { env, extendEnv: false, cwd: at('home') });

/** The caller's own setting: where his registry, and what was fetched from it, is found. */
async function setting(name: string): Promise<string> {
  return (await execa('npm', ['config', 'get', name], { env: system, extendEnv: false, cwd: scratch })).stdout.trim();
}

let tarball = '';

beforeAll(async () => {
  for (const name of ['home', 'tmp', 'cache', 'prefix', 'source', 'packed']) mkdirSync(at(name));
  const fetched = join(await setting('cache'), '_cacache');
  mkdirSync(fetched, { recursive: true });
  symlinkSync(fetched, at('cache/_cacache'));
  Object.assign(env, { npm_config_userconfig: await setting('userconfig') });
  for (const name of MADE_FROM) cpSync(join(ROOT, name), at('source', name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), at('source/node_modules'));
  await execa('npm', ['pack', '--pack-destination', at('packed')], { env, extendEnv: false, cwd: at('source') });
  tarball = at('packed', readdirSync(at('packed'))[0] ?? '');
}, 600_000);

test('npm install -g: the command, its manual, and a town whose processes run in one Node that is new enough', async () => {
  await run('npm', 'install', '-g', tarball);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect((await run('town', '--version')).stdout).toBe(version);
  const beside = readdirSync(at('prefix/lib/node_modules/townwatch/node_modules')).filter(
    (name) => !name.startsWith('.'),
  );
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

/** In the package that the test before installed. */
test.each([
  ['guard/main.cjs', ['up']],
  ['screen/packs/claude.toml', ['rules', 'list']],
  ['screen/packs/generic.toml', ['rules', 'list']],
  ['screen/packs/names', ['watch', '--once']],
])('where %s is missing, one sentence says so and how to mend it', async (name, words) => {
  const file = at('prefix/lib/node_modules/townwatch/dist', name);
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
  const { stdout } = await run('npx', '--yes', `file:${tarball}`, 'demo');
  expect(stdout).toContain('Every outcome is the expected one');
  expect(readdirSync(at('tmp')).filter((name) => name.startsWith('town-'))).toEqual([]);
}, 600_000);
