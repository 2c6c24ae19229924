/** What a look at a paused Deacon may still decide (C-4): every sight, and whose session it is about. */
import { describe, expect, test } from 'vitest';
import type { OutcomeBody } from '../../machines/protocol.ts';
import type { Hands } from '../../src/ports/ports.ts';
import { heldBack, whilePaused } from '../../src/watchdog/paused.ts';
import { incarnation } from '../world/drive.ts';
import { askedUpTo, danceAt, LoneDog, MARK, SIGHTS, TREE, type ObservationName } from '../hearings/lone.ts';
import { LIFE } from './chain.ts';

const STANDS_STILL: Readonly<Record<ObservationName, boolean>> = {
  answered: false,
  evidence: true,
  inconclusive: true,
  limited: false,
  error: false,
  silent: true,
  resting: false,
  dialog: false,
  person: true,
  'gone, pane left': false,
  'gone with its pane': false,
  replaced: false,
  paneless: false,
  unknown: false,
  'not understood': true,
  stopped: true,
  'place lost': false,
};
const NAMES = Object.keys(STANDS_STILL) as ObservationName[];

test.each(NAMES)('%s', (name) => {
  const observation = heldBack(SIGHTS[name]);
  if (!STANDS_STILL[name]) expect(observation).toEqual(SIGHTS[name]);
  else expect(observation).toEqual({ kind: 'unknown', why: expect.any(String) as string, seen: 'lost' });
});

describe('a held-back look', () => {
  const third = askedUpTo(danceAt({ stage: 'executing.looking', tree: TREE, killing: true }), 3);
  const after = (force: boolean): string[] => {
    const dog = new LoneDog({ ...third, warrants: third.warrants.map((w) => ({ ...w, force })) });
    dog.outcome({ type: 'SAVED' });
    dog.outcome({ type: 'LOOKED', observation: heldBack(SIGHTS.silent), tail: '' });
    return dog.orders.map(({ type }) => type).slice(2);
  };
  test('signals no process, also in mid-kill', () => expect(after(false)).toEqual([]));
  test('is enough for an order to kill, whose work is saved anew', () => expect(after(true)).toEqual(['rescue']));
});

describe('the hands', () => {
  const ASKED: OutcomeBody = { type: 'ASKED', mark: MARK, tail: '' };
  const hands = (isPaused: boolean, deacon: string | null = LIFE.session): Pick<Hands, 'ask' | 'look'> =>
    whilePaused<Pick<Hands, 'ask' | 'look'>>(
      { deacon, isPaused: () => Promise.resolve(isPaused) },
      {
        ask: () => Promise.resolve(ASKED),
        look: () => Promise.resolve({ type: 'LOOKED', observation: SIGHTS.silent, tail: '' }),
      },
    );
  const { signal } = new AbortController();
  const ask = { type: 'ask', id: { name: 'x' }, lines: [], code: 'K73F' } as const;
  const look = { type: 'look', id: { name: 'x' }, attempts: [] } as const;

  test.each([
    ['a paused Deacon', hands(true), LIFE, 'NOT_ASKED', 'unknown'],
    ['one that is not paused', hands(false), LIFE, 'ASKED', 'silent'],
    ['any other agent', hands(true), incarnation(1), 'ASKED', 'silent'],
    ['its name where the Deacon is an actor', hands(true, null), LIFE, 'ASKED', 'silent'],
  ] as const)('%s', async (_, { ask: doAsk, look: doLook }, target, asked, kind) => {
    expect((await doAsk({ ...ask, target }, signal)).type).toBe(asked);
    expect(await doLook({ ...look, target }, signal)).toMatchObject({ observation: { kind } });
  });
});
