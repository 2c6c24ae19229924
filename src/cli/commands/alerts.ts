/** `town alerts list`: files, so it works with the town down. */
import type { Episode } from '../../../state/alerts/episodes.ts';
import { openAlert } from '../../overview/open-alerts.ts';
import { clean } from '../../terminal/print.ts';
import { alertsOf } from '../asking/post.ts';
import { isoOf } from '../asking/notes.ts';
import type { Context } from '../context.ts';
import { inLedger } from '../asking/in-ledger.ts';
import { alertNumbers, answers, commandLines } from '../story/asking.ts';
import { span } from '../../../machines/kernel/span.ts';

/** The alert's text, and below it what to type. */
function alertText({ severity, since, count, acked, text }: Episode, number: string, type: readonly string[] | null) {
  const raised = count > 1 ? `, raised ${count} times` : '';
  const seen = acked === null ? '' : `, seen by ${clean(acked.by)}`;
  const head = `${number}  ${severity} for ${span(Date.now() - since)}${raised}${seen}: ${clean(text)}`;
  return [head, ...commandLines(type ?? ['news: there is nothing to type'], number.length + 2)].join('\n');
}

export async function listAlerts(context: Context): Promise<void> {
  context.existing();
  const episodes = await (await alertsOf(context)).list();
  const open = episodes.map(openAlert);
  const told = await inLedger(context, open);
  const numbers = alertNumbers(open, told);
  const typeOf = (e: Episode): readonly string[] | null =>
    answers(openAlert(e), numbers(e.episode), told.get(e.episode));
  const data = episodes.map((e) => ({
    ...e,
    since: isoOf(e.since),
    told_at: isoOf(e.told_at),
    ended_at: isoOf(e.ended_at),
    acked: e.acked && { by: e.acked.by, at: isoOf(e.acked.at) },
    number: numbers(e.episode),
    question: typeOf(e) !== null,
    type: typeOf(e) ?? [],
  }));
  context.answer('alerts', data, () =>
    episodes.length === 0 ? 'no open alerts' : episodes.map((e) => alertText(e, numbers(e.episode), typeOf(e))),
  );
}
