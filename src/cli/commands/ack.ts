/**
 * `town ack`: the one word for "I have seen it". An acknowledged alert stays open and is not repeated, an acknowledged
 * escalation climbs no further, and an acknowledged letter counts as read. Works with the town down.
 */
import { idIn } from '../../../machines/alerts/question.ts';
import { escalationIn, episodeOfEscalation } from '../../../machines/ledger/escalations.ts';
import { acknowledge, ESCALATION, isEscalation } from '../../ledger/escalations.ts';
import { REQUEST } from '../../triage/requests.ts';
import { firstOf } from '../../ledger/walk.ts';
import { isMaker } from '../../ledger/authority.ts';
import { NOT_YOURS } from '../../ledger/doors.ts';
import { MAYORS } from '../../../machines/rigs/names.ts';
import { LEDGER } from '../../../state/ledger/policy.ts';
import type { AnsweredQuestion } from '../../../machines/protocol.ts';
import type { Bead } from '../../../machines/ledger/bead.ts';
import type { Ledger } from '../../../state/ledger/port.ts';
import { HEARING_ACK, isHearing } from '../../../state/alerts/episodes.ts';
import { FILES } from '../../../state/files/layout.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean } from '../../terminal/print.ts';
import { putOnRecord } from '../asking/record.ts';
import { actorOf, change, now, signatureOf, withLedger } from '../asking/ledger.ts';
import { openAlert } from '../../overview/open-alerts.ts';
import { alertsOf, mailboxOf, OVERSEER } from '../asking/post.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { quoteName } from '../naming/names.ts';
import { find, numberOf, resolve, type Candidate } from '../naming/resolve.ts';
import { alertId, alertNumber, MANY_DIGITS } from '../story/asking.ts';
import { beadView } from './beads.ts';
import { callerToken } from '../../socket/caller-token.ts';

/** The meanings of a word beside an escalation, which are tried before the ledger is opened. */
interface Seen {
  readonly is: 'alert' | 'letter';
  readonly id: string;
}

const KIND = {
  what: 'open alert, unread letter or escalation',
  list: 'town status` or `town escalation list',
  code: 'unknown_ack',
};

/** What was acknowledged. */
type Known = Pick<AnsweredQuestion, 'question' | 'kind' | 'session' | 'text'>;

/** As `see`; the operator's is on record. */
export async function ack(context: Context, word: string): Promise<void> {
  const { by, ...known } = await see(context, word);
  if (by === OVERSEER) await putOnRecord(context, { ...known, by: 'operator', option: 'seen' });
}

/** Throws Failure: 2 for a word that means none of these or several, 5 for one that is not the caller's. */
export async function see(context: Context, called: string): Promise<Known & { readonly by: string }> {
  context.existing();
  const by = await actorOf(context, undefined);
  const word = (by === OVERSEER ? await offeredAs(context, called) : null) ?? called;
  const seen = find(word, [...(await openAlerts(context)), ...(await lettersFor(context, word))], KIND);
  if (seen === undefined) return { by, ...(await ackOther(context, word, by)) };
  const about = seen.is === 'alert' ? escalationIn(seen.id) : null;
  if (about !== null) return { by, ...(await ackEscalation(context, about, by)) };
  await mustBeOperator(context, 'acknowledging an alert or a letter');
  return { by, ...(seen.is === 'alert' ? await ackAlert(context, seen.id) : await ackLetter(context, seen.id)) };
}

/** The id of the question that messages on channels name so; null = none does. */
async function offeredAs(context: Context, word: string): Promise<string | null> {
  const { questionOffered } = await import('../story/find-question.ts');
  return (await questionOffered(context, word))?.id ?? null;
}

/**
 * A dialog's number means the dialog that stands now; its alert may have begun with an earlier one. A case or a gate has a number besides
 * those of its alerts.
 */
async function ackOther(context: Context, word: string, by: string): Promise<Known> {
  if (by !== OVERSEER || !/^(?:(?:dialog|request)-)?\d+$/.test(word)) return ackEscalation(context, word, by);
  const { findQuestion } = await import('../story/find-question.ts');
  const question = await findQuestion(context, word);
  if (question === undefined || question.kind === 'escalation') return ackEscalation(context, question?.id ?? word, by);
  const open = (await (await alertsOf(context)).list()).filter(({ episode }) => question.alerts.includes(episode));
  const known = open.map(({ episode }) => () => {
    const bead = escalationIn(episode);
    return bead === null ? ackAlert(context, episode) : ackEscalation(context, bead, by);
  });
  const [first, ...more] = known;
  if (first === undefined) {
    const text = `no alert tells of ${quoteName(question.id)}, so there is nothing to acknowledge; see \`town questions\``;
    throw new Failure(EXIT.failed, KIND.code, text);
  }
  const seen = await first();
  for (const one of more) await one();
  return seen;
}

async function openAlerts(context: Context): Promise<Candidate<Seen>[]> {
  return (await (await alertsOf(context)).list()).flatMap((alert): Candidate<Seen>[] => {
    const { episode: id, session, since: at } = alert;
    const begun = openAlert(alert);
    const value: Seen = { is: 'alert', id };
    // A number of a dialog may be of the one before.
    const number = idIn(alert.question) === undefined ? alertNumber(begun) : '';
    const named = { id, number, session, isOpen: true, at, value };
    return [named, { ...named, id: alertId(begun), number: '', session: null }];
  });
}

/** Those of the operator that are not put away. A short number means an alert: `town status` shows more digits of a letter's. */
async function lettersFor(context: Context, word: string): Promise<Candidate<Seen>[]> {
  const isShort = /^\d+$/.test(word) && word.length < MANY_DIGITS;
  if (isShort || callerToken() !== undefined) return [];
  const { box } = await mailboxOf(context, OVERSEER);
  return (await box.names()).map((id) => {
    return { id, number: numberOf(id), session: null, isOpen: true, at: 0, value: { is: 'letter', id } };
  });
}

async function ackAlert(context: Context, episode: string): Promise<Known> {
  const alerts = await alertsOf(context);
  const alert = (await alerts.list()).find((one) => one.episode === episode);
  const by = isHearing(episode) ? HEARING_ACK.seen : 'operator';
  if (alert === undefined || !(await alerts.ack(episode, by, Date.now()))) {
    const text = `the alert ${quoteName(episode)} ended a moment ago; see \`town alerts list\``;
    throw new Failure(EXIT.failed, 'unknown_alert', text);
  }
  context.answer('alert-acked', { episode }, `${clean(episode)} is acknowledged: it is not repeated`);
  return { question: alertId(openAlert(alert)), kind: 'alert', session: alert.session, text: alert.text };
}

async function ackLetter(context: Context, id: string): Promise<Known> {
  const { box } = await mailboxOf(context, OVERSEER);
  const message = await box.read(id);
  context.answer('message', message, `the letter ${clean(id)} counts as read; see it with \`town mail read ${id}\``);
  return { question: id, kind: 'letter', session: null, text: message.subject };
}

/** Opening a ledger makes one. */
const hasLedger = async (context: Context): Promise<boolean> =>
  (await (await context.disk()).stat(FILES.ledger)) !== null;

async function ackEscalation(context: Context, word: string, by: string): Promise<Known> {
  if (!(await hasLedger(context))) resolve(word, [], KIND);
  const { life } = await signatureOf(context);
  const isOfficer = by === OVERSEER || MAYORS.some((name) => name === by);
  const bead = await withLedger(context, async (_, ledger) => {
    const { id } = await escalationCalled(ledger, word);
    return change(ledger, id, (one) => {
      if (isOfficer || isMaker({ address: by, life }, one)) return acknowledge(one, by, now());
      const text = `${id} is not your escalation; the operator or the mayor acknowledges it`;
      throw new Failure(EXIT.refused, NOT_YOURS, text);
    });
  });
  await (await alertsOf(context)).ack(episodeOfEscalation(bead.id), by, Date.now());
  context.answer('escalation', beadView(bead), `${bead.id} is acknowledged: it climbs no further`);
  return { question: bead.id, kind: 'escalation', session: null, text: bead.title };
}

async function escalationCalled(ledger: Ledger, word: string): Promise<Bead> {
  const [exact] = await ledger.beads([word]);
  if (exact === undefined) {
    const open = await firstOf((page) => ledger.list({ labels: [ESCALATION] }, page), LEDGER.maxPage);
    const candidates = open.map((value) => {
      const at = Date.parse(value.createdAt);
      return { id: value.id, number: numberOf(value.id), session: null, isOpen: true, at, value };
    });
    return resolve(word, candidates, KIND);
  }
  if (isEscalation(exact)) return exact;
  // A case waits for a choice, which seeing it does not make.
  const next = exact.type === REQUEST ? `decide it: \`town triage show ${exact.id}\`` : 'see `town escalation list`';
  throw new Failure(EXIT.failed, 'no_escalation', `${exact.id} is no escalation but a ${clean(exact.type)}; ${next}`);
}
