/** The root: what a town consists of, as plain data in OTP's words (design: the supervisor tree). */
import { askedBy, kindOf } from './alert-kinds.ts';
import { alerts } from './alerts/machine.ts';
import { boot } from './watchdog/boot.ts';
import { connection } from './kernel/connection.ts';
import { keeper } from './ledger/keeper.ts';
import { witnesses, type WitnessesInput } from './rounds/witnesses.ts';
import { daemon } from './watchdog/daemon.ts';
import { deacon } from './watchdog/deacon.ts';
import { health } from './watchdog/health-check.ts';
import type { PoolTools } from './hearings/queue.ts';
import { kennel } from './hearings/kennel.ts';
import { monitor } from './monitor/machine.ts';
import { mailWatch } from './monitor/mail-watch.ts';
import { WATCHDOG } from './monitor/policy.ts';
import { timers } from './monitor/timers.ts';
import { sends } from './sends/machine.ts';
import type { Policy } from './policy.ts';
import type { SessionSpec, WallMs } from './protocol.ts';
import type { AliveCommand } from './hearings/question.ts';
import type { SessionsInput } from './sessions/state.ts';
import { sessions } from './sessions/machine.ts';
import { tickle } from './tickle/machine.ts';
import { createSupervisor, type ChildSpec, type Plan, type Strategy } from './kernel/supervisor.ts';
import type { Policies } from './witness/cycle.ts';

export interface TownInput {
  readonly policy: Policy;
  /** Random once per process: makes codes and ids unguessable and waits uneven. A test gives its own. */
  readonly entropy: string;
  /** How an agent calls the town to answer. */
  readonly command: AliveCommand;
  /** What the hands keep a connection to. */
  readonly connections: readonly string[];
  /** The agents of town.toml; absent = none. */
  readonly agents?: readonly SessionSpec[];
  /** The watchdog chain; absent = a town without one, as a test of hearings wants it. */
  readonly chain?: Chain;
  /** How patrols of the rigs decide; absent = the town looks for no rig and keeps no ledger. */
  readonly rigs?: Policies;
  /** Whether workers are monitored; absent = they are not, as a test of hearings wants it. */
  readonly monitors?: boolean;
  /** What the wall showed at the zero of the monotonic clock, by the first look in this boot; absent = the wall is believed. */
  readonly wallAtZero?: WallMs;
  /** Whether `[town] protected` covers a name; absent = it covers none. */
  readonly isProtected?: (session: string) => boolean;
}
export interface Chain {
  /** What the Deacon's session is; null = it is an actor. */
  readonly deacon: SessionSpec | null;
  /** Names the actor's life in its beats; absent = they name none. */
  readonly life?: string;
}

const plan =
  (strategy: Strategy, children: (input: TownInput) => readonly ChildSpec[]) =>
  (input: TownInput): Plan => ({
    strategy,
    policy: input.policy.supervisor,
    entropy: input.entropy,
    children: children(input),
  });
const poolTools = ({ policy, entropy, command, wallAtZero = Infinity }: TownInput): PoolTools => ({
  policy: policy.dance,
  entropy,
  command,
  wallAtZero,
});

/** Connections to the outside; each comes back by itself, so its failure disturbs no other. */
const hands = createSupervisor(
  'hands',
  { connection },
  plan('one_for_one', ({ connections, policy }) =>
    connections.map((what) => ({ id: what, src: 'connection', input: { what, policy: policy.supervisor } })),
  ),
);

/** Daemon, Boot, Deacon and the health checks. A Deacon that is a session is the sessions' child, not an actor here. */
function chainOf(input: TownInput): readonly ChildSpec[] {
  const { entropy, command, chain, isProtected = () => false } = input;
  const policy = input.policy.watchdog;
  if (chain === undefined) return [];
  const { deacon, life = null } = chain;
  return [
    ...(deacon === null ? [{ id: 'deacon', src: 'deacon', input: { policy: policy.deacon, life } }] : []),
    { id: 'health', src: 'health', input: { policy: policy.deacon, entropy, command, isProtected } },
    { id: 'boot', src: 'boot', input: { policy, entropy, deacon } },
    { id: 'daemon', src: 'daemon', input: { policy, deacon, isProtected } },
  ];
}

/** What looks after workers, and what operators want typed: timers, and work. */
const monitorsOf = ({ policy, monitors = false }: TownInput): readonly ChildSpec[] =>
  monitors
    ? [
        { id: 'monitor', src: 'monitor', input: { policy: policy.monitor } },
        { id: 'mail-watch', src: 'mailWatch', input: { policy: policy.monitor } },
        { id: 'timers', src: 'timers', input: { policy: policy.monitor } },
        { id: 'sends', src: 'sends', input: {} },
      ]
    : [];

/** The keeper of the ledger, who patrols once it is open, and the stall watch, which reads the evidence there. */
function patrolsOf({ policy, entropy, rigs }: TownInput): readonly ChildSpec[] {
  if (rigs === undefined) return [];
  const { activeMs, idleMs } = policy.watchdog.deacon;
  const input: WitnessesInput = {
    supervisor: policy.supervisor,
    entropy,
    policy: { ...policy.rounds, activeMs, idleMs },
    policies: rigs,
  };
  return [
    { id: 'witnesses', src: 'witnesses', input },
    { id: 'ledger', src: 'ledger', input: { policy: policy.ledger } },
    { id: 'tickle', src: 'tickle', input: { policy: policy.tickle } },
  ];
}

const sessionsInput = ({ policy, entropy, agents = [], isProtected }: TownInput): SessionsInput => ({
  policy: policy.sessions,
  dance: policy.dance,
  entropy,
  agents,
  ...(policy.monitor.mode === 'session' && { monitor: WATCHDOG }),
  ...(isProtected !== undefined && { isProtected }),
});

/** The watch itself: its children know nothing of each other but news; none crashes with another. */
const watch = createSupervisor(
  'watch',
  {
    alerts,
    kennel,
    sessions,
    daemon,
    boot,
    deacon,
    health,
    monitor,
    mailWatch,
    timers,
    sends,
    witnesses,
    ledger: keeper,
    tickle,
  },
  plan('one_for_one', (input) => [
    { id: 'alerts', src: 'alerts', input: { policy: input.policy.alerts, asks: askedBy, kindOf } },
    {
      id: 'sessions',
      src: 'sessions',
      input: sessionsInput(input),
    },
    { id: 'kennel', src: 'kennel', input: poolTools(input) },
    ...chainOf(input),
    ...monitorsOf(input),
    ...patrolsOf(input),
  ]),
);

/** When the hands crash for good, the watch that rests on them starts again too. */
export const town = createSupervisor(
  'town',
  { hands, watch },
  plan('rest_for_one', (input) => [
    { id: 'hands', src: 'hands', input },
    { id: 'watch', src: 'watch', input },
  ]),
);
