/**
 * Rules of health checks (C-15), without a machine: which agents are asked, what an answer or a silence changes, and
 * who is notified. Protected names are not asked. Busy, blocked, a person at the keys or an unknown is no failure; only
 * an unanswered typed question is, and only a look that began after its time proves that: time in which the town saw nothing
 * proves nothing (law 1).
 */
import { codeOf } from '../kernel/seeded-random.ts';
import { inOrder, NOTHING, order, reply, type Decision } from '../kernel/decision.ts';
import { advisedIn, ANSWERED, isLive, review, REVIEW } from './health-review.ts';
import type { DeaconPolicy } from './policy.ts';
import type {
  Attempt,
  Fact,
  Incarnation,
  Instant,
  Obstacle,
  Order,
  OrderId,
  Outcome,
  Reply,
  SessionRecord,
  Observation,
  Stamp,
  HealthCheck,
} from '../protocol.ts';
import { printCode, type AliveCommand } from '../hearings/question.ts';

export interface HealthInput {
  readonly policy: DeaconPolicy;
  readonly entropy: string;
  readonly command: AliveCommand;
  /** Whether `[town] protected` covers this name: then it is left alone (law 6). */
  readonly isProtected: (session: string) => boolean;
}
type Checks = Readonly<Record<string, HealthCheck>>;
/** A question under way. */
interface Open {
  readonly target: Incarnation;
  readonly attempt: Attempt;
  /** null = not typed yet. */
  readonly until: Instant | null;
  readonly looking: boolean;
  readonly nextLookAt: Instant;
}
export interface Ctx extends HealthInput {
  /** Absent = nothing was asked in this process: the file stays as it is. */
  readonly checks: Checks | null;
  readonly open: Readonly<Record<string, Open>>;
  readonly asked: number;
  /** Callers that wait for the sessions' records. */
  readonly waiting: readonly { readonly rpc: string; readonly session: string | null }[];
  /** When the advice that was given is looked at again; null = none stands. */
  readonly reviewAt: Instant | null;
  readonly wakeAt: Instant | null;
}
/** Whether an order is a health check's, not a hearing's. */
export const isHealthCheck = ({ id }: Pick<Order, 'id'>): boolean => id.issuer === 'health';
const idOf = ({ uuid }: Incarnation, verb: 'ask' | 'look'): OrderId => ({ issuer: 'health', life: uuid, verb });

const FRESH = { lastPingAt: null, lastAnswerAt: null, failures: 0, code: null, result: 'not asked yet' } as const;
/** What a check came to whose question was typed and stayed unanswered. */
export const NO_ANSWER = 'no answer';
const seconds = (ms: number): number => Math.ceil(ms / 1_000);

/** The lines of the question. The literal answer never stands in it (D-2). */
export function healthQuestion(
  target: Incarnation,
  code: string,
  { policy, command }: Pick<HealthInput, 'policy' | 'command'>,
): readonly string[] {
  const program = target.origin === 'started' ? command.started : command.adopted;
  return [
    `[DEACON] HEALTH CHECK: Session ${target.session}, say that you are there within ${seconds(policy.healthWaitMs)}s.`,
    `Run: ${program} ${printCode(code)}`,
  ];
}

const wakeOf = (open: Ctx['open']): Instant | null => {
  const at = Object.values(open).map((one) => (one.until === null || one.looking ? Infinity : one.nextLookAt));
  const next = Math.min(...at);
  return next === Infinity ? null : next;
};

function refusalFor(
  session: string | null,
  records: readonly SessionRecord[],
  isProtected: HealthInput['isProtected'],
): Reply {
  if (session !== null && isProtected(session)) {
    const why = `${session} is a protected name, and nothing is typed there; see [town] protected in town.toml`;
    return { ok: false, exit: 5, code: 'protected_target', text: why };
  }
  const known = records.some(({ spec }) => spec.name === session);
  const text =
    session === null
      ? 'no session runs that could be asked; see: town session list'
      : known
        ? `session ${session} does not run; see: town session status ${session}`
        : `no session ${session} was ever seen here; see: town session list`;
  return { ok: false, exit: session === null || known ? 1 : 2, code: 'nobody_to_ask', text };
}

/** When to wake for the looks that are due, and for the next review. */
export function timesOf(context: Ctx, now: Instant): Pick<Ctx, 'reviewAt' | 'wakeAt'> {
  const reviewAt = advisedIn(context).length > 0 ? (context.reviewAt ?? now + context.policy.idleMs) : null;
  const at = Math.min(wakeOf(context.open) ?? Infinity, reviewAt ?? Infinity);
  return { reviewAt, wakeAt: at === Infinity ? null : at };
}

/** The records are there: everybody who was asked about is asked, once at a time. */
function begin(context: Ctx, records: readonly SessionRecord[], now: Stamp): Decision<Ctx> {
  const orders: Order[] = [];
  const open = { ...context.open };
  const checks: Record<string, HealthCheck> = { ...context.checks };
  let { asked } = context;
  for (const { rpc, session } of context.waiting) {
    const isMeant = ({ spec }: SessionRecord): boolean =>
      (session === null || spec.name === session) && !context.isProtected(spec.name);
    const targets = records.filter((r) => isLive(r) && isMeant(r));
    if (targets.length === 0) orders.push(reply(rpc, refusalFor(session, records, context.isProtected)));
    else orders.push(reply(rpc, { ok: true, value: { asked: targets.map(({ spec }) => spec.name) } }));
    for (const { incarnation: target } of targets) {
      if (target === null || open[target.uuid]) continue;
      asked += 1;
      const code = codeOf(context.entropy, `health/${target.uuid}/${asked}/${now.at}`);
      const question = healthQuestion(target, code, context);
      const windowMs = context.policy.healthWaitMs;
      const attempt: Attempt = { code, windowMs, askedAt: null, question, mark: null, seen: '' };
      open[target.uuid] = { target, attempt, until: null, looking: false, nextLookAt: 0 };
      const before = checks[target.session];
      const known = before?.uuid === target.uuid ? before : { ...FRESH, uuid: target.uuid };
      checks[target.session] = { ...known, code, result: 'asked' };
      orders.push({ type: 'ask', id: idOf(target, 'ask'), target, lines: question, code });
    }
  }
  return { changes: { open, checks, asked, waiting: [] }, orders };
}

/** What one question came to. `answered` and `excused` reset nothing that they do not prove. */
type End = { readonly kind: 'answered' | 'excused' | 'failed'; readonly result: string };

function close(context: Ctx, { target }: Open, end: End, now: Stamp): Decision<Ctx> {
  const { [target.uuid]: _, ...open } = context.open;
  const before = context.checks?.[target.session] ?? { ...FRESH, uuid: target.uuid };
  const failures = end.kind === 'failed' ? before.failures + 1 : end.kind === 'answered' ? 0 : before.failures;
  const lastAnswerAt = end.kind === 'answered' ? now.wall : before.lastAnswerAt;
  const check: HealthCheck = { ...before, failures, lastAnswerAt, code: null, result: end.result };
  return { changes: { open, checks: { ...context.checks, [target.session]: check } }, orders: [] };
}

/** Time has come: looks that are due. */
const due = (context: Ctx, now: Stamp): Decision<Ctx> =>
  inOrder(
    context,
    ({ reviewAt }) =>
      reviewAt !== null && now.at >= reviewAt
        ? { changes: { reviewAt: null }, orders: [order(REVIEW, { type: 'readSessions' })] }
        : NOTHING,
    ...Object.values(context.open).map((one) => (current: Ctx) => dueOf(current, one, now)),
  );

function dueOf(context: Ctx, one: Open, now: Stamp): Decision<Ctx> {
  if (one.until === null || one.looking || now.at < one.nextLookAt) return NOTHING;
  const { target, attempt } = one;
  const open = { ...context.open, [target.uuid]: { ...one, looking: true } };
  const look = order(idOf(target, 'look'), { type: 'look', target, attempts: [attempt] });
  return { changes: { open }, orders: [look] };
}

const wordsOf = (obstacle: Obstacle): string =>
  'what' in obstacle
    ? `${obstacle.kind}, ${obstacle.what}`
    : 'why' in obstacle
      ? `unknown, ${obstacle.why}`
      : obstacle.kind;

function outcome(context: Ctx, event: Outcome): Decision<Ctx> {
  const one = context.open[event.re.life ?? ''];
  if (one === undefined) return NOTHING;
  const { target, attempt } = one;
  switch (event.type) {
    case 'ASKED': {
      const asked = { ...attempt, askedAt: event.wall, mark: event.mark };
      const { healthWaitMs, healthLookEveryMs } = context.policy;
      const next = { ...one, attempt: asked, until: event.at + healthWaitMs, nextLookAt: event.at + healthLookEveryMs };
      const open = { ...context.open, [target.uuid]: next };
      const check = context.checks?.[target.session] ?? { ...FRESH, uuid: target.uuid, code: attempt.code };
      const checks = { ...context.checks, [target.session]: { ...check, lastPingAt: event.wall } };
      return { changes: { open, checks }, orders: [] };
    }
    case 'NOT_ASKED':
      return close(context, one, { kind: 'excused', result: `not asked: ${wordsOf(event.obstacle)}` }, event);
    case 'LOOKED': {
      const { until } = one;
      if (until === null) return NOTHING;
      const isOver = (event.began ?? event.at) >= until;
      const end = endOf(event.observation) ?? (isOver ? ({ kind: 'failed', result: NO_ANSWER } as const) : null);
      if (end !== null) return close(context, one, end, event);
      const nextLookAt = Math.min(event.at + context.policy.healthLookEveryMs, until);
      const next = { ...one, looking: false, nextLookAt };
      return { changes: { open: { ...context.open, [target.uuid]: next } }, orders: [] };
    }
    case 'ORDER_FAILED':
      return close(context, one, { kind: 'excused', result: `unknown: ${event.why}` }, event);
    default:
      return NOTHING;
  }
}

/** What a look says of its question; null = nothing yet. */
function endOf(observation: Observation): End | null {
  const excused = (result: string): End => ({ kind: 'excused', result });
  switch (observation.kind) {
    case 'answered':
      return { kind: 'answered', result: `${ANSWERED}: ${observation.by}` };
    case 'evidence':
    case 'inconclusive':
      return excused(`busy: ${observation.what}`);
    case 'limited':
    case 'error':
      return excused(`${observation.kind}: ${observation.what}`);
    case 'dialog':
      return excused(`blocked: ${observation.what}`);
    case 'unknown':
      return excused(`unknown: ${observation.why}`);
    case 'silent':
      return null;
    default:
      return excused(observation.kind);
  }
}

/** `town alive <code>`. */
function answered(context: Ctx, event: Fact & { type: 'ALIVE_ANSWERED' }): Decision<Ctx> {
  const one = Object.values(context.open).find(
    ({ attempt, target }) => attempt.code === event.code && (event.uuid === null || event.uuid === target.uuid),
  );
  return one === undefined
    ? NOTHING
    : close(context, one, { kind: 'answered', result: `${ANSWERED}: town alive` }, event);
}

export function decide(context: Ctx, event: Fact): Decision<Ctx> {
  if (event.type === 'TICK') return due(context, event);
  if (event.type === 'ALIVE_ANSWERED') return answered(context, event);
  if (event.type === 'SESSIONS_READ' && event.re.verb === REVIEW.verb)
    return { changes: review(context, event.sessions), orders: [] };
  if (event.type === 'SESSIONS_READ') return begin(context, event.sessions, event);
  return 're' in event ? outcome(context, event) : NOTHING;
}
