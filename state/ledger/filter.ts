/** A query for beads as SQL. Each condition stands so that SQLite finds its index: a patrol asks every few seconds. */
import type { SQLInputValue } from 'node:sqlite';
import { formsOf } from '../../machines/rigs/names.ts';
import { checkedPage, type SortKey } from './pages.ts';
import type { BeadQuery } from './port.ts';

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

const when = (sql: string, ...values: readonly SQLInputValue[]): Condition => ({ sql, values });

/** SQLite finds these beads by their ids first; all other conditions are checked on them. */
const ofIds = ({ ids }: BeadQuery): Condition[] =>
  ids === undefined ? [] : [when('id IN (SELECT value FROM json_each(?))', JSON.stringify(checkedPage(ids)))];

/**
 * By age, the index of all that is open is walked: the `+` keeps SQLite from sorting all of a status for the first few. Of a rig
 * there is an index that has both.
 */
function ofStatus({ statuses, order, rig, ids, labels = [] }: BeadQuery): Condition[] {
  if (statuses === undefined) return [when('is_closed = 0')];
  const places = statuses.map(() => '?').join(', ');
  const open = statuses.includes('closed') ? [] : [when('is_closed = 0')];
  const isWalked = ids !== undefined || labels.length > 0 || (order === 'oldest' && (rig ?? '') === '');
  return [...open, when(`${isWalked ? '+' : ''}status IN (${places})`, ...statuses)];
}

/** The last label leads to the beads. The others are looked up for each of those, since thousands may have them. */
function ofLabels({ labels = [], statuses }: BeadQuery): Condition[] {
  const within = statuses?.includes('closed') === true ? 'is_closed IN (0, 1)' : 'is_closed = 0';
  const has = 'EXISTS (SELECT 1 FROM labels WHERE label = ? AND is_closed = beads.is_closed AND bead = beads.id)';
  return labels.map((label, at) =>
    at === labels.length - 1
      ? when(`id IN (SELECT bead FROM labels WHERE label = ? AND ${within})`, label)
      : when(has, label),
  );
}

/** Few beads have a label: there the rig is looked at afterwards. */
function ofRig({ rig, labels = [], statuses, order }: BeadQuery): string {
  if (labels.length > 0) return '+rig = ?';
  if (rig === '') return 'rig = ?';
  const ever = statuses?.includes('closed') === true && order !== 'oldest' ? ' AND is_closed IN (0, 1)' : '';
  return `rig = ? AND rig <> ''${ever}`;
}

function ofType({ type, labels = [] }: BeadQuery): Condition[] {
  if (type === undefined) return [];
  if (labels.length > 0) return [when('+type = ?', type)];
  return [when(type === 'task' ? 'type = ?' : "type = ? AND type <> 'task'", type)];
}

/** Also as an older town wrote it. */
function ofAgent(agent: string): Condition {
  const forms = formsOf(agent);
  return when(`assignee IN (${forms.map(() => '?').join(', ')}) AND assignee <> ''`, ...forms);
}

/** The text beside a value repeats the condition of a partial index, which SQLite would not see in a parameter. */
function ofFields(query: BeadQuery): Condition[] {
  const { assignee, rig, isWisp, dependsOn, hasBlockers, statuses } = query;
  const wisps = statuses?.includes('closed') === true ? 'is_wisp = 1 AND is_closed IN (0, 1)' : 'is_wisp = 1';
  return [
    ...ofType(query),
    ...(assignee === undefined ? [] : [assignee === '' ? when("assignee = ''") : ofAgent(assignee)]),
    ...(rig === undefined ? [] : [when(ofRig(query), rig)]),
    ...(isWisp === undefined ? [] : [when(isWisp ? wisps : 'is_wisp = 0')]),
    ...(dependsOn === undefined ? [] : [when('id IN (SELECT bead FROM links WHERE target = ?)', dependsOn)]),
    ...(hasBlockers === undefined ? [] : [when('has_blockers = 1')]),
  ];
}

/** `newest` is the time of creation, negative: so that one direction serves both orders. */
function behind(order: BeadQuery['order'], after: SortKey | null): Condition[] {
  if (after === null) return [];
  if (order !== 'oldest') return [when('(priority, newest, id) > (?, ?, ?)', ...after)];
  const [created = 0, id = ''] = after;
  return [when('newest <= ? AND (newest < ? OR id > ?)', -Number(created), -Number(created), id)];
}

/** Beads in their order; `columns` of each. One more than the page, so that it is known whether there is another. */
export function beadsWhere(query: BeadQuery, after: SortKey | null, limit: number, columns: string): Condition {
  const all = [
    ...ofIds(query),
    ...ofStatus(query),
    ...ofLabels(query),
    ...ofFields(query),
    ...behind(query.order, after),
  ];
  const order = query.order === 'oldest' ? 'newest DESC, id' : 'priority, newest, id';
  return when(
    `SELECT ${columns} FROM beads WHERE ${all.map(({ sql }) => sql).join(' AND ')} ORDER BY ${order} LIMIT ?`,
    ...all.flatMap(({ values }) => values),
    limit + 1,
  );
}
