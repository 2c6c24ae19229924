/** A town with a repository and its remote, and a refinery of the real program that a test starts, kills and starts again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN, until } from '../cli/town.ts';
import { BY_HAND, Shop } from '../patrols/shop.ts';

interface Letter {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly from: string;
}

export class RefineryShop extends Shop {
  #running: ChildProcess | null = null;
  /** What it printed, of all its lives. */
  printed = '';

  /** `rig`: lines of `[rig.shop]`. */
  constructor(rig = '') {
    super(`${BY_HAND}[rig.shop]\n${rig}\n`);
  }

  /** As the operator starts it; `born` learns its pid at once. Resolves when it has ended. */
  refine(env: Readonly<Record<string, string>> = {}, born: (pid: number) => void = () => undefined): Promise<void> {
    const child = spawn(process.execPath, [MAIN, '--root', this.root, 'refinery', 'shop'], {
      cwd: this.repo,
      env: { ...this.env(), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) born(child.pid);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    this.#running = child;
    return new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** With `kill -9`, itself alone: what it started goes on. */
  async killRefinery(): Promise<void> {
    await this.#over('SIGKILL');
  }
  async endRefinery(): Promise<void> {
    await this.#over('SIGTERM');
  }
  async #over(signal: NodeJS.Signals): Promise<void> {
    const child = this.#running;
    this.#running = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** A branch of the remote with one commit that writes a file; its commit. */
  branch(name: string, file: string, text: string, from = 'origin/main'): string {
    this.git(this.repo, 'fetch', '-q', 'origin');
    this.git(this.repo, 'checkout', '-q', '-B', `polecat/${name}`, from);
    writeFileSync(join(this.repo, file), text);
    this.git(this.repo, 'add', '.');
    this.git(this.repo, 'commit', '-qm', `do ${name}`);
    this.git(this.repo, 'push', '-q', '-f', 'origin', 'HEAD');
    return this.git(this.repo, 'rev-parse', 'HEAD');
  }

  /** As a witness hands it over, but by the operator. */
  async ask(name: string, commit: string | null = null, more = ''): Promise<void> {
    const body = `Branch: polecat/${name}\n${commit === null ? '' : `Commit: ${commit}\n`}Polecat: ${name}\n${more}`;
    await this.run('mail', 'send', 'shop/refinery', '-s', `MERGE_READY ${name}`, '-m', body);
  }

  /** A branch, and the request to merge it. */
  async ready(name: string, file: string, text: string, from?: string): Promise<string> {
    const commit = this.branch(name, file, text, from);
    await this.ask(name, commit);
    return commit;
  }

  answers(): Promise<Letter[]> {
    return this.data('mail', 'inbox', 'shop/witness');
  }
  /** Its body, once it is there. */
  async answered(subject: string): Promise<string> {
    const all = await until(
      () => this.answers(),
      (letters) => letters.some((one) => one.subject === subject),
    );
    return all.find((one) => one.subject === subject)!.body;
  }

  /** Letters to the person that it waits. */
  async told(...more: string[]): Promise<string[]> {
    const all = await this.data<Letter[]>('mail', 'inbox', 'overseer', ...more);
    return all.filter(({ subject }) => subject === 'the refinery of shop waits').map(({ body }) => body);
  }

  /** Subjects of main's commits on the remote, the newest first. */
  onMain(): string[] {
    return this.git(this.remote, 'log', '--format=%s', 'main').split('\n');
  }
  /** null = the remote has no such branch. */
  remoteBranch(name: string): string | null {
    const found = this.git(this.remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);
    return found === '' ? null : found;
  }

  /** A program that the remote runs before it takes a push, in sh. */
  hook(lines: string): void {
    writeFileSync(join(this.remote, 'hooks/pre-receive'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  }
}
