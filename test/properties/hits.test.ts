/** Files are damaged under a town in the middle of its hearings; the oracle of the simulation judges what it does then. */
import type { Rules } from '../sim/oracle.ts';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { judgeLog, RULES as ALL } from '../sim/oracle.ts';
import type { TargetPlan } from '../sim/agent-plans.ts';
import { Hearings } from '../sim/hearings.ts';
import { traceOf } from '../sim/log.ts';
import { damage, damaged, type Damage } from './damage.ts';
import { deaf, filing, HEARING_MS, quiet, seed } from './stories.ts';

/** Histories take processor time; a busy machine is no failure. */
vi.setConfig({ testTimeout: 240_000 });

const RULES: Rules = { ...ALL, seenWithinMs: Infinity };
/** What a lost file may cost: its own warrant, the order of the others, who was told, and that a life was ended on purpose. */
const COSTS = /was lost in the crash|was heard at|was told|hearings at once|was executed, and was started again/;
/** All warrants are filed by then. */
const FILED_MS = 1_500;

const answering = (n: number): TargetPlan => ({
  ...deaf,
  name: `s${n}`,
  answer: { attempt: (n % 3) + 1, afterMs: 1_000, by: n % 2 === 0 ? 'file' : 'screen' },
});
const targets = [deaf, answering(1), answering(2), { ...deaf, name: 's3', forks: 2, trapsTerm: true }];
const filings = targets.map(({ name }, n) => ({ ...filing, id: `w${n}`, target: name, at: 10 + n * 100 }));

interface Hit {
  readonly at: number;
  readonly files: readonly { readonly nth: number; readonly how: Damage }[];
}

/** At `at` the process dies, and before the next one comes something happens to some of its files. */
function strike(sim: Hearings, { at, files: hits }: Hit): void {
  sim.time.at(at, () => {
    if (sim.isDown) return;
    sim.kill();
    for (const { nth, how } of hits) {
      const files = [...sim.disk.files()].filter(([path]) => !path.startsWith('quarantine/'));
      const [path, text] = files[nth % Math.max(1, files.length)] ?? [];
      if (path !== undefined && text !== undefined) sim.disk.put(path, damaged(text, how));
    }
  });
}

// Rules: I-15.
test('15: files damaged while the town is down in the middle of hearings: it starts, and kills no agent that was not to be killed', async () => {
  const hit = fc.record({
    at: fc.integer({ min: FILED_MS, max: HEARING_MS + 8_000 }),
    files: fc.array(fc.record({ nth: fc.nat(100), how: damage }), { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(seed, fc.array(hit, { minLength: 1, maxLength: 4 }), async (n, hits) => {
      const history = { ...quiet, seed: n, targets, filings, loss: 'process' as const, endsAt: 3 * HEARING_MS };
      const sim = new Hearings(history);
      for (const one of hits) strike(sim, one);
      await sim.run();
      const { log } = sim;
      const findings = judgeLog(log, RULES).filter((finding) => !COSTS.test(finding));
      expect(findings, traceOf(log)).toEqual([]);
      const killed = new Set(log.flatMap((entry) => (entry.what === 'signalled' ? [entry.of] : [])));
      expect([...killed].filter((life) => /-s[12]$/.test(life))).toEqual([]);
      const last = log.findLast(({ what }) => what === 'booted' || what === 'ended');
      const isUp = last?.what === 'booted' || sim.time.now - (last?.t ?? 0) <= quiet.downMs;
      expect(isUp, traceOf(log)).toBe(true);
    }),
    { numRuns: 30 },
  );
});
