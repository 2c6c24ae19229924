import { expect, test } from 'vitest';
import { latestKey } from '../../src/hearings/people.ts';
import { wouldDo, type Standing, type Would } from '../../src/overview/would.ts';

const OURS: Standing = {
  agent: 'claude',
  state: 'idle',
  managed: 'started',
  protected: null,
  person: false,
  obstacle: null,
  leftOver: false,
  mayType: true,
};

const TABLE: [pane: Partial<Standing>, act: Would['act'], why: string][] = [
  [{}, 'ask', 'if a warrant comes'],
  [{ state: 'busy' }, 'ask', 'if a warrant comes'],
  [{ state: 'blocked' }, 'tell', 'it asks a person'],
  // A dialog that a person is at is theirs.
  [{ state: 'blocked', person: true }, 'wait', 'a person is there'],
  [{ person: true }, 'wait', 'a person is there'],
  [{ obstacle: 'copy mode' }, 'wait', 'copy mode'],
  [{ state: 'draft', mayType: false }, 'wait', 'a half-typed line'],
  [{ state: 'busy_draft', mayType: false }, 'wait', 'a half-typed line'],
  [
    { state: 'draft', mayType: false, leftOver: true },
    ...(['ask', 'if a warrant comes; its old question is taken out first'] as const),
  ],
  [{ state: 'draft', mayType: false, leftOver: true, person: true }, 'wait', 'a person is there'],
  [{ state: 'login' }, 'tell', 'it asks a person'],
  [{ state: 'picker' }, 'tell', 'it asks a person'],
  [{ state: 'limited', mayType: false }, 'tell', 'a usage limit'],
  [{ state: 'error' }, 'ask', 'if a warrant comes'],
  [{ state: 'blocked', obstacle: 'copy mode' }, 'tell', 'it asks a person'],
  // Text goes only where an empty composer is seen, or nothing speaks against it.
  [{ state: 'unknown', mayType: false }, 'wait', 'no empty composer in sight'],
  [{ state: 'unknown' }, 'ask', 'if a warrant comes'],
  [{ state: 'dead' }, 'end', 'restart by its policy'],
  [{ state: 'dead', managed: 'adopted' }, 'end', 'record it'],
  [{ state: 'dead', managed: 'nobody' }, 'nothing', 'it has ended'],
  [{ state: 'dead', person: true }, 'end', 'restart by its policy'],
  [{ agent: null, managed: 'nobody' }, 'nothing', 'no agent'],
  // What was started is the agent, with any program (law 12).
  [{ agent: null }, 'ask', 'if a warrant comes'],
  [{ protected: 'mayor*' }, 'nothing', 'protected'],
  [{ protected: 'mayor*', state: 'dead' }, 'nothing', 'protected'],
  [{ protected: 'mayor*', managed: 'nobody' }, 'nothing', 'protected'],
  [{ managed: 'other town' }, 'nothing', 'another town’s'],
  [{ managed: 'other town', state: 'blocked' }, 'nothing', 'another town’s'],
  [{ managed: 'split' }, 'nothing', 'a person’s pane'],
];

test.each(TABLE)('%j: %s: %s', (pane, act, why) => {
  expect(wouldDo({ ...OURS, ...pane })).toEqual({ act, why, once_adopted: false });
});

const ACTED_ON = TABLE.filter(
  ([{ managed, agent, state }, act]) =>
    managed === undefined && agent === undefined && state !== 'dead' && act !== 'nothing',
);
test.each(ACTED_ON)('%j of a foreign session: %s, once it is adopted', (pane, act, why) => {
  expect(wouldDo({ ...OURS, ...pane, managed: 'nobody' })).toEqual({ act, why, once_adopted: true });
});

test('a person is a client that pressed a key lately, and no program', () => {
  const wall = 1_000_000;
  const rows = ['hooked', 'client 0 900 $1', 'client 0 990 $2', 'client 1 999 $1', ''];
  expect(latestKey(rows, ['$1'], wall)).toBe(100_000);
  expect(latestKey(rows, ['$1', '$2'], wall)).toBe(10_000);
  expect(latestKey(rows, ['$3'], wall)).toBe(Infinity);
});
