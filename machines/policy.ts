/**
 * What machines are given: the numbers of each subsystem, which stand beside it. Input, never imported by a machine as a value:
 * configuration and tests bring their own.
 */
import { ALERTS, type AlertsPolicy } from './alerts/policy.ts';
import { DANCE, type DancePolicy } from './hearings/policy.ts';
import { SUPERVISOR, type SupervisorPolicy } from './kernel/policy.ts';
import { LEDGER, type LedgerPolicy } from './ledger/policy.ts';
import { MONITOR, type MonitorPolicy } from './monitor/policy.ts';
import { ROUNDS, type RoundsPolicy } from './patrols/policy.ts';
import { SESSIONS, type SessionsPolicy } from './sessions/policy.ts';
import { TICKLE, type TicklePolicy } from './tickle/policy.ts';
import { WATCHDOG, type WatchdogPolicy } from './watchdog/policy.ts';

export interface Policy {
  readonly dance: DancePolicy;
  readonly sessions: SessionsPolicy;
  readonly supervisor: SupervisorPolicy;
  readonly watchdog: WatchdogPolicy;
  readonly ledger: LedgerPolicy;
  readonly rounds: RoundsPolicy;
  readonly alerts: AlertsPolicy;
  readonly monitor: MonitorPolicy;
  readonly tickle: TicklePolicy;
}

export const POLICY: Policy = {
  dance: DANCE,
  sessions: SESSIONS,
  supervisor: SUPERVISOR,
  watchdog: WATCHDOG,
  ledger: LEDGER,
  rounds: ROUNDS,
  alerts: ALERTS,
  monitor: MONITOR,
  tickle: TICKLE,
};
