/** A cycle of a witness is killed around every call that makes anything durable: the next one handles each letter, and handles it once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import { MAIN } from '../../cli/town.ts';
import { inLanes } from '../../crash/strike.ts';
import { BY_HAND, Shop } from '../shop.ts';

const PROGRAMS = inject('programs');
/** Files are moved by the pool; around SQLite every few of its many calls are struck. */
const KINDS = [
  { kind: 'files', module: join(PROGRAMS, 'inside.mjs'), strikeOf: (n: number) => `rename:${n}`, stride: 1 },
  { kind: 'ledger', module: join(PROGRAMS, 'ledger-strike.mjs'), strikeOf: String, stride: 17 },
] as const;
type Kind = (typeof KINDS)[number];

const shops = new Map<Kind, Shop>();
/** Beads of each that its swarms follow. */
const followed = new Map<Kind, readonly string[]>();
beforeAll(async () => {
  for (const kind of KINDS) {
    const shop = new Shop(BY_HAND);
    shops.set(kind, shop);
    await shop.data('rig', 'add', 'shop', '--repo', shop.repo);
    followed.set(kind, [await shop.bead('a'), await shop.bead('b')]);
  }
});

/** A cycle by hand; true = it was killed. */
async function struck(shop: Shop, { module, strikeOf }: Kind, n: number): Promise<boolean> {
  const words = ['--import', module, MAIN, '--root', shop.root, 'witness', 'patrol', 'shop', '--once'];
  const child = spawn(process.execPath, words, { env: shop.env({ STRIKE: strikeOf(n) }), stdio: 'ignore' });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (signal !== 'SIGKILL') expect(code).toBe(0);
  return signal === 'SIGKILL';
}

// Rules: P-2.
test('each letter is handled once, whenever the cycle before was killed', { timeout: 600_000 }, async () => {
  const points = new Map<string, number>();
  await inLanes(KINDS, async (kind) => {
    const shop = shops.get(kind)!;
    for (let n = 1; ; n += kind.stride) {
      const swarm = `s-${n}`;
      await shop.run(
        'mail',
        'send',
        'shop/witness',
        '-s',
        `SWARM_START ${swarm}`,
        '-m',
        `SwarmID: ${swarm}\nBeads: ${followed.get(kind)?.join(' ') ?? ''}\nTotal: 2`,
      );
      const hit = await struck(shop, kind, n);
      await shop.data('witness', 'patrol', 'shop', '--once');
      const what = `${kind.kind} ${n}`;
      expect(await shop.data('mail', 'inbox', 'shop/witness'), what).toEqual([]);
      expect(await shop.data('bead', 'list', '--label', `swarm_id:${swarm}`), what).toHaveLength(1);
      points.set(kind.kind, n);
      if (!hit) return;
    }
  });
  process.stdout.write(`a cycle killed: ${JSON.stringify(Object.fromEntries(points))}\n`);
  expect(Math.min(...points.values())).toBeGreaterThan(2);
});
