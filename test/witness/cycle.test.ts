/** A polecat by what it says and does, and what no cycle may do on any sight. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { witnessCycle } from '../../machines/witness/cycle.ts';
import type { CycleAct } from '../../machines/witness/cycle-step.ts';
import type { CheckSeen } from '../../machines/witness/check-seen.ts';
import type { HookMemory, PolecatSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { WITNESS } from '../../machines/witness/policy.ts';
import { handed, hooked, LEFTS, letter, MINUTE, polecat, rig, seen, wisp, worker, SENDERS } from '../patrols/seen.ts';
import { actsOf, cycleOf, one, WISH, type Row } from './acts.ts';

// Rules: W-5.
test('its steps are those of a worker patrol, in their order', () => {
  expect(witnessCycle(seen(), { witness: WITNESS, patrol: PATROL }).map(({ step }) => step)).toEqual([
    'inbox-check',
    'process-cleanups',
    'check-refinery',
    'survey-workers',
    'check-timer-gates',
    'check-swarm-completion',
    'ping-deacon',
    'patrol-cleanup',
  ]);
});

const PASSED = { nudged: 'with deadline', deadlineMs: 10 * MINUTE } as const;
const STUCK = 'triage stuck_agent';
const NOTHING = { nudgedMs: null, askedMs: null, exemptMs: null, refusedMs: null, unspoken: null };

describe('polecats', () => {
  const idle = (minutes: number, more: Partial<PolecatSeen> = {}): Partial<WitnessSeen> => ({
    polecats: [polecat({ idleMs: minutes * MINUTE, stillMs: minutes * MINUTE, ...more })],
  });
  // Rules: P-3, W-4.
  test.each<Row>([
    ['works', idle(4), []],
    ['is idle for five minutes', idle(5), ['nudge gentle']],
    ['… and was nudged', idle(6, { nudged: 'gently' }), []],
    ['is idle for fifteen', idle(15, { nudged: 'gently' }), ['nudge deadline']],
    ['has a deadline', idle(20, { nudged: 'with deadline', deadlineMs: 5 * MINUTE }), []],
    ['let it pass', idle(26, { nudged: 'with deadline', deadlineMs: 10 * MINUTE }), ['triage stuck_agent']],
    ['… and its screen says why', idle(26, { ...PASSED, hookMemory: { ...NOTHING, exemptMs: MINUTE } }), []],
    ['… and its screen is unknown', idle(26, { ...PASSED, hookMemory: { ...NOTHING, unspoken: 'a box' } }), [STUCK]],
    ['is idle, and was at work a moment ago', idle(6, { hookMemory: { ...NOTHING, refusedMs: 4 * MINUTE } }), []],
    ['… and a while ago', idle(10, { hookMemory: { ...NOTHING, refusedMs: 5 * MINUTE } }), ['nudge gentle']],
    ['is idle for fifteen, and at work', idle(16, { hookMemory: { ...NOTHING, refusedMs: MINUTE } }), []],
    ['is idle, as it says, and its work moves', idle(20, { stillMs: 4 * MINUTE }), []],
    ['is idle, and has no work', idle(5, { hook: null, stillMs: 0 }), ['nudge gentle']],
    ['just began', idle(20, { ageMs: MINUTE }), []],
    ['says it is stuck', one({ report: 'stuck' }), ['triage stuck_agent']],
    ['waits for a person, for two hours', one({ report: 'asks', stillMs: 120 * MINUTE, idleMs: 120 * MINUTE }), []],
    ['says it is idle, and has work', one({ report: 'idle' }), []],
    ['… and a cleanup is open', { ...one({ report: 'idle' }), wisps: [wisp()] }, ['end, heard first']],
    ['says it is done, and is clean', one({ doneIntentMs: 2 * MINUTE }), [WISH]],
    ['… and has ended', one({ doneIntentMs: 2 * MINUTE, session: 'dead' }), ['nuke nux, MERGE_READY nux']],
    [
      '… as seen once, a minute after it began',
      one({ doneIntentMs: 2 * MINUTE, session: 'dead', isConfirmed: false, ageMs: MINUTE }),
      ['nuke nux, MERGE_READY nux'],
    ],
    ['says it is done, and is not', one({ doneIntentMs: 2 * MINUTE, tree: 'unpushed' }), ['wisp cleanup:nux']],
    ['began to finish a minute ago', one({ doneIntentMs: MINUTE }), []],
    ['… and more than that', one({ doneIntentMs: MINUTE + 1 }), [WISH]],
    [
      '… as a label says that anybody wrote',
      one({ doneIntentMs: MINUTE + 1, isOwnIntent: false }),
      ['end, heard first'],
    ],
    ['… and has ended', one({ doneIntentMs: 2 * MINUTE, session: 'dead' }), ['nuke nux, MERGE_READY nux']],
    ['goes on though its work was closed', one({ ...CLOSED, closedMs: 0 }), ['nudge closed']],
    ['… as it was told', one({ ...CLOSED, closedToldMs: 9 * MINUTE }), []],
    ['… ten minutes ago', one({ ...CLOSED, closedToldMs: 10 * MINUTE }), ['end, heard first']],
    ['… and is dirty', one({ ...CLOSED, closedToldMs: 10 * MINUTE, tree: 'dirty' }), ['wisp cleanup:nux']],
    ['… and cannot be told for half an hour', one({ ...CLOSED, closedMs: 30 * MINUTE }), ['end, heard first']],
    ['… and says it is idle', one({ ...CLOSED, report: 'idle' }), [WISH]],
    ['… and is dead', one({ ...CLOSED, session: 'dead' }), ['nuke nux']],
    ['has nothing to do, and is clean', one({ report: 'idle', hook: null }), [WISH]],
    [
      'has nothing to do, and is dirty',
      one({ report: 'idle', hook: null, tree: 'dirty' }),
      ['send mayor: IDLE_DIRTY: nux has uncommitted work'],
    ],
    ['is dead without work', one({ session: 'dead', hook: null }), ['nuke nux']],
    ['seems dead', one({ session: 'dead', hook: null, isConfirmed: false }), []],
    ['is dead, and was heard of since', one({ session: 'dead', isDisputed: true }), ['triage zombie_confirm']],
    ['cannot be seen', one({ session: 'unknown', report: 'stuck' }), []],
    ['is done, and git does not answer', one({ doneIntentMs: 2 * MINUTE, tree: 'unknown' }), []],
    ['works in another worktree', one({ tree: 'wrong' }), ['stand worktree-odd']],
  ])('one that %s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

// Rules: P-3.
test.each<Row>([
  [
    'is done, and git does not answer',
    one({ session: 'dead', doneIntentMs: 2 * MINUTE, tree: 'unknown' }),
    ['stand worktree-odd'],
  ],
  [
    'is done, and has another worktree',
    one({ session: 'dead', doneIntentMs: 2 * MINUTE, tree: 'wrong' }),
    ['stand worktree-odd'],
  ],
  ['was heard of since it died', one({ session: 'dead', isDisputed: true }), ['triage zombie_confirm']],
  ['is dead', one({ session: 'dead' }), ['reopen tw-1']],
])('the work of one that %s is taken back by dispatch alone', (_, more, acts) => {
  const workers = [worker({ session: 'dead' })];
  expect(actsOf({ ...more, rig: rig({ hasAgent: false, workers, work: [hooked()] }) })).toEqual(acts);
});

/** Its work was closed. */
const CLOSED = { hook: null, isHookClosed: true } as const;

const CHECKS = {
  due: { is: 'due' },
  running: { is: 'running' },
  passed: { is: 'passed' },
  failed: { is: 'failed', commit: 'c1', text: 'red', toldMs: null },
  again: { is: 'failed', commit: 'c1', text: 'red', toldMs: MINUTE },
  unknown: { is: 'unknown', text: 'it did not end', agoMs: 60 * MINUTE },
} as const satisfies Record<string, CheckSeen>;

/** It counts as done, and its check has not passed. */
function endsUnchecked(act: CycleAct, polecats: readonly PolecatSeen[]): boolean {
  if (!(act.act === 'end' && act.isVoluntary) && !(act.act === 'nuke' && act.ready !== null)) return false;
  const check = polecats.find(({ agent }) => agent === act.agent)?.check ?? null;
  return check !== null && check.is !== 'passed';
}

const anyPolecat = fc.record({
  uuid: fc.constant('u-nux'),
  name: fc.constantFrom('nux', 'ada'),
  agent: fc.constant('shop/polecats/nux'),
  session: fc.constantFrom('alive', 'dead', 'unknown'),
  tree: fc.constantFrom('clean', 'unpushed', 'dirty', 'unknown', 'wrong'),
  treeText: fc.string(),
  branch: fc.constant('polecat/nux'),
  main: fc.constant(null),
  left: fc.constantFrom(...Object.values(LEFTS)),
  check: fc.constantFrom(null, ...Object.values(CHECKS)),
  emptyToldMs: fc.option(fc.nat(60 * MINUTE)),
  dirtyToldMs: fc.option(fc.nat(60 * MINUTE)),
  hook: fc.constantFrom(null, 'tw-1'),
  isHookClosed: fc.boolean(),
  former: fc.option(
    fc.record({
      bead: fc.constant('tw-1'),
      is: fc.constantFrom('done', 'aside', 'other'),
      text: fc.string(),
      again: fc.string(),
    }),
  ),
  closedMs: fc.option(fc.nat(60 * MINUTE)),
  closedToldMs: fc.option(fc.nat(60 * MINUTE)),
  report: fc.constantFrom(null, 'working', 'idle', 'asks', 'stuck'),
  life: fc.constantFrom(null, 'life-1'),
  ageMs: fc.option(fc.nat(60 * MINUTE)),
  idleMs: fc.option(fc.nat(60 * MINUTE)),
  stillMs: fc.nat(180 * MINUTE),
  hookMemory: fc.record({
    nudgedMs: fc.option(fc.nat(180 * MINUTE)),
    askedMs: fc.option(fc.nat(180 * MINUTE)),
    exemptMs: fc.option(fc.nat(180 * MINUTE)),
    refusedMs: fc.option(fc.nat(180 * MINUTE)),
    unspoken: fc.option(fc.constant('it is not known where it takes text')),
  }),
  nudged: fc.constantFrom('never', 'gently', 'with deadline'),
  deadlineMs: fc.option(fc.nat(60 * MINUTE)),
  isConfirmed: fc.boolean(),
  isDisputed: fc.boolean(),
  doneIntentMs: fc.option(fc.nat(10 * MINUTE)),
  isOwnIntent: fc.boolean(),
  goesOnMs: fc.option(fc.nat(60 * MINUTE)),
}) satisfies fc.Arbitrary<PolecatSeen>;
const anyLetter = fc
  .constantFrom('POLECAT_DONE nux', 'MERGED ada', 'MERGE_FAILED nux', 'LIFECYCLE: shutdown', 'HELP: x', 'hello')
  .chain((subject) =>
    fc
      .record({ isStale: fc.boolean(), sender: fc.constantFrom(...Object.values(SENDERS)) })
      .map((more) => letter(subject, more)),
  );
const anyWisp = fc
  .record({
    polecat: fc.constantFrom('nux', 'ada', null),
    state: fc.constantFrom('pending', 'merge-requested'),
    ageMs: fc.nat(48 * 60 * MINUTE),
    wasTold: fc.boolean(),
    isVoluntary: fc.boolean(),
    wishLife: fc.constantFrom(null, 'u-nux'),
  })
  .map(wisp);

/** Words for one whose pane took none a moment ago. */
function retried(acts: readonly CycleAct[], polecats: readonly PolecatSeen[]): CycleAct[] {
  const refused = polecats.filter(
    ({ hookMemory: { refusedMs } }) => refusedMs !== null && refusedMs < WITNESS.nudgeAgainMs,
  );
  return acts.filter((act) => act.act === 'nudge' && refused.some(({ agent }) => agent === act.agent));
}

/** Of one agent: it ends or goes, and is spoken to, judged, or loses its work; or it goes and ends. */
function contradictions(acts: readonly CycleAct[]): string[] {
  const of = (...kinds: readonly CycleAct['act'][]): string[] =>
    acts.flatMap((act) => {
      if (!kinds.includes(act.act)) return [];
      return 'agent' in act ? [act.agent] : 'from' in act ? [act.from] : [];
    });
  const settled = of('nuke', 'end');
  const later = of('nudge', 'triage', 'reopen', 'fail').filter((agent) => settled.includes(agent));
  return [...later, ...settled.filter((agent, at) => settled.indexOf(agent) !== at)];
}

test('what rests on an act that waits for the next cycle waits with it', () => {
  const polecats = [polecat({ session: 'dead', hook: null, tree: 'clean' })];
  const late = wisp({ id: 'w1', state: 'merge-requested', ageMs: 48 * 60 * MINUTE });
  const at = {
    polecats: polecats.map((one) => ({ ...one, ageMs: 72 * 60 * MINUTE })),
    wisps: [late, wisp({ id: 'w2' })],
  };
  expect(actsOf(at)).toEqual(['triage dirty_polecat', 'send mayor: RECOVERY_NEEDED shop/nux', 'label']);
  expect(actsOf({ ...at, wisps: [{ ...late, wasTold: true }, wisp({ id: 'w2' })] })).toEqual(['nuke nux', 'close w2']);
});

const refused = (minutes: number) => ({ ...NOTHING, refusedMs: minutes * MINUTE });

// Rules: W-4.
test.each<[what: string, at: (hookMemory: HookMemory) => Partial<WitnessSeen>, acts: readonly string[]]>([
  ['its work is closed', (hookMemory) => one({ ...CLOSED, hookMemory }), ['nudge closed']],
  [
    'it left something',
    (hookMemory) => ({
      ...one({ tree: 'dirty', hookMemory }),
      wisps: [wisp({ isVoluntary: true, wishLife: 'u-nux', ageMs: MINUTE })],
    }),
    ['nudge dirty', 'close tw-wisp-1'],
  ],
  [
    'it committed nothing',
    (hookMemory) => ({ ...one({ left: LEFTS.nothing, hookMemory }), letters: [letter('POLECAT_DONE nux')] }),
    ['nudge empty', 'archive'],
  ],
  [
    'its check fails',
    (hookMemory) => ({ ...one({ check: CHECKS.failed, hookMemory }), letters: [letter('POLECAT_DONE nux')] }),
    ['send shop/polecats/nux: Not done: the check of c1 fails', 'nudge red', 'archive'],
  ],
])('that %s is said to a pane that took no words a moment ago once the window is over', (_, at, acts) => {
  expect(actsOf(at(refused(5)))).toEqual(acts);
  expect(actsOf(at(refused(4))).filter((act) => !act.startsWith('send'))).toEqual([]);
});

// Rules: P-3.
test('property: only a clean polecat, or an unpushed one that is pushed first, is ever nuked, each once, and nothing contradicts it', () => {
  fc.assert(
    fc.property(
      fc
        .uniqueArray(anyPolecat, { selector: ({ name }) => name })
        .map((all) => all.map((one) => ({ ...one, agent: `shop/polecats/${one.name}` }))),
      fc.array(anyLetter, { maxLength: 4 }),
      fc.array(anyWisp, { maxLength: 3 }),
      fc.nat(2),
      fc.array(fc.constantFrom('yes', 'no', 'unknown'), { maxLength: 1 }),
      (polecats, letters, wisps, attempts, isMerged) => {
        const workers = polecats.map(({ agent, session }) => worker({ agent, session }));
        const around = rig({ workers, work: [hooked({ attempts })] });
        const acts = cycleOf({
          polecats,
          letters,
          wisps,
          rig: around,
          handed: isMerged.map((one) => handed({ isMerged: one })),
        });
        const nukes = acts.filter((act) => act.act === 'nuke');
        expect(new Set(nukes.map((act) => act.polecat)).size).toBe(nukes.length);
        for (const { polecat: name, push } of nukes) {
          const { tree, session } = polecats.find((one) => one.name === name)!;
          expect(session).not.toBe('alive');
          expect(tree).toBe(push ? 'unpushed' : 'clean');
        }
        expect(acts.filter((act) => endsUnchecked(act, polecats))).toEqual([]);
        expect(contradictions(acts)).toEqual([]);
        expect(retried(acts, polecats)).toEqual([]);
      },
    ),
  );
});
