/**
 * A town beside a user manager of systemd that is the test's own: in a mount namespace, so that the machine's managers and programs see
 * nothing of it, and in a control group of its own, which goes with it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MAIN, type Ran, TestTown, until } from '../../cli/town.ts';

const APART = ['--mount', '--propagation', 'private'];
/** A user who may not make namespaces does so as root of another one. */
const AS_ROOT = spawnSync('unshare', [...APART, 'true']).status === 0 ? [] : ['--user', '--map-root-user'];

const HIERARCHIES = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified', '/sys/fs/cgroup/systemd'];

/** The control groups that this process is in, of those that systemd uses. */
function ownGroups(): string[] {
  const paths = [...readFileSync('/proc/self/cgroup', 'utf8').matchAll(/^(?:0:|\d+:name=systemd):(.*)$/gm)];
  const places = HIERARCHIES.flatMap((top) => [...new Set(paths.map(([, path = '']) => join(top, path)))]);
  return places.filter((place) => existsSync(join(place, 'cgroup.procs')));
}

/** Whether this machine lets the test have a manager: a container may allow neither namespaces nor control groups. */
export function mayHaveManager(): boolean {
  const groups = ownGroups().map((place) => join(place, `town-${process.pid}`));
  try {
    for (const group of groups) mkdirSync(group);
    return groups.length > 0 && spawnSync('unshare', [...AS_ROOT, ...APART, 'true']).status === 0;
  } catch {
    return false;
  } finally {
    for (const group of groups.filter((one) => existsSync(one))) rmdirSync(group);
  }
}

const BEGIN = `
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system || exit
for group in "$@"; do echo $$ >"$group/cgroup.procs" || exit; done
exec /usr/lib/systemd/systemd --user`;

/** A control group stays until the last process that was in it is reaped. */
function isRemoved(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

export class ServiceTown extends TestTown {
  readonly #runtime = join(this.home, 'run');
  readonly #groups = ownGroups().map((place) => join(place, basename(this.home)));
  #manager = 0;

  override env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    return super.env({ XDG_RUNTIME_DIR: this.#runtime, ...more });
  }

  async manager(): Promise<void> {
    for (const folder of [this.#runtime, ...this.#groups]) mkdirSync(folder, { mode: 0o700 });
    const words = [...AS_ROOT, ...APART, 'bash', '-c', BEGIN, 'bash', ...this.#groups];
    // What is in this process's own group is not ended with the town.
    const own = { env: this.env(), cwd: this.home, detached: true } as const;
    const child = spawn('unshare', words, { ...own, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#manager = child.pid ?? 0;
    const said = text(child.stderr);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`no user manager runs here: ${await said}`);
      return /^(running|degraded)$/m.test((await this.systemctl('is-system-running')).stdout);
    });
  }

  systemctl(...words: string[]): Promise<Ran> {
    return this.#inside('systemctl', '--user', ...words);
  }

  override bare(words: readonly string[]): Promise<Ran> {
    return this.#inside(process.execPath, MAIN, ...words);
  }

  async #inside(...words: string[]): Promise<Ran> {
    const into = [...(AS_ROOT.length === 0 ? [] : ['-U', '--preserve-credentials']), '-m', '-t', String(this.#manager)];
    const child = spawn('nsenter', [...into, `--wd=${this.home}`, ...words], { env: this.env() });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  override async end(): Promise<void> {
    await super.end();
    for (const group of this.#groups.filter((one) => existsSync(one))) {
      const below = readdirSync(group, { recursive: true, withFileTypes: true });
      const folders = below.filter((one) => one.isDirectory()).map((one) => join(one.parentPath, one.name));
      for (const folder of [group, ...folders].sort().reverse()) await until(() => isRemoved(folder));
    }
  }
}
