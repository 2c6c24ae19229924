/** What the patrols of a running town go by. */
import { ConfigError } from '../../config/errors.ts';
import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';

/**
 * Rigs, agents and thresholds as town.toml has them now: each cycle goes by them, without a restart. While the file is wrong, and where
 * a flag outranks it, the settings of the cycle before stay.
 */
export function configuredNow(settings: Settings): Settings {
  if (Object.values(settings.sources).some((source) => source.startsWith('--set'))) return settings;
  try {
    return loadSettings({ root: settings.root });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return settings;
  }
}
