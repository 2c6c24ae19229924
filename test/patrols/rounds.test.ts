/** The keeper of the ledger and the rounds of a running town, in virtual time: pace, crashes, failures, rigs that come and go. */
import { expect, test } from 'vitest';
import { CASE_MS, PATROL } from '../../machines/patrols/policy.ts';
import { triedAfter } from '../../machines/patrols/tried.ts';
import { POLICY } from '../../machines/policy.ts';
import { PATROLS } from '../../state/patrols/records.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { Order, OutcomeBody } from '../../machines/protocol.ts';
import {
  TOWN_STEPS,
  type EscalationSeen,
  type Patrolled,
  type PatrolRecord,
  type RigLook,
} from '../../machines/protocol/patrols.ts';
import { aboutOf } from '../../machines/witness/acting.ts';
import { Drive, townInput, WALL } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import type { WitnessSeen } from '../../machines/witness/observation.ts';
import { rig, seen, work } from './seen.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CALM: Patrolled = { observed: {}, deeds: [], stranded: [], isActive: false, isPaused: false };

/** A root with rigs, and what befalls their cycles. */
class Rigs {
  rigs: string[] = ['shop'];
  hasLedger = true;
  backedUpAt: number | null = WALL;
  patrol: (of: string) => OutcomeBody | null = () => ({ type: 'PATROLLED', found: CALM });
  act: (order: Extract<Order, { type: 'act' }>) => OutcomeBody | null = () => ({
    type: 'ACTED',
    outcomes: [],
    hasNewCase: false,
  });
  step: (order: Extract<Order, { type: 'step' }>) => OutcomeBody = () => {
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false };
  };
  begin: (order: Extract<Order, { type: 'begin' }>) => OutcomeBody = ({ wanted: { act, about, says } }) => {
    const outcomes = says === null ? [] : [{ act, about, done: true, text: says }];
    return { type: 'ACTED', outcomes, hasNewCase: false };
  };
  open: () => OutcomeBody = () => ({ type: 'LEDGER_OPENED', backedUpAt: this.backedUpAt });
  escalations: readonly EscalationSeen[] = [];
  readonly drive: Drive;

  constructor(more: Partial<Pick<Rigs, 'rigs' | 'hasLedger' | 'backedUpAt'>> = {}) {
    Object.assign(this, more);
    const hands: SimHands = {
      readRigs: () => ({ type: 'RIGS_READ', rigs: this.rigs, hasLedger: this.hasLedger }),
      openLedger: () => this.open(),
      backUpLedger: (_, now) => ({ type: 'LEDGER_BACKED_UP', backedUpAt: (this.backedUpAt = WALL + now) }),
      readEscalations: () => ({ type: 'ESCALATIONS_READ', open: this.escalations }),
      patrol: ({ of }) => this.patrol(of),
      act: (order) => this.act(order),
      step: (order) => this.step(order),
      begin: (order) => this.begin(order),
      noteCycle: { type: 'CYCLE_NOTED' },
      announce: { type: 'ANNOUNCED' },
    };
    this.drive = new Drive(hands, { input: townInput(POLICY, { rigs: DEFAULTS.patrols }) });
  }

  cycles(of = 'shop'): number {
    return this.drive.given('patrol').filter((one) => one.of === of).length;
  }
}

test('a town without rigs and without a ledger looks for them, and does nothing else', () => {
  const { drive } = new Rigs({ rigs: [], hasLedger: false });
  drive.run(HOUR);
  expect(drive.given('openLedger', 'patrol', 'backUpLedger', 'readPatrol', 'alert')).toEqual([]);
  expect(drive.given('readRigs').length).toBeGreaterThan(50);
});

// Rules: P-1, P-18.
test('a calm hour: a cycle in five minutes, no alert and no message; somebody at work: four a minute', () => {
  const rigs = new Rigs();
  rigs.drive.run(HOUR);
  expect([rigs.cycles(), rigs.cycles('deacon')]).toEqual([13, 13]);
  expect(rigs.drive.given('alert', 'mail', 'nudge')).toEqual([]);
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isActive: true } });
  rigs.drive.run(5 * MINUTE);
  const before = rigs.cycles();
  rigs.drive.run(10 * MINUTE);
  expect(rigs.cycles() - before).toBe(40);
});

test('a cycle that does not end is not begun again, and holds no other', () => {
  const rigs = new Rigs({ rigs: ['shop', 'bank'] });
  rigs.patrol = (of) => (of === 'shop' ? null : { type: 'PATROLLED', found: CALM });
  rigs.drive.restart(0);
  const [before, others] = [rigs.cycles(), rigs.cycles('bank')];
  rigs.drive.run(HOUR);
  expect(rigs.cycles()).toBe(before);
  expect(rigs.cycles('bank') - others).toBeGreaterThan(10);
});

test('cycles that come to nothing are told once, tried on, and over once', () => {
  const rigs = new Rigs();
  rigs.patrol = () => ({ type: 'ORDER_FAILED', why: 'the rig is busy' });
  rigs.drive.run(HOUR);
  expect(rigs.drive.given('alert').map(({ alert }) => alert.episode)).toEqual([
    'patrol-fails/deacon',
    'patrol-fails/shop',
  ]);
  const ends = () => rigs.drive.given('endAlert').filter(({ episode }) => episode === 'patrol-fails/shop').length;
  const before = ends();
  rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
  rigs.drive.run(HOUR);
  expect(ends() - before).toBe(1);
  expect(rigs.drive.given('alert')).toHaveLength(2);
});

test('after a kill -9 the next town goes on with the next cycle, at once', () => {
  const rigs = new Rigs();
  rigs.drive.run(HOUR);
  const before = rigs.drive.records.get('patrol/shop')?.value as { cycle: number };
  rigs.drive.restart(10 * MINUTE);
  rigs.drive.run(1_000);
  expect(rigs.drive.records.get('patrol/shop')?.value).toMatchObject({ cycle: before.cycle + 1 });
});

// Rules: P-18.
test('cycles that needed a decision are counted among all, over kills of the town and cycles that came to nothing', () => {
  const rigs = new Rigs();
  const found = (needs_triage: number): Patrolled => ({ ...CALM, observed: { triage: needs_triage, needs_triage } });
  const counts = () =>
    (rigs.drive.records.get('patrol/deacon')?.value as { observed: Record<string, number> }).observed;
  rigs.patrol = () => ({ type: 'PATROLLED', found: found(0) });
  rigs.drive.restart(0);
  const before = counts()['cycles'] ?? 0;
  rigs.drive.run(HOUR);
  expect(counts()).toMatchObject({ cycles: before + 12, triage_cycles: 0 });
  rigs.patrol = () => ({ type: 'PATROLLED', found: found(1) });
  rigs.drive.run(5 * MINUTE);
  rigs.patrol = () => ({ type: 'ORDER_FAILED', why: 'no' });
  rigs.drive.run(5 * MINUTE);
  rigs.drive.restart(MINUTE);
  rigs.patrol = () => ({ type: 'PATROLLED', found: found(0) });
  rigs.drive.run(10 * MINUTE);
  expect(counts()).toMatchObject({ triage_cycles: 1 });
  expect(counts()['cycles']).toBeGreaterThan(before + 12);
});

// Rules: P-18.
test('what an agent asked for is counted like a cycle of the town, and a look after the agent is no cycle', () => {
  const rigs = new Rigs();
  const record = () => rigs.drive.records.get('patrol/deacon')?.value as PatrolRecord;
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, observed: { convoys: 2, needs_triage: 1 } } });
  rigs.drive.run(6 * MINUTE);
  const { cycle, endedAt } = record();
  const watched = { ...CALM, observed: { stands_in: 0 }, isWatch: true } as const;
  rigs.patrol = () => ({ type: 'PATROLLED', found: watched });
  rigs.drive.run(10 * MINUTE);
  expect(record()).toMatchObject({ cycle, endedAt, observed: { convoys: 2, stands_in: 0 } });
  expect(record().observed['triage_cycles']).toBeGreaterThan(0);
});

const FREE = work({ id: 'tw-1' });
const look = (more: Partial<RigLook> = {}): OutcomeBody => ({
  type: 'SURVEYED',
  seen: seen(more),
  policies: DEFAULTS.patrols,
  watched: [],
});
const TWO = look({ rig: rig({ work: [FREE, work({ id: 'tw-2' })] }) });

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
    'The patrol of the rig shop could not give tw-1 to a new polecat for several cycles: no such program.',
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
  expect(given[2]?.id).toMatchObject({ giver: 'patrol', rig: 'deacon', verb: 'step', name: 'gates' });
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
  expect(rigs.drive.given('begin')[0]?.id).toMatchObject({ giver: 'patrol', verb: 'act', name: 'triage/1 open case' });
  const undone = { step: 'triage', act: 'triage', about: '1 open case', done: false, text: 'no memory' };
  expect(rigs.drive.given('noteCycle').at(-1)).toMatchObject({ did: [undone] });
  // It is tried on, and an alert once it lasts; the check of a condition is no deed.
  expect(rigs.drive.records.get('patrol/deacon')?.value).toMatchObject({ failures: 0, done: 0, undone: 1 });
});

// Rules: P-8, law 8.
test('what a step says stands is one alert, over a kill of the town, until the step says that it is over', () => {
  const rigs = new Rigs();
  rigs.patrol = (of) => (of === 'shop' ? { type: 'PATROLLED', found: CALM } : { type: 'ROUND_OPENED', watched: [] });
  const kept: (readonly string[])[] = [];
  const text = '1 bead waits for what can never be done.';
  let stands: Readonly<Record<string, string>> = { '': text };
  rigs.step = ({ step, memory }) => {
    if (step !== 'waits') return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false };
    kept.push(memory);
    const own = { memory: [`mark-${String(kept.length)}`], stands };
    return { type: 'STEP_DONE', observed: {}, outcomes: [], isActive: false, ...own };
  };
  const alerts = () => rigs.drive.given('alert').filter(({ alert }) => alert.episode.startsWith('never-ready'));
  const ends = () => rigs.drive.given('endAlert').filter(({ episode }) => episode.startsWith('never-ready'));
  rigs.drive.restart(0);
  rigs.drive.run(6 * MINUTE);
  expect(alerts().map(({ alert }) => alert.text)).toEqual([text]);
  expect(kept.slice(0, 2)).toEqual([[], ['mark-1']]);
  const cycles = kept.length;
  rigs.drive.restart(MINUTE);
  rigs.drive.run(MINUTE);
  expect(kept[cycles]).toEqual([`mark-${String(cycles)}`]);
  const before = ends().length;
  stands = {};
  rigs.drive.run(6 * MINUTE);
  expect(ends()).toHaveLength(before + 1);
});

/** What the witness of a rig sees, with this. */
const sees = (more: Partial<WitnessSeen>): OutcomeBody => {
  return { type: 'SURVEYED', seen: seen(more), policies: DEFAULTS.patrols, watched: [] };
};
const isLate = (episode: string): boolean => episode.startsWith('merge-late/');

// Rules: law 8, P-11.
test('what a witness sees standing is one alert each, over a kill of the town, until it is over', () => {
  const late = (id: string) => work({ id, status: 'in_progress', assignee: 'shop/refinery', restedMs: 25 * HOUR });
  const rigs = new Rigs({ rigs: ['shop', 'bank'] });
  let works = [late('tw-1'), late('tw-2')];
  rigs.patrol = (of) =>
    of === 'deacon' ? { type: 'ROUND_OPENED', watched: [] } : sees({ rig: rig({ work: of === 'shop' ? works : [] }) });
  const begun = () => rigs.drive.given('alert').filter(({ alert }) => isLate(alert.episode));
  const ended = () => rigs.drive.given('endAlert').filter(({ episode }) => isLate(episode));
  rigs.drive.restart(0);
  rigs.drive.run(HOUR);
  expect(begun().map(({ alert }) => alert.episode)).toEqual(['merge-late/shop/tw-1', 'merge-late/shop/tw-2']);
  works = [late('tw-2')];
  rigs.drive.restart(MINUTE);
  rigs.drive.run(HOUR);
  expect(ended().map(({ episode }) => episode)).toEqual(['merge-late/shop/tw-1']);
  rigs.rigs = ['bank'];
  rigs.drive.tell({ type: 'POKED', what: 'rigs' });
  rigs.drive.run(HOUR);
  expect(ended().map(({ episode }) => episode)).toEqual(['merge-late/shop/tw-1', 'merge-late/shop/tw-2']);
});

// Rules: law 8, W-6.
test('ten witnesses see one silent Deacon: one alert, and one end', () => {
  const rigs = new Rigs({ rigs: Array.from({ length: 10 }, (_, nth) => `rig${String(nth)}`) });
  let deaconLateMs: number | null = null;
  rigs.patrol = (of) => (of === 'deacon' ? { type: 'ROUND_OPENED', watched: [] } : sees({ deaconLateMs }));
  const begun = () => rigs.drive.given('alert').filter(({ alert }) => alert.episode.startsWith('deacon-late'));
  const ended = () => rigs.drive.given('endAlert').filter(({ episode }) => episode === 'deacon-late/deacon');
  rigs.drive.restart(0);
  rigs.drive.run(10 * MINUTE);
  const before = ended().length;
  deaconLateMs = 6 * MINUTE;
  rigs.drive.run(HOUR);
  expect(begun().map(({ alert }) => alert.episode)).toEqual(['deacon-late/deacon']);
  expect(ended()).toHaveLength(before);
  deaconLateMs = null;
  rigs.drive.run(HOUR);
  expect([begun().length, ended().length]).toEqual([1, before + 1]);
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

test('a caller gets the outcome of a cycle that began after the request, or why it came to nothing', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  const ask = (rpc: string): void => {
    rigs.drive.tell({ type: 'REQUESTED', rpc, request: { verb: 'patrol', of: 'shop' }, via: 'operator' });
    rigs.drive.run(1_000);
  };
  const replies = () => rigs.drive.given('reply').map(({ to, reply }) => ({ to, ...reply }));
  rigs.patrol = () => TWO;
  rigs.act = () => ({ type: 'ACTED', outcomes: [], hasNewCase: true });
  ask('one');
  expect(rigs.drive.given('patrol').at(-1)).toMatchObject({ of: 'shop', asked: 'operator' });
  expect(replies()).toMatchObject([{ to: 'one', ok: true, value: { observed: { work: 2 } } }]);
  rigs.patrol = () => ({ type: 'ORDER_FAILED', why: 'the ledger is busy' });
  ask('two');
  expect(replies().at(-1)).toMatchObject({ to: 'two', ok: false, exit: 1, text: 'the ledger is busy' });
});

// Rules: law 11.
test('a round asks as the operator if one of its callers is the operator, else as an agent, else for no caller', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  const asked = () => rigs.drive.given('patrol').at(-1)?.asked;
  const ask = (via: 'operator' | 'agent'): void =>
    rigs.drive.tell({ type: 'REQUESTED', rpc: via, request: { verb: 'patrol', of: 'deacon' }, via });
  expect(asked()).toBeNull();
  ask('agent');
  rigs.drive.run(1_000);
  expect(asked()).toBe('agent');
  // Both ask while a cycle is under way, and the next one serves both.
  rigs.patrol = () => {
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    ask('agent');
    ask('operator');
    return { type: 'PATROLLED', found: CALM };
  };
  ask('agent');
  rigs.drive.run(1_000);
  expect(asked()).toBe('operator');
});

// Rules: law 11.
test('an agent that asks for the round of a paused Deacon learns that it is paused', () => {
  const rigs = new Rigs();
  rigs.drive.run(MINUTE);
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isPaused: true } });
  rigs.drive.tell({ type: 'REQUESTED', rpc: 'one', request: { verb: 'patrol', of: 'deacon' }, via: 'agent' });
  rigs.drive.run(1_000);
  expect(rigs.drive.given('reply')).toMatchObject([{ reply: { ok: false, exit: 1, code: 'paused' } }]);
});

test('rigs that come and go are seen', () => {
  const rigs = new Rigs({ rigs: [], hasLedger: false });
  const actors = () => rigs.drive.street.actors.map(({ id }) => id).filter((id) => id.includes('witness:'));
  rigs.rigs = ['shop', 'bank'];
  rigs.drive.tell({ type: 'POKED', what: 'rigs' });
  rigs.drive.run(1_000);
  expect(actors()).toEqual(['town/watch/witnesses/witness:shop', 'town/watch/witnesses/witness:bank']);
  rigs.rigs = ['bank'];
  rigs.drive.run(2 * MINUTE);
  expect(actors()).toEqual(['town/watch/witnesses/witness:bank']);
  const before = rigs.cycles();
  rigs.drive.run(HOUR);
  expect(rigs.cycles()).toBe(before);
});

test('work or mail that comes is seen at the pace of those who work, also what comes within a cycle, and no faster', () => {
  const rigs = new Rigs();
  rigs.drive.run(10 * MINUTE);
  const idle = rigs.cycles();
  rigs.drive.run(POLICY.watchdog.deacon.activeMs * 2);
  expect(rigs.cycles()).toBe(idle);
  for (let n = 0; n < 20; n += 1) rigs.drive.tell({ type: 'POKED', what: 'work' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(rigs.cycles()).toBe(idle + 1);
  rigs.patrol = () => {
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    rigs.drive.tell({ type: 'POKED', what: 'mail' });
    return { type: 'PATROLLED', found: CALM };
  };
  rigs.drive.tell({ type: 'POKED', what: 'work' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs * 3);
  expect(rigs.cycles()).toBe(idle + 3);
});

test('the end of a session of a rig wakes the witness at the pace of those who work, and not the Deacon', () => {
  const rigs = new Rigs();
  rigs.drive.run(10 * MINUTE);
  const counts = () => [rigs.cycles('deacon'), rigs.cycles('shop')];
  const [deacon = 0, shop = 0] = counts();
  rigs.drive.tell({ type: 'POKED', what: 'ends' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(counts()).toEqual([deacon, shop + 1]);
});

// Rules: P-14.
test('a case wakes the Deacon within five seconds, also one that comes within its cycle, and no rig', () => {
  const rigs = new Rigs();
  rigs.drive.run(10 * MINUTE);
  const counts = () => [rigs.cycles('deacon'), rigs.cycles('shop')];
  const [deacon = 0, shop = 0] = counts();
  for (let n = 0; n < 20; n += 1) rigs.drive.tell({ type: 'POKED', what: 'cases' });
  rigs.drive.run(CASE_MS);
  expect(counts()).toEqual([deacon + 1, shop]);
  rigs.patrol = (of) => {
    if (of === 'shop') return { type: 'PATROLLED', found: CALM };
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    rigs.drive.tell({ type: 'POKED', what: 'cases' });
    return { type: 'PATROLLED', found: CALM };
  };
  rigs.drive.tell({ type: 'POKED', what: 'cases' });
  rigs.drive.run(CASE_MS * 2);
  expect(counts()).toEqual([deacon + 3, shop]);
  // Nothing more came: it rests again.
  rigs.drive.run(2 * MINUTE);
  expect(counts()).toEqual([deacon + 3, shop]);
});

test('backups come an hour apart by the wall clock, whatever restarts there are', () => {
  const rigs = new Rigs();
  for (let n = 0; n < 12; n += 1) {
    rigs.drive.run(15 * MINUTE);
    rigs.drive.restart(5 * MINUTE);
  }
  expect(rigs.drive.given('backUpLedger')).toHaveLength(4);
});

test('a ledger that cannot be opened is told once, nobody patrols, and it is over when it opens', () => {
  const rigs = new Rigs();
  rigs.open = () => ({ type: 'ORDER_FAILED', why: 'its disk is full' });
  rigs.drive.restart(0);
  const before = rigs.cycles();
  rigs.drive.run(HOUR);
  expect(rigs.cycles()).toBe(before);
  expect(rigs.drive.given('alert').map(({ alert }) => alert.episode)).toEqual(['ledger-fails/open']);
  rigs.open = () => ({ type: 'LEDGER_OPENED', backedUpAt: WALL });
  rigs.drive.run(2 * MINUTE);
  expect(rigs.cycles()).toBeGreaterThan(before);
  expect(rigs.drive.given('endAlert').map(({ episode }) => episode)).toContain('ledger-fails/open');
});

// Rules: P-11, law 8.
test('an escalation is an alert within seconds, also while the Deacon is paused, and over when it is read no more', () => {
  const rigs = new Rigs();
  const { drive } = rigs;
  rigs.patrol = () => ({ type: 'PATROLLED', found: { ...CALM, isPaused: true } });
  drive.run(MINUTE);
  const said = () => [
    ...drive.given('alert').map(({ alert: { episode, severity } }) => `${episode} ${severity}`),
    ...drive.given('endAlert').flatMap(({ episode }) => (episode.startsWith('escalation/') ? [`${episode} over`] : [])),
  ];
  for (const severity of ['low', 'high'] as const) {
    rigs.escalations = [{ id: 'tw-wisp-1', severity, text: 'nux asks: which?' }];
    drive.tell({ type: 'POKED', what: 'work' });
    drive.run(3_000);
  }
  expect(said()).toEqual(['escalation/tw-wisp-1 low', 'escalation/tw-wisp-1 high']);
  rigs.escalations = [];
  drive.tell({ type: 'POKED', what: 'work' });
  drive.run(3_000);
  expect(said().slice(2)).toEqual(['escalation/tw-wisp-1 over']);
});

test('a ledger that is written ten thousand times in a minute is read for escalations once a second', () => {
  const { drive } = new Rigs();
  drive.run(MINUTE);
  const before = drive.given('readEscalations').length;
  for (let n = 0; n < 10_000; n += 1) {
    drive.tell({ type: 'POKED', what: 'work' });
    drive.run(6);
  }
  expect(drive.given('readEscalations').length - before).toBeLessThanOrEqual(61);
});
