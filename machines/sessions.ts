/**
 * The sessions that the town started or adopted: one owner of their deaths (law 5). Owns: their records, one scan.
 * Sessions are data here, not actors each. Invariants:
 * 1. One start of a name at a time, and never while its last life may still live.
 * 2. A death is a scan's finding: a hint (the death hook, a lost pane) only makes it look now.
 * 3. Unknown changes nothing; if it lasts, a person is told.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { uuidOf } from './chance.ts';
import type { SessionsPolicy } from './policy.ts';
import type {
  Fact,
  Incarnation,
  Instant,
  Ms,
  Order,
  OrderBody,
  OutcomeBody,
  Reply,
  SeenSession,
  SessionRecord,
  Stamp,
} from './protocol.ts';
import { afterDeath, exitText, freshSession } from './session-rules.ts';

export interface SessionsInput {
  readonly policy: SessionsPolicy;
  readonly entropy: string;
}
/** What is lost with the process: instants, and who waits for a reply. */
interface Live {
  readonly dueAt: Instant | null;
  readonly rpc: string | null;
}
interface Ctx extends SessionsInput {
  readonly records: Readonly<Record<string, SessionRecord>>;
  readonly live: Readonly<Record<string, Live>>;
  /** Adoptions under way: order id -> who asked, and what for. */
  readonly adopting: Readonly<
    Record<string, { rpc: string; name: string; process: string | null; tags: readonly string[] }>
  >;
  readonly scanning: boolean;
  readonly scanAgain: boolean;
  readonly scannedAt: Instant | null;
  readonly nextScanAt: Instant | null;
  readonly agedAt: Instant | null;
  readonly unknownSince: Instant | null;
  readonly unknownTold: boolean;
  readonly serverGone: boolean;
  readonly starts: number;
  readonly wakeAt: Instant | null;
}
type Enqueue = { emit(order: Order): void };

const NOT_LIVE: Live = { dueAt: null, rpc: null };
const stampOf = (event: unknown): Stamp => event as Stamp;
const order = (enqueue: Enqueue, id: string, body: OrderBody) => enqueue.emit({ ...body, id });
const reply = (enqueue: Enqueue, rpc: string | null, answer: Reply) => {
  if (rpc !== null) order(enqueue, `reply/${rpc}`, { type: 'reply', to: rpc, reply: answer });
};
const refusal = (code: string, text: string, exit: 1 | 2 | 5 = 1): Reply => ({ ok: false, exit, code, text });
const watched = (r: SessionRecord) => r.state === 'running' || r.state === 'observed';
const viewOf = (r: SessionRecord) => ({
  name: r.spec.name,
  state: r.state,
  uuid: r.incarnation?.uuid ?? null,
  pid: r.incarnation?.agent.pid ?? null,
});

/** The earliest instant at which this machine has something to do. */
const wake = (ctx: Pick<Ctx, 'live' | 'nextScanAt'>): Instant | null => {
  const due = Object.values(ctx.live).flatMap((l) => (l.dueAt === null ? [] : [l.dueAt]));
  const at = Math.min(...due, ctx.nextScanAt ?? Infinity);
  return at === Infinity ? null : at;
};
const woken = <C extends Pick<Ctx, 'live' | 'nextScanAt'>>(ctx: C) => ({ ...ctx, wakeAt: wake(ctx) });

/** Judges what a scan saw; returns the changed records and what to say. */
function judge(ctx: Ctx, seen: readonly SeenSession[], server: string, { at }: Stamp) {
  const records = { ...ctx.records };
  const live = { ...ctx.live };
  const orders: Order[] = [];
  const elapsedMs = ctx.agedAt === null ? 0 : at - ctx.agedAt;
  const sinceScanMs: Ms = ctx.scannedAt === null ? 0 : Math.min(at - ctx.scannedAt, 2 * ctx.policy.scanEveryMs);
  let nth = 0;
  for (const s of seen) {
    const r = records[s.name];
    if (!r || !watched(r) || r.incarnation?.uuid !== s.uuid) continue;
    if (s.life === 'unknown') continue;
    if (s.life === 'alive') {
      const stableMs = r.stableMs + sinceScanMs;
      const settled = stableMs >= ctx.policy.stableMs && (r.streak > 0 || r.crashLoop);
      if (settled && r.crashLoop) orders.push(endAlert(`crash-loop/${s.name}`, `${s.name} runs steadily again.`));
      if (settled) records[s.name] = { ...r, stableMs: 0, streak: 0, crashLoop: false, restartAgesMs: [] };
      else if (r.streak > 0 || r.crashLoop) records[s.name] = { ...r, stableMs };
      continue;
    }
    if (r.state === 'observed') {
      records[s.name] = {
        ...r,
        state: 'ended',
        note: `the adopted agent ended; its pane is left alone`,
        lastExit: s.exit,
      };
      continue;
    }
    const shared = server === 'gone' && !s.condemned;
    const after = afterDeath(
      r,
      { exit: s.exit, condemned: s.condemned, elapsedMs, extraWaitMs: nth * ctx.policy.staggerMs, shared },
      ctx.policy,
      ctx.entropy,
    );
    nth += shared ? 1 : 0;
    records[s.name] = after;
    live[s.name] = { dueAt: after.state === 'backing_off' ? at + after.waitMs : null, rpc: null };
    if (after.crashLoop && !r.crashLoop) orders.push(crashLoop(after));
    if (
      after.state === 'ended' &&
      s.life === 'dead' &&
      r.incarnation !== null &&
      !s.condemned &&
      s.exit?.kind === 'code' &&
      s.exit.code === 0
    )
      orders.push({ type: 'clear', id: `sessions/clear/${s.uuid}`, target: r.incarnation, tree: [] });
  }
  return { records, live, orders };
}
const endAlert = (episode: string, text: string): Order => ({ type: 'endAlert', id: `end/${episode}`, episode, text });
const crashLoop = (r: SessionRecord): Order => ({
  type: 'alert',
  id: `sessions/alert/crash-loop/${r.spec.name}/${r.restarts}`,
  alert: {
    episode: `crash-loop/${r.spec.name}`,
    severity: 'high',
    session: r.spec.name,
    text: `${r.spec.name} keeps dying (last: ${exitText(r.lastExit)}). It is tried on at a slower pace; after mending it: town session start ${r.spec.name}`,
  },
});

const s = setup({
  types: {} as { context: Ctx; events: Fact; input: SessionsInput; emitted: Order },
  actions: {
    readSessions: emit((): Order => ({ type: 'readSessions', id: 'sessions/read' })),
    restLater: assign(({ context, event }) => {
      const nextScanAt = stampOf(event).at + context.policy.scanEveryMs;
      return { nextScanAt, wakeAt: nextScanAt };
    }),
    adoptRecords: assign(({ context, event }) => {
      if (event.type !== 'SESSIONS_READ') return {};
      const records = Object.fromEntries(event.sessions.map((r) => [r.spec.name, r]));
      const live: Record<string, Live> = {};
      for (const r of event.sessions) {
        if (r.state === 'starting') live[r.spec.name] = { dueAt: event.at, rpc: null }; // the same uuid finds a start that got through
        if (r.state === 'backing_off') live[r.spec.name] = { dueAt: event.at + r.waitMs, rpc: null };
      }
      return woken({ ...context, records, live, agedAt: event.at, nextScanAt: event.at });
    }),
    scanSoon: assign(({ context, event }) =>
      context.scanning ? { scanAgain: true } : woken({ ...context, nextScanAt: stampOf(event).at }),
    ),
    tick: enqueueActions(({ enqueue, context, event }) => {
      const { at } = stampOf(event);
      const records = { ...context.records };
      const live = { ...context.live };
      let { nextScanAt, scanning, starts } = context;
      for (const [name, { dueAt, rpc }] of Object.entries(live)) {
        const r = records[name];
        if (dueAt === null || dueAt > at || !r) continue;
        starts += 1;
        const pending = r.pending ?? uuidOf(context.entropy, `${name}/${r.restarts}/${starts}/${at}`);
        records[name] = { ...r, state: 'starting', pending, waitMs: 0 };
        live[name] = { dueAt: null, rpc };
        order(enqueue, `sessions/start/${pending}`, {
          type: 'startSession',
          spec: r.spec,
          uuid: pending,
          previous: r.incarnation,
        });
      }
      if (nextScanAt !== null && nextScanAt <= at && !scanning) {
        const known = Object.values(records).flatMap((r): Incarnation[] =>
          watched(r) && r.incarnation ? [r.incarnation] : [],
        );
        nextScanAt = known.length > 0 ? null : at + context.policy.scanEveryMs;
        scanning = known.length > 0;
        if (scanning) order(enqueue, 'sessions/scan', { type: 'scan', known });
      }
      enqueue.assign(woken({ ...context, records, live, nextScanAt, scanning, starts }));
    }),
    judge: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'SESSIONS_SEEN') return;
      const { at } = event;
      const { records, live, orders } = judge(context, event.seen, event.server, event);
      for (const o of orders) enqueue.emit(o);
      const gone = event.server === 'gone';
      if (gone && !context.serverGone)
        order(enqueue, `sessions/alert/server/${at}`, {
          type: 'alert',
          alert: {
            episode: 'tmux-server-died',
            severity: 'high',
            session: null,
            text: 'The tmux server died with every agent in it. They are started again one after the other.',
          },
        });
      if (event.server === 'up' && context.serverGone)
        order(enqueue, 'sessions/end/server', {
          type: 'endAlert',
          episode: 'tmux-server-died',
          text: 'The tmux server is back.',
        });
      const blind = event.server === 'unknown';
      const unknownSince = blind ? (context.unknownSince ?? at) : null;
      const tell = unknownSince !== null && at - unknownSince >= context.policy.unknownAlarmMs && !context.unknownTold;
      if (tell)
        order(enqueue, 'sessions/alert/unknown', {
          type: 'alert',
          alert: {
            episode: 'tmux-unknown',
            severity: 'high',
            session: null,
            text: 'tmux does not answer. Nothing is judged or restarted meanwhile. Try: town doctor',
          },
        });
      if (!blind && context.unknownTold)
        order(enqueue, 'sessions/end/unknown', {
          type: 'endAlert',
          episode: 'tmux-unknown',
          text: 'tmux answers again.',
        });
      enqueue.assign(
        woken({
          ...context,
          records,
          live,
          scanning: false,
          scanAgain: false,
          scannedAt: blind ? null : at,
          nextScanAt: context.scanAgain ? at : at + context.policy.scanEveryMs,
          agedAt: at,
          unknownSince,
          unknownTold: (context.unknownTold || tell) && blind,
          serverGone: gone || (context.serverGone && event.server !== 'up'),
        }),
      );
    }),
    scanFailed: assign(({ context, event }) =>
      woken({
        ...context,
        scanning: false,
        scannedAt: null,
        nextScanAt: stampOf(event).at + context.policy.scanEveryMs,
        unknownSince: context.unknownSince ?? stampOf(event).at,
      }),
    ),
    request: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'REQUESTED') return;
      const { request, rpc, at } = event;
      if (request.verb === 'startSession') {
        const { name } = request.spec;
        const old = context.records[name];
        if (old && (old.state === 'running' || old.state === 'starting' || old.state === 'observed'))
          return reply(
            enqueue,
            rpc,
            refusal('already_running', `session ${name} is ${old.state} already. See: town session status ${name}`),
          );
        const pending = uuidOf(context.entropy, `${name}/${rpc}/${context.starts}/${at}`);
        const record = {
          ...freshSession(request.spec, pending),
          incarnation: old?.incarnation ?? null,
          restarts: old?.restarts ?? 0,
        };
        if (old?.crashLoop) enqueue.emit(endAlert(`crash-loop/${name}`, `${name} was started by hand.`));
        enqueue.assign(
          woken({
            ...context,
            starts: context.starts + 1,
            records: { ...context.records, [name]: record },
            live: { ...context.live, [name]: { dueAt: at, rpc } },
          }),
        );
      }
      if (request.verb === 'adoptSession') {
        const { name, process, tags } = request;
        const old = context.records[name];
        if (old && (old.state === 'running' || old.state === 'starting' || old.state === 'observed'))
          return reply(
            enqueue,
            rpc,
            refusal('already_known', `session ${name} is ${old.state} already. See: town session status ${name}`),
          );
        const uuid = uuidOf(context.entropy, `${name}/${rpc}/${context.starts}/${at}`);
        const id = `sessions/adopt/${uuid}`;
        order(enqueue, id, { type: 'adoptSession', name, process, uuid });
        enqueue.assign({
          starts: context.starts + 1,
          adopting: { ...context.adopting, [id]: { rpc, name, process, tags } },
        });
      }
    }),
    started: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'SESSION_STARTED') return;
      const { incarnation, tokenHash } = event;
      const name = incarnation.session;
      const r = context.records[name];
      if (!r || r.pending !== incarnation.uuid) return;
      const restarts = r.restarts + (r.startedAt === null ? 0 : 1);
      const record: SessionRecord = {
        ...r,
        state: 'running',
        incarnation,
        tokenHash,
        pending: null,
        restarts,
        stableMs: 0,
        startedAt: event.wall,
        note: 'running',
      };
      reply(enqueue, context.live[name]?.rpc ?? null, { ok: true, value: viewOf(record) });
      enqueue.assign(
        woken({
          ...context,
          records: { ...context.records, [name]: record },
          live: { ...context.live, [name]: NOT_LIVE },
        }),
      );
    }),
    notStarted: enqueueActions(({ enqueue, context, event }) => {
      const failed = event as Extract<OutcomeBody, { type: 'SESSION_NOT_STARTED' | 'ORDER_FAILED' }> & {
        re: string;
      } & Stamp;
      const found = Object.values(context.records).find(
        (r) => r.pending !== null && failed.re === `sessions/start/${r.pending}`,
      );
      if (!found) return;
      const { name } = found.spec;
      const rpc = context.live[name]?.rpc ?? null;
      const taken = failed.type === 'SESSION_NOT_STARTED' && failed.taken;
      const proved = failed.type === 'SESSION_NOT_STARTED'; // an order that failed may have got through: its uuid is kept
      const first = rpc !== null && proved;
      reply(
        enqueue,
        rpc,
        refusal(taken ? 'name_taken' : 'not_started', `session ${name} was not started: ${failed.why}`),
      );
      const waitMs = taken ? context.policy.mostBackoffMs : context.policy.backoffMs * 2 ** Math.min(found.streak, 8);
      const record: SessionRecord = first
        ? { ...found, state: 'ended', pending: null, note: `not started: ${failed.why}` }
        : {
            ...found,
            state: proved ? 'backing_off' : 'starting',
            pending: proved ? null : found.pending,
            streak: found.streak + 1,
            waitMs: Math.min(waitMs, context.policy.mostBackoffMs),
            note: `not started: ${failed.why}; tried again`,
          };
      if (taken && !first)
        order(enqueue, `sessions/alert/taken/${name}`, {
          type: 'alert',
          alert: {
            episode: `name-taken/${name}`,
            severity: 'medium',
            session: name,
            text: `${name} cannot be started again: ${failed.why}. It is tried on; free the name or adopt it.`,
          },
        });
      enqueue.assign(
        woken({
          ...context,
          records: { ...context.records, [name]: record },
          live: { ...context.live, [name]: { dueAt: first ? null : failed.at + record.waitMs, rpc: null } },
        }),
      );
    }),
    adopted: enqueueActions(({ enqueue, context, event }) => {
      if (event.type !== 'SESSION_ADOPTED') return;
      const asked = context.adopting[event.re];
      if (!asked) return;
      const { [event.re]: _, ...adopting } = context.adopting;
      const spec = {
        name: asked.name,
        command: [],
        dir: event.dir,
        tags: asked.tags,
        restart: 'temporary',
        process: asked.process,
      } as const;
      const record: SessionRecord = {
        ...freshSession(spec, event.incarnation.uuid),
        state: 'observed',
        pending: null,
        incarnation: event.incarnation,
        tokenHash: event.tokenHash,
        startedAt: event.wall,
        note: 'adopted',
      };
      reply(enqueue, asked.rpc, { ok: true, value: viewOf(record) });
      enqueue.assign({ adopting, records: { ...context.records, [asked.name]: record } });
    }),
    notAdopted: enqueueActions(({ enqueue, context, event }) => {
      const failed = event as { re: string; why: string; exit?: 1 | 2 | 5 };
      const asked = context.adopting[failed.re];
      if (!asked) return;
      const { [failed.re]: _, ...adopting } = context.adopting;
      reply(
        enqueue,
        asked.rpc,
        refusal('not_adopted', `session ${asked.name} was not adopted: ${failed.why}`, failed.exit ?? 1),
      );
      enqueue.assign({ adopting });
    }),
  },
  guards: {
    due: ({ context, event }) => event.type === 'TICK' && context.wakeAt !== null && event.at >= context.wakeAt,
    scanned: ({ event }) => 're' in event && event.re === 'sessions/scan',
    started: ({ event }) => 're' in event && event.re.startsWith('sessions/start/'),
    forUs: ({ event }) => event.type === 'REQUESTED' && event.request.verb !== 'cancelWarrant',
    aboutSessions: ({ event }) => event.type === 'POKED' && event.what === 'sessions',
  },
});

export const sessions = s.createMachine({
  id: 'sessions',
  context: ({ input }) => ({
    ...input,
    records: {},
    live: {},
    adopting: {},
    scanning: false,
    scanAgain: false,
    scannedAt: null,
    nextScanAt: null,
    agedAt: null,
    unknownSince: null,
    unknownTold: false,
    serverGone: false,
    starts: 0,
    wakeAt: null,
  }),
  initial: 'opening',
  states: {
    opening: {
      entry: 'readSessions',
      on: { SESSIONS_READ: { target: 'open', actions: 'adoptRecords' }, ORDER_FAILED: 'resting' },
    },
    resting: {
      entry: 'restLater',
      on: { TICK: { guard: 'due', target: 'opening', actions: assign({ wakeAt: null }) } },
    },
    open: {
      on: {
        TICK: { guard: 'due', actions: 'tick' },
        SESSIONS_SEEN: { actions: 'judge' },
        SESSION_DIED: { actions: 'scanSoon' },
        POKED: { guard: 'aboutSessions', actions: 'scanSoon' },
        REQUESTED: { guard: 'forUs', actions: 'request' },
        SESSION_STARTED: { actions: 'started' },
        SESSION_NOT_STARTED: { actions: 'notStarted' },
        SESSION_ADOPTED: { actions: 'adopted' },
        SESSION_NOT_ADOPTED: { actions: 'notAdopted' },
        ORDER_FAILED: [
          { guard: 'scanned', actions: 'scanFailed' },
          { guard: 'started', actions: 'notStarted' },
          { actions: 'notAdopted' },
        ],
      },
    },
  },
});

/** The durable view: every record, each the same object as long as nothing changed. */
export const sessionsOf = (context: Ctx): readonly SessionRecord[] => Object.values(context.records);
