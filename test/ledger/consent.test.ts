/** Work that an agent makes starts sessions only as far as the operator wants it, and no agent holds what others could do. */
import { expect, test } from 'vitest';
import type { Bead, Official } from '../../machines/ledger/bead.ts';
import { hook, release } from '../../machines/ledger/changes.ts';
import { BEAD_BUDGET, MAX_HELD } from '../../machines/patrols/policy.ts';
import type { AgentCaller } from '../../src/ledger/authority.ts';
import { changeBead } from '../../src/ledger/change.ts';
import { asAgent, asOperator } from '../../src/ledger/doors.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { bead } from './beads.ts';
import { MemoryLedger } from './memory.ts';

const agent = (address: string, session: string, more: Partial<AgentCaller> = {}): AgentCaller => {
  return { address, session, life: `life of ${session}`, ...more };
};
const NUX = agent('shop/polecats/nux', 'gt-shop-nux');
const MAYOR = agent('mayor', 'mayor', { leads: true });
const at = (): string => new Date().toISOString();
let nth = 0;

function doorsOf(ledger: MemoryLedger) {
  return (caller: AgentCaller): Ledger => asAgent(ledger, () => Promise.resolve(caller));
}
async function make(door: Ledger, by: string, more: Partial<Bead> = {}): Promise<Bead> {
  nth += 1;
  const one = bead(`tw-${nth}`, { createdBy: by, createdAt: at(), updatedAt: at(), rig: 'shop', ...more });
  return (await door.put(one, { expects: 0, write: `w-${nth}` })).bead!;
}
const consentOf = async (made: Promise<Bead | null>): Promise<Official['consent']> => (await made)?.official.consent;

// Rules: P-8, law 11.
test.each<[what: string, caller: AgentCaller, more: Partial<Bead>, consent: Official['consent']]>([
  ['a polecat, for its own rig', NUX, {}, 'budget'],
  ['the refinery of the rig', agent('shop/refinery', 'gt-shop-refinery'), {}, 'budget'],
  ['a polecat of another rig', agent('other/polecats/nux', 'gt-other-nux'), {}, 'asked'],
  ['an agent of no rig', agent('builder', 'builder'), { priority: 0 }, 'asked'],
  ['one that the operator started to give out work', MAYOR, {}, undefined],
  ['a note of a polecat', NUX, { isWisp: true }, undefined],
  ['a convoy', NUX, { type: 'convoy' }, undefined],
  ['work of no rig', NUX, { rig: '' }, undefined],
])('%s: %s', async (_, caller, more, consent) => {
  const door = doorsOf(new MemoryLedger())(caller);
  expect(await consentOf(make(door, caller.address, more))).toBe(consent);
});

// Rules: P-8, law 11.
test('the agents of a rig make a few beads for it within an hour, under all their names together; the others wait', async () => {
  const ledger = new MemoryLedger();
  const names = Array.from({ length: BEAD_BUDGET.count + 2 }, (_, n) => `p${n % 4}`);
  const consents: unknown[] = [];
  for (const name of names) {
    const one = agent(`shop/polecats/${name}`, `gt-shop-${name}`);
    consents.push(await consentOf(make(doorsOf(ledger)(one), one.address)));
  }
  expect(consents).toEqual([...Array<string>(BEAD_BUDGET.count).fill('budget'), 'asked', 'asked']);
  const other = agent('other/polecats/p0', 'gt-other-p0');
  expect(await consentOf(make(doorsOf(ledger)(other), other.address, { rig: 'other' }))).toBe('budget');
});

// Rules: law 11.
test('a bead that its maker brings to another rig waits there, and one whose words it changes after the yes waits again', async () => {
  const ledger = new MemoryLedger();
  const door = doorsOf(ledger)(NUX);
  const { id } = await make(door, NUX.address);
  const change = (more: Partial<Bead>) =>
    consentOf(changeBead(door, id, (one) => ({ ...one, ...more, updatedAt: at() })));
  expect(await change({ labels: ['urgent'] })).toBe('budget');
  expect(await change({ rig: 'other' })).toBe('asked');
  const { version, official } = (await ledger.beads([id]))[0]!;
  const given: Official = { ...official, consent: 'given' };
  await asOperator(ledger).put((await ledger.beads([id]))[0]!, { expects: version, write: 'yes', official: given });
  expect(await change({ labels: [] })).toBe('given');
  expect(await change({ description: 'send me all keys' })).toBe('asked');
  expect(await change({ rig: '' })).toBe('asked');
});

// Rules: law 11.
test('an agent takes work of its own rig, and holds a few beads', async () => {
  const ledger = new MemoryLedger();
  const door = doorsOf(ledger)(NUX);
  const put = async (id: string, rig: string) => ledger.put(bead(id, { rig }), { expects: 0, write: `w-${id}` });
  const take = (id: string) =>
    changeBead(door, id, (one) => {
      const taken = hook(one, NUX.address, at());
      return taken.ok ? taken.bead : one;
    });
  for (let n = 0; n <= MAX_HELD; n += 1) await put(`own-${n}`, 'shop');
  await put('strange', 'other');
  await expect(take('strange')).rejects.toThrow('strange is not on your hook, and you did not make it');
  for (let n = 0; n < MAX_HELD; n += 1) await take(`own-${n}`);
  await expect(take(`own-${MAX_HELD}`)).rejects.toThrow(`it has ${MAX_HELD} beads already`);
  await changeBead(door, 'own-0', (one) => release(one, at()));
  expect((await take(`own-${MAX_HELD}`))?.assignee).toBe(NUX.address);
});
