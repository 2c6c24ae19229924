/**
 * Walks the table of the sessions by facts in any order, outcomes late or never: what cannot happen does not, no session is
 * forgotten or started twice, and a caller gets one reply at most.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type {
  Fact,
  Incarnation,
  NewsBody,
  Order,
  OutcomeBody,
  SeenSession,
  SessionRecord,
} from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { decide } from '../../machines/sessions/machine.ts';
import { sessionOf, type State } from '../../machines/sessions/session.ts';
import { emptyBook, type SessionsState } from '../../machines/sessions/state.ts';
import { IMPOSSIBLE, STATES, TABLE } from '../../machines/sessions/table.ts';
import { incarnation } from '../world/drive.ts';

const NAMES = ['a', 'b', 'c'] as const;
const specOf = (name: string, restart: SessionRecord['spec']['restart'] = 'permanent') => ({
  name,
  command: ['agent'],
  dir: '/',
  tags: [],
  restart,
  process: null,
});
const lifeOf = (name: string, uuid: string, origin: Incarnation['origin'] = 'started'): Incarnation =>
  incarnation(1 + NAMES.indexOf(name as 'a'), { session: name, uuid, origin });
const child = { pid: 900, started: '9@boot', program: 'sleep' };

/** While these tests run, a cell that cannot happen says so. */
const reached: string[] = [];
const rows = Object.entries(TABLE) as unknown as [string, (() => object)[]][];
const asItWas = rows.map(([, row]) => [...row]);
beforeAll(() => {
  for (const [event, row] of rows)
    for (const [at, cell] of row.entries())
      if (IMPOSSIBLE.has(cell))
        row[at] = () => {
          reached.push(`${event} while ${STATES[at] ?? ''}`);
          return {};
        };
});
afterAll(() => {
  for (const [nth, [, row]] of rows.entries()) row.splice(0, row.length, ...(asItWas[nth] ?? []));
});

const name = fc.constantFrom(...NAMES);
const exit = fc.constantFrom(null, { kind: 'code', code: 0 }, { kind: 'code', code: 1 }, { kind: 'unknown' });
type Act = { readonly spentMs: number } & (
  | { readonly does: 'tick' }
  | { readonly does: 'news'; readonly news: NewsBody }
  | { readonly does: 'ends'; readonly name: string; readonly then: 'restart' | 'end' }
  | { readonly does: 'outcome'; readonly nth: number; readonly how: number; readonly life: SeenSession['life'] }
);
const asks = fc.oneof(
  fc.record({ verb: fc.constant('startSession'), spec: name.map((one) => specOf(one)) }),
  fc.record({ verb: fc.constant('stopSession'), name, then: fc.constantFrom('restart', 'end'), force: fc.boolean() }),
  fc.record({ verb: fc.constant('removeSession'), name }),
  fc.record({ verb: fc.constant('adoptSession'), name, process: fc.constant(null), tags: fc.constant([]) }),
  fc.record({ verb: fc.constant('nudge'), name, text: fc.constant('go on'), from: fc.constant('deacon') }),
  fc.record({ verb: fc.constant('answer'), name, dialog: fc.constant('dialog-1'), question: fc.constant('?'), option: fc.constant('Yes') }), // prettier-ignore
);
const news = fc.oneof(
  asks.map((request) => ({ type: 'REQUESTED', rpc: '', request })),
  fc.record({ type: fc.constant('SESSION_WANTED'), spec: name.map((one) => specOf(one)), uuid: fc.constantFrom(null, 'found'), why: fc.constant('') }), // prettier-ignore
  fc.record({ type: fc.constant('SESSION_DIED'), server: fc.constant(500), paneId: fc.constantFrom('%1', '%2'), exit: exit.filter((one) => one !== null) }), // prettier-ignore
  fc.constant({ type: 'CHANGED', what: 'sessions' }),
);
const spentMs = fc.constantFrom(0, 50, 2_000, 30_000);
const life = fc.constantFrom('alive', 'alive', 'dead', 'absent', 'replaced', 'unknown');
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('tick'), spentMs }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('news'), spentMs, news }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('ends'), spentMs, name, then: fc.constantFrom('restart', 'end') }),
  },
  { weight: 8, arbitrary: fc.record({ does: fc.constant('outcome'), spentMs, nth: fc.nat(8), how: fc.nat(6), life }) },
) as fc.Arbitrary<Act>;
const found = fc.array(fc.record({ state: fc.constantFrom('starting', 'running', 'backing_off', 'ended', 'observed'), restart: fc.constantFrom('permanent', 'transient', 'temporary'), left: fc.boolean() }), { maxLength: 3 }); // prettier-ignore

/** What the hands may say to this order. */
function outcomeOf(order: Order, { how, life }: Act & { does: 'outcome' }): OutcomeBody | null {
  if (how === 0) return { type: 'ORDER_FAILED', why: 'limit' };
  const isWell = how > 3;
  switch (order.type) {
    case 'startSession':
      if (isWell) return { type: 'SESSION_STARTED', incarnation: lifeOf(order.spec.name, order.uuid), tokenHash: 'h' };
      return { type: 'SESSION_NOT_STARTED', why: 'no', taken: how === 1, ...(how === 2 && { personMs: 1_000 }), missing: how === 3 }; // prettier-ignore
    case 'adoptSession':
      if (!isWell) return { type: 'SESSION_NOT_ADOPTED', why: 'no', exit: 1 };
      return {
        type: 'SESSION_ADOPTED',
        incarnation: lifeOf(order.name, order.uuid, 'adopted'),
        tokenHash: 'h',
        dir: '/',
      };
    case 'nudge':
      return isWell ? { type: 'NUDGED' } : { type: 'NOT_NUDGED', obstacle: { kind: 'gone', paneStays: false } };
    case 'answerDialog':
      return isWell
        ? { type: 'DIALOG_ANSWERED', option: 'Yes', then: 'it works' }
        : { type: 'DIALOG_NOT_ANSWERED', why: 'no', given: true };
    case 'clear':
      return { type: 'CLEARED', survivors: [], ...(!isWell && { whyPaneStays: 'its pane' }) };
    case 'listSurvivors':
      return { type: 'SURVIVORS_LISTED', of: order.of.map((one) => ({ ...one, survivors: isWell ? [] : [child] })) };
    case 'rescue':
      return isWell ? { type: 'RESCUED', rescue: { ref: null } as never } : { type: 'ORDER_FAILED', why: 'full' };
    case 'signal':
      return isWell ? { type: 'SIGNALLED', alive: [], newcomers: [] } : { type: 'NOT_SIGNALLED', why: 'old' };
    case 'scan': {
      const server = how === 1 ? 'gone' : how === 2 ? 'unknown' : 'up';
      const seen = order.known.map(({ session, uuid }, at) => {
        const isOne = at === 0 || server === 'gone';
        return { name: session, uuid, life: isOne ? life : 'alive', exit: null, maybeSignalled: how === 3 } as const;
      });
      return { type: 'SESSIONS_SEEN', server, seen };
    }
    default:
      return null;
  }
}

/** A town without hands: what is out, and what went wrong so far. */
class Walk {
  book: SessionsState;
  at = 1_000;
  readonly out: Order[] = [];
  readonly replied: string[] = [];
  #calls = 0;

  constructor(records: readonly SessionRecord[], survivors: 'tell' | 'end') {
    const policy = { ...POLICY.sessions, survivors };
    this.book = emptyBook({ policy, entropy: 'walk', agents: [specOf('b')], dance: POLICY.dance });
    this.take({ type: 'SESSIONS_READ', re: 'sessions/read', sessions: records });
  }

  take(body: object): void {
    const { changes, orders } = decide(this.book, { ...body, at: this.at, wall: this.at } as Fact);
    this.book = { ...this.book, ...changes };
    for (const order of orders) {
      if (order.type === 'reply') this.replied.push(order.to);
      else if (order.type !== 'mail') this.out.push(order);
    }
  }

  do(act: Act): void {
    this.at += act.spentMs;
    switch (act.does) {
      case 'tick':
        if (this.book.wakeAt !== null) this.at = Math.max(this.at, this.book.wakeAt);
        return this.take({ type: 'TICK' });
      case 'news':
        return this.take({ ...act.news, ...(act.news.type === 'REQUESTED' && { rpc: `r${(this.#calls += 1)}` }) });
      case 'ends': {
        const uuid = this.book.records[act.name]?.incarnation?.uuid;
        if (uuid === undefined) return;
        return this.take({ type: 'END_WANTED', session: act.name, uuid, then: act.then, id: 'w', filedAt: 1, why: '' });
      }
      case 'outcome': {
        const [order] = this.out.splice(act.nth % Math.max(1, this.out.length), 1);
        const body = order === undefined ? null : outcomeOf(order, act);
        if (order !== undefined && body !== null) this.take({ ...body, re: order.id });
      }
    }
  }

  state(one: string): State {
    return sessionOf(one, this.book.records[one], this.book.live[one]).is;
  }
}

test('in any order of facts', () => {
  fc.assert(
    fc.property(found, fc.constantFrom('tell', 'end'), fc.array(act, { maxLength: 80 }), (all, survivors, acts) => {
      const records = all.map(({ state, restart, left }, at): SessionRecord => {
        const one = NAMES[at] ?? 'a';
        const last = lifeOf(one, `life-${one}`, state === 'observed' ? 'adopted' : 'started');
        const remains = left ? { remains: [{ life: { ...last, uuid: 'earlier' }, survivors: [] }] } : {};
        const fresh = { ...freshSession(specOf(one, restart), state === 'starting' ? 'u' : ''), state, ...remains };
        return { ...fresh, incarnation: last, pending: state === 'starting' ? `pending-${one}` : null };
      });
      const walk = new Walk(records, survivors);
      for (const one of acts) {
        walk.do(one);
        const starts = walk.out.filter(({ type }) => type === 'startSession');
        expect(starts.length).toBeLessThanOrEqual(POLICY.sessions.maxStarting);
        expect(new Set(walk.replied).size).toBe(walk.replied.length);
        for (const name of NAMES) {
          const live = walk.book.live[name];
          if (walk.state(name) === 'waiting') expect(live?.dueAt, `${name} waits for ever`).not.toBeNull();
        }
      }
      expect(reached).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
