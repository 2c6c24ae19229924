/** When the work of a polecat failed, which a crash loop is counted by. */
import type { Ledger } from '../../../state/ledger/port.ts';
import { evidenceOf } from '../../ledger/walk.ts';
import { age } from '../../ports/age.ts';
import { EVIDENCE, failuresOf } from '../memory/evidence.ts';

interface Counting {
  readonly ledger: Ledger;
  /** Wall ms. */
  readonly now: number;
  /** How far back failures count. */
  readonly withinMs: number;
}

/** Ages of an agent's failures, or of a piece of work's, the youngest first, as far back as matters. */
async function failureAges({ ledger, now, withinMs }: Counting, rig: string, of: string): Promise<number[]> {
  const ages: number[] = [];
  for await (const one of evidenceOf(ledger, failuresOf(rig, of))) {
    if (age(one.at, now) > withinMs) break;
    if (one.kind === EVIDENCE.failure) ages.push(age(one.at, now));
  }
  return ages;
}

/** Of the agent, or of its work, whichever failed more often. */
export async function failures(looking: Counting, rig: string, of: readonly string[]): Promise<number[]> {
  const ages = await Promise.all(of.map((one) => failureAges(looking, rig, one)));
  return ages.reduce((most, one) => (one.length > most.length ? one : most), []);
}
