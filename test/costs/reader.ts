/** A meter that reads a file of a program, as a test writes it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Budget } from '../../src/costs/meter.ts';
import { meterOf } from '../../src/costs/meters.ts';
import { COSTS } from '../../src/costs/policy.ts';
import { type Counted } from '../../src/costs/tally.ts';
import { freshFolder } from '../world/over.ts';

export const plenty = (): Budget => ({ bytes: 1_000 * COSTS.sliceBytes, until: 1, now: () => 0 });

interface Reader {
  readonly file: string;
  look(budget?: Budget): Promise<Counted | null>;
}

export function reader(program: 'claude' | 'codex' = 'claude', file = join(freshFolder(), 'a.jsonl')): Reader {
  const books = program === 'claude' ? { program, file } : { program, files: [file] };
  const meter = meterOf(books);
  return {
    file,
    look: async (budget = plenty()) => {
      await meter.look(books, budget);
      return meter.counted;
    },
  };
}

export async function counted(
  lines: readonly string[],
  program: 'claude' | 'codex' = 'claude',
): Promise<Counted | null> {
  const { file, look } = reader(program);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return look();
}
