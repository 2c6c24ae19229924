/** A scripted agent’s account: one login for all its sessions, read from the environment of their processes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestTown } from '../../cli/town.ts';

const CLAUDE = join(import.meta.dirname, '../../fixtures/agents/account/claude');

export class Account {
  readonly #town: TestTown;
  readonly folder: string;

  constructor(town: TestTown, name: string, login: string) {
    this.#town = town;
    this.folder = join(town.home, name);
    mkdirSync(this.folder);
    this.logsIn(login);
  }

  get command(): readonly string[] {
    return ['env', `CLAUDE_CONFIG_DIR=${this.folder}`, CLAUDE];
  }

  /** Which sessions were started so far, each with the login that it found. */
  get starts(): readonly string[] {
    return readFileSync(join(this.folder, 'starts'), 'utf8').trim().split('\n');
  }

  /** In another terminal. */
  logsIn(login = 'another login'): void {
    writeFileSync(join(this.folder, '.credentials.json'), JSON.stringify({ claudeAiOauth: { accessToken: login } }));
  }

  types(session: string, text: string): void {
    const { paneId = '' } = this.#town.life(session) ?? {};
    for (const keys of [['-l', text], ['Enter']])
      spawnSync('tmux', ['-S', this.#town.socket, 'send-keys', '-t', paneId, ...keys]);
  }
}

export const kinds = async (town: TestTown): Promise<string[]> =>
  (await town.episodes()).map((episode) => episode.split('/')[0] ?? '').sort();
