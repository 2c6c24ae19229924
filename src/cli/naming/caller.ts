/**
 * Who calls. Without TOWN_TOKEN the operator, who may write in any name; with one the agent whose session it belongs to,
 * who speaks only for itself (law 11). It keeps honest programs honest: a process of the same user can still lie, and the
 * README says so.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { agentOfSession, MAYORS } from '../../../machines/rigs/names.ts';
import type { SessionRecord } from '../../../machines/protocol.ts';
import type { Message } from '../../../state/mail/mailbox.ts';
import type { TriageRun } from '../../../state/triage/run.ts';
import type { Folder } from '../../overview/records.ts';
import type { Settings } from '../../config/settings.ts';
import type { AgentCaller } from '../../ledger/authority.ts';
import type { Tool } from '../../triage/role.ts';
import { PROCESS } from '../../ports/policy.ts';
import { OPERATOR, operatorOnly, type Caller, type Denied } from '../../socket/permission.ts';
import type { Context } from '../context.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { operatorAs } from './operator.ts';
import { callerToken, forgetToken } from '../../socket/caller-token.ts';

/** The name in which a run of triage writes. */
export const ROLE = 'triage' as const;

/** A run of triage, which may do what its tools do. */
export interface RoleCaller {
  readonly is: 'role';
  readonly run: TriageRun;
}

type Words = Pick<Message, 'id' | 'from' | 'subject' | 'body' | 'urgent' | 'needs_response'>;

/** A message sent now, with what is recorded of its writer: an operator has no life, and a role's life is not known. */
export const signWords = (
  caller: Caller | RoleCaller,
  { urgent, needs_response, ...words }: Words,
): Omit<Message, 'to' | 'sent_at'> & { readonly sentAt: number } => ({
  ...words,
  via: caller.is === 'role' ? 'agent' : caller.is,
  sentAt: Date.now(),
  urgent,
  needs_response,
  ...(caller.is === 'agent' && { incarnation: caller.uuid }),
});

type AgentOf = (token: string) => Promise<Caller | null>;

/**
 * The agent that has this token by the records that `read` brings. An agent may call before its start is on record: while a
 * session starts this waits for that, for 5 s at most. `missed`: done once where no record has the token, before a second look.
 */
export async function agentRecorded(
  token: string,
  read: () => Promise<Pick<Folder<SessionRecord>, 'found'>>,
  missed?: () => Promise<unknown>,
): Promise<Caller | null> {
  const { agentOf } = await import('../../socket/token-owner.ts'); // The operator's command, which has no token, does without it.
  let isSecond = missed === undefined;
  for (const until = performance.now() + PROCESS.callMs; ;) {
    const records = (await read()).found.map(({ value }) => value);
    const agent = agentOf(token, records);
    if (agent !== null) return agent;
    const isStarting = records.some(({ state }) => state === 'starting');
    if (performance.now() > until || (isSecond && !isStarting)) return null;
    if (isSecond) await pause(PROCESS.pollEveryMs);
    else await missed?.();
    isSecond = true;
  }
}

/** A record that was lost since the agent's start is written anew by a running town when it is asked for its sessions. */
async function agentNow(context: Context, token: string): Promise<Caller | null> {
  const { readSessions } = await import('../../overview/records.ts');
  const disk = await context.disk();
  const refresh = (): Promise<unknown> => context.askIfUp((town) => town.overview()).catch(() => null); // Then the records refuse the caller.
  return agentRecorded(token, () => readSessions(disk), refresh);
}

/** Throws Failure (5) for a token that no living session of this root has. */
export async function whoCalls(
  context: Context,
  agentOf: AgentOf = (token) => agentNow(context, token),
): Promise<Caller> {
  const token = callerToken();
  if (token === undefined) return OPERATOR;
  const agent = await agentOf(token);
  if (agent !== null) return agent;
  const { refuseRole } = await import('../asking/role.ts');
  await refuseRole(context);
  const text = `TOWN_TOKEN belongs to no living session of ${context.root}; unset it, or call from the session it was given to`;
  throw new Failure(EXIT.refused, 'bad_token', text);
}

/** Does the same as the triage role's `tool`, in the caller's name; a call of the role is on record. */
export async function asCaller<T>(
  context: Context,
  tool: Tool,
  words: readonly string[],
  work: (caller: Caller | RoleCaller) => Promise<T>,
): Promise<T> {
  if (callerToken() === undefined) return work(OPERATOR);
  const { onRecord, roleOf } = await import('../asking/role.ts');
  const run = await roleOf(context);
  if (run === null) return work(await whoCalls(context));
  return onRecord(context, run, { tool, words }, () => work({ is: 'role', run }));
}

/** Throws Failure (5) with why not. */
export function unlessDenied(denied: Denied | null): void {
  if (denied !== null) throw new Failure(EXIT.refused, denied.code, denied.text);
}

/** Throws Failure (5) when an agent calls for what only the operator may do. */
export async function mustBeOperator(context: Context, what: string): Promise<void> {
  unlessDenied(operatorOnly(await whoCalls(context), what));
}

/** What follows is the town's doing, and not that of the agent whose duty it is: this process asks nothing more under its token. */
export function actForTown(): void {
  forgetToken();
}

/** As the ledger's doors know an agent. */
export function agentCallerOf(caller: Caller, { policy }: Pick<Settings, 'policy'>): AgentCaller {
  if (caller.is === 'agent') {
    const { spec, session, uuid: life } = caller;
    const offices: readonly string[] = [...MAYORS, policy.watchdog.deacon.session];
    const leads = offices.includes(session) || spec.tags.includes(policy.monitor.orchestratorTag);
    return { address: agentOfSession(spec), session, life, leads };
  }
  throw new Failure(EXIT.refused, 'bad_token', 'no agent calls; unset TOWN_TOKEN to act as the operator');
}

/** The name an agent or the operator writes in. Throws Failure (5) when an agent takes another one's. */
export function nameOfCaller(caller: Caller | RoleCaller, wanted: string | undefined, flag: string): string {
  if (caller.is === 'operator') return operatorAs(wanted);
  const self = caller.is === 'role' ? ROLE : agentOfSession(caller.spec);
  if (wanted === undefined || wanted === self || (caller.is === 'agent' && wanted === caller.session)) return self;
  const text = `${flag} ${JSON.stringify(wanted)} is not you: TOWN_TOKEN belongs to ${self}; leave ${flag} out`;
  throw new Failure(EXIT.refused, 'not_yourself', text);
}
