/** The shapes of the answers of `bd`: what a verb found or made, as programs read it and as people do. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Comment } from '../../../state/ledger/port.ts';
import { issueOfComment, type Issue } from '../../ledger/issue.ts';
import { textsOf } from '../../ledger/texts.ts';
import { clean } from '../../terminal/print.ts';
import type { GateCheck } from '../commands/gates.ts';
import { commas, type Answer, type Words } from './asking.ts';
import type { Given } from './options.ts';
import { changedIssue, createdIssue, toSecond, wispOf } from './shapes.ts';

const line = ({ id, priority, type, status, assignee, title }: Bead): string =>
  clean(`${id} [P${priority}] [${type}] ${status}${assignee === '' ? '' : ` @${assignee}`} - ${title}`);

const lines = <One>(all: readonly One[], lineOf: (one: One) => string): string => all.map(lineOf).join('\n');

/** Beads, and each as an answer has it. */
export interface Listed {
  readonly beads: readonly Bead[];
  readonly issues: readonly Issue[];
}
export const listAnswer = ({ beads, issues }: Listed): Answer => ({ data: issues, text: lines(beads, line) });

export const waiting = (all: readonly { bead: Bead; by: readonly string[] }[]): Answer => ({
  data: all.map(({ bead, by }) => ({ ...changedIssue(bead), blocked_by_count: by.length, blocked_by: by })),
  text: lines(all, ({ bead, by }) => `${line(bead)} (${clean(by.join(', '))})`),
});

function wholeText(bead: Bead): string {
  const texts = textsOf(bead).map(({ head, text }) => `\n${head}:\n${clean(text, 'lines')}`);
  return [line(bead), clean(bead.description, 'lines'), ...texts].join('\n').trim();
}

/** The found issues, with a warning for each missing one; exit 1 where none was found. */
export function showAnswer({ beads, issues }: Listed, ids: Words): Answer {
  const missing = ids.filter((id) => !beads.some((bead) => bead.id === id));
  const warnings = missing.map((id) => `Error fetching ${id}: no issue found matching "${id}"`);
  if (beads.length === 0)
    return { data: { error: 'no issues found matching the provided IDs' }, text: '', warnings, exit: 1 };
  return { data: issues, text: beads.map(wholeText).join('\n\n'), warnings };
}

export const comments = (all: readonly Comment[]): Answer => ({
  data: all.map((one) => ({ ...issueOfComment(one), created_at: toSecond(one.createdAt) })),
  text: lines(all, ({ author, text }) => clean(`${author}: ${text}`)),
});

export const wisps = (beads: readonly Bead[]): Answer => ({
  data: { wisps: beads.map(wispOf), count: beads.length },
  text: lines(beads, line),
});

export const alive = ({ storeMs, queryMs }: { storeMs: number; queryMs: number }): Answer => ({
  data: { status: 'ok', resolve_ms: 0, store_ms: storeMs, query_ms: queryMs, total_ms: storeMs + queryMs },
  text: 'ok',
});

export interface Version {
  readonly version: string;
  readonly build: string;
  readonly branch: string;
}
export const version = (data: Version): Answer => ({
  data,
  text: `bd version ${data.version} (${data.build})`,
});

export const createAnswer = (bead: Bead, _: Words, { silent }: Given): Answer => ({
  data: createdIssue(bead),
  text: silent === true ? bead.id : `Created issue: ${bead.id}`,
});

/** `what`: the word before each id. */
export const changeAnswer =
  (what: string) =>
  (beads: readonly Bead[]): Answer => ({
    data: beads.map(changedIssue),
    text: lines(beads, ({ id }) => `${what} ${id}`),
  });

export const linkAnswer = (type: string, [later = '', earlier = '']: Words): Answer => ({
  data: { issue_id: later, depends_on_id: earlier, type, status: 'added' },
  text: `Added dependency: ${later} depends on ${earlier} (${type})`,
});

export const unlinkAnswer = (_: unknown, [later = '', earlier = '']: Words): Answer => ({
  data: { issue_id: later, depends_on_id: earlier, status: 'removed' },
  text: `Removed dependency: ${later} no longer depends on ${earlier}`,
});

export const commentAnswer = (comment: Comment): Answer => ({
  data: issueOfComment(comment),
  text: `Comment added to ${comment.beadId}`,
});

export const labelAnswer =
  (status: 'added' | 'removed') =>
  (_: unknown, [id = '', ...labels]: Words): Answer => ({
    data: commas(labels).map((label) => ({ status, issue_id: id, label })),
    text: lines(commas(labels), (label) => `${status} label ${label}: ${id}`),
  });

export const checkAnswer = (data: GateCheck): Answer => ({
  data,
  text: `${data.checked} gates, ${data.due.length} expired, ${data.escalated.length} escalated`,
});

export const molecule = ({ id }: Bead, [formula = '']: Words): Answer => ({
  data: { new_epic_id: id, id_mapping: { [formula]: id }, created: 1, phase: 'vapor' },
  text: `Created wisp: ${id}`,
});

export const squashAnswer = (digest: Bead, [id = '']: Words): Answer => ({
  data: { molecule_id: id, digest_id: digest.id, squashed_ids: [id], squashed_count: 1 },
  text: `Squashed ${id} to ${digest.id}`,
});
