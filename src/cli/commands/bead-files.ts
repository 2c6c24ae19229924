/** `town bead import|export`: the JSON lines of `bd`, one issue a line, read and written without loss. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { LedgerFault } from '../../../state/ledger/fault.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { Ledger, Page } from '../../../state/ledger/port.ts';
import { textOf } from '../../../state/files/disk.ts';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { newWrite } from '../../ledger/ids.ts';
import { beadFrom, commentsIn, issueOf, issueOfComment, type Issue } from '../../ledger/issue.ts';
import { firstOf } from '../../ledger/walk.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, say } from '../../terminal/print.ts';
import { jsonText } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { actorOf, now, withLedger } from '../ledger.ts';

type Outcome = 'created' | 'updated' | 'unchanged' | 'older';

/** What stands here and was changed later stays: an import never takes work back. */
async function take(ledger: Ledger, bead: Bead): Promise<Outcome> {
  for (let tries = 0; tries < LEDGER.maxTries; tries += 1) {
    const [known] = await ledger.beads([bead.id]);
    if (known !== undefined) {
      if (isDeepStrictEqual(issueOf(known), issueOf(bead))) return 'unchanged';
      if (Date.parse(known.updatedAt) > Date.parse(bead.updatedAt)) return 'older';
    }
    const put = await ledger.put(bead, { expects: known?.version ?? 0, write: newWrite() });
    if (put.is === 'done') return known === undefined ? 'created' : 'updated';
  }
  throw new LedgerFault('ledger_busy', `${bead.id} is changed by others all the time`);
}

async function takeLine(ledger: Ledger, line: string, by: string, at: string): Promise<Outcome> {
  let issue: unknown;
  try {
    issue = JSON.parse(line);
  } catch {
    throw new LedgerFault('bad_bead', 'it is no JSON');
  }
  const bead = beadFrom(issue, by, at);
  const outcome = await take(ledger, bead);
  for (const comment of commentsIn(issue as Issue, at)) await ledger.comment(comment);
  return outcome;
}

export async function importLines(context: Context, path: string): Promise<number> {
  const by = await actorOf(context, undefined);
  const at = now();
  const lines = readFileSync(path === '-' ? 0 : path, 'utf8').split('\n');
  const counts: Record<Outcome, number> = { created: 0, updated: 0, unchanged: 0, older: 0 };
  const refused: { line: number; why: string }[] = [];
  let exit: ExitCode = EXIT.failed;
  await withLedger(context, async (own, town) => {
    // A file says who made a bead, and proves it for none: of the operator's no bead is on record as made by a door.
    const ledger = process.env['TOWN_TOKEN'] === undefined ? town : own;
    for (const [n, line] of lines.entries()) {
      if (line.trim() === '') continue;
      try {
        counts[await takeLine(ledger, line, by, at)] += 1;
      } catch (error) {
        const isYours = !(error instanceof Failure) || error.code !== NOT_YOURS;
        if (isYours && (!(error instanceof LedgerFault) || error.code !== 'bad_bead')) throw error;
        if (!isYours) exit = EXIT.refused;
        refused.push({ line: n + 1, why: textOf(error) });
      }
    }
  });
  context.answer('import', { ...counts, refused }, () => [
    `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} as they were, ${counts.older} newer here`,
    ...refused.map(({ line, why }) => `line ${line} is left out: ${clean(why)}`),
  ]);
  return refused.length === 0 ? EXIT.done : exit;
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
