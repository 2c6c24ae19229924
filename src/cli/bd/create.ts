/** `bd create`, and the texts of `bd` that are kept beside a bead. */
import { newBead, type Bead } from '../../../machines/ledger/bead.ts';
import { withDependency } from '../../../machines/ledger/changes.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { changeBead, createBead } from '../../ledger/change.ts';
import { newWrite, PREFIX } from '../../ledger/ids.ts';
import { dependencyOf } from '../commands/beads.ts';
import { given as only } from '../naming/given.ts';
import { bdFailure, commas, issueCalled, type Desk } from './asking.ts';
import type { Given } from './options.ts';

/** Fields of `bd` that are kept beside the bead: option -> field. */
const TEXTS = {
  design: 'design',
  notes: 'notes',
  acceptance: 'acceptance_criteria',
  externalRef: 'external_ref',
} as const;

export const extraOf = (given: Given): Bead['extra'] =>
  Object.fromEntries(
    Object.entries(TEXTS).flatMap(([option, field]) => {
      const text = given[option as keyof typeof TEXTS];
      return text === undefined ? [] : [[field, text]];
    }),
  );

/** `blocks:<id>` is the other way round: that one is `waiting` for the new. */
async function linksOf({ ledger, by, at }: Desk, { deps, parent }: Given) {
  const words = commas(deps);
  const own = words.filter((word) => !word.startsWith('blocks:')).map((word) => dependencyOf(word, by, at));
  const waiting = words.filter((word) => word.startsWith('blocks:')).map((word) => word.slice('blocks:'.length));
  const all = [...own, ...(parent === undefined ? [] : [dependencyOf(`parent-child:${parent}`, by, at)])];
  for (const id of [...all.map(({ on }) => on), ...waiting]) await issueCalled(ledger, id);
  return { own: all, waiting };
}

export async function create(desk: Desk, words: readonly string[], given: Given): Promise<Bead> {
  const { ledger, by, at } = desk;
  const { type, priority, description, assignee, id, wispType } = given;
  const [title = given.title] = words;
  if (title === undefined) throw bdFailure('Error: title required (or use --title)');
  const isWisp = given.ephemeral === true || given.wisp === true || wispType !== undefined;
  const { own, waiting } = await linksOf(desk, given);
  const fields = {
    title,
    createdBy: by,
    owner: by,
    createdAt: at,
    dependencies: own,
    extra: extraOf(given),
    isWisp,
    labels: [...new Set(commas(given.labels, given.label))],
    ...only({ type, priority, description, assignee, wispType }),
  };
  const kind = isWisp ? 'wisp' : type === 'convoy' ? 'cv' : '';
  const made =
    id === undefined ? await createBead(ledger, fields, { prefix: PREFIX, kind }) : await createAs(ledger, id, fields);
  for (const later of waiting)
    await changeBead(ledger, later, (one) => withDependency(one, dependencyOf(made.id, by, at), at));
  return made;
}

async function createAs(ledger: Ledger, id: string, fields: Parameters<typeof createBead>[1]): Promise<Bead> {
  const put = await ledger.put(newBead({ ...fields, id }), { expects: 0, write: newWrite() });
  if (put.is === 'done') return put.bead;
  throw bdFailure(`Error: issue with ID "${id}" already exists`);
}
