/**
 * What may become of a bead: each change takes a bead as it was read and gives the bead to be stored, or why not.
 * Nothing here knows the store; two that change the same bead meet at its version.
 */
import { isPolecat, isSameAgent, polecatIn } from '../rigs/names.ts';
import { HELD_STATUSES, type Bead, type BeadStatus, type Dependency } from './bead.ts';

/** `taken`: another agent (`by`) holds it. `closed`: it is over. `free`: it has no holder. */
export type Change =
  | { readonly ok: true; readonly bead: Bead }
  | { readonly ok: false; readonly is: 'taken' | 'closed' | 'free'; readonly by: string };

const done = (bead: Bead): Change => ({ ok: true, bead });
const refused = (is: 'taken' | 'closed' | 'free', { assignee }: Bead): Change => ({ ok: false, is, by: assignee });

/** Whether its status says that its agent is at it. Other work is open, over, or set aside: blocked, deferred or pinned. */
export const isAtWork = ({ status }: Pick<Bead, 'status'>): boolean => status === 'hooked' || status === 'in_progress';

/** Work that waits for no agent, and that no agent is at. */
export const isSetAside = ({ status }: Pick<Bead, 'status'>): boolean =>
  HELD_STATUSES.includes(status) && !isAtWork({ status });

/**
 * The agent that holds it; null = none. An agent of the rig that sets its own work aside holds it still: it may go on with it and close
 * it, its work is merged, and its death opens it for the next. What a person or an imported file set aside is on no hook.
 */
export function holderOf(bead: Bead): string | null {
  const { assignee, official } = bead;
  if (assignee === '') return null;
  if (isAtWork(bead)) return assignee;
  const isItsOwnWord = official.aside !== undefined && isSameAgent(official.aside, assignee);
  return isSetAside(bead) && isItsOwnWord && isOfRig(bead) ? assignee : null;
}

/** Whether this agent holds it, in whichever form it is written; null = no agent does. */
export function isHeldBy(bead: Bead, agent: string | null): boolean {
  const holder = holderOf(bead);
  return holder === null || agent === null ? holder === agent : isSameAgent(holder, agent);
}

/** A polecat or an office of its rig: such an agent holds work, or has none, and no open work waits for it. */
const isOfRig = ({ assignee, rig }: Bead): boolean =>
  isPolecat(assignee) || (rig !== '' && polecatIn(assignee)?.rig === rig);

/**
 * Its status, with the times that go with it. Opened, it is no agent's of the rig any more, so that any may begin it; a person keeps it.
 * What was over begins anew, with no attempt.
 */
export function withStatus(bead: Bead, status: BeadStatus, at: string): Bead {
  const [wasOver, isOver] = [bead.status === 'closed', status === 'closed'];
  return {
    ...bead,
    status,
    assignee: status === 'open' && isOfRig(bead) ? '' : bead.assignee,
    attempts: wasOver && !isOver ? 0 : bead.attempts,
    updatedAt: at,
    startedAt: status === 'in_progress' && bead.startedAt === '' ? at : bead.startedAt,
    closedAt: isOver ? (wasOver && bead.closedAt) || at : '',
    closeReason: isOver ? bead.closeReason : '',
  };
}

/** Onto the hook of an agent: only that agent works on it from then on. Once more by the same agent is no change. */
export function hook(bead: Bead, agent: string, at: string): Change {
  if (bead.status === 'closed') return refused('closed', bead);
  const holder = holderOf(bead);
  if (holder !== null && !isSameAgent(holder, agent)) return refused('taken', bead);
  if (bead.status === 'hooked' && holder === agent) return done(bead);
  return done({ ...withStatus(bead, 'hooked', at), assignee: agent });
}

/** Takes it off the hook, for the next worker. `agent`: only if this agent holds it; null = any holder. */
export function unhook(bead: Bead, agent: string | null, at: string): Change {
  if (bead.status === 'closed') return refused('closed', bead);
  if (bead.status !== 'hooked' && holderOf(bead) === null) return refused('free', bead);
  if (agent !== null && !isSameAgent(bead.assignee, agent)) return refused('taken', bead);
  return done(release(bead, at));
}

/** Its agent is gone: it is open for the next, or still set aside, and assigned to no agent. Leaves what is not this agent's alone. */
export function leave(bead: Bead, agent: string, at: string): Bead {
  if (!isSameAgent(bead.assignee, agent) || !HELD_STATUSES.includes(bead.status)) return bead;
  return isSetAside(bead) && holderOf(bead) === null ? { ...bead, assignee: '', updatedAt: at } : release(bead, at);
}

/** Opens it for the next worker, also from its present holder. */
export const release = (bead: Bead, at: string): Bead => ({ ...withStatus(bead, 'open', at), assignee: '' });

/** The first agent that asks takes it; asking again is fine. */
export function claim(bead: Bead, by: string, at: string): Change {
  if (bead.status === 'closed') return refused('closed', bead);
  if (bead.assignee !== '' && !isSameAgent(bead.assignee, by)) return refused('taken', bead);
  return done({ ...withStatus(bead, 'in_progress', at), assignee: by });
}

/** Over; once more only changes the reason. */
export const close = (bead: Bead, reason: string, at: string): Bead => ({
  ...withStatus(bead, 'closed', at),
  closeReason: reason,
});

/** Whether this agent closed it, as a door saw it. */
export const isClosedBy = ({ status, closedAt, official: { closed } }: Bead, agent: string): boolean =>
  status === 'closed' && closed?.by === agent && closed.at === closedAt;

/** Opens a closed bead; leaves any other bead alone. */
export const reopen = (bead: Bead, at: string): Bead =>
  bead.status === 'closed' ? withStatus(bead, 'open', at) : bead;

/** Closes it, unless it is closed: the first closer's reason stays. */
export const closeOnce = (bead: Bead, reason: string, at: string): Bead =>
  bead.status === 'closed' ? bead : close(bead, reason, at);

/** A witness closes it because main has its work. The official mark says so, and readers believe that mark alone. A wisp is no work. */
export function closeMerged(bead: Bead, reason: string, at: string): Bead {
  if (bead.status === 'closed' || bead.isWisp) return closeOnce(bead, reason, at);
  return { ...close(bead, reason, at), official: { ...bead.official, merged: at } };
}

const sameLink = (one: Pick<Dependency, 'on' | 'type'>, other: Pick<Dependency, 'on' | 'type'>): boolean =>
  one.on === other.on && one.type === other.type;

/** Waits for one more; the same once more is no change. */
export const withDependency = (bead: Bead, dependency: Dependency, at: string): Bead =>
  bead.dependencies.some((one) => sameLink(one, dependency))
    ? bead
    : { ...bead, dependencies: [...bead.dependencies, dependency], updatedAt: at };

/** Waits no longer for `on`; `type` null = in no way. */
export function withoutDependency(bead: Bead, on: string, type: string | null, at: string): Bead {
  const dependencies = bead.dependencies.filter((one) => one.on !== on || (type !== null && one.type !== type));
  return dependencies.length === bead.dependencies.length ? bead : { ...bead, dependencies, updatedAt: at };
}
