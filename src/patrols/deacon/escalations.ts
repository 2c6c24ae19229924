/**
 * Carries out what becomes of escalations. Each act is safe to be done again: a bead climbs only from what it was seen at, and a
 * letter has an id that comes of the escalation and its step. That it was told is on the bead, written last.
 */
import { MAX_SUBJECT } from '../../../machines/alerts/policy.ts';
import { escalationActs, type EscalationAct, type EscalationSeen } from '../../../machines/patrols/escalations.ts';
import { textOf } from '../../../state/files/disk.ts';
import { STATE } from '../../../state/files/policy.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import type { Settings } from '../../config/settings.ts';
import { changeBead, closeBead } from '../../ledger/change.ts';
import {
  climb,
  endsWith,
  ESCALATION,
  escalationOf,
  isEscalation,
  letterOf,
  lettersAbout,
  markPassed,
  toldBy,
} from '../../ledger/escalations.ts';
import { beadsCalled, beadsIn } from '../../ledger/walk.ts';
import { escalationCause } from '../../alerts/bell.ts';
import { clean } from '../../terminal/print.ts';
import type { Acting, Found } from './needs.ts';
import { notifyOf } from './news.ts';
import { attempt, type TownAct } from '../memory/outcome.ts';
import { boxAt } from '../witness/post.ts';

type Needs = Pick<Acting, 'ledger' | 'root' | 'disk' | 'note'> & {
  readonly settings: Pick<Settings, 'notify' | 'process' | 'patrols'>;
} & Partial<Pick<Acting, 'doing'>>;

/** Recipients, the person last: a recipient then knows that the other one has it too. */
const LISTENERS = ['mayor', 'overseer'] as const;
const OVER = 'what it is about is closed';

/** All that are open. */
export async function escalationRound(needs: Needs, now: number): Promise<Found> {
  const open = await openOnes(needs.ledger, now);
  const acts: TownAct[] = [];
  for (const act of escalationActs(open, needs.settings.patrols.patrol))
    acts.push(
      await attempt({ act: act.act, about: act.escalation }, async () => {
        await needs.doing?.(`${act.act} ${act.escalation}`);
        return carryOut(needs, act, now);
      }),
    );
  await putAway(needs).catch((error: unknown) => {
    needs.note(`letters about what is over stay where they are for now: ${textOf(error)}`);
  });
  return { seen: open.length, acts };
}

async function openOnes(ledger: Ledger, now: number): Promise<EscalationSeen[]> {
  const beads = await Array.fromAsync(beadsIn(ledger, { labels: [ESCALATION] }));
  const causes = [...new Set(beads.flatMap((bead) => endsWith(bead) ?? []))];
  const last = new Set((await beadsCalled(ledger, causes)).flatMap((one) => (one.status === 'closed' ? [] : [one.id])));
  return beads.map((bead) => {
    const cause = endsWith(bead);
    return { ...escalationOf(bead, now), isOver: cause !== null && !last.has(cause) };
  });
}

async function carryOut(needs: Needs, act: EscalationAct, now: number): Promise<string> {
  if (act.act === 'pass') return pass(needs, act, now);
  if (act.act === 'end') {
    await closeBead(needs.ledger, act.escalation, OVER, now);
    return OVER;
  }
  await changeBead(needs.ledger, act.escalation, (bead) => climb(bead, act, new Date(now).toISOString()));
  return `it was not acknowledged: ${act.from} is ${act.to} now`;
}

/** Puts away letters about escalations that are over: they ask nothing any more. */
async function putAway({ ledger, disk, note }: Needs): Promise<void> {
  for (const address of LISTENERS) {
    const box = boxAt({ disk, note }, address);
    const letters = (await box.names()).map((id) => ({ id, of: toldBy(id) }));
    const named = [...new Set(letters.flatMap(({ of }) => of))];
    const over = new Set(
      (await beadsCalled(ledger, named)).flatMap((one) => (isEscalation(one) && one.status === 'closed' ? one.id : [])),
    );
    const done = letters.filter(({ of }) => of.some((id) => over.has(id)));
    if (done.length > 0) await box.archiveAll(done.map(({ id }) => id));
  }
}

async function pass(
  needs: Needs,
  { escalation: id, severity }: Extract<EscalationAct, { act: 'pass' }>,
  now: number,
): Promise<string> {
  const { ledger } = needs;
  const [bead] = await ledger.beads([id]);
  if (bead === undefined || bead.status === 'closed') return 'it is over';
  const { climbs } = escalationOf(bead, now);
  const body = `${clean(bead.description, 'lines')}\n\nRaised by ${clean(bead.createdBy)}. To say that you saw it: town ack ${id}\n`;
  const letter = {
    id: letterOf(id, climbs),
    from: 'deacon',
    via: 'town' as const,
    sentAt: now,
    subject: clean(`[${severity.toUpperCase()}] ${bead.title}`).slice(0, MAX_SUBJECT),
    body: body.slice(0, STATE.maxWords),
    urgent: true,
    needs_response: true,
  };
  for (const address of LISTENERS) {
    const box = boxAt(needs, address);
    await box.send(letter);
    // A graver letter replaces those before it.
    await box.archiveAll(lettersAbout(bead).filter((one) => one !== letter.id));
  }
  // Also where the letter is there already: its sender may have been killed before it started the person's command.
  await notifyOf(needs, letter, escalationCause(bead));
  const at = new Date(now).toISOString();
  await changeBead(ledger, id, (one) => markPassed(one, severity, at));
  return 'the mayor and a person are told';
}
