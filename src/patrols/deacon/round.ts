/**
 * What a patrol does about the whole town, beyond any one rig: processes that outlive their agents, cases, gates that
 * open or are overdue, landed convoys, unwanted patrol sessions, stale hooks, work that can never become ready,
 * unacknowledged escalations, due plugins, and old closed wisps. One step that fails stops no other. A cycle's acts are
 * a wisp meanwhile and one line afterwards. Its caller is alone with it.
 */
import { landings } from '../../../machines/patrols/dispatch.ts';
import { closeBead } from '../../ledger/change.ts';
import { escalateGates, gateOf, isDue, overdue, type GateInTrouble } from '../../ledger/gates.ts';
import { beadsIn } from '../../ledger/walk.ts';
import type { RigRecords } from '../../../state/rigs/records.ts';
import { holdingLock } from '../../rigs/holding.ts';
import { pluginGate } from '../../plugins/gates.ts';
import { pluginStep } from '../../plugins/step.ts';
import { compactionRound } from './compaction.ts';
import { escalationRound } from './escalations.ts';
import { neverReadyRound } from './never-ready.ts';
import { freeHook, staleHooksIn, whyStale } from './stale-hooks.ts';
import { orphanRound } from './orphans.ts';
import { endCycle, growingCycle, putAwayCutOff } from '../memory/digest.ts';
import { times } from '../../../machines/kernel/span.ts';
import { triageStep, type TriageStep } from '../../triage/step.ts';
import type { Acting, Found, TownNeeds } from './needs.ts';
import { tellNews } from './news.ts';
import type { TownAct } from '../memory/outcome.ts';
import { unwantedRound } from './unwanted.ts';
import { convoysIn } from '../witness/work.ts';

const BY = 'deacon';

type Step = (needs: Acting, now: number) => Promise<Found & { readonly triage?: TriageStep }>;

/** The seed's order: orphan-cleanup, spawn-triggers, gates, convoys, health-scan, zombie-scan, plugins, compaction. `hooks` and `waits` are ours. */
const STEPS = {
  orphans: orphanRound,
  triage,
  gates,
  convoys,
  sessions: unwantedRound,
  hooks,
  waits: neverReadyRound,
  escalations: escalationRound,
  plugins: pluginStep,
  wisps: ({ ledger, settings, doing }, now) => compactionRound(ledger, settings.patrols.patrol, now, doing),
} satisfies Record<string, Step>;
type Seen = keyof typeof STEPS;

export interface TownWork {
  /** 0 where a step came to nothing. */
  readonly observed: Readonly<Record<Seen, number>>;
  readonly done: readonly TownAct[];
  /** Steps that came to nothing, each with why. */
  readonly failed: readonly string[];
  readonly triage: TriageStep;
}

/** Rejects if another process does it for long. */
export const townRound = (
  needs: TownNeeds & { readonly records: Pick<RigRecords, 'lock'> },
  now: number,
): Promise<TownWork> => holdingLock(needs.records, { root: needs.root, of: BY }, () => townWork(needs, now));

export async function townWork(needs: TownNeeds, now: number): Promise<TownWork> {
  const steps = Object.entries(STEPS) as [Seen, Step][];
  const observed = Object.fromEntries(steps.map(([step]) => [step, 0])) as Record<Seen, number>;
  let begun: TriageStep = { open: 0, began: null, isActive: false, modelCalls: 0 };
  const done: TownAct[] = [];
  const failed: string[] = [];
  const attempt = async (step: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failed.push(`${step}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const cycle = { ledger: needs.ledger, of: BY, now };
  await attempt('digest', () => putAwayCutOff(cycle));
  const doing = growingCycle(cycle);
  for (const [step, work] of steps)
    await attempt(step, async () => {
      const { seen, acts, triage = begun } = await work({ ...needs, doing }, now);
      begun = triage;
      observed[step] = seen;
      done.push(...acts);
    });
  await attempt('digest', () => endCycle(cycle, done));
  return { observed, done, failed, triage: begun };
}

async function triage({ ledger, disk, settings, startTriage: start, doing }: Acting, now: number) {
  const { policy, command } = settings.triage;
  const step = await triageStep({ ledger, disk, policy, command, now, start });
  const { open: seen, began } = step;
  if (began === null) return { seen, acts: [], triage: step };
  const about = times(seen, 'open case');
  await doing(`triage ${about}`);
  return { seen, acts: [{ act: 'triage', about, done: true, text: began } as const], triage: step };
}

async function gates(needs: Acting, now: number): Promise<Found> {
  const { ledger, doing } = needs;
  const at = new Date(now).toISOString();
  const acts: TownAct[] = [];
  const inTrouble: GateInTrouble[] = [];
  let seen = 0;
  for await (const bead of beadsIn(ledger, { type: 'gate' })) {
    seen += 1;
    const gate = gateOf(bead);
    const found = await pluginGate(needs, gate);
    if (found !== null && 'opens' in found) {
      await doing(`open ${bead.id}`);
      await closeBead(ledger, bead.id, found.opens, now);
      acts.push({ act: 'open', about: bead.id, done: true, text: found.opens });
      continue;
    }
    const trouble = found?.never ?? (isDue(gate, now) ? overdue(bead) : null);
    if (trouble !== null) inTrouble.push({ gate: bead.id, trouble });
  }
  for (const { about, title: text } of await escalateGates(ledger, inTrouble, { by: BY, at, doing }))
    acts.push({ act: 'escalate', about, done: true, text });
  return { seen, acts };
}

async function convoys(needs: Acting, now: number): Promise<Found> {
  const { ledger, doing } = needs;
  const acts: TownAct[] = [];
  const open = await convoysIn(ledger);
  for (const { convoy: about, summary: text } of landings(open)) {
    await doing(`land ${about}`);
    // First: no later cycle reports a convoy that is closed.
    await tellNews(needs, { id: `landed-${about}`, subject: `Convoy landed: ${about}`, body: `${text}.\n` }, now);
    if ((await closeBead(ledger, about, text, now)) !== null) acts.push({ act: 'land', about, done: true, text });
  }
  return { seen: open.length, acts };
}

async function hooks(needs: Acting, now: number): Promise<Found> {
  const { ledger, records, standings, settings, doing } = needs;
  const found = await staleHooksIn({ ledger, records, standings, policy: settings.patrols.patrol }, now);
  const acts: TownAct[] = [];
  for (const one of found.stale) {
    await doing(`unhook ${one.bead}`);
    const done = await freeHook(ledger, one, now);
    acts.push({ act: 'unhook', about: one.bead, done, text: done ? whyStale(one) : 'it was changed meanwhile' });
  }
  return { seen: found.hooks, acts };
}
