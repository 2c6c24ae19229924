/** `town bead import|export`: the JSON lines of `bd`, one issue a line, read and written without loss. */
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger, Page } from '../../../state/ledger/port.ts';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { importIssues, type Imported } from '../../ledger/import.ts';
import { issueOf, issueOfComment, type Issue } from '../../ledger/issue.ts';
import { issueLines } from '../../ledger/issue-lines.ts';
import { neverReadyLines } from '../../ledger/never-ready.ts';
import { firstOf } from '../../ledger/walk.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, say } from '../../terminal/print.ts';
import { jsonText } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { bytesIn } from '../naming/text-in.ts';
import { actorOf, now, withLedger } from '../asking/ledger.ts';
import { callerToken } from '../../socket/caller-token.ts';
import { firstNames, times } from '../../../machines/kernel/span.ts';

/** Lines of one reason that are named; of more the first ones stand for all. */
const NAMED_LINES = 5;

function refusedText(refused: Imported['refused']): string[] {
  const byWhy = Map.groupBy(refused, ({ why }) => why);
  return [...byWhy].map(([why, lines]) => {
    const numbers = lines.map(({ line }) => `${line}`);
    return `${lines.length === 1 ? 'line' : 'lines'} ${firstNames(numbers, NAMED_LINES)} left out: ${clean(why)}`;
  });
}

function textOfImport({
  created,
  updated,
  unchanged,
  older,
  tombstones,
  held,
  refused,
  never_ready,
}: Imported): string[] {
  return [
    `${created} created, ${updated} updated, ${unchanged} as they were, ${older} newer here`,
    ...(tombstones === 0 ? [] : [`${times(tombstones, 'line')} about deleted beads (tombstones) skipped`]),
    ...held.map((id) => `${id} stays on its hook here: its status and assignee were not imported`),
    ...neverReadyLines(never_ready),
    ...refusedText(refused),
  ];
}

export async function importLines(context: Context, path: string): Promise<number> {
  const by = await actorOf(context, undefined);
  const limits = { maxLineBytes: LEDGER.maxLineBytes, maxDepth: LEDGER.maxDepth };
  const isOperator = callerToken() === undefined;
  let exit: ExitCode = EXIT.failed;
  const isRefusal = (error: unknown): boolean => {
    const isOthers = error instanceof Failure && error.code === NOT_YOURS;
    if (isOthers) exit = EXIT.refused;
    return isOthers;
  };
  const lines = issueLines(bytesIn(path), limits);
  const imported = await withLedger(context, (own, town) =>
    // A file says who made a bead, and proves it for none: of the operator's no bead is on record as made by a door.
    isOperator
      ? importIssues({ ledger: town, by, at: now(), atOnce: LEDGER.maxPage }, lines)
      : importIssues({ ledger: own, by, at: now(), atOnce: 1, isRefusal }, lines),
  );
  context.answer('import', imported, () => textOfImport(imported));
  return imported.refused.length === 0 ? EXIT.done : exit;
}

async function whole(ledger: Ledger, bead: Bead): Promise<Issue> {
  const comments = await firstOf((page) => ledger.comments(bead.id, page), LEDGER.maxSteps);
  return { ...issueOf(bead), ...(comments.length > 0 && { comments: comments.map(issueOfComment) }) };
}

/** Page by page, so that a ledger of any size fits into memory. */
export async function exportLines(context: Context): Promise<void> {
  await withLedger(context, async (ledger) => {
    const issues: Issue[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page: Page<Bead> = await ledger.list(
        { statuses: BEAD_STATUSES },
        { limit: LEDGER.maxPage, ...(after !== undefined && { after }) },
      );
      const all = await Promise.all(page.items.map((bead) => whole(ledger, bead)));
      if (context.json) issues.push(...all);
      else all.forEach((issue) => say(jsonText(issue)));
      after = page.next;
    }
    if (context.json) context.answer('export', issues, '');
  });
}
