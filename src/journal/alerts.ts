/** What alerts and mail leave in the journal: each told once, and its end. */
import type { Ended } from '../../machines/protocol.ts';
import { kind, name, words, type Draft, type Story } from './kind.ts';

const kinds = {
  alert: kind({ severity: words, text: words, life: name }, (l) => `alert (${l.severity}): ${l.text}`),
  'alert.ended': kind({ text: words }, (l) => `the alert ended: ${l.text}`, { ends: true }),
  'mail.sent': kind({ to: words, subject: words }, (l) => `the town wrote to ${l.to}: ${l.subject}`),
};

const over = (ended: readonly Ended[] = []): Draft<typeof kinds>[] =>
  ended.map(({ episode, text }) => ({ kind: 'alert.ended', episode, text }));

export const alerts: Story<typeof kinds> = {
  kinds,
  facts: { ALERTED: ({ ended }) => over(ended), ALERTS_CHECKED: (seen) => over(seen.over) },
  orders: {
    alert: ({ alert }) => ({ kind: 'alert', ...alert }),
    mail: ({ to, subject }) => ({ kind: 'mail.sent', to, subject }),
  },
};
