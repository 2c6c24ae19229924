/** What a running town shows of itself at a glance: its sessions as they are now, and what their conversations took. */
import type { SessionRecord, WallMs } from '../../machines/protocol.ts';
import { costRows, tokensView, type CostRow } from '../costs/view.ts';
import { agentsNow } from '../overview/agents-now.ts';
import { overviewOf, type Overview } from '../overview/overview.ts';
import { see } from '../overview/scene.ts';
import type { Sources } from '../sources/sources.ts';
import { notesOf, type HandsNeeds } from '../host/hands-needs.ts';
import { Reports } from '../../state/monitor/reports.ts';
import type { TownTmux } from '../host/town-tmux.ts';
import type { AgentSources } from './agent-sources.ts';
import type { PaneTools } from './hearing-hands.ts';

export interface Glances {
  /** What a person wants to see at a glance, looked up now. */
  readonly overview: () => Promise<Overview>;
  /** What conversations took; `from`: what was taken before does not count, null = all counts. */
  readonly costs: (from: WallMs | null) => Promise<readonly CostRow[]>;
}

type Told = Pick<PaneTools, 'cpu'> & Pick<AgentSources, 'asking' | 'spendings'> & { readonly sources: Sources };

export function glancesOf(needs: HandsNeeds, { tmux }: TownTmux, { cpu, asking, sources, spendings }: Told): Glances {
  const { disk, processes, clock } = needs.host;
  const { store } = needs;
  const reports = new Reports(notesOf(needs));
  const reported = {
    of: (sessions: readonly string[]) => reports.of(sessions),
    workOf: asking.work.of,
    wall: () => clock.wall(),
  };
  return {
    overview: () => {
      spendings.costs.show();
      return overviewOf({
        disk,
        processes,
        see: () => see(tmux),
        rateOf: (uuid: string) => cpu.rate(uuid),
        asksOf: (uuid) => asking.asksNow(uuid),
        questionNow: (uuid) => asking.questionNow(uuid),
        tokensOf: (uuid) => tokensView(spendings.costs.of(uuid)),
        agents: async (lives) => {
          const heard = (await asking.glance(lives)) ? { of: () => Promise.resolve(asking.heard) } : sources;
          return agentsNow({ sources: heard, seen: (uuid) => asking.seen(uuid), reported }, lives);
        },
        sessions: () => store.readSessions(),
      });
    },
    costs: async (from) => {
      await spendings.lookNow();
      return costRows(spendings.costs.conversations, namesOf(await store.readSessions()), from);
    },
  };
}

const namesOf = (records: readonly SessionRecord[]): string[] =>
  records.flatMap(({ spec, incarnation }) => (incarnation === null ? [] : [spec.name]));
