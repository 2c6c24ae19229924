/**
 * A bead as `bd` writes it: one JSON object whose absent fields are empty. Read and written without loss: what we do not know, or
 * hold in another shape, is kept beside the bead and written again, unless the bead has a value of its own there by then.
 */
import { isDeepStrictEqual } from 'node:util';
import { BEAD_STATUSES, newBead, type Bead, type Dependency, type Extra } from '../../machines/ledger/bead.ts';
import { LedgerFault } from '../../state/ledger/fault.ts';
import { fingerprint } from '../../state/files/checksum.ts';
import { LEDGER } from '../../state/ledger/policy.ts';
import type { Comment } from '../../state/ledger/port.ts';

export type Issue = Readonly<Record<string, unknown>>;

/** Fields that each writer of an issue counts anew. */
const COUNTED: ReadonlySet<string> = new Set(['dependency_count', 'dependent_count', 'comment_count', 'comments']);

const isObject = (value: unknown): value is Issue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Without what is empty. */
const filled = (fields: Issue): Issue =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== '' && value !== false && !(Array.isArray(value) && value.length === 0) && value !== undefined,
    ),
  );

const linkOf = (bead: Bead, { on, type, createdAt, createdBy, extra }: Dependency): Issue => ({
  issue_id: bead.id,
  depends_on_id: on,
  type,
  ...filled({ created_at: createdAt, created_by: createdBy }),
  ...extra,
});

/** Of a list: what the bead itself has. */
export function issueOf(bead: Bead): Issue {
  if (bead.type === MEMORY && bead.extra['_type'] === MEMORY) return bead.extra;
  const { metadata: more, ...extra } = bead.extra;
  const metadata = { ...(isObject(more) ? more : {}), ...bead.metadata };
  const known = filled({
    description: bead.description,
    assignee: bead.assignee,
    owner: bead.owner,
    created_by: bead.createdBy,
    started_at: bead.startedAt,
    closed_at: bead.closedAt,
    close_reason: bead.closeReason,
    metadata: Object.keys(metadata).length > 0 ? metadata : more,
    labels: bead.labels,
    ephemeral: bead.isWisp,
    wisp_type: bead.wispType,
    dependencies: bead.dependencies.map((one) => linkOf(bead, one)),
    rig: bead.rig,
    attempts: bead.attempts === 0 ? '' : bead.attempts,
  });
  const always = { status: statusOf(bead), priority: bead.priority, issue_type: bead.type };
  const times = { created_at: bead.createdAt, updated_at: bead.updatedAt };
  return { id: bead.id, title: bead.title, ...extra, ...always, ...times, ...known };
}

const unsaid = (key: string, value: unknown): Extra => (value === undefined ? {} : { [key]: value });
const emptyOf = ({ type, createdAt, createdBy }: Record<'type' | 'createdAt' | 'createdBy', unknown>): Extra => ({
  ...(textOf(type) === '' && unsaid('type', type)),
  ...(textOf(createdAt) === '' && unsaid('created_at', createdAt)),
  ...(textOf(createdBy) === '' && unsaid('created_by', createdBy)),
});

function dependencyFrom(given: unknown, id: string): Dependency {
  if (!isObject(given) || typeof given['depends_on_id'] !== 'string')
    throw new LedgerFault('bad_bead', `a dependency of ${id} has no depends_on_id`);
  const { depends_on_id: on, type, created_at: createdAt, created_by: createdBy, issue_id: from, ...extra } = given;
  return {
    on,
    type: textOf(type) === '' ? 'blocks' : textOf(type),
    createdAt: textOf(createdAt),
    createdBy: textOf(createdBy),
    extra: { ...extra, ...(from !== id && unsaid('issue_id', from)), ...emptyOf({ type, createdAt, createdBy }) },
  };
}

function stringsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** What an issue says beyond what the bead made of it says. */
function restOf(issue: Issue, said: Issue): Extra {
  const metadata = Object.entries(isObject(issue['metadata']) ? issue['metadata'] : {});
  const others = metadata.filter(([, value]) => typeof value !== 'string');
  const rest = Object.entries(issue).filter(
    ([key, value]) =>
      !COUNTED.has(key) && !(key === 'metadata' && isObject(value)) && !isDeepStrictEqual(said[key], value),
  );
  const isEmpty = isObject(issue['metadata']) && metadata.length === 0;
  const kept = others.length > 0 || isEmpty ? { metadata: Object.fromEntries(others) } : {};
  return { ...Object.fromEntries(rest), ...kept };
}

/** A line about a bead that was deleted where the export comes from. */
export const isTombstone = (issue: unknown): boolean => isObject(issue) && issue['status'] === 'tombstone';

/** What `bd remember` keeps: a line of its own kind, kept whole. It is no work. */
const MEMORY = 'memory';

function memoryFrom(line: Issue, by: string, now: string): Bead {
  const key = textOf(line['key']) || JSON.stringify(line);
  const id = `${MEMORY}-${fingerprint(key).slice(0, MEMORY_SIGNS)}`;
  const times = { createdAt: textOf(line['created_at']) || now, updatedAt: textOf(line['updated_at']) || now };
  const title = `${MEMORY}: ${key}`.slice(0, LEDGER.maxTitle);
  return newBead({ id, title, type: MEMORY, status: 'pinned', createdBy: by, ...times, extra: line });
}
const MEMORY_SIGNS = 10;

/** Another program's status: it is kept, and the bead is not given out. */
const FOREIGN_STATUS = 'blocked';
function statusOf({ status, extra: { status: foreign } }: Bead): string {
  return status === FOREIGN_STATUS && typeof foreign === 'string' ? foreign : status;
}

/** Throws LedgerFault (`bad_bead`) for what is no issue. */
export function beadFrom(issue: unknown, by: string, now: string): Bead {
  if (!isObject(issue)) throw new LedgerFault('bad_bead', 'it is no JSON object');
  const kind = issue['_type'];
  if (kind === MEMORY) return memoryFrom(issue, by, now);
  return issueFrom(issue, by, now);
}

function issueFrom(issue: Issue, by: string, now: string): Bead {
  const kind = issue['_type'];
  if (kind !== undefined && kind !== 'issue')
    throw new LedgerFault('bad_bead', `it is a ${JSON.stringify(kind)}, and only issues and memories are beads`);
  const { id, title, status = 'open', priority, issue_type: type, labels, dependencies, attempts } = issue;
  if (typeof id !== 'string' || typeof title !== 'string')
    throw new LedgerFault('bad_bead', 'it has no id or no title');
  if (typeof status !== 'string') throw new LedgerFault('bad_bead', `its status ${JSON.stringify(status)} is no text`);
  const known = BEAD_STATUSES.find((one) => one === status) ?? FOREIGN_STATUS;
  const text = (key: string): string => textOf(issue[key]);
  const createdAt = text('created_at') || now;
  const bead = newBead({
    id,
    title,
    status: known,
    description: text('description'),
    assignee: text('assignee'),
    owner: text('owner'),
    ...(typeof priority === 'number' && { priority }),
    ...(typeof type === 'string' && type !== '' && { type }),
    labels: Array.isArray(labels) ? labels.filter((one): one is string => typeof one === 'string') : [],
    dependencies: Array.isArray(dependencies) ? dependencies.map((one) => dependencyFrom(one, id)) : [],
    isWisp: issue['ephemeral'] === true,
    wispType: text('wisp_type'),
    metadata: stringsOf(issue['metadata']),
    rig: text('rig'),
    attempts: typeof attempts === 'number' ? attempts : 0,
    createdAt,
    createdBy: text('created_by') || by,
    updatedAt: text('updated_at') || createdAt,
    startedAt: text('started_at'),
    closedAt: text('closed_at'),
    closeReason: text('close_reason'),
  });
  return { ...bead, extra: restOf(issue, issueOf(bead)) };
}

export const issueOfComment = ({ id, beadId, author, text, createdAt }: Comment): Issue => ({
  id,
  issue_id: beadId,
  author,
  text,
  created_at: createdAt,
});

const OF_COMMENT: ReadonlySet<string> = new Set(['id', 'issue_id', 'author', 'text', 'created_at']);

/** What of the comments in an issue `commentsIn` leaves out, one sentence each. */
export function lostOfComments({ comments }: Issue): readonly string[] {
  if (comments === undefined || comments === null) return [];
  if (!Array.isArray(comments)) return ['its comments are no list'];
  const given = comments.filter(isObject);
  const fields = new Set(given.flatMap((one) => Object.keys(one).filter((key) => !OF_COMMENT.has(key))));
  return [
    ...(given.length < comments.length ? ['a comment of it is no JSON object'] : []),
    ...[...fields].map((key) => `its comments have a field ${JSON.stringify(key)}, which is not kept`),
  ];
}

/** The comments that stand in an issue; older versions of `bd` number them within it. */
export function commentsIn(issue: Issue, now: string): Comment[] {
  const { id: beadId, comments } = issue;
  if (!Array.isArray(comments)) return [];
  return comments.filter(isObject).map((one) => ({
    id: typeof one['id'] === 'string' ? one['id'] : `${textOf(beadId)}-c${String(one['id'])}`,
    beadId: textOf(beadId),
    author: textOf(one['author']),
    text: textOf(one['text']),
    createdAt: textOf(one['created_at']) || now,
  }));
}
