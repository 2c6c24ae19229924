/** What becomes of escalations: the table cell by cell, and cycle after cycle over a ledger and mailboxes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newBead } from '../../machines/ledger/bead.ts';
import { close } from '../../machines/ledger/changes.ts';
import { escalationActs, type EscalationSeen } from '../../machines/patrols/escalations.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { escalationCause } from '../../src/alerts/bell.ts';
import { acknowledge, ESCALATION, escalation, escalationOf, letterOf } from '../../src/ledger/escalations.ts';
import { escalationRound } from '../../src/patrols/deacon/escalations.ts';
import { notifyOf } from '../../src/patrols/deacon/news.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { tell } from '../../src/patrols/memory/told.ts';
import { realDisk } from '../../state/files/disk.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { MINUTE } from './seen.ts';
import { freshFolder } from '../world/over.ts';

const HOUR = 60 * MINUTE;
const NOW = Date.parse('2026-01-01T00:00:00Z');

const seen = (more: Partial<EscalationSeen>): EscalationSeen => ({
  id: 'e',
  severity: 'medium',
  isAcked: false,
  isOver: false,
  restedMs: 0,
  climbs: 0,
  toldAt: null,
  ...more,
});

describe('an escalation', () => {
  // Rules: P-11.
  test.each<[what: string, seen: Partial<EscalationSeen>, act: string]>([
    ['low', { severity: 'low' }, ''],
    ['medium', {}, ''],
    ['medium for almost four hours', { restedMs: 4 * HOUR - 1 }, ''],
    ['low for four hours', { severity: 'low', restedMs: 4 * HOUR }, 'climb medium'],
    ['medium for four hours', { restedMs: 4 * HOUR }, 'climb high'],
    ['… and acknowledged', { restedMs: 4 * HOUR, isAcked: true }, ''],
    ['… and climbed three times', { restedMs: 4 * HOUR, climbs: 3 }, ''],
    ['high', { severity: 'high' }, 'pass high'],
    ['high, and acknowledged', { severity: 'high', isAcked: true }, ''],
    ['high, and told', { severity: 'high', toldAt: 'high' }, ''],
    ['high for four hours', { severity: 'high', toldAt: 'high', restedMs: 4 * HOUR }, 'climb critical'],
    ['critical, and told when it was high', { severity: 'critical', toldAt: 'high', climbs: 1 }, 'pass critical'],
    ['over', { severity: 'high', isOver: true }, 'end'],
    ['over, and acknowledged', { isAcked: true, isOver: true }, 'end'],
    ['critical for a day', { severity: 'critical', toldAt: 'critical', restedMs: 24 * HOUR, climbs: 1 }, ''],
  ])('that is %s', (_, more, expected) => {
    const acts = escalationActs([seen(more)], PATROL);
    const words = acts.map((act) =>
      act.act === 'end' ? 'end' : `${act.act} ${act.act === 'climb' ? act.to : act.severity}`,
    );
    expect(words.join()).toBe(expected);
  });
});

class Office {
  readonly ledger = new MemoryLedger();
  readonly root = freshFolder();
  readonly disk = realDisk(this.root, 0);
  readonly notes: string[] = [];

  async raise(
    severity: 'low' | 'medium' | 'high',
    cause: { readonly related: string | null; readonly endsWithIt?: boolean } = { related: null },
  ): Promise<void> {
    const at = new Date(NOW).toISOString();
    const given = escalation({ title: 'which?', severity, reason: 'both', by: 'nux', at, ...cause });
    await this.ledger.put(newBead({ ...given, id: 'e' }), { expects: 0, write: 'w' });
  }

  /** A cycle each quarter of an hour; `hour: act` for each that something was done in. */
  async hours(from: number, to: number): Promise<string[]> {
    const said: string[] = [];
    const note = (text: string): void => void this.notes.push(text);
    for (let at = from * HOUR; at < to * HOUR; at += HOUR / 4) {
      const { ledger, root, disk } = this;
      const { acts: done } = await escalationRound({ ledger, root, disk, settings: DEFAULTS, note }, NOW + at);
      said.push(...done.map((one) => `${at / HOUR}: ${one.act}${one.done ? '' : ' not done'}`));
    }
    return said;
  }

  async letters(address: string, archived = true): Promise<string[]> {
    const { disk } = this;
    const all = await boxAt({ disk, note: () => undefined }, address).inbox({ archived });
    return all.map(({ subject }) => subject);
  }
}

describe('cycle after cycle', () => {
  // Rules: P-11.
  test('nobody acknowledges it: it climbs three times, and each loud step reaches mayor and person once', async () => {
    const office = new Office();
    await office.raise('low');
    const climbed = ['4: climb', '8: climb', '8.25: pass', '12: climb', '12.25: pass'];
    expect(await office.hours(0, 48)).toEqual(climbed);
    for (const address of ['mayor', 'overseer'])
      expect(await office.letters(address)).toEqual(['[HIGH] which?', '[CRITICAL] which?']);
    await expect(office.ledger.beads(['e'])).resolves.toMatchObject([
      { priority: 0, labels: expect.arrayContaining(['severity:critical']) as string[] },
    ]);
  });

  // Rules: P-11.
  test.each([
    ['at first', 1, []],
    ['high', 9, ['[HIGH] which?']],
    ['critical: the letter about high is put away', 13, ['[CRITICAL] which?']],
    ['acknowledged', 48, []],
  ])('a higher escalation replaces the lower one: what waits while it is %s', async (is, hours, waiting) => {
    const office = new Office();
    await office.raise('low');
    await office.hours(0, hours);
    if (is === 'acknowledged') {
      await changeBead(office.ledger, 'e', (one) => close(one, 'seen', new Date(NOW).toISOString()));
      await office.hours(hours, hours + 1);
    }
    for (const address of ['mayor', 'overseer']) expect(await office.letters(address, false)).toEqual(waiting);
  });

  // Rules: P-11.
  test('a cycle falls between the letters of `town escalate` and its note that they are sent: the command starts once', async () => {
    const office = new Office();
    await office.raise('high');
    const { ledger, root, disk } = office;
    const command = ['sh', '-c', 'cat >> "$0"', join(root, 'heard')];
    const needs = { ledger, root, disk, settings: { ...DEFAULTS, notify: { command } }, note: () => undefined };
    const letter = {
      id: letterOf('e', 0),
      from: 'nux',
      subject: 'which?',
      urgent: true,
      via: 'agent',
      sentAt: NOW,
    } as const;
    await notifyOf(needs, letter, escalationCause({ createdBy: 'nux' }));
    await escalationRound(needs, NOW + 1_000);
    await escalationRound(needs, NOW + 2_000);
    expect(readFileSync(join(root, 'heard'), 'utf8').trim().split('\n')).toEqual([expect.stringContaining('from nux')]);
    expect(await office.letters('overseer')).toEqual(['[HIGH] which?']);
  });

  test('acknowledged it rests where it is', async () => {
    const office = new Office();
    await office.raise('medium');
    expect(await office.hours(0, 5)).toEqual(['4: climb', '4.25: pass']);
    await changeBead(office.ledger, 'e', (bead) => acknowledge(bead, 'overseer', new Date(NOW).toISOString()));
    expect(await office.hours(5, 48)).toEqual([]);
  });

  // Rules: P-11.
  test.each([
    [true, ['6: end'], 'closed'],
    [false, ['8: climb', '8.25: pass'], 'open'],
  ])('what it is about is closed (raised until then: %s): %j', async (endsWithIt, acts, status) => {
    const office = new Office();
    const { ledger } = office;
    await ledger.put(bead('gate', { type: 'gate' }), { expects: 0, write: 'g' });
    await office.raise('medium', { related: 'gate', endsWithIt });
    expect(await office.hours(0, 6)).toEqual(['4: climb', '4.25: pass']);
    await changeBead(ledger, 'gate', (one) => close(one, 'decided', new Date(NOW).toISOString()));
    expect(await office.hours(6, 12)).toEqual(acts);
    await expect(ledger.beads(['e'])).resolves.toMatchObject([{ status }]);
  });

  // Rules: P-11.
  test('whoever ended it: its letters are put away, and no other letter is', async () => {
    const office = new Office();
    const { ledger, disk } = office;
    await office.raise('high');
    await office.hours(0, 5);
    const boxes = ['mayor', 'overseer'].map((address) => boxAt({ disk, note: () => undefined }, address));
    const written = { from: 'nux', subject: 's', body: '', via: 'agent', urgent: false, needs_response: true } as const;
    for (const box of boxes) await box.send({ ...written, id: 'm-1795571578293-383723b1', sentAt: NOW });
    const left = async () => Promise.all(boxes.map(async (box) => (await box.inbox()).map(({ id }) => id)));
    expect((await left()).map((ids) => ids.length)).toEqual([2, 2]); // A graver letter replaced the one before it.
    await changeBead(ledger, 'e', (one) => close(one, 'by hand', new Date(NOW).toISOString()));
    expect(await office.hours(5, 6)).toEqual([]);
    expect(await left()).toEqual([['m-1795571578293-383723b1'], ['m-1795571578293-383723b1']]);
  });

  // Rules: P-11.
  test('a mailbox that takes nothing is tried until it does, and nobody has the letter twice', async () => {
    const office = new Office();
    await office.raise('high');
    const { mkdir } = office.disk;
    let isFull = true;
    Object.assign(office.disk, {
      mkdir: (path: string) =>
        isFull && path.includes('overseer') ? Promise.reject(new Error('disk full')) : mkdir.call(office.disk, path),
    });
    expect(await office.hours(0, 0.5)).toEqual(['0: pass not done', '0.25: pass not done']);
    isFull = false;
    expect(await office.hours(0.5, 2)).toEqual(['0.5: pass']);
    for (const address of ['mayor', 'overseer']) expect(await office.letters(address)).toEqual(['[HIGH] which?']);
  });

  // Rules: law 7, law 11.
  test('a bead of another that has the id of an alert silences none', async () => {
    const tidings = { about: 'help/shop/polecats/ace', severity: 'critical', text: 'ace needs help now' } as const;
    const telling = () => ({ rig: 'shop', ledger: new MemoryLedger(), now: NOW });
    const id = (await tell(telling(), tidings)) ?? '';
    expect(id).toMatch(/^tw-wisp-/);
    const squatted = telling();
    await squatted.ledger.put(bead(id), { expects: 0, write: 'first' });
    const told = await tell(squatted, tidings);
    expect(told).not.toBe(id);
    const { items: open } = await squatted.ledger.list({ labels: [ESCALATION] }, { limit: 9 });
    expect(open.map((one) => [one.id, escalationOf(one, NOW).severity])).toEqual([[told, 'critical']]);
    expect(await tell(squatted, tidings)).toBeNull();
  });
});
