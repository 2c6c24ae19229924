/** Names that cannot be had are refused before anything is made of them. */
import { expect, test } from 'vitest';
import {
  agentOfSession,
  agentsNamed,
  nameOfWork,
  polecatIn,
  sessionOf,
  unfitPolecat,
  unfitRig,
  type KnownAgents,
} from '../../machines/rigs/names.ts';

test.each([
  ['shop', null],
  ['a-b_1', null],
  ['', 'is no name'],
  ['-a', 'is no name'],
  ['a b', 'is no name'],
  ['a/b', 'is no name'],
  ['..', 'is no name'],
  ['$(x)', 'is no name'],
  ['overseer', 'is an address'],
  ['Mail', 'is a folder'],
  ['x'.repeat(60), 'is too long'],
])('a rig %j: %s', (name, why) => {
  const unfit = unfitRig(name, ['mail']);
  if (why === null) expect(unfit).toBeNull();
  else expect(unfit).toContain(why);
});

test.each([
  ['nux', null],
  ['witness', 'is an office'],
  ['a\n', 'is no name'],
  ['.git', 'is no name'],
  ['x'.repeat(57), 'is too long: its session would have 65 of 64 signs'],
])('a polecat %j: %s', (name, why) => {
  const unfit = unfitPolecat({ rig: 'shop', name });
  if (why === null) expect(unfit).toBeNull();
  else expect(unfit).toContain(why);
});

test('is told by two words, also as mail writes it', () => {
  expect(polecatIn('shop/nux')).toEqual({ rig: 'shop', name: 'nux' });
  expect(polecatIn('shop/polecats/nux')).toEqual({ rig: 'shop', name: 'nux' });
  for (const text of ['nux', 'a/b/c', '/nux', 'shop/', '']) expect(polecatIn(text)).toBeNull();
  expect(sessionOf({ rig: 'shop', name: 'nux' })).toBe('gt-shop-nux');
});

test.each([
  ['gt-shop-nux', ['polecat', 'rig:shop'], 'shop/polecats/nux'],
  ['gt-a-b-c-d', ['polecat', 'rig:a-b'], 'a-b/polecats/c-d'],
  ['gt-shop-refinery', ['refinery', 'rig:shop'], 'shop/refinery'],
  ['gt-shop-witness', ['witness', 'rig:shop'], 'shop/witness'],
  ['gt-shop-nux', ['worker'], 'gt-shop-nux'],
  ['gt-shop-nux', ['rig:shop'], 'gt-shop-nux'],
  ['builder', ['polecat', 'rig:shop'], 'builder'],
])('a session %s tagged %j acts as %s', (name, tags, agent) => {
  expect(agentOfSession({ name, tags })).toBe(agent);
});

// Rules: P-8.
test.each([
  ['mend the parser', 'mend-the-parser'],
  ['Fix login: a timeout (P1)', 'fix-login-a-timeout-p1'],
  ['Crème brûlée', 'creme-brulee'],
  ['../../etc; $(touch x) `y`', 'etc-touch-x-y'],
  ['a-word-that-goes-on-and-on-for-ever', 'a-word-that-goes-on-and'],
  ['supercalifragilisticexpialidocious', 'supercalifragilisticexpi'],
  ['witness', 'gt-1'],
  ['починить', 'gt-1'],
  ['…', 'gt-1'],
])('work titled %j asks for the polecat %s', (title, name) => {
  expect(nameOfWork('shop', { id: 'gt-1', title })).toBe(name);
});

test('a rig with a long name leaves room for a number behind the words', () => {
  const rig = 'x'.repeat(50);
  const name = nameOfWork(rig, { id: 'gt-1', title: 'mend the parser' });
  expect(name).toBe('mend');
  expect(unfitPolecat({ rig, name: `${name}-99` })).toBeNull();
});

const KNOWN: KnownAgents = {
  rigs: ['shop', 'api', 'a', 'a-b'],
  sessions: ['builder', 'hq-mayor', 'gt-shop-nux'],
  polecats: [
    { rig: 'shop', name: 'nux' },
    { rig: 'shop', name: 'twin' },
    { rig: 'api', name: 'twin' },
    { rig: 'a', name: 'b-c' },
  ],
};

test.each<[text: string, ...agents: string[]]>([
  ['nux', 'shop/polecats/nux'],
  ['shop/nux', 'shop/polecats/nux'],
  ['shop/polecats/nux', 'shop/polecats/nux'],
  ['gt-shop-nux', 'shop/polecats/nux'],
  ['shop/gone', 'shop/polecats/gone'],
  ['gt-shop-gone', 'shop/polecats/gone'],
  ['twin', 'shop/polecats/twin', 'api/polecats/twin'],
  ['api/twin', 'api/polecats/twin'],
  ['gt-a-b-c', 'a/polecats/b-c'],
  ['gt-a-b-d', 'a/polecats/b-d', 'a-b/polecats/d'],
  ['shop/witness', 'shop/witness'],
  ['shop/polecats/witness', 'shop/witness'],
  ['gt-api-refinery', 'api/refinery'],
  ['witness', 'shop/witness', 'api/witness', 'a/witness', 'a-b/witness'],
  ['mayor', 'mayor'],
  ['mayor/', 'mayor'],
  ['hq-mayor', 'hq-mayor'],
  ['builder', 'builder'],
  ['alice'],
  ['other/nux'],
  ['shop/polecats'],
  ['shop/a b'],
  ['gt-shop-'],
  [''],
])('%j names %j', (text, ...agents) => {
  expect(agentsNamed(text, KNOWN)).toEqual(agents);
});
