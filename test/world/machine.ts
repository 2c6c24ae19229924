/**
 * A machine with one tmux server and real consequences: who is started lives until something happens to it.
 * 1. A life is known by its uuid and never comes back; of one that it does not know the machine says what stands for `unrecorded`.
 * 2. A server that dies takes every life in it along; a start brings the next one.
 */
import type { NamedProc, Exit, Incarnation, Ms, OutcomeBody, SeenSession, Warrant } from '../../machines/protocol.ts';
import type { OrderOf } from '../../src/ports/ports.ts';
import { incarnation } from './drive.ts';
import type { SimHands } from './hands.ts';

/** How a life ends, and what its screen said of that. */
export interface End {
  readonly exit: Exit;
  readonly limit?: string | undefined;
  readonly lastWords?: string | undefined;
  readonly maybeSignalled?: boolean;
}
export interface Life {
  readonly incarnation: Incarnation;
  diesAt: Ms;
  end: End;
}
type Observation = Pick<SeenSession, 'life'> & Partial<SeenSession>;

export const CLEAN: Exit = { kind: 'code', code: 0 };
export const CRASH: Exit = { kind: 'code', code: 1 };
const EXECUTED: Exit = { kind: 'signal', signal: 'TERM' };

export class Machine {
  /** All that were started, in order, by uuid. */
  readonly lives = new Map<string, Life>();
  /** How long an agent that is started under this name lives, and how that ends. */
  readonly fates = new Map<string, End & { readonly ms: Ms }>();
  /** What dead lives left running, by uuid. */
  readonly left = new Map<string, readonly NamedProc[]>();
  readonly starts: { readonly name: string; readonly at: Ms }[] = [];
  /** The pid of the server that runs, or ran last. */
  server = 500;
  /** Whether tmux answers; none = there is none, and agents run without a pane. */
  tmux: 'up' | 'unknown' | 'none' = 'up';
  /** Whether agents of such names live cannot be found out. */
  readonly unseen = new Set<string>();
  /** The server died, and none was started since. */
  isServerGone = false;
  /** What is seen of a life that this machine did not start; those that it ended are seen so all the same. */
  unrecorded: Observation = { life: 'alive' };

  readonly hands: SimHands = {
    startSession: (order, now) => this.start(order, now),
    scan: ({ known }, now) => this.scan(known, now),
    listSurvivors: ({ of }) => ({
      type: 'SURVIVORS_LISTED',
      of: of.map((one) => ({ ...one, survivors: this.left.get(one.life.uuid) ?? [] })),
    }),
    clear: { type: 'CLEARED', survivors: [] },
    // The kennel hears the accused, and that ends it.
    fileWarrant: ({ warrant }, now) => this.file(warrant, now),
  };

  of(name: string): Life[] {
    return [...this.lives.values()].filter(({ incarnation: { session } }) => session === name);
  }
  isAlive({ uuid }: Pick<Incarnation, 'uuid'>, now: Ms): boolean {
    return (this.lives.get(uuid)?.diesAt ?? 0) > now;
  }

  /** Also of one that it did not start. */
  end(life: Incarnation, now: Ms, end: End): void {
    const known = this.lives.get(life.uuid);
    if (known !== undefined && known.diesAt <= now) return;
    this.lives.set(life.uuid, { incarnation: life, diesAt: now, end });
  }
  /** The lives under this name. */
  endName(name: string, now: Ms, end: End): void {
    for (const life of this.of(name)) if (life.diesAt > now) this.end(life.incarnation, now, end);
  }
  /** The server dies with every agent in it. */
  endServer(now: Ms): void {
    this.isServerGone = true;
    for (const { incarnation: life } of this.lives.values()) this.end(life, now, { exit: { kind: 'unknown' } });
  }

  file({ target }: Warrant, now: Ms): OutcomeBody {
    this.end(target, now, { exit: EXECUTED, maybeSignalled: true });
    return { type: 'WARRANT_WRITTEN' };
  }

  start({ spec: { name }, uuid }: OrderOf<'startSession'>, now: Ms): OutcomeBody {
    const same = this.lives.get(uuid);
    return {
      type: 'SESSION_STARTED',
      incarnation: same?.incarnation ?? this.#bear(name, uuid, now),
      tokenHash: 'hash',
    };
  }

  #bear(name: string, uuid: string, now: Ms): Incarnation {
    if (this.isServerGone) this.server += 1;
    this.isServerGone = false;
    const server = { pid: this.server, started: '1@boot' };
    const away = this.tmux === 'none' ? ({ origin: 'detached', sessionId: '', paneId: '' } as const) : {};
    const born = incarnation(this.lives.size + 1, { uuid, session: name, server, ...away });
    const { ms = Infinity, ...end } = this.fates.get(name) ?? { exit: CLEAN };
    this.lives.set(uuid, { incarnation: born, diesAt: now + ms, end });
    this.starts.push({ name, at: now });
    return born;
  }

  scan(known: readonly Incarnation[], now: Ms): OutcomeBody {
    const seen = known.map((one) => this.#seen(one, now));
    const isLost = this.isServerGone || seen.some(({ life }) => life === 'absent');
    return { type: 'SESSIONS_SEEN', server: this.tmux === 'up' && isLost ? 'gone' : this.tmux, seen };
  }

  #seen({ session: name, uuid, server }: Incarnation, now: Ms): SeenSession {
    const none = { name, uuid, exit: null, maybeSignalled: false } as const;
    if (this.tmux === 'unknown' || this.unseen.has(name)) return { ...none, life: 'unknown' };
    const isOld = this.tmux === 'up' && (this.isServerGone || server.pid !== this.server);
    const known = this.lives.get(uuid);
    if (known !== undefined && known.diesAt <= now)
      return { name, uuid, maybeSignalled: false, ...known.end, life: isOld ? 'absent' : 'dead' };
    if (isOld) return { ...none, life: 'absent' };
    return known === undefined
      ? { ...none, ...this.unrecorded }
      : { name, uuid, exit: null, maybeSignalled: false, life: 'alive' };
  }
}
