/** [hands] of the looks at who waits for a person. */
import type { HandsPolicy } from '../../../src/ports/policy.ts';
import type { Word } from '../../../machines/sessions/agent-state.ts';
import { Standings } from '../../../src/overview/standing.ts';
import type { Picture } from '../../../src/screen/screen.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { BUSY, DIALOG, IDLE, LIFE, Server, yard } from '../../overview/panes.ts';
import { SECOND, probe, section, type Probes } from './probe.ts';

/** What is told of an agent every two seconds, and how often its screen was read, while its pane shows one of these after the other. */
async function looks(policy: HandsPolicy, screens: readonly (Picture | undefined)[]): Promise<unknown[]> {
  const server = new Server();
  const { pass, of } = yard(server, policy);
  const told: unknown[] = [];
  for (let spent = 0; spent < 60; spent += 2) {
    const screen = screens[(spent / 2) % screens.length];
    if (spent === 0 || screens.length > 1) server.show(LIFE.paneId, screen);
    await pass(2);
    told.push(of(), server.readings);
  }
  return told;
}

const asks = ({ hands }: Settings): Promise<unknown[]> => looks(hands, [DIALOG]);

/** How a session stands to its account, second by second, once its screen shows that its login is dead. */
function loggedOut({ hands: policy }: Settings): unknown[] {
  const word: Word = {
    by: 'screen',
    source: 'screen',
    state: 'logged_out',
    since: null,
    at: 1,
    detail: null,
    rule: null,
  };
  let now = 0;
  const standings = new Standings({
    asking: { heard: new Map(), seen: () => ({ word, resets: null, isCut: undefined, unheard: null, wrote: null }) },
    accounts: { of: () => ({ id: 'claude-1', label: '~/.claude', file: '/f' }), credentialOf: () => 'mark' },
    clock: { now: () => now, wall: () => now },
    policy,
  });
  return Array.from({ length: 20 }, () => {
    now += SECOND;
    return standings.of('u')?.state;
  });
}

export const asking: Probes = section('hands', {
  asking_look: probe('15s', asks),
  asking_read: probe('4s', ({ hands }) => looks(hands, [BUSY, IDLE])),
  asks_after: probe('2s', asks),
  logged_out_after: probe('2s', loggedOut),
});
