/** What was chosen is carried out by what is so then, once, and what cannot be done goes to a person. */
import { beforeEach, expect, test } from 'vitest';
import type { Bead } from '../../machines/ledger/bead.ts';
import { PATROL } from '../../machines/patrols/policy.ts';
import type { TriageType } from '../../machines/triage/cases.ts';
import { TRIAGE } from '../../machines/triage/policy.ts';
import { carryOut, type CarriedOut, type TriageHands } from '../../src/triage/carry-out.ts';
import { requestTriage } from '../../src/triage/requests.ts';
import { caseCalled, resolveCase } from '../../src/triage/resolve.ts';
import { bead } from '../ledger/beads.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk } from '../world/disk.ts';
import { NUX } from '../patrols/seen.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

let ledger: MemoryLedger;
let done: string[];
beforeEach(() => {
  ledger = new MemoryLedger();
  done = [];
});

const did = (what: string) => {
  done.push(what);
  return Promise.resolve();
};
const hands = (more: Partial<TriageHands> = {}): TriageHands => ({
  ledger,
  disk: new SimDisk().mount(),
  now: () => NOW,
  policy: { ...TRIAGE, ...PATROL },
  isTransient: () => false,
  standing: () => Promise.resolve({ standing: 'ended', isAnother: false }),
  hasMayor: () => Promise.resolve(false),
  wishesEnd: () => Promise.resolve('no'),
  end: (agent) => did(`end ${agent}`).then(() => 'its end is asked for'),
  nudge: (agent) => did(`nudge ${agent}`),
  start: (agent) => did(`start ${agent}`),
  warrant: (agent) => did(`warrant ${agent}`),
  mail: ({ to }) => did(`mail ${to}`),
  save: () => Promise.resolve('saved'),
  leave: (agent) => did(`leave ${agent}`).then(() => 'left'),
  discard: async (agent, _, then) => {
    await did(`discard ${agent}`);
    await then();
    return 'kept';
  },
  ...more,
});
const put = (id: string, more: Partial<Bead>) =>
  ledger.put(bead(id, { rig: 'shop', ...more }), { expects: 0, write: id });
async function chosen(type: TriageType, choice: string, agent = NUX): Promise<string> {
  const about = { type, agent, rig: 'shop', why: 'odd', by: 'shop/witness', now: NOW, policy: TRIAGE };
  const { id } = await requestTriage(ledger, about);
  await resolveCase(ledger, id, { choice, note: '', by: 'triage', now: NOW, among: null });
  return id;
}
/** The outcome of its last order. */
async function carried(with_: TriageHands, id: string): Promise<CarriedOut['outcome']> {
  const { outcome, isMore } = await carryOut(with_, id);
  return isMore ? carried(with_, id) : outcome;
}
const isThere = async (id: string): Promise<boolean> => (await ledger.beads([id])).length > 0;
const shown = async (id: string): Promise<Bead> => (await ledger.beads([id]))[0]!;

test('DISCARD: its work is open again once its worktree is gone, with one attempt more', async () => {
  await put('tw-1', { status: 'hooked', assignee: NUX });
  const { done: isDone, text } = await carried(hands(), await chosen('dirty_polecat', 'DISCARD'));
  expect([isDone, text, done]).toEqual([true, 'kept; tw-1 is open', [`discard ${NUX}`]]);
  expect(await shown('tw-1')).toMatchObject({ status: 'open', assignee: '', attempts: 1 });
});

test('DISCARD of one that said done and lives: its end first, and the case waits for it; then its work is open again, once', async () => {
  await put('tw-1', { status: 'hooked', assignee: NUX });
  const id = await chosen('dirty_polecat', 'DISCARD');
  let standing: 'lives' | 'ended' = 'lives';
  const now = hands({
    standing: () => Promise.resolve({ standing, isAnother: false }),
    wishesEnd: () => Promise.resolve('yes'),
  });
  for (let nth = 0; nth < 2; nth += 1) {
    expect(await carried(now, id)).toMatchObject({
      done: true,
      text: expect.stringMatching(/ends first.*its end is asked for/) as string,
    });
    expect((await caseCalled(ledger, id)).state).toBe('resolved');
    expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: NUX, attempts: 0 });
  }
  standing = 'ended';
  expect(await carried(now, id)).toMatchObject({ done: true });
  expect(done).toEqual([`end ${NUX}`, `end ${NUX}`, `discard ${NUX}`]);
  expect(await shown('tw-1')).toMatchObject({ status: 'open', assignee: '', attempts: 1 });
});

test('DISCARD of one whose end never comes goes to a person, and its work stays where it is', async () => {
  await put('tw-1', { status: 'hooked', assignee: NUX });
  const id = await chosen('dirty_polecat', 'DISCARD');
  const now = hands({
    standing: () => Promise.resolve({ standing: 'lives', isAnother: false }),
    wishesEnd: () => Promise.resolve('yes'),
    end: () => Promise.reject(new Error('it lives on')),
  });
  expect(await carried(now, id)).toMatchObject({ done: false, text: 'it lives on' });
  expect([(await caseCalled(ledger, id)).state, done, await isThere(`${id}-refused`)]).toEqual(['open', [], true]);
  expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: NUX, attempts: 0 });
});

test('DISCARD that is refused leaves the work where it is, and a person decides', async () => {
  await put('tw-1', { status: 'hooked', assignee: NUX });
  const id = await chosen('dirty_polecat', 'DISCARD');
  const refused = hands({ discard: () => Promise.reject(new Error('a git runs in there')) });
  expect(await carried(refused, id)).toMatchObject({ done: false, text: 'a git runs in there' });
  expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: NUX, attempts: 0 });
  expect([(await caseCalled(ledger, id)).state, done, await isThere(`${id}-refused`)]).toEqual(['open', [], true]);
});

test.each([true, false])(
  'COMMIT_AND_PUSH that waits: --all, given or not (%s), is the same when it is carried out later',
  async (all) => {
    const about = { type: 'dirty_polecat', agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness' } as const;
    const { id } = await requestTriage(ledger, { ...about, now: NOW, policy: TRIAGE });
    await resolveCase(ledger, id, { choice: 'COMMIT_AND_PUSH', all, note: '', by: 'overseer', now: NOW, among: null });
    const busy = { save: () => Promise.reject(new Error('the rig is busy')), isTransient: () => true };
    expect(await carried(hands(busy), id)).toMatchObject({ done: false });
    const asked: boolean[] = [];
    const save: TriageHands['save'] = (_, _message, wanted) => {
      asked.push(wanted.all);
      return Promise.resolve('saved');
    };
    expect(await carried(hands({ save }), id)).toMatchObject({ done: true });
    expect(asked).toEqual([all]);
  },
);

// Rules: P-13.
test('COMMIT_AND_PUSH of a reasoner rests on what it was shown; without a mark it is not its to choose', async () => {
  const about = { type: 'dirty_polecat', agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness' } as const;
  const { id } = await requestTriage(ledger, { ...about, now: NOW, policy: TRIAGE });
  const chosen = { choice: 'COMMIT_AND_PUSH', note: '', by: 'triage', now: NOW, among: null } as const;
  await expect(resolveCase(ledger, id, chosen)).rejects.toMatchObject({ exit: 5, code: 'not_shown' });
  await resolveCase(ledger, id, { ...chosen, shown: 'c:f' });
  const asked: unknown[] = [];
  const save: TriageHands['save'] = (_, _message, how) => {
    asked.push(how);
    return Promise.resolve('saved');
  };
  await carried(hands({ save }), id);
  expect(asked).toEqual([{ all: false, shown: 'c:f' }]);
});

test('--all of a refused choice is over with it', async () => {
  const about = { type: 'dirty_polecat', agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness' } as const;
  const { id } = await requestTriage(ledger, { ...about, now: NOW, policy: TRIAGE });
  const chosen = { choice: 'COMMIT_AND_PUSH', note: '', by: 'overseer', now: NOW, among: null } as const;
  await resolveCase(ledger, id, { ...chosen, all: true });
  await carried(hands({ save: () => Promise.reject(new Error('the remote refuses it')) }), id);
  await resolveCase(ledger, id, chosen);
  expect((await caseCalled(ledger, id)).resolution?.all).toBe(undefined);
});

test.each([
  ['overseer', 'DISCARD'],
  ['triage', 'COMMIT_AND_PUSH'],
] as const)('--all is refused of %s with %s, and nothing is chosen', async (by, choice) => {
  const about = { type: 'dirty_polecat', agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness' } as const;
  const { id } = await requestTriage(ledger, { ...about, now: NOW, policy: TRIAGE });
  await expect(resolveCase(ledger, id, { choice, all: true, note: '', by, now: NOW, among: null })).rejects.toThrow(
    /--all is the operator's/,
  );
  expect((await caseCalled(ledger, id)).state).toBe('open');
});

test('work that went to another agent meanwhile is not taken from it', async () => {
  await put('tw-1', { status: 'hooked', assignee: NUX });
  const id = await chosen('zombie_confirm', 'RESTART');
  // Between the look and the act.
  const given = hands({
    standing: async () => {
      const held = await shown('tw-1');
      const { beads } = ledger;
      ledger.beads = async (ids) => {
        ledger.beads = beads;
        const found = await ledger.beads(ids);
        await ledger.put({ ...held, assignee: 'shop/polecats/ada' }, { expects: held.version, write: 'ada' });
        return found;
      };
      return { standing: 'ended', isAnother: false };
    },
  });
  await carried(given, id);
  expect(await shown('tw-1')).toMatchObject({ status: 'hooked', assignee: 'shop/polecats/ada', attempts: 0 });
});

// Rules: P-13, P-15, A-4.
test('ESCALATE of a reasoner leaves the case open for a person, who can choose; the next one of its kind is a person’s', async () => {
  const id = await chosen('dirty_polecat', 'ESCALATE');
  expect(await carried(hands(), id)).toMatchObject({ done: true });
  expect(await caseCalled(ledger, id)).toMatchObject({ state: 'open', isPersons: true, wasTold: true });
  expect([await isThere(`${id}-undecided`), await isThere(`${id}-escalated`)]).toEqual([true, false]);
  await resolveCase(ledger, id, { choice: 'DISCARD', note: '', by: 'overseer', now: NOW, among: null });
  await carried(hands(), id);
  expect([done, (await caseCalled(ledger, id)).state]).toEqual([[`discard ${NUX}`], 'closed']);
  const about = { type: 'dirty_polecat', agent: NUX, rig: 'shop', why: 'odd', by: 'shop/witness' } as const;
  const next = await requestTriage(ledger, { ...about, now: NOW + TRIAGE.againAfterMs, policy: TRIAGE });
  expect(next.isNew).toBe(true);
  expect(await caseCalled(ledger, next.id)).toMatchObject({ state: 'open', isPersons: true, wasTold: false });
});

test('ESCALATE_TO_MAYOR is a person’s too where no mayor lives', async () => {
  const id = await chosen('crash_loop', 'ESCALATE_TO_MAYOR');
  await carried(hands(), id);
  expect([done, await isThere(`${id}-escalated`)]).toEqual([['mail mayor'], true]);
  done.length = 0;
  const next = await chosen('help_request', 'ESCALATE_TO_MAYOR');
  await carried(hands({ hasMayor: () => Promise.resolve(true) }), next);
  expect([done, await isThere(`${next}-escalated`)]).toEqual([['mail mayor'], false]);
});

test('RESTART of a queue starts the refinery, with any work there', async () => {
  await put('tw-1', { status: 'in_progress', assignee: 'shop/refinery' });
  await carried(hands(), await chosen('queue_health', 'RESTART', 'shop/refinery'));
  expect(done).toEqual(['start shop/refinery']);
  expect(await shown('tw-1')).toMatchObject({ status: 'in_progress', assignee: 'shop/refinery', attempts: 0 });
});
