/** The answers of `bd` 1.0.5, field by field: issues of a list, of a change, of `show`; the envelope; times to the second. */
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger, Tally } from '../../../state/ledger/port.ts';
import { beadsCalled } from '../../ledger/walk.ts';
import { issueOf, type Issue } from '../../ledger/issue.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';

const TIMES = ['created_at', 'updated_at', 'started_at', 'closed_at'] as const;

export function toSecond(text: string): string {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : `${at.toISOString().slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z`;
}

/** A new issue: its labels as they were given, its times in full. */
export function createdIssue(bead: Bead): Issue {
  const { dependencies: _, ...issue } = issueOf(bead);
  return { ...issue, owner: bead.owner === '' ? bead.createdBy : bead.owner };
}

/** A changed issue: without its links. */
export function changedIssue(bead: Bead): Issue {
  const issue = createdIssue(bead);
  const times = TIMES.filter((key) => key in issue).map((key) => [key, toSecond(String(issue[key]))] as const);
  const labels = bead.labels.length === 0 ? {} : { labels: bead.labels.toSorted() };
  return { ...issue, ...Object.fromEntries<unknown>(times), ...labels };
}

const countsOf = (bead: Bead, { dependents, comments }: Tally): Issue => ({
  dependency_count: bead.dependencies.length,
  dependent_count: dependents,
  comment_count: comments,
});

/** The issues of a list, with what they wait for and counts of all that hangs on them. */
export async function listedIssues(ledger: Ledger, beads: readonly Bead[]): Promise<Issue[]> {
  const tallies: Tally[] = [];
  for (let at = 0; at < beads.length; at += LEDGER.maxPage)
    tallies.push(...(await ledger.tallies(beads.slice(at, at + LEDGER.maxPage).map(({ id }) => id))));
  return beads.map((bead, n) => {
    const links = bead.dependencies.map(({ on, type, createdAt, createdBy }) => {
      const when = createdAt === '' ? {} : { created_at: toSecond(createdAt) };
      return { issue_id: bead.id, depends_on_id: on, type, ...when, created_by: createdBy, metadata: '{}' };
    });
    const tally = tallies[n] ?? { dependents: 0, comments: 0 };
    return { ...changedIssue(bead), ...(links.length > 0 && { dependencies: links }), ...countsOf(bead, tally) };
  });
}

/** The issue that `show` prints: the beads that it waits for stand there in full. */
export async function whole(ledger: Ledger, bead: Bead): Promise<Issue> {
  const ids = bead.dependencies.map(({ on }) => on);
  const found = await beadsCalled(ledger, ids);
  const links = bead.dependencies.flatMap(({ on, type }) => {
    const one = found.find(({ id }) => id === on);
    return one === undefined ? [] : [{ ...changedIssue(one), dependency_type: type }];
  });
  const [tally = { dependents: 0, comments: 0 }] = await ledger.tallies([bead.id]);
  return { ...changedIssue(bead), ...(links.length > 0 && { dependencies: links }), ...countsOf(bead, tally) };
}

/** A wisp in the list of `bd mol wisp list`. */
export const wispOf = ({ id, title, status, priority, type, labels, createdAt, updatedAt }: Bead): Issue => ({
  id,
  title,
  status,
  priority,
  type,
  ...(labels.length > 0 && { labels: labels.toSorted() }),
  created_at: toSecond(createdAt),
  updated_at: toSecond(updatedAt),
});

/** With BD_JSON_ENVELOPE an envelope; without, a bare list, or an object that names its version itself. */
export function envelopeOf(data: unknown): unknown {
  if (process.env['BD_JSON_ENVELOPE'] === '1') return { data, schema_version: 1 };
  return Array.isArray(data) ? data : { ...(data as object), schema_version: 1 };
}
