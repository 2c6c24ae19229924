/** What is left of a polecat that is gone, and swarms: open until all of it is done. */
import { describe, expect, test } from 'vitest';
import type { PolecatSeen, WispSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { dead, hooked, LEFTS, letter, MINUTE, polecat, rig, wisp } from '../patrols/seen.ts';
import { actsOf, cycleOf, WISH, type Row } from './acts.ts';

describe('cleanups', () => {
  const of = (tree: PolecatSeen['tree'], more: Partial<WispSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ tree, session: 'dead' })],
    wisps: [wisp(more)],
  });
  const living = (more: Partial<PolecatSeen>, of: Partial<WispSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ hook: null, ...more })],
    wisps: [wisp(of)],
  });
  const ITS_WORD = { isVoluntary: true, wishLife: 'life-1' };
  const AGAIN = 'triage dirty_polecat';
  const NOT_DONE = ['nudge dirty', 'close tw-wisp-1'];
  const HARD = [AGAIN, 'send mayor: RECOVERY_NEEDED shop/nux', 'label'];
  // Rules: P-6, W-2.
  test.each<Row>([
    ['clean', of('clean'), ['nuke nux, MERGE_READY nux', 'close tw-wisp-1']],
    ['that was being taken away', of('going'), ['nuke nux, MERGE_READY nux', 'close tw-wisp-1']],
    ['unpushed', of('unpushed'), ['nuke nux pushed, MERGE_READY nux', 'close tw-wisp-1']],
    ['clean, and it lives', living({}), ['end, heard first']],
    ['… and said that it is done', living({}, { isVoluntary: true }), [WISH]],
    ['… and says so', living({ doneIntentMs: 2 * MINUTE, tree: 'unpushed' }), [WISH]],
    ['dirty', of('dirty'), HARD],
    ['dirty, and told: triage keeps one case open', of('dirty', { wasTold: true }), [AGAIN]],
    ['dirty again while it lives, after a decision', living({ tree: 'dirty' }, { wasTold: true }), [AGAIN]],
    ['told, and clean by now', of('clean', { wasTold: true }), ['nuke nux, MERGE_READY nux', 'close tw-wisp-1']],
    [
      'dirty, told, and it was decided that it goes on',
      living({ tree: 'dirty', goesOnMs: 5 }, { wasTold: true, isVoluntary: true, ageMs: MINUTE }),
      ['close tw-wisp-1'],
    ],
    ['dirty since such a decision', living({ tree: 'dirty', goesOnMs: MINUTE }, { ageMs: 5 }), HARD],
    ['dirty, and it says itself that it is done', living({ tree: 'dirty' }, ITS_WORD), NOT_DONE],
    [
      '… and its pane took no words until the deadline',
      living({ tree: 'dirty' }, { ...ITS_WORD, ageMs: 10 * MINUTE }),
      HARD,
    ],
    [
      '… and says so again, soon after it got the list',
      living({ tree: 'dirty', dirtyToldMs: 2 * MINUTE }, ITS_WORD),
      [],
    ],
    ['… or at the deadline', living({ tree: 'dirty', dirtyToldMs: 10 * MINUTE }, ITS_WORD), HARD],
    [
      '… and a killed town left its first cleanup open',
      living({ dirtyToldMs: 0, goesOnMs: 0 }, { ...ITS_WORD, ageMs: MINUTE }),
      ['close tw-wisp-1'],
    ],
    [
      'unpushed, on several branches, and it says itself that it is done',
      living({ tree: 'unpushed', left: LEFTS.scattered }, ITS_WORD),
      NOT_DONE,
    ],
    ['… and says so again', living({ tree: 'unpushed', left: LEFTS.scattered, dirtyToldMs: MINUTE }, ITS_WORD), []],
    [
      '… and is so at the deadline',
      living({ tree: 'unpushed', left: LEFTS.scattered, dirtyToldMs: 10 * MINUTE }, ITS_WORD),
      [WISH],
    ],
    ['… and has seen to it, and says so again', living({ hook: 'tw-1', dirtyToldMs: MINUTE }, ITS_WORD), [WISH]],
    ['… and has ended', { ...of('dirty', ITS_WORD) }, HARD],
    ['dirty, and the operator says that it is done', living({ tree: 'dirty' }, { isVoluntary: true }), HARD],
    ['no look told', of('unknown'), ['stand worktree-odd']],
    ['another repository', of('wrong'), ['stand worktree-odd']],
    ['gone', { wisps: [wisp()] }, ['close tw-wisp-1']],
    ['waits for its merge', of('clean', { state: 'merge-requested' }), []],
    [
      '… for more than a day',
      {
        polecats: [polecat({ session: 'dead', ageMs: 26 * 60 * MINUTE })],
        wisps: [wisp({ state: 'merge-requested', ageMs: 25 * 60 * MINUTE })],
      },
      HARD,
    ],
    ['older than its polecat', living({}, { isVoluntary: true, ageMs: 61 * MINUTE }), ['close tw-wisp-1']],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });

  const RENEWED = 'wisp cleanup:nux';
  // Rules: P-3, W-2.
  test.each<[string, Partial<PolecatSeen>, readonly string[]]>([
    ['works on, and is clean for a moment', { tree: 'clean', dirtyToldMs: MINUTE, goesOnMs: MINUTE }, []],
    ['… or has something unpushed', { tree: 'unpushed', dirtyToldMs: MINUTE, goesOnMs: MINUTE }, []],
    ['works on past the deadline', { tree: 'dirty', dirtyToldMs: 20 * MINUTE, stillMs: MINUTE }, []],
    ['leaves all as it is', { tree: 'dirty', dirtyToldMs: 10 * MINUTE, stillMs: 10 * MINUTE }, [RENEWED]],
    [
      '… and its commits on several branches',
      { tree: 'unpushed', left: LEFTS.scattered, dirtyToldMs: 10 * MINUTE, stillMs: 10 * MINUTE },
      [RENEWED],
    ],
    ['… and holds no work', { tree: 'dirty', hook: null, dirtyToldMs: 10 * MINUTE }, [RENEWED]],
    ['… before the deadline', { tree: 'dirty', dirtyToldMs: 9 * MINUTE, stillMs: 9 * MINUTE }, []],
    ['is clean, and silent', { tree: 'clean', dirtyToldMs: 30 * MINUTE, stillMs: 30 * MINUTE }, ['nudge hook']],
  ])('one that got the list of what it left, and %s', (_, more, acts) => {
    expect(actsOf({ polecats: [polecat(more)], rig: rig({ work: [hooked()] }) })).toEqual(acts);
  });

  // Rules: P-3, W-2, law 3.
  test('one that got that list and leaves all as it is wishes its end again, as the life that it has', () => {
    const undone = { tree: 'dirty', dirtyToldMs: 10 * MINUTE, stillMs: 10 * MINUTE, goesOnMs: 10 * MINUTE } as const;
    const [act] = cycleOf({ polecats: [polecat(undone)], rig: rig({ work: [hooked()] }) });
    expect(act).toMatchObject({ act: 'wisp', wish: { by: 'shop/polecats/nux', via: 'agent', life: 'life-1' } });
    expect(actsOf(living(undone, { ...ITS_WORD, ageMs: 1_000 }))).toEqual(HARD);
  });

  // Rules: P-3, W-2.
  test('a letter from before the list is no wish', () => {
    const [old, at] = [letter('POLECAT_DONE nux', { ageMs: 2 * MINUTE }), { goesOnMs: MINUTE }] as const;
    const of = (more: Partial<PolecatSeen>) => ({ letters: [old], polecats: [polecat(more)] });
    for (const tree of ['clean', 'unpushed', 'dirty'] as const)
      expect(actsOf(of({ tree, ...at }))).toEqual(['archive']);
    expect(actsOf(of({ goesOnMs: 3 * MINUTE }))).toEqual([WISH]);
  });

  // Rules: W-2.
  test('of one that said that it is done, what it did is given to no other meanwhile', () => {
    const [tree, work] = ['dirty', [hooked()]] as const;
    const at = { polecats: [polecat({ session: 'dead', tree })], rig: rig({ workers: [dead()], work }) };
    const told = { wasTold: true };
    expect(actsOf({ ...at, wisps: [wisp(told)] })).toEqual([AGAIN, 'reopen tw-1']);
    expect(actsOf({ ...at, wisps: [wisp({ ...told, isVoluntary: true })] })).toEqual([AGAIN]);
    const unknown = { ...at, polecats: [polecat({ session: 'dead', tree: 'unknown' })] };
    expect(actsOf({ ...unknown, letters: [letter('POLECAT_DONE nux')] })).toEqual(['stand worktree-odd']);
  });

  // Rules: W-2.
  test('more than five are told', () => {
    const wisps = Array.from({ length: 6 }, (_, n) => wisp({ id: `w${n}`, polecat: `p${n}`, wasTold: true }));
    const polecats = wisps.map(({ polecat: name }) => polecat({ name: name ?? '', tree: 'dirty' }));
    expect(actsOf({ wisps, polecats })).toEqual(['stand cleanups-wait', ...wisps.map(() => AGAIN)]);
  });
});

// Rules: W-5.
test.each<Row>([
  ['open work', { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 2, closed: 1 } })] }, []],
  [
    'none any more',
    { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 2, closed: 2 } })] },
    ['send mayor: SWARM_COMPLETE: b', 'close tw-wisp-1'],
  ],
  [
    'none any more, and no mayor lives',
    {
      wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 2, closed: 2 } })],
      hasMayor: false,
    },
    ['send mayor: SWARM_COMPLETE: b', 'send overseer: SWARM_COMPLETE: b', 'close tw-wisp-1'],
  ],
  ['none at all', { wisps: [wisp({ kind: 'swarm', polecat: null, swarm: { id: 'b', total: 0, closed: 0 } })] }, []],
])('a swarm with %s', (_, more, acts) => {
  expect(actsOf(more)).toEqual(acts);
});
