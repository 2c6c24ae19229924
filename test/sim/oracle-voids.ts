/** Why a warrant was told `void`: only with a cause that the world itself knows, else an accusation was lost. */
import type { EntryOf, Log } from './log.ts';
import { of } from './log.ts';

const DAY_MS = 86_400_000;

type Told = EntryOf<'told'>;
type Filed = EntryOf<'filed'>;

/** What the letter says, and what in the world bears it out. */
const MINUTE_MS = 60_000;
const CAUSES: readonly { readonly says: RegExp; readonly isTrue: (log: Log, told: Told, filed: Filed) => boolean }[] = [
  {
    says: /^cancelled by /,
    isTrue: (log, { warrant, t }) => of(log, 'cancelAsked').some((ask) => ask.warrant === warrant && ask.t <= t),
  },
  {
    says: /^expired: /,
    isTrue: (_, { t }, filed) => filed.expired || t - filed.t > DAY_MS,
  },
  {
    says: /^another life has the name/,
    isTrue: (log, { t }, { life }) => {
      const born = of(log, 'born').filter((one) => one.t <= t);
      const accused = born.findIndex((one) => one.life === life);
      return born.slice(accused + 1).some(({ session }) => session === born[accused]?.session);
    },
  },
  {
    says: /^it was not seen at rest/,
    isTrue: (log, { t }, { life }) => {
      const session = of(log, 'born').find((one) => one.life === life)?.session;
      const isHindered = of(log, 'hindered').some(
        (one) => one.session === session && one.t <= t && one.until > t - MINUTE_MS,
      );
      return (
        isHindered ||
        of(log, 'became').some((one) => one.life === life && one.t <= t && ['working', 'asks'].includes(one.state))
      );
    },
  },
];

export function judgeVoids(log: Log): string[] {
  return of(log, 'told').flatMap((told) => {
    if (told.verdict !== 'void') return [];
    const filed = of(log, 'filed').find(({ warrant, t }) => warrant === told.warrant && t <= told.t);
    const cause = CAUSES.find(({ says }) => says.test(told.reason));
    if (filed !== undefined && cause?.isTrue(log, told, filed) === true) return [];
    return [`${told.warrant} was told void (${told.reason}) at ${told.t}, and nothing in the world bears that out`];
  });
}
