/**
 * Who may ask what (law 11): the operator everything, an agent what concerns itself. One table for the commands and for
 * the control socket, where the town asks it again: an agent's own program can speak there too.
 * It keeps honest programs honest: one of the same user that leaves its token out passes for the operator.
 */
import type { SessionSpec } from '../../machines/protocol.ts';
import { refineryAddress, sessionOf, sessionOfAgent } from '../../machines/rigs/names.ts';
import { coveredBy } from '../config/glob.ts';
import type { Settings } from '../config/settings.ts';

export type Caller =
  /** `name`: the channel by which the operator answers. */
  | { readonly is: 'operator'; readonly name?: string }
  /** `uuid` is the life that the token was given to, `spec` how it was started. */
  | {
      readonly is: 'agent';
      readonly session: string;
      readonly uuid: string;
      readonly spec: SessionSpec;
      /** A run of triage: it may nudge the agents of its cases, and nothing else. */
      readonly nudges?: readonly string[];
    };

/** A caller without an agent's token: a person at a prompt, or what they started. */
export const OPERATOR: Caller = { is: 'operator' };

/**
 * A caller, or the town's own patrols. They may ask what an operator may; but they are no person, so the machines undo no
 * stop of the operator for them, and take no pane from a person's hands.
 */
export type Asker = Caller | { readonly is: 'town' };

export const TRIAGE = 'triage';

/** What the configuration has to do with it. */
export interface Rules {
  /** The session that is the Deacon; null = the Deacon is an actor. */
  readonly deacon: string | null;
  /** Each rig's witness is an agent; false = each is an actor, and no agent has its duty. */
  readonly witnessesAreAgents: boolean;
  /** The glob that protects a name; null = none does. */
  readonly protectedBy: (name: string) => string | null;
}

export const rulesOf = ({
  policy,
  patrols,
  town: { protected: globs },
}: Pick<Settings, 'policy' | 'patrols' | 'town'>): Rules => ({
  deacon: policy.watchdog.deacon.mode === 'session' ? policy.watchdog.deacon.session : null,
  witnessesAreAgents: patrols.witness.mode === 'session',
  protectedBy: (name) => coveredBy(name, globs),
});

/** Why not: exit 5. */
export interface Denied {
  readonly code: 'operator_only' | 'not_yourself' | 'protected_target';
  readonly text: string;
}

/** What only the operator may do. `what` begins the sentence. */
export function operatorOnly(caller: Asker, what: string): Denied | null {
  if (caller.is !== 'agent') return null;
  const text = `${what} is for the operator, and TOWN_TOKEN says that ${caller.session} calls; file a warrant or send mail to overseer`;
  return { code: 'operator_only', text };
}

/** An agent may end its own crash loop. `asItWas`: with the very command, folder, tags and policy that it has. */
export function startDenied(caller: Asker, name: string, asItWas: boolean, rules: Rules): Denied | null {
  if (caller.is !== 'agent') return null;
  if (caller.session !== name) return operatorOnly(caller, `starting ${name}`);
  const glob = rules.protectedBy(name);
  if (glob !== null) {
    const text = `${name} is protected by ${JSON.stringify(glob)} in [town] protected; the operator may start it`;
    return { code: 'protected_target', text };
  }
  const text = `an agent may only end its own crash loop: town session start ${name}, without a command or an option`;
  return asItWas ? null : { code: 'operator_only', text };
}

/** An agent ends no agent, itself included: it asks the Deacon for that, and another part carries it out (C-10). */
export function stopDenied(caller: Asker, name: string): Denied | null {
  if (caller.is !== 'agent' || caller.session !== name) return operatorOnly(caller, `stopping ${name}`);
  const text = `stopping ${name} is for the operator; ask for your own end: town mail send deacon --subject "LIFECYCLE: shutdown" (or restart)`;
  return { code: 'operator_only', text };
}

/** What is typed to an agent comes from the town or the operator, never from another agent. */
export function nudgeDenied(caller: Asker, name: string): Denied | null {
  if (caller.is !== 'agent' || caller.session === name) return null;
  const text = `TOWN_TOKEN says that ${caller.session} calls, and agents do not type to each other; write to it: town mail send`;
  return { code: 'operator_only', text };
}

/** Text that the town types as it is can be a command of the agent's program: only the operator may give it. */
export const rawDenied = (caller: Asker): Denied | null => operatorOnly(caller, 'typing a text as it is (--raw)');

/** A cycle is the duty of the agent that patrols the rig, and of the Deacon. Where the town itself patrols, it is no agent's. */
export function patrolDenied(caller: Asker, of: string, { deacon, witnessesAreAgents }: Rules): Denied | null {
  if (caller.is !== 'agent' || caller.session === deacon) return null;
  const isWitness = witnessesAreAgents && caller.session === sessionOf({ rig: of, name: 'witness' });
  if (of !== 'deacon' && isWitness) return null;
  return operatorOnly(caller, of === 'deacon' ? "a cycle of the Deacon's patrol" : `a cycle of the patrol of ${of}`);
}

/** What a witness hands over is merged by the rig's refinery. */
export function refineryDenied(caller: Asker, rig: string): Denied | null {
  if (caller.is === 'agent' && caller.session === sessionOfAgent(refineryAddress(rig))) return null;
  return operatorOnly(caller, 'merging what a witness hands over');
}

/** A check is a question that the town types; the Deacon's duty, else one's own affair. */
export function checkDenied(caller: Asker, session: string | null, { deacon }: Rules): Denied | null {
  if (caller.is !== 'agent' || caller.session === session || caller.session === deacon) return null;
  const target = session ?? 'all sessions';
  const text = `a check of ${target} is for the operator and the Deacon, and TOWN_TOKEN says that ${caller.session} calls; check yourself: town deacon health-check ${caller.session}`;
  return { code: 'not_yourself', text };
}
