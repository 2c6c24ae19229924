/** What of the town's actors is told as long as it lasts. */
import { BOOT_LEVELS } from '../../machines/watchdog/boot.ts';
import { DAEMON_LEVELS } from '../../machines/watchdog/daemon.ts';
import { HEALTH_LEVELS } from '../../machines/watchdog/health-review.ts';
import { levelsOf } from '../../machines/alerts/levels.ts';
import { SESSION_LEVELS } from '../../machines/sessions/alerts.ts';
import type { Kept } from './street.ts';

export const keepers: Kept = {
  levels: {
    sessions: levelsOf(SESSION_LEVELS, ({ value }) => value === 'open'),
    daemon: levelsOf(DAEMON_LEVELS),
    boot: levelsOf(BOOT_LEVELS),
    health: levelsOf(HEALTH_LEVELS),
  },
};
