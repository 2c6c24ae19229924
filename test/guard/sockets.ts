/** A town with two tmux sockets, and what it left on a server. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { TestTown, until } from '../cli/town.ts';
import type { Status } from '../cli/views.ts';

export const RECORD = 'daemon/tmux-socket';
export const mine = ['new-session', '-d', '-s', 'mine', 'sleep', '1000'] as const;

export class House extends TestTown {
  readonly other = join(this.home, 'other');

  /** The path on record. */
  recorded(): string {
    return (JSON.parse(this.read(RECORD)) as { path: string }).path;
  }

  /** The agent of a session that it starts. */
  async begin(session: string): Promise<number> {
    expect((await this.run('session', 'start', session, '--', 'sleep', '1000')).code).toBe(0);
    return until(() => this.pidOf(session));
  }

  pidOf(session: string): number {
    return Number(this.tmux('list-panes', '-t', `=${session}`, '-F', '#{pane_pid}'));
  }

  /** What the town leaves on a server is all in here. */
  marks(): string {
    const all = [
      ['show-options', '-s'],
      ['show-options', '-g'],
      ['show-hooks', '-g'],
      ['list-panes', '-a', '-F', '#{session_name} #{@town_key} #{@town_hidden} #{remain-on-exit}'],
    ];
    return all.map((words) => this.tmux(...words)).join('\n');
  }

  async sessions(): Promise<Status['sessions']> {
    return (await this.status()).sessions;
  }
}

export const names = (town: House): RegExp =>
  new RegExp(`^[^\\n]*${town.other} now, but [^\\n]*${town.socket}: [^\\n]*\\n$`);
