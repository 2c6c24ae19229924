/**
 * Why a caller on the control socket may not ask this: the rows of requests, and what agents may beside the operator.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  REQUESTS,
  type AgentVerb,
  type Request,
  type RequestOf,
  type RequestRow,
} from '../../machines/protocol/requests.ts';
import {
  checkDenied,
  nudgeDenied,
  operatorOnly,
  patrolDenied,
  rawDenied,
  startDenied,
  stopDenied,
  TRIAGE,
  type Asker,
  type Caller,
  type Denied,
  type Rules,
} from './permission.ts';

type Agent = Extract<Caller, { readonly is: 'agent' }>;
/** What agents may ask; for all else the row of a request says that only the operator may. */
const OF_AGENTS: {
  readonly [V in AgentVerb]: (caller: Agent, request: RequestOf<V>, rules: Rules) => Denied | null;
} = {
  startSession: (caller, { spec }, rules) =>
    startDenied(caller, spec.name, isDeepStrictEqual(spec, caller.spec), rules),
  stopSession: (caller, { name }) => stopDenied(caller, name),
  healthCheck: (caller, { session }, rules) => checkDenied(caller, session, rules),
  patrol: (caller, { of }, rules) => patrolDenied(caller, of, rules),
  nudge: (caller, { name, from }) =>
    nudgeDenied(caller, name) ?? (from === caller.session ? null : asAnother(caller.session)),
};

/** Why this caller may not ask this of the running town; null = it may. */
export function denialOf(caller: Asker, request: Request, rules: Rules): Denied | null {
  if (caller.is !== 'agent') return null;
  if (request.verb === 'nudge' && request.raw) return rawDenied(caller);
  if (caller.nudges !== undefined) return roleDenied(caller.nudges, request);
  const { operator }: RequestRow = REQUESTS[request.verb];
  if (operator !== undefined) return operatorOnly(caller, operator);
  return OF_AGENTS[request.verb as AgentVerb](caller, request as never, rules);
}

function roleDenied(nudges: readonly string[], request: Request): Denied | null {
  const isNudge = request.verb === 'nudge' && request.from === TRIAGE;
  if (isNudge && nudges.includes(request.name)) return null;
  const text = isNudge
    ? `${request.name} is in none of the cases of this run of triage`
    : 'TOWN_TOKEN says that a run of triage calls, which only nudges the agents of its cases, as triage';
  return { code: 'not_yourself', text };
}

const asAnother = (self: string): Denied => ({
  code: 'not_yourself',
  text: `TOWN_TOKEN says that ${self} calls, who speaks in no other name`,
});
