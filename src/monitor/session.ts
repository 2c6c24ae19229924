/** The agent that monitors workers in place of the town (M-10): a session like those of town.toml. */
import { MONITOR_TAG, WATCHDOG } from '../../machines/monitor/policy.ts';
import type { SessionSpec } from '../../machines/protocol.ts';
import { configuredAgents, deaconSession } from '../config/agents.ts';
import { DEFAULT_HARNESS } from '../config/keys.ts';
import { presetCommand } from '../config/presets.ts';
import type { Settings } from '../config/settings.ts';
import { watchdogPrompt } from './prompt.ts';

/** Empty = the monitor is an actor. Where town.toml has no preset of that name, the agent is the usual program of a preset, so that workers stay watched. */
export function watchdogSession(settings: Pick<Settings, 'root' | 'policy' | 'presets'>): readonly SessionSpec[] {
  const { monitor } = settings.policy;
  if (monitor.mode === 'actor') return [];
  const command = presetCommand(settings, WATCHDOG) ?? [DEFAULT_HARNESS];
  return [
    {
      name: WATCHDOG,
      command: [...command, watchdogPrompt(monitor)],
      dir: settings.root,
      tags: [MONITOR_TAG],
      restart: 'permanent',
      process: null,
    },
  ];
}

/** Each session that town.toml names: its agents, and those that watch in place of the town. */
export function configuredSessions(settings: Settings): readonly SessionSpec[] {
  const deacon = deaconSession(settings);
  return [...configuredAgents(settings), ...watchdogSession(settings), ...(deacon === null ? [] : [deacon])];
}
