/**
 * The mail watch (M-7): letters that their readers leave lying. Looks now and then; the alerts actor owns what stands.
 * 1. The person's own mailbox is not watched: each letter there rings at once, and is a question until it was read.
 * 2. A look that fails changes nothing (law 1): an alert ends only by a look that shows its letter read or answered.
 */
import { assign, emit, setup } from 'xstate';
import type { Level, Standing } from '../alerts/levels.ts';
import { isDue, stampOf } from '../kernel/turn.ts';
import { span } from '../kernel/span.ts';
import type { About, Fact, Instant, Ms, Order, WaitingLetter, WallMs } from '../protocol.ts';
import type { MonitorPolicy } from './policy.ts';

export interface MailWatchInput {
  readonly policy: MonitorPolicy;
}
export interface MailWatchState extends MailWatchInput {
  /** As the last look found them; null = there was none yet. */
  readonly letters: readonly WaitingLetter[] | null;
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
      id: { giver: 'mail-watch', verb: 'look', round: context.rounds },
    })),
    later: assign(({ context: { rounds, policy }, event }) => ({
      rounds: rounds + 1,
      wakeAt: stampOf(event).at + policy.mailEveryMs,
    })),
    seen: assign(({ event }) =>
      event.type === 'MAIL_SEEN' ? { letters: event.letters, seenAt: stampOf(event).wall } : {},
    ),
  },
  guards: { due: isDue },
});

export const mailWatch = s.createMachine({
  id: 'mail-watch',
  context: ({ input }) => ({ ...input, letters: null, seenAt: 0, rounds: 0, wakeAt: 0 }),
  on: { TICK: { guard: 'due', actions: ['look', 'later'] }, MAIL_SEEN: { actions: 'seen' } },
});

const CHARS_SHOWN = 80;
const cut = (text: string): string => (text.length > CHARS_SHOWN ? `${text.slice(0, CHARS_SHOWN)}…` : text);

/** As a kind's parts are named: an address with `+` for its slashes, and the id. */
const nameOf = ({ address, id }: WaitingLetter): string => `${address.replaceAll('/', '+')}/${id}`;
const asks = ({ within, of }: About): readonly string[] => {
  const address = within.replaceAll('+', '/');
  return [`town mail inbox ${address}`, `town mail archive ${of} --for ${address}`];
};

const isOld = ({ sentAt }: WaitingLetter, ms: Ms, { seenAt }: MailWatchState): boolean => seenAt - sentAt >= ms;

function claimOf(state: MailWatchState, standing: (letter: WaitingLetter) => readonly Omit<Standing, 'name'>[]) {
  const { letters } = state;
  if (letters === null) return null;
  const stands = letters.flatMap((one) => standing(one).map((words) => ({ ...words, name: nameOf(one) })));
  return { stands, only: [] };
}

export const MAIL_LEVELS: readonly Level<MailWatchState>[] = [
  {
    kind: 'mail-urgent',
    asks,
    claim: (state) =>
      claimOf(state, (one) => {
        if (!one.isUrgentUnread || !isOld(one, state.policy.urgentUnreadMs, state)) return [];
        const text = `${one.address} has not read an urgent letter from ${one.from}: ${cut(one.subject)}`;
        return [{ severity: 'high', session: one.session, text }];
      }),
    ended: () => 'It was read, or put away.',
  },
  {
    kind: 'mail-unanswered',
    asks,
    claim: (state) =>
      claimOf(state, (one) => {
        const { unansweredMs } = state.policy;
        if (!one.isUnanswered || !isOld(one, unansweredMs, state)) return [];
        const words = `${one.address} has not answered a letter from ${one.from} for more than ${span(unansweredMs)}`;
        return [{ severity: 'medium', session: one.session, text: `${words}: ${cut(one.subject)}` }];
      }),
    ended: () => 'It was answered, or put away.',
  },
];
