/** What can be repeated raises a few escalations by name and one with a count, from any raiser, and loses no word. */
import { describe, expect, test } from 'vitest';
import { ESCALATION_BUDGET, MAX_ALIKE } from '../../machines/patrols/policy.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { acknowledge, countOf, ESCALATION } from '../../src/ledger/escalations.ts';
import { authorOf, raiseBySender, type SenderRaised } from '../../src/ledger/sender-budget.ts';
import { evidenceOf, firstOf } from '../../src/ledger/walk.ts';
import { tell } from '../../src/patrols/memory/escalations.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MANY = 10_000;
const AGENT = 'shop/polecats/nux';

class Desk {
  readonly ledger = new MemoryLedger();
  escalate(title: string, more: Partial<Parameters<typeof raiseBySender>[1]> = {}): Promise<SenderRaised> {
    const wanted = { title, reason: '', severity: 'high', related: null, by: AGENT, now: NOW, ...more } as const;
    return raiseBySender(this.ledger, wanted);
  }
  open = () => firstOf((page) => this.ledger.list({ labels: [ESCALATION] }, page), MANY);
  kept = (what: 'raised' | 'counted', by = AGENT) => Array.fromAsync(evidenceOf(this.ledger, authorOf(by, what)));
}

// Rules: law 8, P-11.
describe('an agent escalates', () => {
  test('the same ten thousand times: one escalation with the count, which is news once', async () => {
    const desk = new Desk();
    const said: string[] = [];
    for (let nth = 0; nth < MANY; nth += 1) said.push((await desk.escalate('which database?')).is);
    expect(said.filter((is) => is !== 'known')).toEqual(['new']);
    const [one, ...others] = await desk.open();
    expect(others).toEqual([]);
    expect(one).toMatchObject({ title: `which database? (${MANY} times by now)`, createdBy: AGENT });
    expect(await desk.kept('counted')).toHaveLength(MANY - 1);
  });

  test('ten thousand different things: those within its budget, and one that counts all others', async () => {
    const desk = new Desk();
    const news: SenderRaised[] = [];
    for (let nth = 0; nth < MANY; nth += 1) {
      const raised = await desk.escalate(`thing ${nth}`, { reason: `words ${nth}` });
      if (raised.is !== 'known') news.push(raised);
    }
    const { count } = ESCALATION_BUDGET;
    expect(news.map(({ isOver }) => isOver)).toEqual([...Array<boolean>(count).fill(false), true]);
    const open = await desk.open();
    expect(open).toHaveLength(count + 1);
    expect(open.flatMap((one) => (countOf(one) === MANY - count ? [one.title] : []))).toEqual([
      expect.stringContaining(
        `${AGENT} escalated more than ${count} things within an hour; the last: thing ${MANY - 1}`,
      ),
    ]);
    const kept = (await desk.kept('counted')).map(({ text }) => (JSON.parse(text) as { reason: string }).reason);
    expect(new Set(kept).size).toBe(MANY - count);
  });

  test.each([
    ['graver than what stands for the rest: it is raised to that, once', ['critical', 'critical'], ['graver', 'known']],
    ['less grave', ['low', 'medium'], ['known', 'known']],
  ] as const)('over its budget, %s', async (_, severities, expected) => {
    const desk = new Desk();
    for (let nth = 0; nth <= ESCALATION_BUDGET.count; nth += 1) await desk.escalate(`thing ${nth}`);
    const said: string[] = [];
    for (const severity of severities) said.push((await desk.escalate(`other ${said.length}`, { severity })).is);
    expect(said).toEqual(expected);
  });

  test('without a budget, as a person: each thing by name, and the same words as one with their count', async () => {
    const desk = new Desk();
    const person = { by: 'overseer', hasBudget: false } as const;
    for (let nth = 0; nth <= ESCALATION_BUDGET.count; nth += 1) await desk.escalate(`thing ${nth}`, person);
    expect(await desk.escalate('thing 0', person)).toMatchObject({ is: 'known', isOver: false });
    expect(await desk.escalate('thing 0', { ...person, severity: 'critical' })).toMatchObject({ is: 'graver' });
    const open = await desk.open();
    expect(open).toHaveLength(ESCALATION_BUDGET.count + 1);
    expect(open.flatMap((one) => countOf(one) ?? [])).toContain(3);
  });

  test('another sender, and a later hour, have a budget of their own', async () => {
    const desk = new Desk();
    for (let nth = 0; nth < ESCALATION_BUDGET.count; nth += 1) await desk.escalate(`thing ${nth}`);
    expect(await desk.escalate('mine', { by: 'ada' })).toMatchObject({ is: 'new', isOver: false });
    expect(await desk.escalate('more')).toMatchObject({ isOver: true });
    const later = { now: NOW + ESCALATION_BUDGET.withinMs };
    expect(await desk.escalate('even more', later)).toMatchObject({ is: 'new', isOver: false });
  });

  test('all reasons are read below each other; about another bead it is another thing', async () => {
    const desk = new Desk();
    for (const reason of ['first', 'second', 'second', '']) await desk.escalate('which?', { reason });
    await desk.escalate('which?', { related: 'tw-1' });
    const open = await desk.open();
    expect(open.map(({ description }) => description).sort()).toEqual(['', 'second\n\nfirst']);
  });

  test('once more after a person took note: they are alerted once more', async () => {
    const desk = new Desk();
    const { bead } = await desk.escalate('which?');
    await changeBead(desk.ledger, bead.id, (one) => acknowledge(one, 'overseer', new Date(NOW).toISOString()));
    const again = await desk.escalate('which?', { now: NOW + MINUTE });
    expect(again).toMatchObject({ is: 'new', isOver: false });
    expect((await desk.open()).map(({ id }) => id)).toEqual([again.bead.id]);
  });
});

// Rules: law 8.
test('ten thousand beads that failed are a few by name, and one with the count of the others', async () => {
  const ledger = new MemoryLedger();
  const telling = { rig: 'shop', ledger, now: NOW };
  const raised: string[] = [];
  for (let nth = 0; nth < MANY; nth += 1) {
    const id = `tw-${nth}`;
    const about = { about: `failed/${id}`, text: `${id} has failed`, until: id, isOfMany: true } as const;
    const told = await tell(telling, { severity: 'high', ...about });
    if (told !== null) raised.push(told);
  }
  expect(raised).toHaveLength(MAX_ALIKE + 1);
  const open = await firstOf((page) => ledger.list({ labels: [ESCALATION] }, page), MANY);
  expect(open).toHaveLength(MAX_ALIKE + 1);
  expect(open.flatMap((one) => countOf(one) ?? [])).toEqual([MANY - MAX_ALIKE]);
});
