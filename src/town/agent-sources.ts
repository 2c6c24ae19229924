/** The sources that show how agents are without a hearing, and what a scan of the sessions takes from them. */
import type { Incarnation, OutcomeBody, SeenSession } from '../../machines/protocol.ts';
import { verdictOf } from '../../machines/sessions/agent-state.ts';
import type { Spendings } from '../costs/spendings.ts';
import type { TownTmux } from '../host/town-tmux.ts';
import { agentsNow, type Reported } from '../overview/agents-now.ts';
import type { Asking } from '../overview/asking.ts';
import { type ReportsSeen, wantsOf } from '../overview/reports-seen.ts';
import type { Standings } from '../overview/standing.ts';
import { statusLine } from '../overview/status-line.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Accounts } from '../sessions/accounts.ts';
import type { Sources } from '../sources/sources.ts';

export interface AgentSources {
  readonly asking: Asking;
  readonly accounts: Accounts;
  readonly standings: Standings;
  readonly sources: Pick<Sources, 'of'>;
  readonly spendings: Spendings;
  readonly reports: ReportsSeen;
  /** What agents report, as the last look found it. */
  readonly reported: Reported;
  readonly policy: Pick<HandsPolicy, 'asksAfterMs'>;
}

const UNSEEN = { verdict: verdictOf([]) };

/**
 * A scan, with what its lives ask a person, which conversation they are in, and how they stand to their accounts, as the last
 * look saw it; the next look goes on beside it.
 */
export async function withAgents(
  { asking, accounts, standings, spendings, reports, reported, policy }: AgentSources,
  { shown }: Pick<TownTmux, 'shown'>,
  known: readonly Incarnation[],
  outcome: OutcomeBody,
): Promise<OutcomeBody> {
  if (outcome.type !== 'SESSIONS_SEEN') return outcome;
  const alive = new Set(outcome.seen.flatMap(({ uuid, life }) => (life === 'alive' ? [uuid] : [])));
  const lives = known.filter(({ uuid }) => alive.has(uuid));
  void asking.look(lives);
  void accounts.look(lives);
  void spendings.look(lives, asking.heard);
  void reports.look(lives.map(({ session }) => session));
  const sources = { of: () => Promise.resolve(asking.heard) };
  const agents = await agentsNow({ sources, seen: (uuid) => asking.seen(uuid), reported }, lives);
  shown.show(outcome.server === 'up' ? statusLine(agents, (uuid) => asking.asksNow(uuid)) : null);
  const at = { now: reported.wall(), afterMs: policy.asksAfterMs };
  const seen = outcome.seen.map((one): SeenSession => {
    if (!alive.has(one.uuid)) return one;
    const dialog = asking.of(one.uuid);
    const shows = {
      asks: dialog,
      question: (dialog ?? '') === '' ? undefined : asking.questionOf(one.uuid),
      halted: standings.haltOf(one.uuid),
    };
    const { asks, halted, question } = wantsOf(shows, agents.get(one.uuid) ?? UNSEEN, { ...at, life: one.uuid });
    const conversation = asking.conversationOf(one.uuid);
    const [account, standing] = [accounts.of(one.uuid), standings.of(one.uuid)];
    const spending = spendings.of(one.uuid);
    return {
      ...one,
      ...(asks !== undefined && { asks }),
      ...(question !== undefined && { question }),
      ...(halted !== undefined && { halted }),
      ...(conversation !== undefined && { conversation }),
      ...(account !== undefined && { account }),
      ...(standing !== undefined && { standing }),
      ...(spending !== undefined && { spending }),
    };
  });
  return { ...outcome, seen };
}
