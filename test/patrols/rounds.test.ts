/** The keeper of the ledger and the rounds of a running town, in virtual time: pace, crashes, failures, rigs that come and go. */
import { expect, test } from 'vitest';
import { CASE_MS } from '../../machines/patrols/policy.ts';
import { answersTo } from '../../machines/alert-kinds.ts';
import { POLICY } from '../../machines/policy.ts';
import type { Patrolled, PatrolRecord } from '../../machines/protocol/patrols.ts';
import { WALL } from '../world/drive.ts';
import { CALM, HOUR, MINUTE, Rigs } from './rounds.ts';

test('a town without rigs and without a ledger looks for them, and does nothing else', () => {
  const { drive } = new Rigs({ rigs: [], hasLedger: false });
  drive.run(HOUR);
  expect(drive.given('openLedger', 'patrol', 'backUpLedger', 'readPatrol', 'alert')).toEqual([]);
  expect(drive.given('readRigs').length).toBeGreaterThan(50);
});

// Rules: P-1, P-18.
test('a calm hour: a cycle in five minutes, no alert and no message; an agent at work: four a minute', () => {
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

test('rigs that come and go are seen', () => {
  const rigs = new Rigs({ rigs: [], hasLedger: false });
  const actors = () => rigs.drive.tree.actors.map(({ id }) => id).filter((id) => id.includes('witness:'));
  rigs.rigs = ['shop', 'bank'];
  rigs.drive.tell({ type: 'CHANGED', what: 'rigs' });
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
  for (let n = 0; n < 20; n += 1) rigs.drive.tell({ type: 'CHANGED', what: 'work' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(rigs.cycles()).toBe(idle + 1);
  rigs.patrol = () => {
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    rigs.drive.tell({ type: 'CHANGED', what: 'mail' });
    return { type: 'PATROLLED', found: CALM };
  };
  rigs.drive.tell({ type: 'CHANGED', what: 'work' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs * 3);
  expect(rigs.cycles()).toBe(idle + 3);
});

test('the end of a session of a rig wakes the witness at the pace of those who work, and not the Deacon', () => {
  const rigs = new Rigs();
  rigs.drive.run(10 * MINUTE);
  const counts = () => [rigs.cycles('deacon'), rigs.cycles('shop')];
  const [deacon = 0, shop = 0] = counts();
  rigs.drive.tell({ type: 'CHANGED', what: 'ends' });
  rigs.drive.run(POLICY.watchdog.deacon.activeMs);
  expect(counts()).toEqual([deacon, shop + 1]);
});

// Rules: P-14.
test('a case wakes the Deacon within five seconds, also one that comes within its cycle, and no rig', () => {
  const rigs = new Rigs();
  rigs.drive.run(10 * MINUTE);
  const counts = () => [rigs.cycles('deacon'), rigs.cycles('shop')];
  const [deacon = 0, shop = 0] = counts();
  for (let n = 0; n < 20; n += 1) rigs.drive.tell({ type: 'CHANGED', what: 'cases' });
  rigs.drive.run(CASE_MS);
  expect(counts()).toEqual([deacon + 1, shop]);
  rigs.patrol = (of) => {
    if (of === 'shop') return { type: 'PATROLLED', found: CALM };
    rigs.patrol = () => ({ type: 'PATROLLED', found: CALM });
    rigs.drive.tell({ type: 'CHANGED', what: 'cases' });
    return { type: 'PATROLLED', found: CALM };
  };
  rigs.drive.tell({ type: 'CHANGED', what: 'cases' });
  rigs.drive.run(CASE_MS * 2);
  expect(counts()).toEqual([deacon + 3, shop]);
  // Nothing more came: it rests again.
  rigs.drive.run(2 * MINUTE);
  expect(counts()).toEqual([deacon + 3, shop]);
});

test('backups come an hour apart by the wall clock, over all restarts', () => {
  const rigs = new Rigs();
  for (let n = 0; n < 12; n += 1) {
    rigs.drive.run(15 * MINUTE);
    rigs.drive.restart(5 * MINUTE);
  }
  expect(rigs.drive.given('backUpLedger')).toHaveLength(4);
});

test('a ledger that cannot be opened is told once, stops all patrols, and it is over when it opens', () => {
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

// Rules: A-4, law 8.
test('a gate that waits for a person is one alert, with the line that opens it, until it is open; one restart adds none', () => {
  const rigs = new Rigs();
  rigs.gates = [{ id: 'tw-7', text: 'work waits for you: Publish it' }];
  rigs.drive.run(HOUR);
  rigs.drive.restart(MINUTE);
  rigs.drive.run(HOUR);
  const told = rigs.drive.given('alert').map(({ alert: { episode, text } }) => ({ episode, text }));
  expect(told[0]).toEqual({ episode: 'gate/tw-7', text: 'work waits for you: Publish it' });
  expect(answersTo('gate/tw-7')).toEqual(['open']);
  expect(rigs.drive.given('endAlert').filter(({ episode }) => episode === 'gate/tw-7')).toEqual([]);
  rigs.gates = [];
  rigs.drive.run(HOUR);
  expect(rigs.drive.given('endAlert').filter(({ episode }) => episode === 'gate/tw-7')).toHaveLength(1);
});

test('a ledger that is written ten thousand times in a minute is read for escalations once a second', () => {
  const { drive } = new Rigs();
  drive.run(MINUTE);
  const before = drive.given('readEscalations').length;
  for (let n = 0; n < 10_000; n += 1) {
    drive.tell({ type: 'CHANGED', what: 'work' });
    drive.run(6);
  }
  expect(drive.given('readEscalations').length - before).toBeLessThanOrEqual(61);
});
