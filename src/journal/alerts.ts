/** What alerts and mail leave in the journal: each told once, and its end. */
import { changeIn, CONDITIONS } from '../../machines/alerts/things.ts';
import type { Alert, Ended, Fact } from '../../machines/protocol.ts';
import type { Correlation } from './correlation.ts';
import { operatorBy } from './via.ts';
import { flag, kind, name, words, type Draft, type Story } from './kind.ts';

const kinds = {
  alert: kind({ severity: words, text: words, life: name }, (l) => `alert (${l.severity}): ${l.text}`),
  'alert.ended': kind({ text: words }, (l) => `the alert ended: ${l.text}`, { ends: true }),
  'question.answered': kind(
    // `given`: when, since the town may have been down then.
    { by: words, question: words, of: words, option: words, text: words, given: words, isCutOff: flag },
    (l) => {
      const cut = l.isCutOff === true ? '; the command was cut off, so it may not have been carried out' : '';
      return `${operatorBy(l.by)} chose ${JSON.stringify(l.option)} in the ${l.of} ${l.question}: ${l.text}${cut}`;
    },
  ),
  'mail.sent': kind({ to: words, subject: words }, (l) => `the town wrote to ${l.to}: ${l.subject}`),
};

function over(ended: readonly Ended[], { alerts: standing }: Correlation): Draft<typeof kinds>[] {
  for (const { episode } of ended) standing.ends(episode);
  return ended.map(({ episode, text }) => ({ kind: 'alert.ended', episode, text }));
}

const begun = (alert: Alert, { alerts: standing }: Correlation): Draft<typeof kinds> | null =>
  standing.begins(alert) ? { kind: 'alert', ...alert } : null;

/** Alerts without an order: the process itself or a file is in trouble. */
function found(news: Fact, seen: Correlation): Draft<typeof kinds> | null {
  const change = changeIn(news);
  return change?.type === 'alert' ? begun(change.alert, seen) : null;
}

export const alerts: Story<typeof kinds> = {
  kinds,
  facts: {
    ALERTED: ({ ended = [] }, seen) => over(ended, seen),
    ALERTS_CHECKED: ({ over: ended }, seen) => over(ended, seen),
    CONDITION_FOUND: found,
    FILE_REFUSED: found,
    OUTPUT_KEPT: found,
    QUESTION_ANSWERED: ({ answer: { session, kind: of, at: givenAt, ...answer } }) => ({
      kind: 'question.answered',
      of,
      ...answer,
      given: new Date(givenAt).toISOString(),
      ...(session !== null && { session }),
    }),
  },
  orders: {
    alert: ({ alert }, seen) => begun(alert, seen),
    notify: ({ what, alert: { episode, text } }, seen) =>
      what === 'recovered' && Object.hasOwn(CONDITIONS, episode) && seen.alerts.ends(episode)
        ? { kind: 'alert.ended', episode, text }
        : null,
    mail: ({ to, subject }) => ({ kind: 'mail.sent', to, subject }),
  },
};
