/** What the town reads of escalations: those that are open, without those whose cause is closed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newBead, type Bead } from '../../machines/ledger/bead.ts';
import { close } from '../../machines/ledger/changes.ts';
import type { EscalationSeen } from '../../machines/protocol/patrols.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { acknowledge, ESCALATION, escalation, severityOf } from '../../src/ledger/escalations.ts';
import { tell } from '../../src/patrols/memory/escalations.ts';
import { readEscalations } from '../../src/patrols/deacon/escalations.ts';
import { boxAt } from '../../src/patrols/witness/post.ts';
import { realDisk } from '../../state/files/disk.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { freshFolder } from '../world/over.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const AT = new Date(NOW).toISOString();

class Desk {
  readonly ledger = new MemoryLedger();
  readonly disk = realDisk(freshFolder(), 0);

  async raise(cause: { readonly related: string | null; readonly endsWithIt?: boolean } = { related: null }) {
    const given = escalation({ title: 'which?', severity: 'high', reason: 'both', by: 'nux', at: AT, ...cause });
    await this.ledger.put(newBead({ ...given, id: 'e' }), { expects: 0, write: 'w' });
  }

  read = (): Promise<EscalationSeen[]> =>
    readEscalations({ ledger: this.ledger, disk: this.disk, note: () => undefined }, NOW);

  box = (address: string) => boxAt({ disk: this.disk, note: () => undefined }, address);
}

// Rules: P-11.
test('an escalation stays until it is closed, also once it is acknowledged', async () => {
  const desk = new Desk();
  await desk.raise();
  expect(await desk.read()).toEqual([{ id: 'e', severity: 'high', text: 'nux asks: which?' }]);
  await changeBead(desk.ledger, 'e', (one) => acknowledge(one, 'overseer', AT));
  expect(await desk.read()).toEqual([{ id: 'e', severity: 'high', text: 'nux asks: which?', isAcked: true }]);
  await changeBead(desk.ledger, 'e', (one) => close(one, 'decided', AT));
  expect(await desk.read()).toEqual([]);
});

// Rules: P-11.
test.each([
  [true, 'closed'],
  [false, 'open'],
])('what it is about is closed (raised until then: %s): it is %s', async (endsWithIt, status) => {
  const desk = new Desk();
  await desk.ledger.put(bead('gate', { type: 'gate' }), { expects: 0, write: 'g' });
  await desk.raise({ related: 'gate', endsWithIt });
  expect(await desk.read()).toHaveLength(1);
  await changeBead(desk.ledger, 'gate', (one) => close(one, 'decided', AT));
  expect(await desk.read()).toHaveLength(endsWithIt ? 0 : 1);
  await expect(desk.ledger.beads(['e'])).resolves.toMatchObject([{ status }]);
});

/** As the last version wrote them that told of escalations by letters: one that climbed, one with a cause, one that was acknowledged. */
const GOLDEN = readFileSync(join(import.meta.dirname, 'golden', 'told-escalations.jsonl'), 'utf8')
  .trim()
  .split('\n');

// Rules: P-11.
test('what an earlier version told by letters is told by alerts: its letters are put away, and no others', async () => {
  const desk = new Desk();
  for (const line of [...GOLDEN, JSON.stringify(bead('tw-1'))]) {
    const one = JSON.parse(line) as Bead;
    await desk.ledger.put(one, { expects: 0, write: one.id });
  }
  const written = { from: 'nux', subject: 's', body: '', via: 'agent', urgent: false, needs_response: true } as const;
  const others = ['m-1795571578293-383723b1', 'm-tw-wisp-dddd0004'];
  for (const address of ['mayor', 'overseer'])
    for (const id of ['m-tw-wisp-aaaa0001', 'm-tw-wisp-aaaa0001-2', 'm-tw-wisp-bbbb0002', ...others])
      await desk.box(address).send({ ...written, id, sentAt: NOW });
  const expected = [
    { id: 'tw-wisp-aaaa0001', severity: 'high', text: 'shop/polecats/nux asks: which database?' },
    { id: 'tw-wisp-bbbb0002', severity: 'high', text: 'shop/polecats/nux asks: push or not?' },
    expect.objectContaining({ id: 'tw-wisp-cccc0003', isAcked: true }),
  ];
  expect((await desk.read()).toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(expected);
  for (const address of ['mayor', 'overseer']) expect((await desk.box(address).names()).toSorted()).toEqual(others);
  const migrated = await desk.ledger.beads(['tw-wisp-aaaa0001', 'tw-wisp-bbbb0002', 'tw-wisp-cccc0003']);
  expect(migrated.map(({ metadata }) => Object.keys(metadata).sort().join(' ')).sort()).toEqual([
    'acked_at acked_by severity',
    'ends_with related_bead severity',
    'severity',
  ]);
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
  expect(open.map((one) => [one.id, severityOf(one)])).toEqual([[told, 'critical']]);
  expect(await tell(squatted, tidings)).toBeNull();
});
