/** The functions of the verbs of `bd` that change something. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import {
  claim,
  close as closed,
  hook,
  reopen as reopened,
  withoutDependency,
  type Change,
} from '../../../machines/ledger/changes.ts';
import type { Comment } from '../../../state/ledger/port.ts';
import { changeBead, createBead } from '../../ledger/change.ts';
import { PREFIX } from '../../ledger/ids.ts';
import { openBlockers } from '../../ledger/walk.ts';
import { addDependencies, squashIn, updateBead, whyNotReopened } from '../commands/bead-changes.ts';
import { checkIn, type GateCheck } from '../commands/gates.ts';
import { bdFailure, commas, issueCalled, notFound, type Desk, type Words } from './asking.ts';
import { extraOf } from './create.ts';
import type { Given } from './options.ts';

/** Throws Failure in the words of `bd`. */
function must(doing: string, bead: Bead, made: Change): Bead {
  if (made.ok) return made.bead;
  if (made.is !== 'taken') throw bdFailure(`Error ${doing} ${bead.id}: issue is ${bead.status}`);
  const taken = doing === 'claiming' ? 'claimed' : 'hooked';
  throw bdFailure(`Error ${doing} ${bead.id}: issue already ${taken} by ${made.by}`);
}

/** Each bead changed; all must be there before the first is. */
async function changeAll({ ledger }: Desk, ids: Words, decide: (bead: Bead) => Bead): Promise<Bead[]> {
  for (const id of ids) await issueCalled(ledger, id);
  const done: Bead[] = [];
  for (const id of ids) {
    const bead = await changeBead(ledger, id, decide);
    if (bead === null) throw notFound(id);
    done.push(bead);
  }
  return done;
}

/** No verb takes over a hook that another agent holds. */
function updated(bead: Bead, given: Given, { by, at }: Desk): Bead {
  const own = given.claim === true ? must('claiming', bead, claim(bead, by, at)) : bead;
  const agent = given.assignee ?? own.assignee;
  const isHooking = given.status === 'hooked' && agent !== '';
  const hooked = isHooking ? must('hooking', own, hook(own, agent, at)) : own;
  const { assignee: _, ...rest } = given;
  const fields = {
    ...(isHooking ? rest : given),
    addLabel: commas(given.addLabel),
    removeLabel: commas(given.removeLabel),
    metadata: given.setMetadata ?? [],
    unset: given.unsetMetadata ?? [],
  };
  const next = updateBead(hooked, fields, at);
  const labels = given.setLabels === undefined ? next.labels : [...new Set(commas(given.setLabels))];
  return { ...next, labels, extra: { ...next.extra, ...extraOf(given) } };
}

export const update = (desk: Desk, ids: Words, given: Given): Promise<Bead[]> =>
  changeAll(desk, ids, (bead) => updated(bead, given, desk));

/** Throws Failure for a bead that waits for an open one which is not closed with it. */
export async function close(desk: Desk, ids: Words, { reason = 'Closed', force }: Given): Promise<Bead[]> {
  for (const id of force === true ? [] : ids) {
    const open = await openBlockers(desk.ledger, await issueCalled(desk.ledger, id));
    const blockers = open.filter((one) => !ids.includes(one));
    if (blockers.length > 0)
      throw bdFailure(`cannot close ${id}: blocked by open issues [${blockers.join(' ')}] (use --force to override)`);
  }
  return changeAll(desk, ids, (bead) => closed(bead, reason, desk.at));
}

export const reopen = (desk: Desk, ids: Words): Promise<Bead[]> =>
  changeAll(desk, ids, (bead) => {
    const why = whyNotReopened(bead);
    if (why !== null) throw bdFailure(`cannot reopen ${bead.id}: ${why}`);
    return reopened(bead, desk.at);
  });

/** The type of the new link. */
export async function dep({ ledger, by }: Desk, [later = '', earlier = '']: Words, given: Given): Promise<string> {
  const { type = 'blocks' } = given;
  for (const id of [later, earlier]) await issueCalled(ledger, id);
  await addDependencies(ledger, later, [earlier], { type, by });
  return type;
}

export const undep = (desk: Desk, [later = '', earlier = '']: Words): Promise<Bead[]> =>
  changeAll(desk, [later], (bead) => withoutDependency(bead, earlier, null, desk.at));

export async function comment({ ledger, by, at }: Desk, [id = '', ...words]: Words): Promise<Comment> {
  const made = { id: crypto.randomUUID(), beadId: id, author: by, text: words.join(' '), createdAt: at };
  await issueCalled(ledger, id);
  await ledger.comment(made);
  return made;
}

export const label = (desk: Desk, [id = '', ...labels]: Words): Promise<Bead[]> =>
  update(desk, [id], { addLabel: labels });

export const unlabel = (desk: Desk, [id = '', ...labels]: Words): Promise<Bead[]> =>
  update(desk, [id], { removeLabel: labels });

/** The gates fix what it escalates, for every caller. */
export const check = ({ town, by }: Desk, _: Words, given: Given): Promise<GateCheck> => checkIn(town, by, given);

export function wisp({ ledger, by, at }: Desk, [formula = '']: Words): Promise<Bead> {
  const given = { title: formula, type: 'molecule', isWisp: true, createdBy: by, owner: by, createdAt: at };
  return createBead(ledger, given, { prefix: PREFIX, kind: 'wisp' });
}

/** The digest. */
export async function squash({ context, town, by }: Desk, [id = '']: Words, { summary }: Given): Promise<Bead> {
  const squashed = await squashIn(context, town, [id], { summary, by });
  if (squashed.ok) return squashed.digest;
  throw squashed.is === 'missing' ? notFound(id) : bdFailure(`Error: ${id} is ${squashed.is}`);
}
