/** What alerts and mail leave in the journal: each told once, and its end. */
import { changeIn, CONDITIONS } from '../../machines/alerts/things.ts';
import type { Ended, Fact } from '../../machines/protocol.ts';
import type { Correlation } from './correlation.ts';
import { operatorBy } from './via.ts';
import { kind, name, words, type Draft, type Story } from './kind.ts';

const kinds = {
  alert: kind({ severity: words, text: words, life: name }, (l) => `alert (${l.severity}): ${l.text}`),
  'alert.ended': kind({ text: words }, (l) => `the alert ended: ${l.text}`, { ends: true }),
  'question.answered': kind(
    // `given`: when, since the town may have been down then.
    { by: words, question: words, of: words, option: words, text: words, given: words },
    (l) => `${operatorBy(l.by)} chose ${JSON.stringify(l.option)} in the ${l.of} ${l.question}: ${l.text}`,
  ),
  'mail.sent': kind({ to: words, subject: words }, (l) => `the town wrote to ${l.to}: ${l.subject}`),
};

const over = (ended: readonly Ended[] = []): Draft<typeof kinds>[] =>
  ended.map(({ episode, text }) => ({ kind: 'alert.ended', episode, text }));

/** Alerts without an order: the process itself or a file is in trouble. */
function found(news: Fact, seen: Correlation): Draft<typeof kinds> | null {
  const change = changeIn(news);
  if (change?.type !== 'alert' || !seen.isNew(`alert/${change.alert.episode}`, change.alert.text)) return null;
  return { kind: 'alert', ...change.alert };
}

export const alerts: Story<typeof kinds> = {
  kinds,
  facts: {
    ALERTED: ({ ended }) => over(ended),
    ALERTS_CHECKED: (seen) => over(seen.over),
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
    alert: ({ alert }) => ({ kind: 'alert', ...alert }),
    notify: ({ what, alert: { episode, text } }, seen) =>
      what === 'recovered' && Object.hasOwn(CONDITIONS, episode) && seen.isNew(`alert/${episode}`, text)
        ? { kind: 'alert.ended', episode, text }
        : null,
    mail: ({ to, subject }) => ({ kind: 'mail.sent', to, subject }),
  },
};
