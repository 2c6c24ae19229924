/** What a patrol does about the whole town's work, whatever rig it lies in: timer gates that are over, convoys that have landed. */
import { close } from '../../machines/ledger/changes.ts';
import { landings } from '../../machines/patrols/dispatch.ts';
import type { Ledger } from '../../state/ledger/port.ts';
import { changeBead } from '../ledger/change.ts';
import { escalateGate, gateOf, isDue } from '../ledger/gates.ts';
import { items } from '../ledger/walk.ts';
import { convoysIn } from './work.ts';

const BY = 'deacon';

export interface TownAct {
  readonly act: 'escalate' | 'land';
  readonly about: string;
  readonly text: string;
}
export interface TownWork {
  readonly observed: { readonly gates: number; readonly convoys: number };
  readonly done: readonly TownAct[];
}

export async function townWork(ledger: Ledger, now: number): Promise<TownWork> {
  const at = new Date(now).toISOString();
  const done: TownAct[] = [];
  let gates = 0;
  for await (const bead of items((page) => ledger.list({ type: 'gate' }, page))) {
    gates += 1;
    const gate = gateOf(bead);
    const told = isDue(gate, now) ? await escalateGate(ledger, gate, BY, at) : null;
    if (told !== null) done.push({ act: 'escalate', about: bead.id, text: told.title });
  }
  const convoys = await convoysIn(ledger);
  for (const act of landings(convoys)) {
    if (act.act !== 'land') continue;
    const landed = await changeBead(ledger, act.convoy, (bead) =>
      bead.status === 'closed' ? bead : close(bead, act.summary, at),
    );
    if (landed !== null) done.push({ act: 'land', about: act.convoy, text: act.summary });
  }
  return { observed: { gates, convoys: convoys.length }, done };
}
