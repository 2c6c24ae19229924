/** Letters about requests that wait: one for each cause, until it is over, and few however a remote words it. */
import { beforeEach, expect, test } from 'vitest';
import { boxAt } from '../../src/patrols/witness/post.ts';
import type { Request } from '../../src/patrols/witness/refinery-work.ts';
import { tellPerson, toldOf, untell, type Desk, type Told } from '../../src/refinery/letters.ts';
import { REFINERY } from '../../src/refinery/policy.ts';
import { SimDisk } from '../world/disk.ts';

let desk: Desk;
let told: Told;
let at: number;
beforeEach(async () => {
  const post = { disk: new SimDisk().mount(), note: () => undefined };
  at = 0;
  desk = {
    rig: 'shop',
    witness: boxAt(post, 'shop/witness'),
    person: boxAt(post, 'overseer'),
    sign: (words) => ({ ...words, from: 'shop/refinery', via: 'town', sentAt: at }),
    tell: async (letter) => {
      await desk.person.send(letter);
    },
    now: () => (at += 1),
  };
  told = await toldOf(desk);
});

const waits = (name: string, why: string): Promise<string> => {
  const request: Request = {
    mail: `ready-${name}`,
    sentAt: 1,
    bead: null,
    polecat: null,
    branch: `polecat/${name}`,
    commit: null,
    main: null,
  };
  const text = `origin refuses polecat/${name} on main: remote: ${why}\nIts request stays: ready-${name}`;
  return tellPerson(desk, told, { kind: 'push', why: text }, request);
};
const open = async (): Promise<string[]> =>
  (await desk.person.inbox()).map(({ body }) => /remote: (.*)/.exec(body)?.[1] ?? body);

// Rules: R-2.
test('a second cause of a kind has a letter of its own; a request that waits for the same as another has none', async () => {
  const big = await waits('nux', 'file big is too large (at 3f2a91c0)');
  expect(await waits('ace', 'file big is too large (at 77b0e5d4)')).toBe(big);
  const guarded = await waits('bob', 'main is protected');
  expect(guarded).not.toBe(big);
  expect(await open()).toEqual(['file big is too large (at 3f2a91c0)', 'main is protected']);
  // Another life of the refinery goes on with them.
  told = await toldOf(desk);
  expect(await waits('cid', 'main is protected')).toBe(guarded);
  await untell(desk, told, new Set([guarded]));
  expect(await open()).toEqual(['main is protected']);
  // What was over and comes again is news.
  expect(await waits('nux', 'file big is too large (at 3f2a91c0)')).toBe(big);
  expect(await open()).toHaveLength(2);
});

// Rules: R-2.
test('a remote that words each refusal anew makes few letters, and the last one stays until it is over', async () => {
  const words = ['one', 'two', 'three', 'four', 'five', 'six'];
  for (const word of words) await untell(desk, told, new Set([await waits('nux', `no, says ${word}`)]));
  expect(await open()).toEqual([`no, says ${words[REFINERY.maxLetters - 1] ?? ''}`]);
  expect(await desk.person.inbox({ archived: true })).toHaveLength(REFINERY.maxLetters);
  expect((await desk.person.inbox())[0]?.body).toContain('town mail inbox shop/refinery');
  await untell(desk, told, new Set());
  expect(await open()).toEqual([]);
  await waits('nux', 'no, says seven');
  expect(await open()).toEqual(['no, says seven']);
});
