/** `town escalate`, `town ack`: an agent passes on what it cannot decide, and the receiver acknowledges it. */
import { isLoud, SEVERITIES } from '../../../machines/patrols/escalations.ts';
import { acknowledge, escalation, isEscalation, lettersAbout } from '../../ledger/escalations.ts';
import { isMaker } from '../../ledger/authority.ts';
import { createBead } from '../../ledger/change.ts';
import { madeBy, NOT_YOURS } from '../../ledger/doors.ts';
import { PREFIX } from '../../ledger/ids.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import { MAYORS } from '../../../machines/rigs/names.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import type { Caller } from '../../socket/permission.ts';
import { asCaller, nameOfCaller, type RoleCaller, signWords } from '../caller.ts';
import type { Context } from '../context.ts';
import { actorOf, beadCalled, change, now, signatureOf, withLedger } from '../ledger.ts';
import { quoteName } from '../names.ts';
import { mailboxOf, OVERSEER } from '../post.ts';
import { beadView } from './beads.ts';
import { tellPerson } from './mail.ts';

export interface EscalateOptions {
  readonly severity?: string;
  readonly reason?: string;
  readonly bead?: string;
  readonly actor?: string;
}

/** The ledger has it already; the error reports a mailbox that takes nothing. */
async function mail(
  context: Context,
  bead: Bead,
  { from, severity, caller }: { from: string; severity: string; caller: Caller | RoleCaller },
): Promise<void> {
  const subject = `[${severity.toUpperCase()}] ${clean(bead.title)}`.slice(0, MAX_SUBJECT);
  const body = `${bead.description}\n\nTo say that you saw it: town ack ${bead.id}`;
  const message = signWords(caller, { id: `m-${bead.id}`, from, subject, body, urgent: true, needs_response: true });
  for (const address of ['mayor', OVERSEER]) await (await mailboxOf(context, address)).box.send(message);
  await tellPerson(context, message);
}

const MAX_SUBJECT = 200;

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
  const severity = SEVERITIES.find((one) => one === (options.severity ?? 'medium'));
  if (severity === undefined) {
    const text = `${quoteName(options.severity ?? '')} is no severity; write ${SEVERITIES.join(', ')}`;
    throw new Failure(EXIT.usage, 'bad_severity', text);
  }
  const { reason = '', bead: about } = options;
  // A run of triage has no life that the ledger knows; what it escalates is on record as the run's call.
  const official = caller.is === 'role' ? {} : { official: madeBy(await signatureOf(context)) };
  const made = await withLedger(context, async (_, ledger) => {
    const related = about === undefined ? null : (await beadCalled(ledger, about)).id;
    const given = escalation({ title, severity, reason, by, at: now(), related });
    return createBead(ledger, given, { prefix: PREFIX, kind: 'wisp', ...official });
  });
  if (isLoud(severity)) await mail(context, made, { from: by, severity, caller });
  const reached = isLoud(severity) ? '; the mayor and the overseer have mail' : '';
  context.answer('escalation', beadView(made), `${made.id} is escalated, ${severity}${reached}`);
}

/** Throws Failure: 1 for what is no escalation, 5 for an agent that neither made it nor is the mayor. */
export async function ack(context: Context, word: string): Promise<void> {
  const by = await actorOf(context, undefined);
  const at = now();
  const { life } = await signatureOf(context);
  const isOfficer = by === OVERSEER || MAYORS.some((name) => name === by);
  const bead = await withLedger(context, (_, ledger) =>
    change(ledger, word, (one) => {
      if (isEscalation(one) && (isOfficer || isMaker({ address: by, life }, one))) return acknowledge(one, by, at);
      if (isEscalation(one))
        throw new Failure(
          EXIT.refused,
          NOT_YOURS,
          `${one.id} is not your escalation; the operator or the mayor acknowledges it`,
        );
      const text = `${one.id} is no escalation; see \`town bead list --label gt:escalation\``;
      throw new Failure(EXIT.failed, 'no_escalation', text);
    }),
  );
  // The person has seen it, so its letters go too.
  if (by === OVERSEER) await (await mailboxOf(context, OVERSEER)).box.archiveAll(lettersAbout(bead));
  context.answer('escalation', beadView(bead), `${bead.id} is acknowledged: it climbs no further`);
}
