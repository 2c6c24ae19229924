/**
 * What a patrol does about the whole town, beyond any one rig: processes that outlive their agents, cases, gates that
 * open or are overdue, landed convoys, unwanted patrol sessions, stale hooks, work that can never become ready,
 * due plugins, and old closed wisps. Each step is an order of its own, and so is what it
 * begins; its caller is alone with it. What it is about to do is in the wisp of the cycle before it does it.
 */
import type { OrderBody, OutcomeBody } from '../../../machines/protocol.ts';
import type { TownStep, Wanted } from '../../../machines/protocol/patrols.ts';
import { landings } from '../../../machines/patrols/dispatch.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { closeBead } from '../../ledger/change.ts';
import { escalateGates, gateOf, isDue, overdue, type GateInTrouble } from '../../ledger/gates.ts';
import { beadsIn } from '../../ledger/walk.ts';
import { pluginGate } from '../../plugins/gates.ts';
import { pluginStep } from '../../plugins/step.ts';
import { compactionRound } from './compaction.ts';
import { neverReadyRound } from './never-ready.ts';
import { freeHook, staleHooksIn, whyStale } from './stale-hooks.ts';
import { orphanRound } from './orphans.ts';
import { growCycle } from '../memory/digest.ts';
import { carryOut, type TriageHands } from '../../triage/carry-out.ts';
import { triageStep } from '../../triage/step.ts';
import type { Acting, Found, TownNeeds } from './needs.ts';
import { tellNews } from './news.ts';
import type { TownAct } from '../memory/outcome.ts';
import { unwantedRound } from './unwanted.ts';
import { convoysIn } from '../witness/work.ts';

const BY = 'deacon';

type Step = (needs: Acting, now: number) => Promise<Found>;

const STEPS: Readonly<Record<TownStep, Step>> = {
  orphans: orphanRound,
  triage: ({ settings, ...needs }, now) => triageStep({ ...needs, ...settings.triage }, now),
  gates,
  convoys,
  sessions: unwantedRound,
  hooks,
  waits: neverReadyRound,
  plugins: pluginStep,
  wisps: compactionRound,
};

/** Rejects with why it came to nothing. */
export async function townStep(
  needs: TownNeeds,
  { step, memory }: Pick<Extract<OrderBody, { type: 'step' }>, 'step' | 'memory'>,
  now: number,
): Promise<Extract<OutcomeBody, { type: 'STEP_DONE' }>> {
  const doing = growCycle({ ledger: needs.ledger, of: BY, now });
  const { seen, acts, more, isActive = false, ...kept } = await STEPS[step]({ ...needs, doing, memory }, now);
  return { type: 'STEP_DONE', observed: { [step]: seen, ...more }, outcomes: acts, isActive, ...kept };
}

/** How each process is begun: by its command. */
const BEGINS: Readonly<Record<Exclude<Wanted['act'], 'resolve'>, (about: string) => readonly string[]>> = {
  triage: () => ['triage', 'run', '--json'],
  plugin: (name) => ['plugin', 'run', name, '--json'],
};

export interface WantNeeds {
  readonly ledger: Ledger;
  /** Of a process of the town's; it does not wait for its end. */
  readonly start: (words: readonly string[]) => void;
  /** What carries choices out. */
  readonly choices: () => Promise<TriageHands>;
}

/** Begins what a step wanted, or does the next act of it. */
export async function doWanted(
  { ledger, start, choices }: WantNeeds,
  { act, about, says }: Wanted,
  now: number,
): Promise<Extract<OutcomeBody, { type: 'ACTED' }>> {
  if (act === 'resolve' || says !== null) await growCycle({ ledger, of: BY, now })(`${act} ${about}`);
  if (act === 'resolve') {
    const { outcome, isMore } = await carryOut(await choices(), about);
    return { type: 'ACTED', outcomes: [outcome], hasNewCase: false, isMore };
  }
  start(BEGINS[act](about));
  return { type: 'ACTED', outcomes: says === null ? [] : [{ act, about, done: true, text: says }], hasNewCase: false };
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
