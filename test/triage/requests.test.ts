/** Requests as beads: once for an agent and a type, with the keys that other programs know. */
import { describe, expect, test, vi } from 'vitest';
import { newBead } from '../../machines/ledger/bead.ts';
import { issueOf } from '../../src/ledger/issue.ts';
import { first, ready } from '../../src/ledger/walk.ts';
import {
  caseOf,
  closeCase,
  escalatedOf,
  markTold,
  requestTriage,
  undecidedCases,
  type Asked,
} from '../../src/triage/requests.ts';
import { caseCalled, leaveToPerson, resolveCase } from '../../src/triage/resolve.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { MINUTE, NOW, asked, chosen, hooked } from './asking.ts';

describe('a request', () => {
  // Rules: P-13.
  test('is a bead with the keys that other programs know, and what was on the hook', async () => {
    const ledger = new MemoryLedger();
    await ledger.put(hooked('tw-1'), { expects: 0, write: 'w' });
    const { id, isNew } = await requestTriage(ledger, asked());
    expect(isNew).toBe(true);
    const [bead] = await ledger.beads([id]);
    expect(issueOf(bead!)).toMatchObject({
      issue_type: 'triage_request',
      status: 'open',
      created_by: 'shop/witness',
      rig: 'shop',
      metadata: {
        triage_type: 'stuck_agent',
        agent_bead_id: 'shop/polecats/nux',
        snapshot_hook_bead_id: 'tw-1',
        context: { summary: 'no progress' },
        options: ['NUDGE', 'RESTART', 'RESTART_WITH_BACKOFF', 'ESCALATE'],
      },
    });
    expect(caseOf(bead!)).toMatchObject({ state: 'open', type: 'stuck_agent', snapshot: 'tw-1', tries: 0 });
  });

  // Rules: P-13.
  test('is open once for an agent and a type, however often and by however many it is asked for', async () => {
    const ledger = new MemoryLedger();
    const all = await Promise.all(Array.from({ length: 10 }, () => requestTriage(ledger, asked())));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    await requestTriage(ledger, asked({ type: 'dirty_polecat' }));
    await requestTriage(ledger, asked({ agent: 'shop/polecats/ada' }));
    expect(await undecidedCases(ledger)).toHaveLength(3);
  });

  // Rules: P-13.
  test('holds the words of every call for help, also of one after it was decided', async () => {
    const ledger = new MemoryLedger();
    const help = (why: string) => requestTriage(ledger, asked({ type: 'help_request', why }));
    const { id } = await help('the tests fail');
    for (const why of ['the tests fail', 'and now the disk']) expect((await help(why)).id).toBe(id);
    expect((await undecidedCases(ledger)).map(({ context }) => context)).toEqual([
      'the tests fail\n\nand now the disk',
    ]);
    await closeCase(ledger, id, 'told', asked().now);
    expect(await help('and now the disk')).toEqual({ id, isNew: false });
    expect(await help('what now?')).toMatchObject({ isNew: true });
  });

  test('comes again only when what was decided had its time', async () => {
    const ledger = new MemoryLedger();
    const { id } = await requestTriage(ledger, asked());
    await resolveCase(ledger, id, chosen('NUDGE'));
    expect(await requestTriage(ledger, asked())).toEqual({ id, isNew: false });
    await closeCase(ledger, id, 'nudged', NOW);
    expect(await requestTriage(ledger, asked({ now: NOW + 14 * MINUTE }))).toEqual({ id, isNew: false });
    const again = await requestTriage(ledger, asked({ now: NOW + 16 * MINUTE }));
    expect(again).toMatchObject({ isNew: true });
    expect(again.id).not.toBe(id);
  });

  test('comes not again while it is with the one who was told', async () => {
    const ledger = new MemoryLedger();
    const decided = async (type: Asked['type'], choice: string) => {
      const { id } = await requestTriage(ledger, asked({ type }));
      await resolveCase(ledger, id, chosen(choice));
      await closeCase(ledger, id, 'told', NOW);
      return id;
    };
    const again = async (type: Asked['type'], minutes: number) =>
      (await requestTriage(ledger, asked({ type, now: NOW + minutes * MINUTE }))).isNew;
    const person = await decided('stuck_agent', 'ESCALATE');
    const told = newBead({
      id: escalatedOf(person),
      title: 'x',
      createdBy: 'triage',
      createdAt: '2026-01-01T00:00:00Z',
    });
    await ledger.put(told, { expects: 0, write: 't' });
    expect(await again('stuck_agent', 24 * 60)).toBe(false);
    const at = new Date(NOW).toISOString();
    const [open] = await ledger.beads([told.id]);
    await ledger.put({ ...open!, status: 'closed', closedAt: at }, { expects: open!.version, write: 'c' });
    expect(await again('stuck_agent', 24 * 60)).toBe(true);
    expect(await undecidedCases(ledger)).toMatchObject([{ type: 'stuck_agent', isPersons: true }]);
    await decided('crash_loop', 'ESCALATE_TO_MAYOR');
    expect(await again('crash_loop', 239)).toBe(false);
    expect(await again('crash_loop', 240)).toBe(true);
  });

  // Rules: P-13.
  test('comes at once of another agent of the name', async () => {
    const ledger = new MemoryLedger();
    const { id } = await requestTriage(ledger, asked());
    await closeCase(ledger, id, 'done', NOW);
    const later = { now: NOW + 2 * MINUTE };
    expect(await requestTriage(ledger, asked({ ...later, bornAt: NOW - MINUTE }))).toEqual({ id, isNew: false });
    expect(await requestTriage(ledger, asked({ ...later, bornAt: NOW + MINUTE }))).toMatchObject({ isNew: true });
  });

  // Rules: P-13, law 3.
  test.each(['undecided', 'left to a person', 'chosen'] as const)(
    'of another agent of the name ends the %s one of the agent before it, and the reasoner is asked anew',
    async (how) => {
      const ledger = new MemoryLedger();
      const { id } = await requestTriage(ledger, asked());
      if (how !== 'undecided') await resolveCase(ledger, id, chosen('ESCALATE'));
      if (how === 'left to a person') await leaveToPerson(ledger, id, 'it is odd', NOW);
      const later = { now: NOW + 2 * MINUTE, why: 'it hangs' };
      expect(await requestTriage(ledger, asked({ ...later, bornAt: NOW - MINUTE }))).toEqual({ id, isNew: false });
      const both = await Promise.all(
        [0, 1].map(() => requestTriage(ledger, asked({ ...later, bornAt: NOW + MINUTE }))),
      );
      expect(both.filter(({ isNew }) => isNew)).toHaveLength(1);
      const outcome = 'another shop/polecats/nux has its name by now';
      expect(await caseCalled(ledger, id)).toMatchObject({ state: 'closed', outcome });
      const [next] = both;
      expect(await undecidedCases(ledger)).toMatchObject([{ id: next!.id, isPersons: false, context: 'it hangs' }]);
      // What is left to be done about the one before comes to nothing.
      await leaveToPerson(ledger, id, 'it is odd', NOW);
      expect(await caseCalled(ledger, id)).toMatchObject({ state: 'closed', outcome });
    },
  );

  // Rules: P-13.
  test('is for a person where five of a rig are open already; escalations are not counted', async () => {
    const ledger = new MemoryLedger();
    for (let n = 0; n < 7; n += 1) await requestTriage(ledger, asked({ agent: `shop/polecats/n${n}` }));
    await requestTriage(ledger, asked({ type: 'escalation', agent: 'shop/polecats/x' }));
    await requestTriage(ledger, asked({ agent: 'mill/polecats/a', rig: 'mill' }));
    const persons = (await undecidedCases(ledger)).filter(({ isPersons }) => isPersons).map(({ agent }) => agent);
    expect(persons).toEqual(['shop/polecats/n5', 'shop/polecats/n6']);
  });

  test('is for a person once one was told, and for a reasoner where the operator made it', async () => {
    const ledger = new MemoryLedger();
    const { id } = await requestTriage(ledger, asked());
    const [bead] = await ledger.beads([id]);
    const made = { by: 'overseer', via: 'operator', life: null, at: '2026-01-01T00:00:00Z' } as const;
    const own = { ...bead!, id: 'tw-own', labels: [] };
    await ledger.put(own, { expects: 0, write: 'w', official: { made, resolution: null } });
    const whose = async () => (await undecidedCases(ledger)).map((one) => [one.id, one.isPersons]);
    expect(await whose()).toEqual([
      ['tw-own', false],
      [id, false],
    ]);
    for (const one of [id, 'tw-own']) await markTold(ledger, one, '2026-01-01T00:00:00Z');
    expect(await whose()).toEqual([
      ['tw-own', true],
      [id, true],
    ]);
  });

  // Rules: P-13.
  test('reads as little of two thousand that are open as of ten', async () => {
    const ledger = new MemoryLedger();
    for (let n = 0; n < 10; n += 1) await requestTriage(ledger, asked({ agent: `shop/polecats/n${n}` }));
    const readFor = async (agent: string): Promise<number> => {
      const list = vi.spyOn(ledger, 'list');
      await requestTriage(ledger, asked({ agent }));
      const pages = await Promise.all(list.mock.results.map(({ value }) => value as ReturnType<typeof ledger.list>));
      list.mockRestore();
      return pages.reduce((sum, { items }) => sum + items.length, 0);
    };
    const few = await readFor('shop/polecats/few');
    const [one] = await undecidedCases(ledger);
    const [bead] = await ledger.beads([one!.id]);
    for (let n = 0; n < 2_000; n += 1) {
      const other = { ...bead!, id: `tw-${n}`, labels: ['gt:triage', 'triage:stuck_agent', `agent:a${n}`] };
      await ledger.put(other, { expects: 0, write: `w${n}`, official: bead!.official });
    }
    expect(await readFor('shop/polecats/many')).toBe(few);
  });

  test('is no work that a polecat is set on', async () => {
    const ledger = new MemoryLedger();
    await requestTriage(ledger, asked());
    expect(await first(ready(ledger, { rig: 'shop' }), 10)).toEqual([]);
  });
});
