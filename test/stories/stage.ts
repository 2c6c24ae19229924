/** The town of a story in virtual time: its world, what it orders, and what its journal keeps. */
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { Order, Request, Warrant } from '../../machines/protocol.ts';
import { Drive, townInput, WALL } from '../world/drive.ts';
import { layered, QUIET, type Answer } from '../world/hands.ts';
import type { TownInput } from '../../machines/town.ts';
import type { JournalLine } from '../../state/journal.ts';
import { Chronicle } from '../../src/journal/chronicle.ts';
import { DeaconWorld } from './deacon.ts';
import { Teller } from './teller.ts';
import { World } from './world.ts';

interface HowFiled {
  readonly agoMs?: number;
  readonly force?: boolean;
}

export class Stage {
  readonly world = new World();
  readonly deacon = new DeaconWorld(this.world, () => this.#drive ?? this.drive);
  readonly teller = new Teller();
  /** What the town's journal has of it. */
  readonly journal: JournalLine[] = [];
  readonly #chronicle = new Chronicle();
  policy: Policy = POLICY;
  #drive: Drive | null = null;
  #calls = 0;

  get drive(): Drive {
    this.#drive ??= new Drive((order, now, drive) => this.#answer(order, now, drive), {
      input: this.#input(),
      watch: (step, now, facts) => {
        this.teller.step(step, now);
        // What makes a dog throw is none that a hand gives, and no line tells of it.
        const told = facts.filter((fact) => fact.type !== 'LOOKED' || 'observation' in fact);
        this.journal.push(...this.#chronicle.lines({ ...step, facts: told, wall: this.#drive?.wall ?? WALL }));
      },
    });
    this.teller.begin(this.#drive.now);
    return this.#drive;
  }

  #input(): TownInput {
    const { chain, watchdog } = this.deacon;
    return townInput({ ...this.policy, watchdog }, { wallAtZero: WALL, ...(chain !== null && { chain }) });
  }

  #answer(order: Order, now: number, drive: Drive): Answer {
    this.#drive ??= drive;
    const answer = this.#found(order, now, drive);
    this.teller.order(order, answer, now);
    return answer;
  }

  #found(order: Order, now: number, { reading }: Drive): Answer {
    const { deacon, world } = this;
    const isChain = deacon.chain !== null;
    const why = isChain ? deacon.failing.get(order.type) : undefined;
    if (why !== undefined) return { type: 'ORDER_FAILED', why };
    const layers = [...(isChain ? [deacon.told] : []), world.told, reading, QUIET];
    const answer = world.unanswered(order) ?? layered(...layers)(order, now);
    return isChain ? deacon.within(order, now, answer) : answer;
  }

  file(who: string, id: string, session: string, reason: string, more: HowFiled = {}): void {
    this.drive.tell({ type: 'WARRANT_FILED', warrant: this.leave(who, id, session, reason, more) });
  }

  /** A file that no town reads before its next start. */
  leave(who: string, id: string, session: string, reason: string, more: HowFiled = {}): Warrant {
    const { agoMs = 0, force = false } = more;
    const { incarnation: target } = this.world.target(session);
    const warrant = { id, target, reason, requester: who, filedAt: this.drive.wall - agoMs, force };
    this.drive.warrants.set(id, warrant);
    return warrant;
  }

  /** Another process of the town, with what the configuration says now. */
  restart(awayMs: number): void {
    this.drive.restart(awayMs, this.#input());
  }

  /** What a caller asks for. */
  request(...requests: readonly Request[]): void {
    this.drive.tell(...requests.map((request) => ({ type: 'REQUESTED', rpc: this.rpc(), request }) as const));
  }

  /** A new caller. */
  rpc(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }

  /** The code of the n-th question that `session` was asked in its newest dance. */
  codeOf(session: string, n: number): string {
    const dance = this.drive.dances.filter((d) => d.target.session === session).at(-1);
    return dance?.attempts[n - 1]?.code ?? 'NONE';
  }
}
