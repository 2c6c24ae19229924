/** The service manager of this machine: where its file lies, and the commands that switch it on and off. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { orNull } from '../../state/files/or-null.ts';
import { realPath } from '../../state/files/ownership.ts';
import { homeFolder, passwdEntry } from '../../state/files/user.ts';
import { listedEnvironment } from '../proc/environment.ts';
import { programFile } from '../package.ts';
import { plistText, rootIn, unitText, type Service } from './unit.ts';

export interface Manager {
  readonly kind: 'systemd' | 'launchd';
  readonly service: Service;
  /** Its folder, and the file in it. */
  readonly folder: string;
  readonly file: string;
  readonly text: string;
}

/** Variables that the town's programs and its tmux socket are found by; never a secret. */
const CAPTURED = ['PATH', 'LANG', 'LC_ALL', 'SHELL', 'TMUX_TMPDIR'];
const NAME_SIGNS = 6;
const PREFIX = 'townwatch-';

const nameOf = (root: string): string => {
  const plain =
    basename(root)
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'root';
  return `${PREFIX}${plain}-${createHash('sha256').update(root).digest('hex').slice(0, NAME_SIGNS)}`;
};

/** Without its ending. One that was made for this root by another path to it, such as through a link, keeps its name. */
function fileName(folder: string, name: string, ending: string, root: string): string {
  if (existsSync(join(folder, `${name}${ending}`))) return name;
  const files = orNull(() => readdirSync(folder)) ?? [];
  const made = files.filter((file) => file.includes(PREFIX) && file.endsWith(ending));
  const ours = made.find((file) => {
    const written = orNull(() => rootIn(readFileSync(join(folder, file), 'utf8')));
    return written !== null && realPath(written) === root;
  });
  return ours?.slice(0, -ending.length) ?? name;
}

export function managerOf(root: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Manager {
  const kept = { ...listedEnvironment('tmux client', env) };
  const environment = Object.fromEntries(
    CAPTURED.flatMap((name) => (kept[name] === undefined ? [] : [[name, kept[name]]])),
  );
  const command = [process.execPath, programFile('main'), '--root', root, 'daemon', 'run'];
  const home = env['HOME'] ?? homeFolder() ?? '/';
  if (platform === 'darwin') {
    const folder = join(home, 'Library/LaunchAgents');
    const name = fileName(folder, `dev.${nameOf(root)}`, '.plist', root);
    const service = { name, root, command, environment };
    const file = `${name}.plist`;
    return { kind: 'launchd', service, folder, file, text: plistText(service) };
  }
  const folder = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'systemd/user');
  const name = fileName(folder, nameOf(root), '.service', root);
  const service = { name, root, command, environment };
  const file = `${name}.service`;
  return { kind: 'systemd', service, folder, file, text: unitText(service) };
}

export const domain = (): string => `gui/${String(process.getuid?.() ?? 0)}`;

/** Whether systemd runs this machine; else the name of what does. */
export function withoutSystemd(): string | null {
  if (existsSync('/run/systemd/system')) return null;
  return orNull(() => readFileSync('/proc/1/comm', 'utf8').trim()) ?? 'another program';
}

/** The user's services run from boot on, and go on after a logout; null = unknown. */
export function lingers(folder = '/var/lib/systemd/linger'): { readonly user: string; readonly is: boolean } | null {
  const user = passwdEntry()?.name;
  return user === undefined ? null : { user, is: existsSync(join(folder, user)) };
}
