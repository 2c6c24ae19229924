/**
 * The daemon's heartbeat (C-1): every few minutes, first at start, what must run is made to run. Owns: its ticks, nothing else.
 * 1. Each step is an order of its own with its own limit: one that fails or is slow never holds the others or the next tick.
 * 2. It judges nothing that Boot judges: it starts what is missing, and tells a person what the chain could not mend (C-8).
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { bandOf, who, whyUnjudged } from './matrix.ts';
import { orderOf, STEPS, type Ticked, type DaemonInput, type Step } from './steps.ts';
import type { Standing } from '../alerts/levels.ts';
import { isLifecycle, refusalsOf, rule } from './lifecycle-requests.ts';
import { inOrder, isDue, NOTHING, order, applyDecision, type Decision } from '../kernel/decision.ts';
import { orderName } from '../protocol.ts';
import type { Fact, Instant, NewsBody, Order, OrderId, Outcome, SessionSpec, Stamp } from '../protocol.ts';
import type { DeaconSeen, Discovered, KnownSession, Letter } from '../protocol/watchdog.ts';

export interface DaemonState extends DaemonInput {
  readonly ticks: number;
  /** Failures in a row, by step. */
  readonly failures: Readonly<Partial<Record<Step, number>>>;
  /** Ticks in a row in which no Deacon session was there. */
  readonly missing: number;
  /** Ticks in a row with a very stale heartbeat. */
  readonly silent: number;
  /** By kind and name: what stands, or why nothing does; absent = not known in this process. */
  readonly standing: Readonly<Partial<Record<Ticked, Readonly<Record<string, Omit<Standing, 'name'> | string>>>>>;
  readonly wakeAt: Instant | null;
}
/** This stands, or why it does not. */
const known = (
  { standing }: DaemonState,
  kind: Ticked,
  name: string,
  what: Omit<Standing, 'name'> | string,
): Pick<DaemonState, 'standing'> | null =>
  typeof what === 'string' && typeof standing[kind]?.[name] === 'string'
    ? null
    : { standing: { ...standing, [kind]: { ...standing[kind], [name]: what } } };

const idOf = ({ ticks: round }: Pick<DaemonState, 'ticks'>, verb: string): OrderId => ({
  issuer: 'daemon',
  round,
  verb,
});

/** One tick: all steps at once, in order. */
export function tick(context: DaemonState, now: Stamp): Decision<DaemonState> {
  const ticks = context.ticks + 1;
  const steps = STEPS.flatMap((step) => {
    const body = orderOf(step, context);
    return body === null ? [] : [order(idOf({ ticks }, step), body)];
  });
  return { changes: { ticks, wakeAt: now.at + context.policy.heartbeatMs }, orders: steps };
}

/** A step brought no outcome: it is tried on, and a person is told once it lasts. */
function failed(context: DaemonState, step: Step, why: string): Decision<DaemonState> {
  const count = (context.failures[step] ?? 0) + 1;
  const failures = { ...context.failures, [step]: count };
  if (count !== context.policy.stepFailures) return { changes: { failures }, orders: [] };
  const text = `The daemon's step "${step}" failed ${count} times in a row: ${why}. The other steps go on.`;
  const alert = { severity: 'medium', session: null, text } as const;
  return { changes: { failures, ...known(context, 'daemon-step', step, alert) }, orders: [] };
}

/** A step brought its outcome. */
function worked(context: DaemonState, step: Step): Decision<DaemonState> {
  const failures = { ...context.failures, [step]: 0 };
  const well = known(context, 'daemon-step', step, `The daemon's step "${step}" works again.`);
  return { changes: { ...well, ...(context.failures[step] ? { failures } : {}) }, orders: [] };
}

function ofStep(context: DaemonState, event: Outcome): Decision<DaemonState> {
  const step = STEPS.find((one) => one === event.re.verb);
  if (step === undefined) return NOTHING;
  return event.type === 'ORDER_FAILED' ? failed(context, step, event.why) : worked(context, step);
}

const wanted = (context: DaemonState, spec: SessionSpec, uuid: string | null, why: string): Order =>
  order(idOf(context, `start-${why.slice(0, 1)}`), {
    type: 'announce',
    news: { type: 'SESSION_WANTED', spec, uuid, why },
  });

/** The second line (C-8): dead is started; silent for longer than Boot needs, a person is told. */
export function checkDeacon(context: DaemonState, seen: DeaconSeen): Decision<DaemonState> {
  const { deacon, policy } = context;
  const well = (text: string): Decision<DaemonState> => ({
    changes: { ...known(context, 'deacon-silent', who(context), text), silent: 0 },
    orders: [],
  });
  if (seen.alive === 'no' && seen.retired) return well('The Deacon ended, as its agent or the operator wanted.');
  if (whyUnjudged(seen, policy.boot) !== null) return { changes: { silent: 0 }, orders: [] };
  if (seen.alive === 'no') {
    const canStart = deacon !== null && deacon.command.length > 0;
    const orders = canStart ? [wanted(context, deacon, null, 'daemon: the Deacon is not running')] : [];
    return { changes: { silent: 0 }, orders };
  }
  const band = bandOf(seen, policy.boot);
  if (band !== 'very_stale')
    return band === 'fresh' ? well('The Deacon gives signs of life again.') : { changes: { silent: 0 }, orders: [] };
  const silent = context.silent + 1;
  if (silent !== policy.silentTicks) return { changes: { silent }, orders: [] };
  const text = `The Deacon (${who(context)}) gave no sign of life at ${silent} checks in a row, and Boot, who looks after it, did not mend it. See: town boot status`;
  const alert = { severity: 'high', session: deacon?.name ?? null, text } as const;
  const changes = { silent, ...known(context, 'deacon-silent', who(context), alert) };
  if (deacon !== null) return { changes, orders: [] };
  const news: NewsBody = { type: 'DEACON_STUCK', why: 'daemon: it does not beat' };
  return { changes, orders: [order(idOf(context, 'stuck'), { type: 'announce', news })] };
}

/** The third line (C-8): what tmux itself shows, without any record. The fourth is a person. */
export function takeDiscovered(
  context: DaemonState,
  found: readonly Discovered[],
  paused: boolean,
): Decision<DaemonState> {
  const { deacon, policy } = context;
  const seen = found.find(({ name }) => name === deacon?.name);
  if (deacon === null || seen === undefined || seen.life === 'unknown' || paused) return NOTHING;
  const { name } = deacon;
  if (seen.life === 'alive') {
    const well = known(context, 'deacon-down', name, `${name} is back.`);
    // A life that no record tells of is found again under its own uuid; one that is recorded already is left alone.
    const again = seen.uuid === null ? [] : [wanted(context, deacon, seen.uuid, 'Found in tmux: the Deacon lives')];
    return { changes: { ...well, missing: 0 }, orders: again };
  }
  if (seen.retired === true) {
    const asked = known(context, 'deacon-down', name, `${name} is down, as its agent or the operator wanted.`);
    return { changes: { ...asked, missing: 0 }, orders: [] };
  }
  const missing = context.missing + 1;
  const canStart = policy.discovery && deacon.command.length > 0 && seen.life !== 'foreign';
  const orders = canStart ? [wanted(context, deacon, null, 'Nothing in tmux: the Deacon is not running')] : [];
  if (missing !== policy.missingTicks) return { changes: { missing }, orders };
  const hint =
    seen.life === 'foreign'
      ? `a foreign session has its name; rename that one, or: town session adopt ${deacon.name}`
      : `its start is tried at every check. See: town session status ${deacon.name}`;
  const text = `The Deacon's session ${deacon.name} was not there at ${missing} checks in a row: ${hint}`;
  const alert = { severity: 'high', session: name, text } as const;
  return { changes: { missing, ...known(context, 'deacon-down', name, alert) }, orders };
}

/** Lifecycle requests (C-10). One is put away only when the life that asked is over, so a crash in between repeats it. */
export function ruleLetters(
  context: DaemonState,
  { letters, known }: { readonly letters: readonly Letter[]; readonly known: readonly KnownSession[] },
  now: Stamp,
): Decision<DaemonState> {
  const orders: Order[] = [];
  const away: Record<string, string> = {};
  const refusals = new Map<string, Order>();
  for (const letter of letters.filter(isLifecycle)) {
    const ruling = rule(letter, now.wall, {
      expiresMs: context.policy.lifecycleExpiresMs,
      isProtected: context.isProtected,
      known,
    });
    const id = { ...idOf(context, 'mail'), name: letter.id };
    if (ruling.kind === 'act') orders.push(order(id, { type: 'announce', news: ruling.news }));
    else away[letter.id] = ruling.why;
    if (ruling.kind !== 'refuse') continue;
    for (const one of refusalsOf(letter, ruling.why, now.wall)) refusals.set(orderName(one.id), one);
  }
  orders.push(...refusals.values());
  const ids = Object.keys(away);
  const [name] = ids;
  if (name !== undefined)
    orders.push(order({ ...idOf(context, 'archive'), name }, { type: 'archiveDeaconMail', ids, why: away }));
  return { changes: {}, orders };
}

const outcome = (context: DaemonState, event: Outcome): Decision<DaemonState> =>
  inOrder(
    context,
    (now) => ofStep(now, event),
    (now) => taken(now, event),
  );

function taken(context: DaemonState, event: Outcome): Decision<DaemonState> {
  switch (event.type) {
    case 'DEACON_OBSERVED':
      return checkDeacon(context, event.seen);
    case 'DISCOVERED':
      return takeDiscovered(context, event.found, event.paused);
    case 'DEACON_MAIL_READ':
      return ruleLetters(context, event, event);
    default:
      return NOTHING;
  }
}

const s = setup({
  types: {} as { context: DaemonState; events: Fact; input: DaemonInput; emitted: Order },
  actions: {
    tick: enqueueActions(({ enqueue, context, event }) => applyDecision(enqueue, tick(context, event))),
    outcome: enqueueActions(({ enqueue, context, event }) => {
      if ('re' in event) applyDecision(enqueue, outcome(context, event));
    }),
    readMail: emit(({ context }) => order(idOf(context, 'lifecycle'), { type: 'readDeaconMail' })),
    soon: assign({ wakeAt: 0 }),
  },
  guards: {
    due: isDue,
    aboutMail: ({ event }) => event.type === 'CHANGED' && event.what === 'mail',
  },
});

const OUTCOME = { actions: 'outcome' } as const;

export const daemon = s.createMachine({
  id: 'daemon',
  context: ({ input }) => ({ ...input, ticks: 0, failures: {}, missing: 0, silent: 0, standing: {}, wakeAt: null }),
  initial: 'beating',
  states: {
    beating: {
      entry: 'soon',
      on: {
        TICK: { guard: 'due', actions: 'tick' },
        CHANGED: { guard: 'aboutMail', actions: 'readMail' },
        DEACON_OBSERVED: OUTCOME,
        DISCOVERED: OUTCOME,
        DEACON_MAIL_READ: OUTCOME,
        ANNOUNCED: OUTCOME,
        ORDER_FAILED: OUTCOME,
      },
    },
  },
});
