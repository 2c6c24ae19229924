/** The signs of life of one look, measured: its words, its CPU, the tools that run below it, its heartbeat. */
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import { within } from '../screen/time-limit.ts';
import { sampleOf } from './cpu.ts';
import { evidenceOf, type Activity } from './evidence.ts';
import type { QuestionMemory } from './memory.ts';
import type { Reading } from './reading.ts';
import type { HearingDeps, View } from './view.ts';

export interface LifeDeps extends HearingDeps {
  /** When this life last showed by a heartbeat or an evidence record that it works; null = never. Rejects = look unknown. */
  readonly heartbeat?: (uuid: string) => Promise<WallMs | null>;
}

/** Its words count from the first look on; what our own keys may stir up from `evidenceAfterMs` after the last of them. */
export async function signsOfLife(
  deps: LifeDeps,
  target: Incarnation,
  {
    view,
    reading,
    question,
    cpuRate,
  }: { view: View; reading: Reading; question: QuestionMemory; cpuRate: number | null },
): Promise<Activity | null> {
  const at = deps.clock.now();
  question.keyAt ??= at;
  const signs = {
    at,
    capture: view.capture,
    screen: view.screen,
    pack: view.pack,
    anchor: question.anchor,
    own: reading.own,
    shown: reading.shown,
    isAfter: reading.isAfter,
    // What cannot be measured is no sign; it is no silence either, and the screen still speaks for itself.
    cpu: await sampleOf(deps.processes, target, () => deps.clock.now()).catch(() => null),
    tools: view.screen.busy ? await toolsOf(deps, target) : new Map<number, string>(),
    heartbeat: (await deps.heartbeat?.(target.uuid)) ?? null,
  };
  const keysOld = at - question.keyAt >= deps.policy.evidenceAfterMs;
  const rate = { cpuRate, keysOld, numbers: deps.policy };
  const { life, base } = within(view.pack, () => evidenceOf(question.baseline, signs, rate));
  question.baseline = base;
  return life;
}

/** What it runs in groups of their own: tools, not the parts of its own program. Names by pid. */
async function toolsOf({ processes, packs }: LifeDeps, { agent }: Incarnation): Promise<ReadonlyMap<number, string>> {
  const apart = await processes.groupsBelow(agent).catch(() => []); // not told: no sign
  return new Map(apart.filter((one) => !packs.isPart(one)).map(({ pid, comm }) => [pid, comm]));
}
