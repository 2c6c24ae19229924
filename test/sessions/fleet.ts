/** Supervised agents on a machine that notes what a town must never do to them. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Incarnation, SessionSpec } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import type { Answer, SimHands } from '../world/hands.ts';
import { Machine } from '../world/machine.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { specOf as spec } from './one.ts';

export const policy = POLICY.sessions;
export const UNCHARGED = { restartAgesMs: [], streak: 0, crashLoop: false };

/** late: it lives, and is told so later. lost: it lives, and no outcome comes. fails: it does not live. */
export type StartMode = 'prompt' | 'late' | 'lost' | 'fails';
const LATE_MS = 45_000;

/** A machine that knows what a town must never do to it. */
export class Watched extends Machine {
  /** Starts whose outcome is not known yet, by name. */
  readonly inFlight = new Map<string, { uuid: string; until: number }>();
  readonly modes = new Map<string, StartMode>();
  readonly wrongs: string[] = [];

  readonly watched: SimHands = {
    ...this.hands,
    startSession: (order, now) => this.#begin(order, now),
    signal: () => {
      this.wrongs.push('a kill outside the kennel');
      return null;
    },
    clear: ({ target }, now) => {
      if (this.isAlive(target, now)) this.wrongs.push(`${target.session} was cleared while its agent lived`);
      return { type: 'CLEARED', survivors: [] };
    },
  };

  #begin(order: OrderOf<'startSession'>, at: number): Answer {
    const { name } = order.spec;
    const other = this.inFlight.get(name);
    if (other !== undefined && at < other.until)
      this.wrongs.push(`${name} was started as ${order.uuid} while ${other.uuid} was under way`);
    const mode = this.modes.get(name) ?? 'prompt';
    if (mode === 'fails') return { type: 'SESSION_NOT_STARTED', why: 'no such folder', taken: false };
    if (!this.lives.has(order.uuid) && this.of(name).some(({ diesAt }) => diesAt > at))
      this.wrongs.push(`${name} was started beside a living agent`);
    const body = this.start(order, at);
    if (mode === 'prompt') return body;
    this.inFlight.set(name, { uuid: order.uuid, until: at + LATE_MS });
    if (mode === 'late') return { after: LATE_MS, body };
    return { after: LATE_MS, body: { type: 'ORDER_FAILED', why: 'no outcome within 45 s' } };
  }

  startsOf(name: string): number[] {
    return this.starts.filter((one) => one.name === name).map(({ at }) => at);
  }
}

interface Some {
  readonly machine?: Watched;
  readonly hands?: SimHands;
  readonly policy?: Partial<Policy['sessions']>;
}
export function supervised(
  agents: readonly SessionSpec[],
  { machine = new Watched(), hands = {}, ...some }: Some = {},
) {
  const input = townInput({ ...POLICY, sessions: { ...policy, ...some.policy } }, { agents });
  const serverLives = ({ server }: Incarnation): boolean => !machine.isServerGone && server.pid === machine.server;
  return { machine, drive: new Drive([hands, machine.watched], { input, serverLives }) };
}

export const AGENTS = [spec('a', 'permanent'), spec('b', 'transient'), spec('c', 'temporary')];
