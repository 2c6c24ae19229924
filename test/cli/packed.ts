/**
 * The package as a stranger gets it: packed once for all tests of a run, and installed with npm into a folder of its own. What npm has
 * in its cache is not fetched again; nothing else outside the folder and the run's build is written but that cache.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import { scrubbedEnvironment } from '../../src/proc/environment.ts';
import { codeOf } from '../../state/files/disk.ts';
import { tempFolder } from '../world/over.ts';
import { until } from './town.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What a package is made from; the rest of the project is not needed for it. */
const MADE_FROM = [
  'package.json',
  '.npmrc',
  'tsconfig.json',
  'scripts',
  'machines',
  'state',
  'src',
  'README.md',
  'DESIGN.md',
  'RULES.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'docs',
];
/** Where the package lies below the prefix. */
export const PACKAGE = 'prefix/lib/node_modules/townwatch';

const system = scrubbedEnvironment(process.env);

/** The caller's own setting: where his registry, and what was fetched from it, is found. */
async function setting(name: string, cwd: string): Promise<string> {
  return (await execa('npm', ['config', 'get', name], { env: system, extendEnv: false, cwd })).stdout.trim();
}

export class Packed {
  readonly #scratch = tempFolder('town-installed');
  tarball = '';

  at(...names: string[]): string {
    return join(this.#scratch, ...names);
  }

  readonly env: Record<string, string> = {
    ...Object.fromEntries(Object.entries(system).filter(([name]) => !name.startsWith('XDG_'))),
    HOME: this.at('home'),
    TMPDIR: this.at('tmp'),
    LC_ALL: 'C.UTF-8',
    PATH: `${this.at('prefix/bin')}:${system['PATH'] ?? ''}`,
    npm_config_cache: this.at('cache'),
    npm_config_prefix: this.at('prefix'),
    npm_config_prefer_offline: 'true',
  };

  async run(program: string, ...args: string[]): Promise<string> {
    return (await execa(program, args, { env: this.env, extendEnv: false, cwd: this.at('home') })).stdout;
  }

  /** Packed, not yet installed. */
  async pack(): Promise<this> {
    const { at, env } = { at: this.at.bind(this), env: this.env };
    for (const name of ['home', 'tmp', 'cache', 'prefix']) mkdirSync(at(name));
    const fetched = join(await setting('cache', this.#scratch), '_cacache');
    mkdirSync(fetched, { recursive: true });
    symlinkSync(fetched, at('cache/_cacache'));
    env['npm_config_userconfig'] = await setting('userconfig', this.#scratch);
    this.tarball = await this.#packedOnce();
    return this;
  }

  /** The run's own, which the first test file that asks packs; another one waits for it. */
  async #packedOnce(): Promise<string> {
    const place = join(dirname(inject('main')), '../packed');
    const [tarball, failed] = [join(place, 'townwatch.tgz'), join(place, 'failed')];
    try {
      mkdirSync(place);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      await until(() => existsSync(tarball) || existsSync(failed));
      if (existsSync(tarball)) return tarball;
      throw new Error('the package could not be packed; the other test file that asked says why', { cause: error });
    }
    try {
      await this.#pack(join(place, 'made'));
      renameSync(join(place, 'made', readdirSync(join(place, 'made'))[0] ?? ''), tarball);
    } catch (error) {
      writeFileSync(failed, '');
      throw error;
    }
    return tarball;
  }

  async #pack(into: string): Promise<void> {
    const source = this.at('source');
    for (const folder of [source, into]) mkdirSync(folder);
    for (const name of MADE_FROM) cpSync(join(ROOT, name), join(source, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    await execa('npm', ['pack', '--pack-destination', into], { env: this.env, extendEnv: false, cwd: source });
  }

  /** The same package by another version's name. */
  async renamed(version: string): Promise<string> {
    mkdirSync(this.at('other'));
    await this.run('tar', '-xzf', this.tarball, '-C', this.at('other'));
    const file = this.at('other/package/package.json');
    const said = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...said, version }));
    await this.run('tar', '-czf', this.at('other.tgz'), '-C', this.at('other'), 'package');
    return this.at('other.tgz');
  }
}
