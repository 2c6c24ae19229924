/** `town escalate`, `town escalation list`: an agent passes on what it cannot decide. */
import { isLoud, SEVERITIES, USUAL_SEVERITY } from '../../../machines/alerts/severity.ts';
import { ESCALATION_BUDGET } from '../../../machines/patrols/policy.ts';
import { span, times } from '../../../machines/kernel/span.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import { countOf, ESCALATION, isAcked, severityOf } from '../../ledger/escalations.ts';
import { firstOf } from '../../ledger/walk.ts';
import { when } from '../../journal/when.ts';
import { BEAD_STATUSES, type Bead } from '../../../machines/ledger/bead.ts';
import { madeBy } from '../../ledger/doors.ts';
import { raiseBySender, type SenderRaised } from '../../ledger/sender-budget.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { listing, note } from '../../terminal/print.ts';
import type { Caller } from '../../socket/permission.ts';
import { asCaller, nameOfCaller, type RoleCaller } from '../naming/caller.ts';
import type { Context } from '../context.ts';
import { beadCalled, signatureOf, withLedger } from '../asking/ledger.ts';
import { quoteName } from '../naming/names.ts';
import { beadView } from './beads.ts';

export interface EscalateOptions {
  readonly severity?: string;
  readonly reason?: string;
  readonly bead?: string;
  readonly actor?: string;
}

export async function escalate(context: Context, title: string, options: EscalateOptions): Promise<void> {
  await asCaller(context, 'gt_escalate', [title], (caller) => escalateAs(caller, context, title, options));
}

async function escalateAs(
  caller: Caller | RoleCaller,
  context: Context,
  title: string,
  options: EscalateOptions,
): Promise<void> {
  const by = nameOfCaller(caller, options.actor, '--actor');
  const severity = SEVERITIES.find((one) => one === (options.severity ?? USUAL_SEVERITY));
  if (severity === undefined) {
    const text = `${quoteName(options.severity ?? '')} is no severity; write ${SEVERITIES.join(', ')}`;
    throw new Failure(EXIT.usage, 'bad_severity', text);
  }
  const { reason = '', bead: about } = options;
  mustFit(title, reason);
  // A run of triage has no life that the ledger knows; what it escalates is on record as the run's call.
  const official = caller.is === 'role' ? {} : { official: madeBy(await signatureOf(context)) };
  const raised = await withLedger(context, async (_, ledger): Promise<SenderRaised> => {
    const related = about === undefined ? null : (await beadCalled(ledger, about)).id;
    const wanted = { title, severity, reason, by, related };
    return raiseBySender(ledger, { ...wanted, now: Date.now(), hasBudget: caller.is !== 'operator', ...official });
  });
  const isNews = raised.is !== 'known' && isLoud({ severity });
  const reaches = isNews ? '; a running town alerts the overseer and the mayor' : '';
  context.answer('escalation', beadView(raised.bead), `${saidOf(raised, severity, by)}${reaches}`);
}

function saidOf({ bead, is, isOver }: SenderRaised, severity: string, by: string): string {
  const { count, withinMs } = ESCALATION_BUDGET;
  if (isOver)
    return `${by} escalated ${count} other things within ${span(withinMs)}: ${bead.id} counts this one, and its words are kept`;
  if (is === 'new') return `${bead.id} is escalated, ${severity}`;
  return `${bead.id} stands for it already, and counts it: ${times(countOf(bead) ?? 1, 'time')} by now`;
}

/** Throws Failure (2): what is cut off reaches no reader. */
function mustFit(title: string, reason: string): void {
  if (title.trim() === '')
    throw new Failure(EXIT.usage, 'bad_title', 'the title is empty; write in one line what you cannot decide');
  const long = [
    { what: 'the title', has: title.length, limit: LEDGER.maxTitle },
    { what: 'the reason', has: reason.length, limit: LEDGER.maxText },
  ].find(({ has, limit }) => has > limit);
  if (long === undefined) return;
  const text = `${long.what} has ${long.has} characters, the limit is ${long.limit}; write a file, and name that`;
  throw new Failure(EXIT.usage, 'too_long', text);
}

/** The gravest first; what stands for many gives its count. */
export async function listEscalations(
  context: Context,
  { all = false, limit = LEDGER.page }: { readonly all?: boolean; readonly limit?: number },
): Promise<void> {
  const query = { labels: [ESCALATION], ...(all && { statuses: BEAD_STATUSES }) };
  const found = await withLedger(context, (ledger) => firstOf((page) => ledger.list(query, page), limit + 1));
  const beads = found.slice(0, limit);
  if (found.length > limit) note(`there are more than ${limit}; see them with --limit N`);
  const row = (bead: Bead): string[] => {
    const state = isAcked(bead) && bead.status !== 'closed' ? 'acked' : bead.status;
    return [
      bead.id,
      severityOf(bead),
      state,
      String(countOf(bead) ?? 1),
      when(bead.createdAt),
      bead.createdBy,
      bead.title,
    ];
  };
  const columns = [
    'ID',
    'SEVERITY',
    { head: 'STATUS', drop: 2 },
    'COUNT',
    { head: 'RAISED', drop: 3 },
    { head: 'BY', drop: 1 },
    'TITLE',
  ];
  context.answer('escalations', beads.map(beadView), listing(beads, 'no open escalations', columns, row));
}
