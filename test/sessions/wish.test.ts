/** A clean end is the agent's wish once town and tmux server have outlived it; a machine that goes down ends agents too. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import type { Fact, OutcomeBody, SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { freshSession } from '../../machines/sessions/lifecycle.ts';
import { decide } from '../../machines/sessions/machine.ts';
import { emptyBook, type SessionsState } from '../../machines/sessions/state.ts';
import { incarnation } from '../world/drive.ts';
import { CLEAN } from '../world/machine.ts';
import { specOf } from './one.ts';

const NAME = 's1';
const life = incarnation(1, { session: NAME });
const { confirmEndMs } = POLICY.sessions;
type Restart = SessionRecord['spec']['restart'];

const running = (restart: Restart): SessionRecord => ({
  ...freshSession(specOf(NAME, restart), ''),
  state: 'running',
  pending: null,
  incarnation: life,
});

/** The book of a town, from one start to its next. */
class Town {
  #book: SessionsState;
  #at = 0;

  constructor(record: SessionRecord, outlived: readonly string[] = []) {
    this.#book = emptyBook({ policy: POLICY.sessions, entropy: 'test', agents: [] });
    this.#take({ type: 'SESSIONS_READ', sessions: [record], outlived });
  }

  get record(): SessionRecord {
    return this.#book.records[NAME]!;
  }
  /** As it stands on the disk. */
  get state(): string {
    return `${this.record.state}${this.record.endUnconfirmed === true ? ', unconfirmed' : ''}`;
  }

  #take(body: OutcomeBody | { readonly type: 'TICK' }): void {
    const re = { issuer: 'sessions', verb: body.type === 'SESSIONS_READ' ? 'read' : 'scan' };
    const fact = { ...body, re, at: this.#at, wall: this.#at } as unknown as Fact;
    this.#book = { ...this.#book, ...decide(this.#book, fact).changes };
  }

  passes(ms: number): this {
    this.#at += ms;
    this.#take({ type: 'TICK' });
    return this;
  }

  /** A scan finds it so. */
  sees(more: Partial<SeenSession>, server: 'up' | 'gone' = 'up'): this {
    this.passes(1);
    const seen = [{ name: NAME, uuid: life.uuid, life: 'dead', exit: CLEAN, maybeSignalled: false, ...more }];
    this.#take({ type: 'SESSIONS_SEEN', seen, server } as never);
    return this;
  }

  /** The town ends, at once, and starts again. */
  again(server: 'outlived' | 'gone'): Town {
    return new Town(this.record, server === 'outlived' ? [life.uuid] : []);
  }
}

// Rules: C-6.
test.each<[Restart, string, string, string]>([
  ['transient', 'ended, unconfirmed', 'ended', 'backing_off'],
  ['temporary', 'ended', 'ended', 'ended'],
  ['permanent', 'backing_off', 'backing_off', 'backing_off'],
])('a clean end of a %s one: %s at once, %s once the town outlived it, %s where that ended first', (restart, ...is) => {
  const town = new Town(running(restart)).sees({});
  expect(town.state).toBe(is[0]);
  expect(town.again('gone').state).toBe(is[2]);
  if (restart === 'permanent') return;
  town.passes(confirmEndMs);
  expect(town.state).toBe(is[1]);
  expect(town.again('gone').state).toBe(is[1]);
});

test('its tmux server lives on: the machine does not go down, and it is not started again by a restart of the town', () => {
  const next = new Town(running('transient')).sees({}).again('outlived');
  expect(next.state).toBe('ended, unconfirmed');
  expect(next.again('gone').record).toMatchObject({
    state: 'backing_off',
    note: expect.stringContaining('not its wish') as string,
  });
  expect(next.passes(confirmEndMs).state).toBe('ended');
});

test('almost outlived is not outlived', () => {
  const town = new Town(running('transient')).sees({}).passes(confirmEndMs - 2);
  expect(town.again('gone').state).toBe('backing_off');
});

test('found at the next start: with its pane it is a wish to be confirmed, with its whole server it is none', () => {
  const found = () => new Town(running('transient'));
  expect(found().sees({}).state).toBe('ended, unconfirmed');
  expect(found().sees({ life: 'absent' }, 'gone').state).toBe('backing_off');
});

test('an end that its agent asked for, or an operator, needs no confirmation', () => {
  for (const operatorAt of [undefined, 1]) {
    const asked = { uuid: life.uuid, then: 'end', operatorAt } as const;
    const town = new Town({ ...running('transient'), asked }).sees({});
    expect([town.state, town.again('gone').state]).toEqual(['ended', 'ended']);
  }
});
