/** What the patrols of a running town go by. */
import { ConfigError } from '../../config/errors.ts';
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';

/**
 * Rigs, agents and thresholds as town.toml has them now: each cycle goes by them, without a restart. While the file is wrong, and where
 * a flag outranks it, the settings of the cycle before stay. Who the Deacon is stays until the next town process: that one starts it.
 */
export function configuredNow(settings: Settings): Settings {
  if (Object.values(settings.sources).some((source) => source.startsWith('--set'))) return settings;
  try {
    return withDeaconOf(settings, loadSettings({ root: settings.root }));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return settings;
  }
}

function withDeaconOf({ policy: { watchdog: before } }: Settings, now: Settings): Settings {
  const { watchdog } = now.policy;
  const { mode, session, command } = before.deacon;
  const deacon = { ...watchdog.deacon, mode, session, command };
  return { ...now, policy: { ...now.policy, watchdog: { ...watchdog, deacon } } };
}
