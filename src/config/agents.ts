/** The sessions that the configuration names: what a town starts by itself. */
import { join, resolve } from 'node:path';
import type { SessionRecord, SessionSpec } from '../../machines/protocol.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import { realPath } from '../../state/files/ownership.ts';
import { DEACON_TAG } from '../../machines/watchdog/policy.ts';
import type { Settings } from './settings.ts';

/** The agents of town.toml; a folder that is not absolute is one below the root. */
export const configuredAgents = ({ root, agents }: Pick<Settings, 'root' | 'agents'>): SessionSpec[] =>
  agents.map(({ name, command, dir, tags, restart, env, max_memory: maxMemoryBytes }) => ({
    name,
    command,
    dir: resolve(root, dir ?? '.'),
    tags,
    restart,
    process: null,
    ...(env.length > 0 && { env }),
    ...(maxMemoryBytes > 0 && { maxMemoryBytes }),
  }));

/** With its folder as town.toml gives it, where both are one: an older town kept its root as it was typed, through a link. */
export const spelledAs =
  (configured: readonly SessionSpec[]) =>
  (record: SessionRecord): SessionRecord => {
    const { spec } = record;
    const dir = configured.find(({ name }) => name === spec.name)?.dir ?? spec.dir;
    return dir === spec.dir || realPath(dir) !== realPath(spec.dir) ? record : { ...record, spec: { ...spec, dir } };
  };

/**
 * The command of the Deacon's session; null = the Deacon is an actor. Boot reports a missing command when it needs it.
 */
export function deaconSession({ root, policy: { watchdog } }: Pick<Settings, 'root' | 'policy'>): SessionSpec | null {
  const { mode, session, command } = watchdog.deacon;
  if (mode === 'actor') return null;
  return {
    name: session,
    command: command ?? [],
    dir: join(root, FOLDERS.deacon),
    tags: [DEACON_TAG],
    restart: 'permanent',
    process: null,
  };
}
