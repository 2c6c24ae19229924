/** The numbers of a service that starts the town at boot. */
export const SERVICE = {
  /** systemd starts a town that made no step for so long: a step takes at most seconds, and a machine that comes up is slow. */
  watchdogSec: 120,
  /** Until the town is ready: it opens a damaged ledger in two minutes at most. */
  startSec: 180,
  /** Before a town that failed is started again: its lock is free by then. */
  restartSec: 5,
  /** Of `systemctl`, `loginctl` and `launchctl`, in ms. */
  askMs: 20_000,
  maxUnitBytes: 65_536,
} as const;
