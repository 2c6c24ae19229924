/** A real repository in a folder of its own, and a rescuer whose files stay in memory. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HANDS } from '../../src/ports/policy.ts';
import type { Incarnation, Proc, Rescue } from '../../machines/protocol.ts';
import { createRescuer } from '../../src/rescue/rescue.ts';
import type { RescueFiles, RescuerDeps } from '../../src/rescue/rescue.ts';
import { freshFolder } from '../world/over.ts';
import type { Prepared } from './prepared.ts';

export const REF = 'refs/town/rescue/dog-1';
const ENV = {
  PATH: process.env['PATH'],
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Max',
  GIT_AUTHOR_EMAIL: 'max@town',
  GIT_COMMITTER_NAME: 'Max',
  GIT_COMMITTER_EMAIL: 'max@town',
  // Each commit would start two programs more, which find nothing to do.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
};

export class Repo {
  /** Holds everything of the test. */
  readonly root = realpathSync(freshFolder());
  readonly top = join(this.root, 'work');
  /** Its remote, where it has one. */
  readonly origin = join(this.root, 'origin.git');

  /** Empty, or as it was prepared. */
  constructor(begun?: Prepared) {
    if (begun === undefined) {
      mkdirSync(this.top);
      this.git('init', '-q', '-b', 'main');
    } else {
      begun.copyTo(this.root);
      // The index still names the files that were copied.
      this.git('update-index', '-q', '--refresh');
    }
  }

  git(...args: string[]): string {
    return this.gitIn(this.top, ...args);
  }

  gitIn(dir: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd: dir, env: { ...ENV, HOME: this.root }, encoding: 'utf8', stdio: 'pipe' });
  }

  write(name: string, text: string): string {
    const path = join(this.top, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  commit(name: string, text: string): void {
    this.write(name, text);
    this.git('add', name);
    this.git('commit', '-q', '-m', `adds ${name}`);
  }

  /** Makes the remote, with the commits of main. */
  addOrigin(): void {
    this.git('init', '-q', '--bare', '-b', 'main', this.origin);
    this.gitIn(this.origin, 'config', 'receive.autogc', 'false');
    this.git('remote', 'add', 'origin', this.origin);
    this.git('push', '-q', '-u', 'origin', 'main');
  }

  /** What the rescue holds under a name; throws when it does not. */
  kept(name: string, ref = REF): string {
    return this.git('show', `${ref}:${name}`);
  }

  /** Everything a rescue must leave alone: index bytes, HEAD, branches, stash, the worktree's names. */
  untouched(): unknown {
    const refs = this.git('for-each-ref')
      .split('\n')
      .filter((line) => !line.includes('refs/town/'));
    const head = readFileSync(join(this.top, '.git/HEAD'), 'utf8');
    const index = readFileSync(join(this.top, '.git/index')).toString('base64');
    return {
      refs,
      head,
      index,
      files: readdirSync(this.top, { recursive: true }).filter((name) => !String(name).startsWith('.git')),
    };
  }

  end(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const ACCUSED: Incarnation = {
  uuid: '11111111-2222-4333-8444-555555555555',
  session: 'gt-max',
  server: { pid: 2, started: 'x' },
  sessionId: '$1',
  paneId: '%1',
  agent: { pid: 3, started: 'x' },
  origin: 'started',
};

export interface Rescued extends Rescue {
  readonly notes: RescueFiles;
}

export async function rescueAt(
  cwd: string | null,
  more: Partial<RescuerDeps> = {},
  { dance = 'dog-1', also }: { readonly dance?: string; readonly also?: readonly Proc[] } = {},
): Promise<Rescued> {
  let notes: RescueFiles = {};
  const rescuer = createRescuer({
    cwdOf: () => cwd,
    dirOf: () => Promise.resolve(null),
    saveRescue: (_folder, saved) => {
      notes = saved;
      return Promise.resolve();
    },
    policy: HANDS,
    ...more,
  });
  const rescue = await rescuer.rescue(ACCUSED, dance, 'the last words', new AbortController().signal, also);
  return { ...rescue, notes };
}
