/** Whether an end takes nothing from an agent or a person (M-9): each thing that stands against it, one at a time. */
import { beforeEach, expect, test } from 'vitest';
import type { SessionRecord } from '../../machines/protocol.ts';
import { AtRest, type AtRestDeps } from '../../src/overview/at-rest.ts';
import { HANDS } from '../../src/ports/policy.ts';
import { Packs } from '../../src/screen/packs.ts';
import { incarnation } from '../world/drive.ts';
import { tempFolder } from '../world/over.ts';
import { CONVERSATION, keepConversation } from './kept.ts';
import { running, specOf } from '../sessions/one.ts';

const LIFE = incarnation(1, { session: 'ada' });

let home: string;
let record: SessionRecord;
beforeEach(() => {
  home = tempFolder('rest');
  const program = keepConversation(home);
  const spec = { ...specOf('ada'), command: [program], dir: home };
  record = running({ spec, incarnation: LIFE, conversation: { id: CONVERSATION, resumed: false, deaths: 0 } });
});

interface Case {
  readonly what: string;
  readonly isFree: boolean;
  readonly deps?: () => Partial<Omit<AtRestDeps, 'asking' | 'processes'>>;
  readonly word?: string;
  readonly hasTool?: true;
  readonly isEmpty?: boolean;
  readonly groups?: readonly unknown[];
}

const PANES = { query: () => Promise.resolve([`${LIFE.paneId} $1`, `${LIFE.paneId}0 $2`]) };

function restOf({ deps = () => ({}), word = 'logged_out', hasTool, isEmpty = true, groups = [] }: Case) {
  let now = 1_000_000;
  let looks = 0;
  const heard = { word: { state: word }, conversation: null, ...(hasTool && { hasTool }) };
  const all = {
    tmux: PANES,
    clock: { now: () => now },
    packs: new Packs(),
    policy: HANDS,
    personIn: () => Promise.resolve(null),
    recordOf: () => Promise.resolve(record),
    asking: {
      heard: new Map([[LIFE.uuid, heard]]),
      isEmptyNow: () => {
        looks += 1;
        return Promise.resolve(isEmpty);
      },
    },
    processes: {
      groupsBelow: () => Promise.resolve(groups),
      variableOf: (_: unknown, name: string) => (name === 'HOME' ? home : null),
    },
    ...deps(),
  } as unknown as AtRestDeps;
  const rest = new AtRest(all);
  return {
    isFree: async () => {
      await rest.look([LIFE]);
      return rest.isFree(LIFE.uuid);
    },
    stillFree: () => rest.isFree(LIFE.uuid),
    looks: () => looks,
    later: (ms: number) => (now += ms),
  };
}

test.each<Case>([
  { what: 'it shows a dead login, and an empty composer', isFree: true },
  { what: 'its turn runs', isFree: false, word: 'working' },
  { what: 'its program asks', isFree: false, word: 'asks' },
  { what: 'it has a tool in flight', isFree: false, hasTool: true },
  { what: 'its composer is not seen empty', isFree: false, isEmpty: false },
  { what: 'a server that it started runs below it', isFree: false, groups: [{}] },
  {
    what: 'a person typed there just now',
    isFree: false,
    deps: () => ({ personIn: () => Promise.resolve('a person typed there 3 s ago') }),
  },
  {
    what: 'tmux does not say who types',
    isFree: false,
    deps: () => ({ personIn: () => Promise.reject(new Error('no answer')) }),
  },
  {
    what: 'tmux does not show its pane',
    isFree: false,
    deps: () => ({ tmux: { query: () => Promise.resolve([`${LIFE.paneId}0 $2`]) } }),
  },
  { what: 'it has no record', isFree: false, deps: () => ({ recordOf: () => Promise.resolve(null) }) },
  {
    what: 'its record is of another life',
    isFree: false,
    deps: () => ({ recordOf: () => Promise.resolve({ ...record, incarnation: incarnation(2) }) }),
  },
  {
    what: 'its program keeps the conversation no more',
    isFree: false,
    deps: () => ({
      recordOf: () =>
        Promise.resolve({
          ...record,
          conversation: { id: 'ffffffff-40d5-491e-99b0-da01ff1f3341', resumed: false, deaths: 0 },
        }),
    }),
  },
])('where $what', async (one) => {
  expect(await restOf(one).isFree()).toBe(one.isFree);
});

test('what was found counts for a moment', async () => {
  const rest = restOf({ what: '', isFree: true });
  expect(await rest.isFree()).toBe(true);
  rest.later(HANDS.restFreshMs - 1);
  expect(rest.stillFree()).toBe(true);
  rest.later(1);
  expect(rest.stillFree()).toBe(false);
});

test('its screen is read now and then only', async () => {
  const rest = restOf({ what: '', isFree: false, isEmpty: false });
  for (let spent = 0; spent < 2 * HANDS.restLookMs; spent += HANDS.restLookMs / 5) {
    await rest.isFree();
    rest.later(HANDS.restLookMs / 5);
  }
  expect(rest.looks()).toBe(2);
});
