/** A town with a real repository that has a remote, for tests of rigs on real git, ledger and tmux. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realDisk } from '../../state/files/disk.ts';
import { FILES } from '../../state/files/layout.ts';
import { keepNote } from '../../state/patrols/notes.ts';
import { readJournal } from '../../state/journal.ts';
import type { CycleReport } from '../../src/cli/commands/witness.ts';
import { killHard, MAIN, TestTown, until } from '../cli/town.ts';
import { prepared } from '../rescue/prepared.ts';
import { freshFolder } from '../world/over.ts';

export interface Shown {
  readonly status: string;
  readonly assignee?: string;
  readonly attempts?: number;
}

export interface Deed {
  readonly act: string;
  readonly about: string;
}

/** No test here waits three minutes until a polecat counts. */
const WITNESS = '[witness]\nstart_grace = "1ms"\n';
export const BY_HAND = '[patrol]\nactive = "240h"\nidle = "240h"\n';
/** A day or a night in a minute. */
export const PACE = `[patrol]
active = "300ms"
idle = "300ms"
redispatch_cooldown = "100ms"
[nudge]
every = "100ms"
`;
/** The town's program as words of a command line. */
export const TOWN = [process.execPath, MAIN] as const;
/** The rig's table of town.toml, with the town's own refinery. `agent`: a script that gets `TOWN` as its words. */
export const rigTable = (agent: string, more: string): string => `[rig.shop]
agent = ${JSON.stringify(['bash', agent, ...TOWN])}
refinery = ${JSON.stringify([...TOWN, 'refinery'])}
${more}`;

/** What a commit starts besides finds nothing to do. */
const SETTINGS = ['user.name=t', 'user.email=t@t', 'maintenance.auto=false'].flatMap((one) => ['-c', one]);

function gitIn(home: string, dir: string, ...words: string[]): string {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  return execFileSync('git', ['-C', dir, ...SETTINGS, ...words], { encoding: 'utf8', env }).trim();
}

/** A repository with a remote, and one commit on main, as `git clone` leaves it: it names the remote's main branch. */
const REPOSITORY = prepared(() => {
  const home = freshFolder();
  const [repo, remote] = [join(home, 'repo'), join(home, 'remote.git')];
  const git = (...words: string[]): string => gitIn(home, repo, ...words);
  gitIn(home, home, 'init', '-q', '--bare', '-b', 'main', remote);
  gitIn(home, home, 'init', '-q', '-b', 'main', repo);
  writeFileSync(join(repo, 'README'), 'shop\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('remote', 'add', 'origin', remote);
  git('push', '-q', '-u', 'origin', 'main');
  git('remote', 'set-head', 'origin', 'main');
  return home;
});

export const actsIn = ({ steps }: CycleReport): string[] =>
  steps.flatMap(({ acts }) => acts.map(({ act, done, about }) => `${act} ${done ? 'done' : 'not done'}: ${about}`));

export class Shop extends TestTown {
  /** The rig that is meant where none is named. */
  own = 'shop';
  /** Where its repository and its remote lie. */
  #place = this.home;

  constructor(toml: string) {
    super(`[sessions]\nscan_every = "200ms"\nsurvivors_every = "200ms"\n${WITNESS}${toml}`);
    this.#copyRepository();
  }

  get repo(): string {
    return join(this.#place, 'repo');
  }
  get remote(): string {
    return join(this.#place, 'remote.git');
  }

  #copyRepository(): void {
    REPOSITORY.copyTo(this.#place);
    // The index still names the files that were copied.
    this.git(this.repo, 'update-index', '-q', '--refresh');
  }

  git(dir: string, ...words: string[]): string {
    return gitIn(this.home, dir, ...words);
  }

  /** Its file as it was opened, with these lines in `[witness]`. */
  witness(lines: string): void {
    this.write('town.toml', this.read('town.toml').replace(/\[witness\]\n(?:\w.*\n)*/, `${WITNESS}${lines}`));
  }

  /** Lines that come first in a table of its file. */
  set(table: string, lines: string): void {
    this.write('town.toml', this.read('town.toml').replace(`[${table}]\n`, `[${table}]\n${lines}\n`));
  }

  /** A witness's cycle by hand. */
  cycle(): Promise<CycleReport> {
    return this.data<CycleReport>('witness', 'patrol', this.own);
  }
  /** What was done in one. */
  async acts(): Promise<string[]> {
    return actsIn(await this.cycle());
  }
  /** What was done in the first one that did anything: a scan may have to see the agent before. */
  firstActs(): Promise<string[]> {
    return until(
      () => this.acts(),
      ({ length }) => length > 0,
    );
  }
  /** What stands for a person after one, in words. */
  async stands(): Promise<string[]> {
    return (await this.cycle()).stands.map(({ text }) => text);
  }
  async subjects(address: string, ...more: string[]): Promise<string[]> {
    return (await this.data<{ subject: string }[]>('mail', 'inbox', address, ...more)).map(({ subject }) => subject);
  }

  /** The present life of the agent of this session did so many cycles of that patrol. */
  async did(name: string, cycles: number, of = 'shop/witness'): Promise<void> {
    const text = `${this.record(name)?.incarnation?.uuid ?? ''} ${cycles}`;
    await keepNote(realDisk(this.root, 0), of, 'cycle', { kind: 'cycle', text, at: cycles });
  }

  /** Up, with the rig, and patrolled once: with the pace BY_HAND only hands patrol from then on. */
  async open(): Promise<void> {
    await this.data('up');
    await this.#addRig();
  }

  /** Goes on in another rig with a repository and a remote of its own, for tests that share a running town. */
  async moveTo(rig: string): Promise<void> {
    this.own = rig;
    this.#place = join(this.home, 'rigs', rig);
    this.#copyRepository();
    await this.#addRig();
  }

  async #addRig(): Promise<void> {
    await this.data('rig', 'add', this.own, '--repo', this.repo);
    await until(() => this.names('patrols').includes(`${this.own}.json`));
  }

  /** Its id. */
  async bead(title: string): Promise<string> {
    return (await this.data<{ id: string }>('bead', 'create', title, '--rig', this.own)).id;
  }

  async shown(id: string): Promise<Shown> {
    const shown = await this.data<Shown | Shown[]>('bead', 'show', id);
    return Array.isArray(shown) ? shown[0]! : shown;
  }

  /** Its worktree. */
  async polecat(name: string, bead: string, ...words: string[]): Promise<string> {
    return (await this.data<{ dir: string }>('polecat', 'spawn', this.own, name, '--bead', bead, '--', ...words)).dir;
  }

  /** Ends a polecat's session, and waits until that is known. */
  async ends(name: string): Promise<void> {
    this.tmux('kill-session', '-t', `=gt-${this.own}-${name}`);
    await until(async () => {
      const all = await this.data<{ name: string; session_state: string }[]>('polecat', 'list', this.own);
      // A look that failed says `unknown`, which is no end.
      return ['ended', 'none'].includes(all.find((one) => one.name === name)?.session_state ?? '');
    });
  }

  /** What its patrols did, as the journal tells it. */
  async deeds(): Promise<Deed[]> {
    const found: Deed[] = [];
    for await (const line of readJournal(realDisk(this.root, 0)))
      if (line.kind === 'patrol.did') found.push(line as unknown as Deed);
    return found;
  }

  /** The town is killed, and its guard brings the next one. */
  async killed(): Promise<void> {
    const { pid } = JSON.parse(this.read(FILES.daemonPid)) as { pid: number };
    killHard(pid);
    await until(async () => {
      const now = await this.data<{ pid: number; ready: boolean }>('status');
      return now.ready && now.pid !== pid;
    });
  }
}
