/** What a round does, in virtual time: each act and each step is an order of its own, and one that fails stops no other. */
import { expect, test } from 'vitest';
import { PATROL } from '../../machines/patrols/policy.ts';
import { triedAfter } from '../../machines/patrols/tried.ts';
import { POLICY } from '../../machines/policy.ts';
import { PATROLS } from '../../state/patrols/records.ts';
import { TOWN_STEPS, type PatrolRecord } from '../../machines/protocol/patrols.ts';
import { aboutOf } from '../../machines/witness/acting.ts';
import { CALM, HOUR, MINUTE, Rigs, TWO } from './rounds.ts';

// Rules: P-8, law 7.
test('each act of a cycle is an order of its own, and one that fails stops no other', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? TWO : { type: 'PATROLLED', found: CALM });
  rigs.act = ({ acts }) => {
    const [act] = acts;
    if (act?.act === 'spawn' && act.bead === 'tw-1') return { type: 'ORDER_FAILED', why: 'no such program' };
    return { type: 'ACTED', outcomes: [{ act: 'spawn', about: 'tw-2', done: true, text: 'ace' }], hasNewCase: false };
  };
  rigs.drive.restart(0);
  const given = rigs.drive.given('act');
  expect(given.slice(0, 2).map(({ acts }) => acts)).toMatchObject([
    [{ act: 'spawn', bead: 'tw-1' }],
    [{ act: 'spawn', bead: 'tw-2' }],
  ]);
  expect(rigs.drive.records.get('patrol/shop')?.value).toMatchObject({
    done: 1,
    undone: 1,
    tried: { 'spawn/tw-1': { cycles: 1, why: 'no such program' } },
  });
  // It is tried on, told once, and over when it was done.
  rigs.drive.run(HOUR);
  const alerts = () => rigs.drive.given('alert').filter(({ alert }) => alert.episode.startsWith('patrol-cannot'));
  expect(alerts().map(({ alert }) => alert.text)).toEqual([
    'The patrol of the rig shop could not give tw-1 to a new polecat: no such program.',
  ]);
  rigs.act = ({ acts }) => ({
    type: 'ACTED',
    outcomes: acts.map((act) => ({ act: act.act, about: aboutOf(act), done: true, text: '' })),
    hasNewCase: false,
  });
  rigs.drive.run(HOUR);
  expect(alerts()).toHaveLength(1);
  expect(rigs.drive.given('endAlert').some(({ episode }) => episode.startsWith('patrol-cannot'))).toBe(true);
});

// Rules: law 7.
test('what is remembered of an act that fails can be read again: the clock has parts of a millisecond', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? TWO : { type: 'PATROLLED', found: CALM });
  rigs.act = () => ({ type: 'ORDER_FAILED', why: 'no such program' });
  rigs.drive.restart(0);
  const record = rigs.drive.records.get('patrol/shop')?.value as PatrolRecord;
  const [deed] = [
    { act: 'spawn', about: 'tw-1', done: false, text: 'no such program', step: 'survey-workers' },
  ] as const;
  const tried = triedAfter(record.tried, [deed], 15_000.25, PATROL);
  expect(tried['spawn/tw-1']!.forMs).toBe(15_000.25);
  expect(PATROLS.decode(PATROLS.text({ ...record, tried }), 'shop.json')).toMatchObject({ ok: true });
});

// Rules: law 7.
test("each step of the Deacon's round is an order of its own, and one that fails neither stops nor hides another", () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? { type: 'PATROLLED', found: CALM } : { type: 'ROUND_OPENED', watched: [] });
  const landed = { act: 'land', about: 'tw-cv', done: true, text: 'all of it is closed' };
  rigs.step = ({ step }) => {
    if (step === 'gates') return { type: 'ORDER_FAILED', why: 'the ledger is busy' };
    const outcomes = step === 'convoys' ? [landed] : [];
    return { type: 'STEP_DONE', observed: { [step]: 1 }, outcomes, isActive: false };
  };
  rigs.drive.restart(0);
  rigs.drive.run(1_000);
  const given = rigs.drive.given('step');
  expect(given.map(({ step }) => step)).toEqual(TOWN_STEPS);
  expect(given[2]?.id).toMatchObject({ issuer: 'patrol', rig: 'deacon', verb: 'step', name: 'gates' });
  expect(rigs.drive.given('noteCycle').at(-1)).toMatchObject({ did: [{ step: 'convoys', ...landed }] });
  const record = () => rigs.drive.records.get('patrol/deacon')?.value;
  expect(record()).toMatchObject({ failures: 1, why: 'gates: the ledger is busy' });
  rigs.step = ({ step }) => ({
    type: 'STEP_DONE',
    observed: { [step]: 1 },
    outcomes: step === 'convoys' ? [landed] : [],
    isActive: false,
  });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(record()).toMatchObject({ failures: 0, why: null, done: 1, observed: { gates: 1, wisps: 1 } });
  // It did something: the next one comes soon.
  const before = rigs.cycles('deacon');
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(rigs.cycles('deacon')).toBe(before + 1);
});

// Rules: law 7, P-7, P-14.
test('what a step wants begun is an order of its own before the next step, and one that fails stops no other', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? { type: 'PATROLLED', found: CALM } : { type: 'ROUND_OPENED', watched: [] });
  const triage = { act: 'triage', about: '1 open case', says: 'a person is told of 1' } as const;
  const plugin = { act: 'plugin', about: 'tidy', says: null } as const;
  rigs.step = ({ step }) => {
    const wants = step === 'triage' ? [triage] : step === 'plugins' ? [plugin] : [];
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false, wants };
  };
  const { begin } = rigs;
  rigs.begin = (order) => (order.wanted.act === 'triage' ? { type: 'ORDER_FAILED', why: 'no memory' } : begin(order));
  rigs.drive.restart(0);
  rigs.drive.run(1_000);
  const given = rigs.drive.given('step', 'begin').map((one) => (one.type === 'begin' ? one.wanted.act : one.step));
  const wanted = TOWN_STEPS.flatMap((step) =>
    step === 'triage' ? [step, 'triage'] : step === 'plugins' ? [step, 'plugin'] : [step],
  );
  expect(given).toEqual(wanted);
  expect(rigs.drive.given('begin')[0]?.id).toMatchObject({ issuer: 'patrol', verb: 'act', name: 'triage/1 open case' });
  const undone = { step: 'triage', act: 'triage', about: '1 open case', done: false, text: 'no memory' };
  expect(rigs.drive.given('noteCycle').at(-1)).toMatchObject({ did: [undone] });
  // It is tried on, and an alert once it lasts; the check of a condition is no deed.
  expect(rigs.drive.records.get('patrol/deacon')?.value).toMatchObject({ failures: 0, done: 0, undone: 1 });
});

test('what a killed town was at is looked at anew, and no act is given on the word of an old look', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? TWO : { type: 'PATROLLED', found: CALM });
  rigs.act = () => null;
  rigs.drive.restart(0);
  expect(rigs.drive.given('act')).toHaveLength(1);
  rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
  rigs.drive.restart(MINUTE);
  expect(rigs.drive.given('act')).toHaveLength(1);
});
