/** Each kind of message has its act, and is put away only after all that it led to. */
import { describe, expect, test } from 'vitest';
import type { LetterSeen, PolecatSeen, WitnessSeen } from '../../machines/witness/observation.ts';
import { handed, hooked, letter, MINUTE, NUX, polecat, rig, wisp, work, worker } from '../patrols/seen.ts';
import { actsOf, cycleOf, one, WISH, type Row } from './acts.ts';

const WITH_REFINERY = work({ status: 'in_progress', assignee: 'shop/refinery' });

describe('mail', () => {
  const READY = 'nuke nux, MERGE_READY nux';
  const DECISION = 'send mayor: Escalation: nux needs a decision';
  const mail = (subject: string, more: Partial<WitnessSeen> = {}, how: Partial<LetterSeen> = {}) => ({
    ...more,
    letters: [letter(subject, how)],
  });
  // Rules: P-2, W-1.
  test.each<Row>([
    ['started', mail('POLECAT_STARTED nux'), ['archive']],
    ['done and clean', mail('POLECAT_DONE nux', one({ session: 'dead' })), [READY, 'archive']],
    ['done and clean, and it lives', mail('POLECAT_DONE nux', one()), [WISH]],
    ['how the end of one came out', mail('VERDICT: gt-shop-nux executed', {}, { from: 'town' }), ['archive']],
    [
      'a shutdown is the same',
      mail('LIFECYCLE:Shutdown nux', one({ session: 'dead' }), { body: 'Polecat: nux' }),
      [READY, 'archive'],
    ],
    ['done and dirty', mail('POLECAT_DONE nux', one({ tree: 'dirty' })), ['wisp cleanup:nux', 'archive']],
    [
      '… and a cleanup is open',
      mail('POLECAT_DONE nux', {
        polecats: [polecat({ tree: 'dirty' })],
        wisps: [wisp({ wasTold: true, isVoluntary: true })],
      }),
      ['archive', 'triage dirty_polecat'],
    ],
    [
      '… which was no wish of its: it learns of that',
      mail('POLECAT_DONE nux', { polecats: [polecat({ tree: 'dirty' })], wisps: [wisp({ wasTold: true })] }),
      ['wisp cleanup:nux', 'archive'],
    ],
    [
      '… which an unknown life wished: it learns which one did',
      mail(
        'POLECAT_DONE nux',
        { polecats: [polecat({ tree: 'dirty' })], wisps: [wisp({ wasTold: true, isVoluntary: true })] },
        { life: 'life-1' },
      ),
      ['wisp cleanup:nux', 'archive'],
    ],
    ['done, and git does not answer', mail('POLECAT_DONE nux', one({ tree: 'unknown' })), []],
    ['done by an unknown polecat', mail('POLECAT_DONE nux'), ['archive']],
    ['done by an earlier life', mail('POLECAT_DONE nux', one(), { isStale: true }), ['archive']],
    [
      'merged',
      mail('MERGED nux', {
        wisps: [wisp()],
        polecats: [polecat({ tree: 'unknown' })],
        handed: [handed({ isMerged: 'yes' })],
      }),
      // The cleanup is about the polecat that has the name now.
      ['close tw-1', 'archive', 'close tw-1'],
    ],
    [
      'merged, it says',
      mail('MERGED nux', { handed: [handed({ isMerged: 'no' })] }),
      ['send mayor: RECOVERY_NEEDED shop/nux', 'archive'],
    ],
    ['merged, and the remote does not answer', mail('MERGED nux', { handed: [handed()] }), []],
    ['… for an hour', mail('MERGED nux', { handed: [handed()] }, { ageMs: 60 * MINUTE }), ['stand merge-unproved']],
    [
      'merged, and nothing of the kind was handed over',
      mail('MERGED nux', { rig: rig({ work: [hooked()] }) }),
      ['archive'],
    ],
    [
      'merge failed, no polecat is there, and says not which work',
      mail('MERGE_FAILED nux', { rig: rig({ work: [WITH_REFINERY] }), handed: [handed({ requests: ['r1'] })] }),
      ['reopen tw-1', 'withdraw', 'archive'],
    ],
    [
      'merge failed, and the main branch has it all the same',
      mail('MERGE_FAILED nux', { handed: [handed({ isMerged: 'yes' })] }),
      ['close tw-1', 'archive', 'close tw-1'],
    ],
    [
      'merge failed, its polecat lives',
      mail('MERGE_FAILED nux', one()),
      ['send shop/polecats/nux: Rework: your branch polecat/nux could not be merged', 'archive'],
    ],
    [
      'merge failed, and another polecat has the name by now',
      mail('MERGE_FAILED nux', {
        polecats: [polecat({ hook: 'tw-2' })],
        rig: rig({ work: [WITH_REFINERY] }),
        handed: [handed()],
      }),
      ['reopen tw-1', 'archive'],
    ],
    [
      'merge failed of what a person handed over while its polecat lives',
      mail('MERGE_FAILED nux', { ...one(), handed: [handed({ bead: null, isOfGone: false })] }),
      ['send shop/polecats/nux: Rework: your branch polecat/nux could not be merged', 'archive'],
    ],
    [
      'merge failed, no polecat is there',
      mail('MERGE_FAILED nux', { handed: [handed()] }, { body: 'Issue: tw-1' }),
      ['reopen tw-1', 'archive'],
    ],
    [
      'merge failed, and it was the last attempt',
      mail(
        'MERGE_FAILED nux',
        { rig: rig({ work: [{ ...WITH_REFINERY, attempts: 2 }] }), handed: [handed()] },
        { body: 'Issue: tw-1' },
      ),
      ['fail', 'archive'],
    ],
    [
      'done, and its end was cut off',
      mail('POLECAT_DONE nux', one({ session: 'dead', tree: 'going' })),
      [READY, 'archive'],
    ],
    [
      'two decisions of one polecat',
      { letters: [letter('HELP: which of both?'), letter('HELP: decide for me', { id: 'm2' })] },
      [DECISION, 'archive', DECISION, 'archive'],
    ],
    ['a lifecycle of no known action', mail('LIFECYCLE: dance'), ['stand witness-mail', 'shelve']],
    ['what an agent asks about its own life', mail('LIFECYCLE: restart'), ['forward', 'archive']],
    [
      '… who is no polecat',
      mail('LIFECYCLE: shutdown', {}, { sender: { is: 'other', polecat: null } }),
      ['forward', 'archive'],
    ],
    ['merge failed of unknown work', mail('MERGE_FAILED nux'), ['triage help_request', 'archive']],
    ['merge failed, unknown whether it lives', mail('MERGE_FAILED nux', one({ session: 'unknown' })), []],
    ['help', mail('HELP: tests fail'), ['triage help_request', 'archive']],
    ['an emergency', mail('HELP: emergency, data loss'), ['tell', 'archive']],
    ['a failure, with any request', mail('HELP: tests failed, please decide'), ['triage help_request', 'archive']],
    ['a question', mail('HELP: which test is slow?'), ['triage help_request', 'archive']],
    ['a decision', mail('HELP: which of both?'), ['send mayor: Escalation: nux needs a decision', 'archive']],
    ['a handoff', mail('HANDOFF'), ['archive']],
    ['a swarm', mail('SWARM_START', {}, { body: 'SwarmID: b\nBeads: tw-1' }), ['follow b', 'archive']],
    [
      'a swarm that is tracked',
      mail(
        'SWARM_START',
        { wisps: [wisp({ kind: 'swarm', polecat: null, state: null, swarm: { id: 'b', total: 1, closed: 0 } })] },
        { body: 'SwarmID: b\nBeads: tw-1' },
      ),
      ['archive'],
    ],
    ['a swarm without a name', mail('SWARM_START'), ['tell', 'archive']],
    ['… without beads', mail('SWARM_START', {}, { body: 'SwarmID: b' }), ['tell', 'archive']],
    [
      '… with a bead that is not there',
      mail('SWARM_START', {}, { body: 'SwarmID: b\nBeads: tw-1 tw-9', unknownBeads: ['tw-9'] }),
      ['tell', 'archive'],
    ],
    [
      '… whose name an earlier one has',
      mail('SWARM_START', {}, { body: 'SwarmID: b\nBeads: tw-1', isNameTaken: true }),
      ['tell', 'archive'],
    ],
    ['… that says nine', mail('SWARM_START', {}, { body: 'SwarmID: b\nBeads: tw-1\nTotal: 9' }), ['tell', 'archive']],
    [
      '… that says many',
      mail('SWARM_START', {}, { body: 'SwarmID: b\nBeads: tw-1\nTotal: many' }),
      ['tell', 'archive'],
    ],
    [
      '… with another’s name in it',
      mail('SWARM_START', {}, { body: 'SwarmID: ../b\nBeads: tw-1' }),
      ['tell', 'archive'],
    ],
    ['a breach', mail('HELP: we had a breach'), ['tell', 'archive']],
    ['corrupt data', mail('HELP: tests failed', {}, { body: 'data corruption in the ledger' }), ['tell', 'archive']],
    ['blocked', mail('Blocked: waits for a key'), ['triage help_request', 'archive']],
    ['blocked by a breach', mail('BLOCKED: a breach'), ['tell', 'archive']],
    ['blocked, in its own words', mail('blocked on tw-2: which option?'), ['triage help_request', 'archive']],
    ['anything else is kept apart, and is told', mail('lunch?'), ['stand witness-mail', 'shelve']],
    ['what informs stays', mail('ALERT: x'), []],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});

// Rules: P-2.
test('a letter is put away, and a cleanup closed, only after all that it led to', () => {
  const rests = (more: Partial<WitnessSeen>) => {
    const acts = cycleOf(more);
    const last = acts.at(-1);
    return last !== undefined && 'rests' in last && last.rests.every((one, at) => one === acts[at]);
  };
  const gone = polecat({ session: 'dead' });
  expect(rests({ letters: [letter('HELP: tests fail')] })).toBe(true);
  expect(rests({ polecats: [gone], letters: [letter('POLECAT_DONE nux')] })).toBe(true);
  expect(rests({ polecats: [gone], wisps: [wisp()] })).toBe(true);
  expect(rests({ polecats: [polecat({ ...gone, tree: 'dirty' })], wisps: [wisp()] })).toBe(true);
});

// Rules: P-2.
test('two letters and a report about one polecat nuke it once', () => {
  const letters = [letter('POLECAT_DONE nux'), letter('POLECAT_DONE nux', { id: 'm2' })];
  const nukes = actsOf({ polecats: [polecat({ doneIntentMs: 2 * MINUTE, session: 'dead' })], letters }).filter((act) =>
    act.startsWith('nuke nux'),
  );
  expect(nukes).toHaveLength(1);
});

describe('what says two things about one in a cycle: mail goes before a look, and what is done before what is taken back', () => {
  const workers = [worker({ session: 'dead' })];
  const DONE = [letter('POLECAT_DONE nux')];
  const of = (tree: PolecatSeen['tree'], attempts = 0): Partial<WitnessSeen> => ({
    polecats: [polecat({ session: 'dead', tree })],
    rig: rig({ workers, work: [hooked({ attempts })] }),
  });
  const READY = 'nuke nux, MERGE_READY nux';
  // Rules: P-1.
  test.each<Row>([
    ['dead, and its work was done', { ...of('clean'), letters: DONE }, [READY, 'archive']],
    ['… at the last attempt', { ...of('clean', 2), letters: DONE }, [READY, 'archive']],
    ['dead, done and not pushed', { ...of('unpushed'), letters: DONE }, ['wisp cleanup:nux', 'archive']],
    [
      '… and its cleanup waits for a decision',
      { ...of('dirty'), wisps: [wisp({ isVoluntary: true, wasTold: true })] },
      ['triage dirty_polecat'],
    ],
    [
      '… which is of an earlier one of the name',
      { ...of('dirty'), wisps: [wisp({ isVoluntary: true, wasTold: true, ageMs: 61 * MINUTE })] },
      ['close tw-wisp-1', 'reopen tw-1'],
    ],
    [
      'dead and clean, while what was decided about it is half done',
      { ...of('clean'), wisps: [wisp({ isVoluntary: true, wasTold: true })], decided: [NUX] },
      [],
    ],
    [
      'dead, and its cleanup is no wish of its',
      { ...of('dirty'), wisps: [wisp({ wasTold: true })] },
      ['triage dirty_polecat', 'reopen tw-1'],
    ],
    ['done, and idle for long', { polecats: [polecat({ idleMs: 20 * MINUTE })], letters: DONE }, [WISH]],
    ['done, and stuck', { polecats: [polecat({ report: 'stuck' })], letters: DONE }, [WISH]],
    [
      'merged, and ready',
      { handed: [handed({ isMerged: 'yes' })], letters: [letter('MERGED nux', { body: 'Issue: tw-1' })] },
      ['close tw-1', 'archive', 'close tw-1'],
    ],
    [
      'not merged, and ready',
      {
        rig: rig({ work: [WITH_REFINERY] }),
        handed: [handed({ isMerged: 'no' })],
        letters: [letter('MERGE_FAILED nux', { body: 'Issue: tw-1' })],
      },
      ['reopen tw-1', 'archive'],
    ],
  ])('%s', (_, more, acts) => {
    expect(actsOf(more)).toEqual(acts);
  });
});
