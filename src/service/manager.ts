/** The service manager of this machine: where its file lies, and the commands that switch it on and off. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { homeFolder, passwdEntry } from '../../state/files/user.ts';
import { orNull } from '../../state/files/or-null.ts';
import { listedEnvironment } from '../proc/environment.ts';
import { programFile } from '../package.ts';
import { plistText, unitText, type Service } from './unit.ts';

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

const nameOf = (root: string): string => {
  const plain =
    basename(root)
      .replace(/[^A-Za-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'root';
  return `townwatch-${plain}-${createHash('sha256').update(root).digest('hex').slice(0, NAME_SIGNS)}`;
};

export function managerOf(root: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Manager {
  const kept = { ...listedEnvironment('tmux client', env) };
  const environment = Object.fromEntries(
    CAPTURED.flatMap((name) => (kept[name] === undefined ? [] : [[name, kept[name]]])),
  );
  const command = [process.execPath, programFile('main'), '--root', root, 'daemon', 'run'];
  const home = env['HOME'] ?? homeFolder() ?? '/';
  if (platform === 'darwin') {
    const service = { name: `dev.${nameOf(root)}`, root, command, environment };
    const folder = join(home, 'Library/LaunchAgents');
    const file = `${service.name}.plist`;
    return { kind: 'launchd', service, folder, file, text: plistText(service) };
  }
  const service = { name: nameOf(root), root, command, environment };
  const folder = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'systemd/user');
  const file = `${service.name}.service`;
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
