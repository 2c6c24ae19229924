/**
 * The mail watch (M-7): letters that their readers leave lying. Looks now and then; the alerts actor owns what stands.
 * 1. The person's own mailbox is not watched: each letter there rings at once, and is a question until it was read.
 * 2. A newer letter in an open alert is another question of the same cause: a person is alerted again, also after an acknowledgement.
 * 3. A look that fails changes nothing (law 1): an alert ends only by a look that shows its letter read or answered.
 */
import { assign, emit, setup } from 'xstate';
import type { Level, Standing } from '../alerts/levels.ts';
import { textOfMarks } from '../alerts/question.ts';
import { isDue, stampOf } from '../kernel/decision.ts';
import { span } from '../kernel/span.ts';
import type { About, Fact, Instant, Ms, Order, WaitingLetter, WallMs } from '../protocol.ts';
import type { MonitorPolicy } from './policy.ts';

export interface MailWatchInput {
  readonly policy: MonitorPolicy;
}
export interface MailWatchState extends MailWatchInput {
  /** As the last look found them; null = there was none yet. */
  readonly letters: readonly WaitingLetter[] | null;
  /** The newest letter that each alert showed, by kind and name: an older one that is left when it was read is no news. */
  readonly newest: Readonly<Record<string, WaitingLetter>>;
  /** When that look was, by the wall. */
  readonly seenAt: WallMs;
  readonly rounds: number;
  readonly wakeAt: Instant | null;
}

const s = setup({
  types: {} as { context: MailWatchState; events: Fact; input: MailWatchInput; emitted: Order },
  actions: {
    look: emit(({ context }): Order => ({
      type: 'lookAtMail',
      id: { issuer: 'mail-watch', verb: 'look', round: context.rounds },
    })),
    later: assign(({ context: { rounds, policy }, event }) => ({
      rounds: rounds + 1,
      wakeAt: stampOf(event).at + policy.mailEveryMs,
    })),
    seen: assign(({ context, event }) =>
      event.type === 'MAIL_SEEN' ? withNewest({ ...context, letters: event.letters, seenAt: stampOf(event).wall }) : {},
    ),
  },
  guards: { due: isDue },
});

export const mailWatch = s.createMachine({
  id: 'mail-watch',
  context: ({ input }) => ({ ...input, letters: null, newest: {}, seenAt: 0, rounds: 0, wakeAt: 0 }),
  on: { TICK: { guard: 'due', actions: ['look', 'later'] }, MAIL_SEEN: { actions: 'seen' } },
});

const CHARS_SHOWN = 80;
const cut = (text: string): string => (text.length > CHARS_SHOWN ? `${text.slice(0, CHARS_SHOWN)}…` : text);

/** As a kind's parts are named: the reader's address, with `+` for its slashes, and the sender's as far as a name may hold it. */
const nameOf = ({ address, from }: WaitingLetter): string =>
  `${address.replaceAll('/', '+')}/${from.replace(/[^\w.-]+/g, '+').slice(0, CHARS_SHOWN)}`;
const asks = ({ within }: About): readonly string[] => [`town mail inbox ${within.replaceAll('+', '/')}`];

const isOld = ({ sentAt }: WaitingLetter, ms: Ms, { seenAt }: MailWatchState): boolean => seenAt - sentAt >= ms;

/** Letters of one sender to one reader, the newest first. */
type Letters = readonly [WaitingLetter, ...WaitingLetter[]];

const COUNTS = {
  'mail-urgent': (one, state) => one.isUrgentUnread && isOld(one, state.policy.urgentUnreadMs, state),
  'mail-unanswered': (one, state) => one.isUnanswered && isOld(one, state.policy.unansweredMs, state),
} as const satisfies Readonly<Record<string, (letter: WaitingLetter, state: MailWatchState) => boolean>>;
type Kind = keyof typeof COUNTS;

/** By reader and sender, however many letters lie there (M-13). */
function lyingOf(kind: Kind, state: MailWatchState): readonly (readonly [string, Letters])[] {
  const lying = (state.letters ?? []).filter((one) => COUNTS[kind](one, state));
  const oldestFirst = lying.toSorted((one, other) => one.sentAt - other.sentAt);
  return [...Map.groupBy(oldestFirst, nameOf)].flatMap(([name, all]) => {
    const [newest, ...rest] = all.toReversed();
    return newest === undefined ? [] : [[name, [newest, ...rest]] as const];
  });
}

const keyOf = (kind: Kind, name: string): string => `${kind}/${name}`;

function withNewest(state: MailWatchState): MailWatchState {
  const newest = (Object.keys(COUNTS) as Kind[]).flatMap((kind) =>
    lyingOf(kind, state).map(([name, [first]]) => {
      const before = state.newest[keyOf(kind, name)];
      return [keyOf(kind, name), before !== undefined && before.sentAt > first.sentAt ? before : first] as const;
    }),
  );
  return { ...state, newest: Object.fromEntries(newest) };
}

/** No mark may hold a blank or a colon. */
const markOf = ({ id }: WaitingLetter): string => textOfMarks({ request: id.replaceAll(/[\s:]/g, '_') });

function claimOf(kind: Kind, state: MailWatchState, words: (letters: Letters) => Pick<Standing, 'severity' | 'text'>) {
  if (state.letters === null) return null;
  const stands = lyingOf(kind, state).map(([name, letters]) => {
    const [first] = letters;
    const question = markOf(state.newest[keyOf(kind, name)] ?? first);
    return { ...words(letters), session: first.session, name, question };
  });
  return { stands, only: [] };
}

const subjectOf = ([{ subject }, ...rest]: Letters): string =>
  `${cut(subject)}${rest.length === 0 ? '' : ` (and ${rest.length} more)`}`;

export const MAIL_LEVELS: readonly Level<MailWatchState>[] = [
  {
    kind: 'mail-urgent',
    asks,
    claim: (state) =>
      claimOf('mail-urgent', state, (all) => {
        const text = `${all[0].address} has not read an urgent letter from ${all[0].from}: ${subjectOf(all)}`;
        return { severity: 'high', text };
      }),
    ended: () => 'It was read, or put away.',
  },
  {
    kind: 'mail-unanswered',
    asks,
    claim: (state) =>
      claimOf('mail-unanswered', state, (all) => {
        const { unansweredMs } = state.policy;
        const words = `${all[0].address} has not answered a letter from ${all[0].from} for more than ${span(unansweredMs)}`;
        return { severity: 'medium', text: `${words}: ${subjectOf(all)}` };
      }),
    ended: () => 'It was answered, or put away.',
  },
];
