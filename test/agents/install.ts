/** The programs in a cache of their own: installed once per version, without scripts, from the npm and PyPI registries. */
import { execa } from 'execa';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Program } from './program.ts';

export const CACHE = process.env['TOWNWATCH_AGENTS'] ?? join(homedir(), '.cache', 'townwatch', 'agents');
const INSTALL_MS = 240_000;

const folderOf = (program: Program): string => join(CACHE, program.id);
export const binOf = (program: Program): string =>
  join(folderOf(program), ...('npm' in program.source ? ['node_modules', '.bin'] : ['bin']), program.id);

const packageOf = (program: Program, name: string) => join(folderOf(program), 'node_modules', name);

function installedVersion(program: Program): string | null {
  const folder = folderOf(program);
  if ('npm' in program.source) {
    const manifest = join(packageOf(program, program.source.npm), 'package.json');
    if (!existsSync(manifest)) return null;
    const version: unknown = (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: unknown }).version;
    return typeof version === 'string' ? version : null;
  }
  const libraries = join(folder, 'lib');
  const python = existsSync(libraries) ? readdirSync(libraries).find((name) => name.startsWith('python')) : undefined;
  if (python === undefined) return null;
  const dist = `${program.source.pip.replaceAll('-', '_')}-`;
  const found = readdirSync(join(libraries, python, 'site-packages')).find((name) => name.startsWith(dist));
  return found?.slice(dist.length).replace('.dist-info', '') ?? null;
}

/** Null = it is there; else why it is not. */
export async function install(program: Program): Promise<string | null> {
  const { source, version } = program;
  const folder = folderOf(program);
  const limit = { timeout: INSTALL_MS, reject: false, all: true } as const;
  if (installedVersion(program) !== version) {
    const flags = ['--ignore-scripts', '--no-fund', '--no-audit', '--save-exact', '--fetch-retries', '1'];
    const done =
      'npm' in source
        ? await execa('npm', ['install', '--prefix', folder, ...flags, `${source.npm}@${version}`], limit)
        : await execa(
            'sh',
            ['-c', 'python3 -m venv "$0" && "$0/bin/pip" -q install "$1"', folder, `${source.pip}==${version}`],
            limit,
          );
    if (done.failed) return `${program.id} ${version} could not be installed: ${done.all.split('\n').at(-1) ?? ''}`;
  }
  const mark = join(folder, `.set-up-${version}`);
  if (!('npm' in source) || source.after === undefined || existsSync(mark)) return null;
  const script = join(packageOf(program, source.npm), source.after);
  const done = await execa('unshare', ['-n', process.execPath, script], { ...limit, cwd: dirname(script) });
  if (done.failed) return `${program.id}: ${source.after} failed: ${done.all.split('\n').at(-1) ?? ''}`;
  writeFileSync(mark, '');
  return null;
}
