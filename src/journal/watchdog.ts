/** What the watchdog chain leaves in the journal: Boot's judgements when they change, health checks, what became of the Deacon's mail. */
import type { BootAction } from '../../machines/protocol/watchdog.ts';
import { ACTOR } from '../../machines/watchdog/matrix.ts';
import { amount, because, flag, kind, name, words, wordsFor, type Story } from './kind.ts';

const BOOT_ACTS: Readonly<Record<BootAction, string>> = {
  NOTHING: 'nothing to do',
  START: 'start it',
  RESTART: 'start it again',
  NUDGE: 'remind it',
  WAKE: 'wake it',
  WARRANT: 'file a warrant',
};
/** What Boot decided, in words. */
export const bootActText = (action: string): string => wordsFor(BOOT_ACTS, action, action);

const decided = (action: string): string =>
  action === 'NOTHING' ? bootActText(action) : `it decided to ${bootActText(action)}`;
/** Results that say no more than the act. */
const PLAIN: ReadonlySet<string> = new Set(['done', 'told', 'filed', 'typed']);

const kinds = {
  'health.ended': kind(
    { result: words, silent: flag, failures: amount },
    ({ result, silent, failures }) => {
      if (silent === true) return `the health check stayed unanswered: ${failures} in a row`;
      const isAnswered = result.startsWith('answered');
      return isAnswered ? `the health check was ${result}` : `the health check says nothing: ${result}`;
    },
    { ends: true },
  ),
  boot: kind(
    { action: words, reason: name, result: words },
    (l) =>
      `Boot looked at the Deacon${because(l.reason)}; ${decided(l.action)}${PLAIN.has(l.result) ? '' : ` (${l.result})`}`,
  ),
  'mail.put_away': kind(
    { mail: words, why: words },
    (l) => `the letter ${l.mail} of an agent about its own life was put away: ${l.why}`,
  ),
};

export const watchdog: Story<typeof kinds> = {
  kinds,
  facts: {
    NOTE_READ: ({ note }, seen) => {
      if (note === 'healthChecks') seen.checks.clear();
      return null;
    },
  },
  records: {
    note: ({ id, value }, seen) => {
      if (value === null) return null;
      if (id === 'healthChecks') return seen.checks.over(value).map((end) => ({ kind: 'health.ended', ...end }));
      if (id !== 'bootStatus') return null;
      const { action, reason, result, session } = value;
      // A Boot that finds all well says nothing (law 8).
      if (!seen.isNew('boot', `${action}/${reason}/${result}`)) return null;
      return { kind: 'boot', action, reason, result, ...(session !== ACTOR && { session }) };
    },
  },
  orders: {
    archiveDeaconMail: ({ why = {} }, seen) =>
      Object.entries(why).flatMap(([mail, reason]) =>
        seen.isNew(`mail/${mail}`, reason) ? [{ kind: 'mail.put_away', mail, why: reason }] : [],
      ),
  },
};
