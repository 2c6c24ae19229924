/** A town for the day's handles of a session, with a repository in which its agents work. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exits, TestTown, type Ran } from './town.ts';
import type { Session } from './views.ts';

/** An agent that counts. */
export const TICKS = 'n=0; while :; do n=$((n+1)); echo "tick $n"; sleep 0.2; done';

export class Workshop extends TestTown {
  readonly work = join(this.home, 'work');

  constructor() {
    super('[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\n[town]\nprotected = ["mayor"]\n');
    mkdirSync(this.work);
    this.git('init', '-q');
    this.git('commit', '-q', '--allow-empty', '-m', 'first');
    writeFileSync(join(this.work, 'draft.txt'), 'not committed\n');
  }

  git(...words: string[]): string {
    const args = ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words];
    return spawnSync('git', args, { cwd: this.work, encoding: 'utf8' }).stdout;
  }

  async begin(name: string, ...words: string[]): Promise<Session> {
    exits(await this.run('session', 'start', name, ...words), 0, '');
    return this.viewed(name, ({ state }) => state === 'running');
  }

  permanent(name: string, ...command: string[]): Promise<Ran> {
    return this.run('session', 'start', name, '--dir', this.work, '--restart', 'permanent', '--', ...command);
  }
}
