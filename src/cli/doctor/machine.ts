/** Checks of the machine: Node, the root's folder and file system, what happens at logout, the clock. */
import { accessSync, constants, existsSync, readdirSync, statSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OF_OTHER_MACHINES } from '../../ports/file-systems.ts';
import { sizeText } from '../../../machines/kernel/span.ts';
import { textOf, wordsOf, type Disk } from '../../../state/files/disk.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import type { Settings } from '../../config/settings.ts';
import { passwdEntry } from '../../../state/files/user.ts';
import { MIN_NODE } from '../../package.ts';
import { DOCTOR } from '../policy.ts';
import { bad, good, linesOf, unknown, warn, type Finding } from './finding.ts';
import { isGasTown } from '../../../state/files/gas-town.ts';

export function node(): Finding {
  const version = process.versions.node;
  if (Number(version.split('.')[0]) >= MIN_NODE) return good('node', `Node ${version}`);
  return bad('node', `Node ${version} is too old`, `install Node ${MIN_NODE} or newer`);
}

/** The nearest folder of a path that exists. */
function there(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : there(dirname(path));
}

export function root({ root: path }: Settings): Finding {
  if (isGasTown(path)) return bad('root', `${path} is a root of Gas Town`, 'give another folder with --root DIR');
  const folder = there(path);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    return bad('root', `${folder} cannot be written: ${wordsOf(error)}`, 'change its owner, or give another --root');
  }
  if (folder !== path) return good('root', `${path} is not there yet; \`town up\` makes it`);
  const { uid, mode } = statSync(path);
  if (process.getuid !== undefined && uid !== process.getuid()) {
    return warn(
      'root',
      `${path} belongs to uid ${uid}, not to you`,
      'run the town as its owner, or give another --root',
    );
  }
  const open = mode & 0o022;
  if (open === 0) return good('root', `${path} is yours alone to write`);
  return warn('root', `others may write in ${path}: they could file warrants and answers`, `chmod go-w ${path}`);
}

/** Checks that all folders of the root can be read. */
export async function folders(disk: Disk): Promise<Finding[]> {
  const faults = new Set<string>();
  for (const folder of Object.values(FOLDERS))
    await disk.list(folder).catch((error: unknown) => faults.add(textOf(error)));
  return [...faults].map((fault) => bad('folders', fault, 'until then what is kept there is unknown'));
}

/** `look`: as statfs(2) tells it. */
export function fileSystem({ root: path }: Pick<Settings, 'root'>, look: typeof statfsSync = statfsSync): Finding {
  if (process.platform !== 'linux') return good('file system', 'not checked here');
  try {
    const { type, bavail, bsize } = look(there(path));
    const kind = OF_OTHER_MACHINES.get(type);
    if (kind === undefined && bavail * bsize < DOCTOR.leastFreeBytes)
      return bad(
        'file system',
        `the disk of ${path} has ${sizeText(bavail * bsize)} left for you`,
        'free some space: on a full disk the town is degraded',
      );
    if (kind === undefined) return good('file system', 'local');
    const next = 'put the root on a local disk: locks and renames of a network file system are not to be trusted';
    return bad('file system', `${path} is on ${kind}`, next);
  } catch (error) {
    return unknown('file system', `it could not be read: ${textOf(error)}`, 'see `df -T`');
  }
}

function droppedIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.conf'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return []; // No such folder: nothing is dropped in.
  }
}

/** KillUserProcesses=yes ends tmux and every agent at logout, unless the user lingers. */
export function logout(etc = '/etc/systemd', lingers = '/var/lib/systemd/linger'): Finding {
  if (process.platform !== 'linux' || !existsSync('/run/systemd/system')) {
    return good('logout', 'no systemd here: nothing is ended at logout');
  }
  const files = [join(etc, 'logind.conf'), ...droppedIn(join(etc, 'logind.conf.d'))];
  const lines = files.flatMap(linesOf).flatMap((line) => /^\s*KillUserProcesses\s*=\s*(\S+)/.exec(line)?.[1] ?? []);
  const kills = /^(yes|true|on|1)$/i.test(lines.at(-1) ?? 'no');
  const user = passwdEntry()?.name ?? null;
  if (user === null) return unknown('logout', `uid ${String(process.getuid?.())} has no entry in passwd`, 'see `id`');
  const stays = existsSync(join(lingers, user));
  const next = `loginctl enable-linger ${user}`;
  if (kills && !stays) return bad('logout', 'KillUserProcesses=yes: tmux and all agents end when you log out', next);
  if (stays) return good('logout', `${user} lingers: agents outlive a logout`);
  return warn('logout', `${user} does not linger: services of yours end when you log out`, next);
}

/** The release of this program is younger than this date is not: an earlier clock is wrong. */
const NOT_BEFORE = Date.UTC(2025, 0, 1);

export function clock(wall = Date.now()): Finding {
  if (wall >= NOT_BEFORE) return good('clock', new Date(wall).toISOString());
  return warn('clock', `the clock says ${new Date(wall).toISOString()}`, 'set it: names and reports carry its time');
}
