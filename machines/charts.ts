/**
 * `townwatch/machines`: the charts of a town and the tables that decide, for a program that simulates, draws or tests them. Facts
 * go in by `send`, orders come out by `on('*')`; no chart reads a clock, a file or a screen. It needs the package `xstate`.
 */
export * from './protocol.ts';
export { POLICY, type Policy } from './policy.ts';

/** The shutdown dance: one hearing. `freshDance` makes the record that it begins with, `danceOf` the one that a town would save now. */
export { dog } from './hearings/dog/chart.ts';
export type { DogContext, DogEvent, DogInput } from './hearings/dog/orders.ts';
export { danceOf } from './hearings/dog/record.ts';
export { freshDance, RECOVERY, type DogTools } from './hearings/dance.ts';

/** The queue of warrants, and its pool of dogs. */
export { kennel } from './hearings/kennel.ts';

/** What can happen to a session, by where it is. */
export { STATES as SESSION_STATES, TABLE as SESSION_TABLE } from './sessions/table.ts';

/** The watchdog chain: the tick, the triage of the Deacon, the patrol, and health checks. */
export { boot } from './watchdog/boot.ts';
export { daemon } from './watchdog/daemon.ts';
export { deacon } from './watchdog/deacon.ts';
export { health } from './watchdog/health-check.ts';

/** What looks after workers and mailboxes, what is typed for operators, and the stall watch. */
export { monitor } from './monitor/machine.ts';
export { mailWatch } from './monitor/mail-watch.ts';
export { timers } from './monitor/timers.ts';
export { sends } from './sends/machine.ts';
export { tickle } from './tickle/machine.ts';

/** All sessions of a town, the alerts that stand, the ledger's keeper, the witnesses, and the patrol of one of them. */
export { sessions } from './sessions/machine.ts';
export { alerts } from './alerts/machine.ts';
export { keeper } from './ledger/keeper.ts';
export { round } from './rounds/round.ts';
export { witnesses } from './rounds/witnesses.ts';

/** A supervisor in OTP's words: `one_for_one`, `rest_for_one` and their like, as plain data. */
export { createSupervisor, type ChildSpec, type Plan, type Strategy } from './kernel/supervisor.ts';

/** What the orders of a witness speak of. */
export type { OrderedAct } from './witness/acting.ts';
export type { Policies as WitnessPolicies } from './witness/cycle.ts';
