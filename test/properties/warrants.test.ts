/** Warrants under attack. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { paths } from '../../state/files/layout.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import { incarnation, warrant } from '../world/drive.ts';
import { SimDisk } from '../world/disk.ts';
import { deaf, filing, HEARING_MS, loss, RUNS, seed, span, told } from './stories.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 180_000 });

/** Files warrants one after the other; the process dies at the n-th crash point. Returns the ids that were acknowledged. */
async function fileUntil(disk: SimDisk, texts: ReadonlyMap<string, string>, nth: number, lost: () => boolean) {
  const acknowledged: string[] = [];
  let points = 0;
  const lives = { is: true };
  disk.burn = () => {
    points += 1;
    if (points !== nth) return;
    lives.is = false;
    disk.crash(lost);
    throw new Error('killed');
  };
  const mount = disk.mount();
  const filed = (async () => {
    for (const [id, text] of texts) {
      await writeFiles(mount, [{ path: paths.warrant(id), text }]);
      acknowledged.push(id);
    }
  })();
  await Promise.race([filed, new Promise((resolve) => setImmediate(resolve))]);
  disk.burn = undefined;
  if (lives.is) disk.crash(lost);
  return acknowledged;
}

// Rules: I-1.
test('1: killed at every point of filing, an acknowledged warrant is there, and none is torn', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.array(fc.boolean(), { minLength: 1 }), async (nth, coins) => {
      const ids = ['w1', 'w2', 'w3', 'w4'];
      const texts = new Map(ids.map((id) => [id, warrantText(warrant(id, incarnation(1)))]));
      const disk = new SimDisk();
      let tosses = 0;
      const acknowledged = await fileUntil(disk, texts, nth, () => coins[tosses++ % coins.length] === true);
      const files = disk.files();
      const there = ids.filter((id) => files.has(paths.warrant(id)));
      expect(there.length).toBeLessThanOrEqual(acknowledged.length + 1);
      for (const id of acknowledged) expect(files.get(paths.warrant(id))).toBe(texts.get(id));
      for (const id of there) expect(files.get(paths.warrant(id))).toBe(texts.get(id));
    }),
    { numRuns: 300 },
  );
});

// Rules: I-4.
test('4: the same warrant put there many times, and others for the same life: one dance, each told once', async () => {
  const again = fc.array(fc.nat(HEARING_MS), { maxLength: 8 });
  const others = fc.array(fc.nat(HEARING_MS - 6_000), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      seed,
      again,
      others,
      fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 4 }),
      async (n, more, at, fuses) => {
        const filings = [
          { ...filing, again: more },
          ...at.map((when, i) => ({ ...filing, id: `w${i + 1}`, at: when, requester: `r${i}` })),
        ];
        const { log, verdicts } = await told({ seed: n, filings, fuses });
        expect(new Set(log.flatMap((e) => (e.what === 'asked' ? [e.dance] : []))).size).toBe(1);
        expect(new Set(log.flatMap((e) => (e.what === 'told' ? [e.warrant] : []))).size).toBe(filings.length);
        expect(Object.keys(verdicts)).toEqual(['executed']);
      },
    ),
    RUNS,
  );
});

// Rules: I-10.
test('10: a disk that is full, broken or slow at the n-th write: nothing is killed without a durable intent, it recovers', async () => {
  const spell = fc.record({
    at: span(20_000),
    kind: fc.constantFrom('ENOSPC', 'EIO', 'slow'),
    share: fc.constantFrom(0.1, 0.5, 1),
    slowMs: fc.integer({ min: 1, max: 8_000 }),
  });
  const spells = fc.array(spell, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(seed, spells, fc.nat(300), loss, async (n, all, fuse, lost) => {
      const { verdicts } = await told({
        seed: n,
        targets: [{ ...deaf, forks: 1 }],
        spells: all.map(({ at, ...rest }) => ({ ...at, ...rest })),
        fuses: [fuse + 1],
        loss: lost,
        journals: true,
      });
      expect(verdicts).toEqual({ executed: 1 });
    }),
    RUNS,
  );
});
