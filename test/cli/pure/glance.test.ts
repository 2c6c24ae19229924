/** What a command shows of the answers of a town that is of an older version. */
import { expect, test } from 'vitest';
import { ESCALATED } from '../../../machines/hearings/verdict-alerts.ts';
import { CONDITIONS } from '../../../machines/alerts/things.ts';
import { episodeOf } from '../../../machines/protocol.ts';
import { glance } from '../../../src/cli/asking/glance.ts';
import { asking } from '../../../src/cli/story/asking.ts';

type Context = Parameters<typeof glance>[0];

/** A town that tells of this alert, and not of its answers. */
function older(episode: string): Context {
  const alert = { episode, severity: 'high', session: null, text: 'decide', since: '2026-11-30T00:00:00.000Z' };
  const overview = { sessions: [], alerts: [{ ...alert, acked: false, type: [] }], mail: [], unreadable: [] };
  const town = {
    status: () => Promise.resolve({ windows: [], actors: [] }),
    overview: () => Promise.resolve(overview),
  };
  return { askIfUp: (ask: (of: typeof town) => unknown) => ask(town) } as unknown as Context;
}

test.each([
  ['a hearing that was left to a person', episodeOf(ESCALATED, 'dance-1'), ['pardon', 'hear', 'execute']],
  ['a root that came back from a copy', episodeOf(CONDITIONS.restored), ['go']],
])('of an older town each answer is offered: %s', async (_, episode, words) => {
  const [question] = asking((await glance(older(episode))).overview).questions;
  expect(question?.type.flatMap((line) => /^town answer \d+ (\w+)$/.exec(line)?.[1] ?? [])).toEqual(words);
});
