/** What each fact changes, and what is ordered then (T-1 … T-6). Pure. */
import { nextMultiple } from '../kernel/schedule.ts';
import { inOrder, NOTHING, order, reply, type Decision } from '../kernel/decision.ts';
import type { Fact, Instant, Outcome, Reply, RequestOf, Stamp, WallMs } from '../protocol.ts';
import type { AgentSeen, Page, TickleRecord } from '../protocol/tickle.ts';
import { cycle, pagesAfter } from './cycle.ts';
import { dropEntries, failedScanEntry, withEntries } from './entries.ts';
import { afterTry, begin, mayHaveReached } from './ladder.ts';
import { SCALE } from './policy.ts';
import { livenessOf } from './scan.ts';
import { idOf, isOn, isOpen, recordOf, type Asker, type TickleState } from './state.ts';

type Done = Decision<TickleState>;
type Asked = RequestOf<'tickle'>;

const changed = (record: TickleRecord, more: Partial<TickleState> = {}): Done => ({
  changes: { record, ...more },
  orders: [],
});

/** The durations of the record up to now. */
const counted = (context: TickleState, now: Stamp): Done => {
  const record = recordOf(context);
  const pages = pagesAfter(record.pages, now.at - context.countedAt);
  const changes: Partial<TickleState> = { countedAt: now.at };
  return { changes: pages === record.pages ? changes : { ...changes, record: { ...record, pages } }, orders: [] };
};

/** Looks, unless a look is under way. */
function look(context: TickleState, isDue: boolean, askers: readonly Asker[]): Done {
  if (context.look !== null) return { changes: { waiting: [...context.waiting, ...askers] }, orders: [] };
  const { agents: named, thresholdMs } = context.policy;
  const looks = context.looks + 1;
  const changes: Partial<TickleState> = { looks, look: { isDue, askers } };
  // A signal only matters where it may decide.
  const signals = { fromMs: thresholdMs * SCALE.least, toMs: thresholdMs * SCALE.most };
  return { changes, orders: [order(idOf('scan', looks), { type: 'readEvidence', named, signals })] };
}

const withoutPages = (record: TickleRecord, wall: WallMs): TickleRecord =>
  withEntries(
    { ...record, pages: {} },
    Object.entries(record.pages).flatMap(([name, page]) => dropEntries(name, page, 'stopped', wall)),
  );

function requested(
  context: TickleState,
  { do: wants, agent }: Asked,
  { rpc, wall }: Stamp & { readonly rpc: string },
): Done {
  const answer = (value: object): Done => ({ changes: {}, orders: [reply(rpc, { ok: true, value })] });
  if (wants === 'start' || wants === 'stop') {
    const record = recordOf(context);
    const was = isOn(record, context.policy);
    const latch = wants === 'start' ? 'started' : 'stopped';
    const soon = wants === 'start' && !was ? { nextScanAt: 0 } : {};
    const done = changed({ ...(wants === 'stop' ? withoutPages(record, wall) : record), latch }, soon);
    return { ...done, orders: answer({ on: wants === 'start', was_on: was }).orders };
  }
  return look(context, false, [{ rpc, wants, agent }]);
}

const refusal = (code: string, text: string, exit: 1 | 2 = 1): Reply => ({ ok: false, exit, code, text });

/** A caller wants this agent paged; grace, threshold and switch do not count, what protects the agent does. */
function pageNow(context: TickleState, { rpc, agent }: Asker, { wall }: Stamp): Done {
  const record = recordOf(context);
  const seen = context.seen.get(agent ?? '');
  const no = (text: string, code = 'not_paged', exit: 1 | 2 = 1): Done => ({
    changes: {},
    orders: [reply(rpc, refusal(code, text, exit))],
  });
  if (seen === undefined) return no(`no agent ${agent ?? ''} is registered; see: town tickle scan`, 'unknown_agent', 2);
  const before = record.pages[seen.name];
  const why = seen.owner !== null ? `${seen.owner} looks after it` : seen.spared;
  if (why !== null) return no(`${seen.name} is not paged: ${why}`);
  if (before !== undefined) return no(`${seen.name} is not paged: it was paged a short while ago`);
  const number = record.lastPage + 1;
  const { page, entries, orders } = begin(number, { seen, policy: context.policy, wall });
  const next = { ...record, lastPage: number, pages: { ...record.pages, [seen.name]: page } };
  const paging = [...context.paging, { rpc, wants: 'page', agent: seen.name } as const];
  return { changes: { record: withEntries(next, entries), paging }, orders };
}

const found = ({ seen, policy, record }: TickleState): object[] =>
  [...seen.values()].map((one) => ({
    agent: one.name,
    is: livenessOf(one, policy),
    lastAt: one.lastAt,
    silentMs: one.silentMs,
    sign: one.sign,
    page: record?.pages[one.name]?.step ?? null,
    spared: one.owner !== null ? `${one.owner} looks after it` : one.spared,
  }));

/** A look for a caller leaves the beat as it is. */
const nextScan = ({ nextScanAt, policy }: TickleState, isDue: boolean, { at }: Stamp): Instant =>
  isDue || nextScanAt <= at ? nextMultiple(at, policy.scanMs) : nextScanAt;

function seenNow(context: TickleState, agents: readonly AgentSeen[], now: Stamp): Done {
  const { look: under, policy } = context;
  const { isDue, askers } = under ?? { isDue: false, askers: [] };
  const isCycle = askers.some(({ wants }) => wants === 'cycle');
  const { record, orders } = cycle(recordOf(context), {
    policy,
    seen: agents,
    wall: now.wall,
    sinceMs: isCycle ? Infinity : now.at - context.startedAt,
    doesPage: isCycle || (isDue && isOn(recordOf(context), policy)),
    isScan: isDue || askers.some(({ wants }) => wants !== 'page'),
    isFresh: context.isFresh,
  });
  const changes: Partial<TickleState> = {
    record,
    isFresh: false,
    look: null,
    seen: new Map(agents.map((one) => [one.name, one])),
    nextScanAt: nextScan(context, isDue, now),
  };
  return inOrder(
    context,
    () => ({ changes, orders }),
    ...askers.map((asker) => (then: TickleState): Done => {
      if (asker.wants === 'page') return pageNow(then, asker, now);
      return { changes: {}, orders: [reply(asker.rpc, { ok: true, value: { agents: found(then) } })] };
    }),
  );
}

/** A failed scan is on record as that, never as an empty town (T-3). */
function unseen(context: TickleState, why: string, now: Stamp): Done {
  const before = recordOf(context);
  const { isDue, askers } = context.look ?? { isDue: false, askers: [] };
  const number = before.cycle + 1;
  const failures = before.failures + 1;
  const failed = { ...before, cycle: number, scannedAt: now.wall, why, failures };
  const text = `the evidence could not be read: ${why}`;
  return {
    changes: {
      record: withEntries(failed, [failedScanEntry(number, why, now.wall)]),
      look: null,
      nextScanAt: nextScan(context, isDue, now),
    },
    orders: askers.map(({ rpc }) => reply(rpc, refusal('scan_failed', text))),
  };
}

function tried(context: TickleState, event: Outcome): Done {
  const record = recordOf(context);
  const name = event.re.name ?? '';
  const page = record.pages[name];
  const seen = context.seen.get(name);
  if (page?.step !== 'ordered' || page.number !== event.re.turn || seen === undefined) return NOTHING;
  const next = afterTry(page, event, { seen, policy: context.policy, wall: event.wall });
  const { [name]: _, ...others } = record.pages;
  if (next !== null) {
    const pages = { ...others, [name]: next.page };
    return { changes: { record: withEntries({ ...record, pages }, next.entries) }, orders: next.orders };
  }
  // What may have been delivered counts for the cooldown; what was not leaves the agent as it was.
  return changed({
    ...record,
    pages: mayHaveReached(page) ? { ...others, [name]: { ...page, step: 'over' } } : others,
  });
}

function noted(context: TickleState, event: Outcome): Done {
  const record = recordOf(context);
  if (event.type === 'ORDER_FAILED') return { changes: { writing: 0 }, orders: [] };
  const ids = new Set(event.type === 'EVIDENCE_NOTED' ? event.ids : []);
  const unwritten = record.unwritten.filter(({ id }) => !ids.has(id));
  return changed({ ...record, unwritten }, { writing: 0 });
}

function outcome(context: TickleState, event: Outcome): Done {
  switch (event.re.verb) {
    case 'scan':
      if (event.re.turn !== context.looks || context.look === null) return NOTHING;
      if (event.type === 'EVIDENCE_READ') return seenNow(context, event.agents, event);
      return unseen(context, 'why' in event ? event.why : 'no answer came', event);
    case 'bell':
    case 'irc':
    case 'nudge':
      return tried(context, event);
    case 'note':
      return noted(context, event);
    default:
      return NOTHING;
  }
}

function fact(context: TickleState, event: Fact): Done {
  if ('re' in event) return outcome(context, event);
  if (event.type === 'REQUESTED' && event.request.verb === 'tickle') return requested(context, event.request, event);
  return event.type === 'TICK' && wakeOf(context) !== null ? look(context, true, []) : NOTHING;
}

/** Callers hear of the first end of their page: it reached the agent, or a person is told. */
function answers(context: TickleState): Done {
  const { pages } = recordOf(context);
  const isOut = ({ agent }: Asker): boolean => pages[agent ?? '']?.step === 'ordered';
  const over = context.paging.filter((asker) => !isOut(asker));
  if (over.length === 0) return NOTHING;
  const orders = over.map(({ rpc, agent }) => {
    const page = pages[agent ?? ''];
    if (page === undefined || page.step === 'over')
      return reply(rpc, refusal('not_paged', `${agent ?? ''} is not paged: it may not be disturbed now`));
    const { step, method, tried: tries } = page;
    return reply(rpc, { ok: true, value: { agent, paged: step === 'waiting', method, tried: tries } });
  });
  return { changes: { paging: context.paging.filter(isOut) }, orders };
}

/** What waits for the ledger, one order at a time. */
function written(context: TickleState): Done {
  const { unwritten } = recordOf(context);
  if (context.writing > 0 || unwritten.length === 0 || context.look !== null) return NOTHING;
  const writes = context.writes + 1;
  return {
    changes: { writing: unwritten.length, writes },
    orders: [order(idOf('note', writes), { type: 'noteEvidence', entries: unwritten })],
  };
}

/** The time of a page ran out just now, beside another fact. */
const isOver = (before: TickleState, { record, look: under }: TickleState): boolean =>
  under === null &&
  Object.entries(recordOf(before).pages).some(([name, { leftMs }]) => {
    const page = record?.pages[name];
    return leftMs > 0 && page?.step === 'waiting' && page.leftMs === 0;
  });

/** The next look: at the beat, or when the time of a page is over. One that could not climb then waits for the beat. */
function wakeOf(context: TickleState): Instant | null {
  const record = recordOf(context);
  const pages: readonly Page[] = Object.values(record.pages).filter(isOpen);
  if (context.look !== null || (!isOn(record, context.policy) && pages.length === 0)) return null;
  const ends = pages.map(({ step, leftMs }) =>
    step === 'waiting' && leftMs > 0 ? context.countedAt + leftMs : Infinity,
  );
  return Math.min(context.nextScanAt, ...ends);
}

export const decide = (before: TickleState, event: Fact & Stamp): Done =>
  inOrder(
    before,
    (context) => counted(context, event),
    (context) => fact(context, event),
    (context) => (isOver(before, context) ? look(context, true, []) : NOTHING),
    (context) => (context.look === null && context.waiting.length > 0 ? again(context) : NOTHING),
    answers,
    (context) => (event.type === 'ORDER_FAILED' && event.re.verb === 'note' ? NOTHING : written(context)),
    (context) => ({ changes: { wakeAt: wakeOf(context) }, orders: [] }),
  );

/** Those that asked meanwhile get a look of their own. */
function again(context: TickleState): Done {
  const { waiting } = context;
  return inOrder(
    context,
    () => ({ changes: { waiting: [] }, orders: [] }),
    (then) => look(then, false, waiting),
  );
}
