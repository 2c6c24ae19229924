/**
 * What a dog knows and what it may ask of the hands: its context, and one body per verb.
 * A question keeps its id, so does what is left to a person, and a verdict while its requesters are the same: repeating them
 * is harmless. Every other order is a new one each time.
 */
import { isOperators, isLoginRestart, type DogTools } from '../dance.ts';
import { verdictAlertOf } from '../verdict-alerts.ts';
import type { Alert, Dance, Fact, Instant, Ms, Order, OrderBody, OrderId, Warrant } from '../../protocol.ts';

export interface DogInput extends DogTools {
  readonly dance: Dance;
}
export interface DogContext extends DogInput {
  readonly awaiting: OrderId | null;
  /** Makes the ids of looks differ. */
  readonly orders: number;
  /** The last look that saw; null after any blindness. */
  readonly lastSeen: Instant | null;
  /** The last time that it could not be asked, or could not run; null after a look that saw, and after any blindness. */
  readonly lastUndelivered: Instant | null;
  /** When the look that found silence was taken: what a signal rests on. */
  readonly lookedAt: Instant | null;
  readonly goneBefore: boolean;
  /** At the last look the pane was gone and the process lived. */
  readonly panelessBefore: boolean;
  readonly failedRescues: number;
  /** Its work was saved in this life of the dog, after the last list and without a blind spell since (law 4). */
  readonly rescued: boolean;
  /** TERM was sent, and every look since then saw: what the agent shows is its effect, and what is left gets KILL. */
  readonly termSent: boolean;
  /** The order for the very first signal is out: if the hands hold it back, no process was signalled. */
  readonly firstSignalPending: boolean;
  /** It answered or showed life after signals were sent. */
  readonly answered: boolean;
  readonly wakeAt: Instant | null;
  /** When it would have begun, had a town run all the time; null = it was given no order yet. */
  readonly beganAt: Instant | null;
}
/** From the kennel alone. */
export type ToDog =
  | { readonly type: 'ATTACHED'; readonly warrant: Warrant }
  | { readonly type: 'CANCELLED'; readonly by: string };
export type DogEvent = Fact | ToDog;
export interface Args {
  readonly context: DogContext;
  readonly event: DogEvent;
}

/** The alert of what the dance leaves to a person. Throws if it leaves nothing. */
function alertOf(dance: Dance): Alert {
  const alert = verdictAlertOf(dance);
  if (alert === null) throw new Error(`Nothing of ${dance.id} is left to a person: see verdict-alerts.ts.`);
  return alert;
}

/** The hands signal each process of the list that is still the one seen. */
const signal = ({ dance, lookedAt }: DogContext, of: 'TERM' | 'KILL', graceMs: Ms): OrderBody => ({
  type: 'signal',
  signal: of,
  graceMs,
  target: dance.target,
  tree: dance.tree ?? [],
  lookedAt: lookedAt ?? -Infinity,
});

const BODY = {
  checkpoint: (): OrderBody => ({ type: 'checkpoint' }),
  ask: ({ dance }: DogContext): OrderBody => ({
    type: 'ask',
    target: dance.target,
    lines: dance.attempts[dance.attempt - 1]?.question ?? [],
    code: dance.attempts[dance.attempt - 1]?.code ?? '',
  }),
  look: ({ dance }: DogContext): OrderBody => ({
    type: 'look',
    target: dance.target,
    attempts: dance.attempts.slice(0, dance.attempt),
    ...(isLoginRestart(dance) && { mustRest: true }),
  }),
  listTree: ({ dance }: DogContext): OrderBody => ({
    type: 'listTree',
    target: dance.target,
    ...(dance.killing && { listed: dance.tree ?? [] }),
  }),
  rescue: ({ dance }: DogContext): OrderBody => ({ type: 'rescue', target: dance.target, dance: dance.id }),
  terminate: (context: DogContext): OrderBody => signal(context, 'TERM', context.policy.termGraceMs),
  kill: (context: DogContext): OrderBody => signal(context, 'KILL', context.policy.killGraceMs),
  clear: ({ dance }: DogContext): OrderBody => ({
    type: 'clear',
    target: dance.target,
    tree: dance.tree ?? [],
    ...(isOperators(dance) && { byForce: true }),
  }),
  alert: ({ dance }: DogContext): OrderBody => ({ type: 'alert', alert: alertOf(dance) }),
  sendVerdict: ({ dance }: DogContext): OrderBody => ({ type: 'sendVerdict', dance }),
};
export type Verb = keyof typeof BODY;
function orderId({ dance, orders }: DogContext, verb: Verb): OrderId {
  const { id, attempt, warrants } = dance;
  if (verb === 'alert') return { dance: id, verb, name: alertOf(dance).episode };
  return {
    dance: id,
    attempt,
    verb,
    turn: verb === 'ask' ? undefined : verb === 'sendVerdict' ? warrants.length : orders,
  };
}

export const orderOf = (context: DogContext, verb: Verb): Order => ({
  ...BODY[verb](context),
  id: orderId(context, verb),
});
