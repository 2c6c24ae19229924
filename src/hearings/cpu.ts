/**
 * CPU time of supervised trees before anybody asks (D-4): a question is compared with the rate the tree had on its own. Their
 * memory comes from the same pass.
 * Driven by scans; keeps samples of the last `cpuBaselineMs` and nothing else. What cannot be measured is no evidence.
 */
import type { HandsPolicy } from '../ports/policy.ts';
import type { Incarnation, Instant, Ms } from '../../machines/protocol.ts';
import type { Processes, Usage } from '../ports/ports.ts';

/** CPU time by process, and when. */
export interface CpuSample {
  readonly at: Instant;
  readonly used: ReadonlyMap<string, number>;
}

type Numbers = Pick<HandsPolicy, 'cpuBaselineMs' | 'cpuSampleEveryMs' | 'maxRemembered'>;

/** Of this agent and its descendants now. Rejects when the process table cannot tell. */
export async function sampleOf(
  processes: Pick<Processes, 'usageOf'>,
  target: Incarnation,
  now: () => Instant,
): Promise<CpuSample> {
  const [usage] = await processes.usageOf([target.agent]);
  return { at: now(), used: usage?.cpu ?? new Map<string, Ms>() };
}

/** CPU ms per s between two samples; a process that came in between counts whole, one that went not at all. */
export function rateBetween(before: CpuSample, after: CpuSample): number {
  let used = 0;
  for (const [proc, ms] of after.used) used += Math.max(0, ms - (before.used.get(proc) ?? 0));
  return (used * 1_000) / Math.max(1, after.at - before.at);
}

export class CpuSampler {
  readonly #processes: Pick<Processes, 'usageOf'>;
  readonly #numbers: Numbers;
  readonly #samples = new Map<string, (CpuSample & Pick<Usage, 'memoryBytes'>)[]>();
  /** Who was in the last samples of a life, also of one that ended since. */
  readonly #kin = new Map<string, ReadonlySet<string>>();

  constructor(processes: Pick<Processes, 'usageOf'>, numbers: Numbers) {
    this.#processes = processes;
    this.#numbers = numbers;
  }

  /** Call it as often as you like: a life is measured at its pace. Lives not named are forgotten. Never rejects. */
  async sample(incarnations: readonly Incarnation[], now: Instant): Promise<void> {
    const named = new Set(incarnations.map(({ uuid }) => uuid));
    for (const uuid of this.#samples.keys()) if (!named.has(uuid)) this.#samples.delete(uuid);
    const { cpuSampleEveryMs: paceMs } = this.#numbers;
    const older = (ms: Ms) =>
      incarnations.filter(({ uuid }) => now - (this.#samples.get(uuid)?.at(-1)?.at ?? -Infinity) >= ms);
    if (older(paceMs).length === 0) return;
    const due = older(paceMs / 2); // who is nearly due comes along, so that one pass soon serves all
    try {
      const usages = await this.#processes.usageOf(due.map(({ agent }) => agent));
      for (const [n, { uuid }] of due.entries()) {
        const kept = (this.#samples.get(uuid) ?? []).filter(({ at }) => now - at <= this.#numbers.cpuBaselineMs);
        const { cpu: used, memoryBytes } = usages[n] ?? { cpu: new Map<string, Ms>(), memoryBytes: 0 };
        this.#samples.set(uuid, [...kept, { at: now, used, memoryBytes }]);
        this.#remember(uuid, [...kept.flatMap((sample) => [...sample.used.keys()]), ...used.keys()]);
      }
    } catch {
      // Not measured is not idle: without samples there is no rate, and without a rate no evidence.
      for (const { uuid } of due) this.#samples.delete(uuid);
    }
  }

  /** What was measured of a life lately, as `<pid> <start>`; kept when it ends, of so many lives as policy says. */
  kinOf(uuid: string): ReadonlySet<string> {
    return this.#kin.get(uuid) ?? new Set();
  }

  #remember(uuid: string, kin: readonly string[]): void {
    this.#kin.delete(uuid);
    this.#kin.set(uuid, new Set(kin));
    for (const oldest of this.#kin.keys()) {
      if (this.#kin.size <= this.#numbers.maxRemembered) break;
      this.#kin.delete(oldest);
    }
  }

  /** In RAM when it was measured last, with all that it runs; null = not measured. */
  memoryBytes(uuid: string): number | null {
    return this.#samples.get(uuid)?.at(-1)?.memoryBytes ?? null;
  }

  /** CPU ms per s over the baseline; null = not measured for at least one pace. */
  rate(uuid: string): number | null {
    const kept = this.#samples.get(uuid) ?? [];
    const [first, last] = [kept[0], kept.at(-1)];
    return first === undefined || last === undefined || first === last ? null : rateBetween(first, last);
  }
}
