/**
 * Where the hooks of agents arrive: HTTP on a socket of this user alone. It holds questions open until they are
 * answered, are over, or their life has ended, notes why turns halted, and gives an agent its mail as its program starts.
 * 1. Who asks is proved by the token of a life, of an adopted one by the process that calls (hook-caller.ts), never by words in the
 *    body. A life sees its own questions only. Hooks of no life of this town are counted, and change nothing.
 * 2. A request that cannot be used gets an empty answer at once, which decides nothing: the dialog stands at the pane as ever.
 * 3. Why a turn halted is written before its hook is answered: a program says it once, and a hook without an answer tries again.
 * 4. Answers come from this process alone: an agent that has its own token cannot answer its own question.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { Incarnation, WallMs } from '../../machines/protocol.ts';
import type { Clock } from '../ports/ports.ts';
import { complaintsTo, type Complaints } from '../ports/pace.ts';
import { closeToOthers, makeSocketFolder, removeSocket } from '../../state/process/socket-path.ts';
import { Serial } from '../../state/files/serial.ts';
import type { Halt } from '../../state/sessions/halts.ts';
import { haltIn } from './claude-halts.ts';
import { HOOK_PATHS, HOLDER_HEADERS, isStart, START, type HooksHeard } from './claude-hooks.ts';
import { requestIn, type HeldQuestion, type HeldQuestions } from './held-questions.ts';
import { claimIn, hookCallers, type HookCaller, type HookCallerDeps } from './hook-caller.ts';
import { SOURCES } from './policy.ts';

export interface HookServerDeps {
  readonly clock: Pick<Clock, 'wall' | 'sleep'>;
  readonly tokenFor: (uuid: string) => string;
  /** The lives that are not known to have ended. */
  readonly living: () => Promise<readonly Incarnation[]>;
  readonly processes: HookCallerDeps['processes'];
  readonly packs: HookCallerDeps['packs'];
  /** What a life is given as its program starts; null = nothing. `given`: its program lived on with it. Both may reject. */
  readonly greet: (uuid: string) => Promise<{ readonly text: string; readonly given: () => Promise<void> } | null>;
  readonly complain: (text: string) => void;
  /** What the town before told of turns that halted, and where that is kept. */
  readonly halts: { read(): Promise<readonly Halt[]>; write(halts: readonly Halt[]): Promise<void> };
}

interface Holding extends Omit<HeldQuestion, 'isAnswered'> {
  readonly uuid: string;
  /** null = it was answered. */
  response: ServerResponse | null;
}

export class HookServer implements HeldQuestions {
  readonly #deps: HookServerDeps;
  readonly #held = new Map<string, Holding>();
  readonly #halts = new Map<string, Halt>();
  #areHaltsKept = true;
  readonly #writes = new Serial();
  /** Lives whose greeting is under way: a letter is given once. */
  readonly #greeted = new Set<string>();
  /** Greetings that went out, by life. A program that ends at once may have read none: its mail is the next life's. */
  readonly #sent = new Map<string, { readonly given: () => Promise<void>; readonly at: WallMs }>();
  readonly #callerBy: (claim: ReturnType<typeof claimIn>) => Promise<HookCaller>;
  readonly #heard: HooksHeard;
  readonly #complaints: Complaints;
  #server: Server | null = null;

  constructor(deps: HookServerDeps) {
    this.#deps = deps;
    this.#complaints = complaintsTo(deps.complain, SOURCES.complainEveryMs);
    this.#callerBy = hookCallers(deps);
    this.#heard = { since: deps.clock.wall(), adopted: {}, unwatched: 0, unproved: 0 };
  }

  /** Call it with the root's lock held: a socket that stands there is stale. Rejects when none can be made. */
  async open(path: string): Promise<void> {
    for (const halt of await this.#deps.halts.read().catch(() => [])) this.#halts.set(halt.uuid, halt);
    makeSocketFolder(path);
    removeSocket(path);
    const server = createServer(
      (request, response) => void this.#serve(request, response).catch(() => response.destroy()),
    );
    server.maxConnections = SOURCES.maxHeldConnections;
    server.timeout = SOURCES.silentMs;
    const full = `hooks: more than ${String(SOURCES.maxHeldConnections)} connections, the newest was refused: its question stands at the pane`;
    server.on('drop', () => this.#complaints.about('full', full));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        // A later error costs one hook its connection, never the town its life.
        server.on('error', () => undefined);
        resolve();
      });
    });
    closeToOthers(path);
    this.#server = server;
  }

  close(): void {
    this.#complaints.stop();
    this.#server?.close();
    this.#server?.closeAllConnections();
    this.#server = null;
  }

  /** Lets go of what ended lives left, and writes again what could not be written, until `stop`. */
  async attend(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.#deps.clock.sleep(SOURCES.heldLivesMs, stop).catch(() => undefined);
      if (this.#held.size + this.#halts.size + this.#sent.size > 0) await this.#tidy();
    }
  }

  async #tidy(): Promise<void> {
    const lives = await this.#deps.living().catch(() => null);
    const living = new Set(lives?.map(({ uuid }) => uuid));
    const isOver = (uuid: string): boolean => lives !== null && !living.has(uuid);
    for (const { key, uuid } of this.#held.values()) if (isOver(uuid)) this.release(key);
    for (const uuid of this.#halts.keys()) if (isOver(uuid) && this.#halts.delete(uuid)) this.#areHaltsKept = false;
    if (lives !== null) await this.#confirm(living);
    await this.#keep();
  }

  /** A life that was greeted a while ago, and lives, has it. */
  async #confirm(living: ReadonlySet<string>): Promise<void> {
    const now = this.#deps.clock.wall();
    for (const [uuid, { given, at }] of this.#sent) {
      const isAlive = living.has(uuid);
      if (isAlive && now - at < SOURCES.heldLivesMs) continue;
      this.#sent.delete(uuid);
      if (isAlive) await given().catch(() => undefined);
    }
  }

  /** Resolves once what stands now was written, or could not be. What comes during a write goes with the next one. */
  #keep(): Promise<void> {
    return this.#writes.run(async () => {
      if (this.#areHaltsKept) return;
      this.#areHaltsKept = true;
      await this.#deps.halts.write([...this.#halts.values()]).catch(() => (this.#areHaltsKept = false));
    });
  }

  haltOf(uuid: string): Promise<Halt | null> {
    return Promise.resolve(this.#halts.get(uuid) ?? null);
  }

  of(uuid: string): Promise<readonly HeldQuestion[]> {
    return Promise.resolve(this.#heldBy(uuid).map(shown));
  }

  #heldBy(uuid: string): Holding[] {
    return Array.from(this.#held.values()).filter((one) => one.uuid === uuid);
  }

  answer(key: string, decision: object): ReturnType<HeldQuestions['answer']> {
    const one = this.#held.get(key);
    if (!one?.response) return 'over';
    const { response, request } = one;
    // It stays until its program says that it goes on, which is the proof.
    one.response = null;
    reply(response, 200, { hookSpecificOutput: { hookEventName: request.hook_event_name, decision } });
    return 'taken';
  }

  release(key: string): void {
    const one = this.#held.get(key);
    this.#held.delete(key);
    if (one?.response) reply(one.response, 204);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const holder = this.#holderOf(request);
    // Read to its end in any case: a hook that is refused in the middle would try again and again.
    const body = await bodyOf(request);
    // What is held is silent until it is answered.
    request.socket.setTimeout(0);
    if (request.url !== HOOK_PATHS.hook) this.#show(request.url, holder, response);
    else await this.#take(holder ?? (await this.#adoptedBy(request)), body, response);
  }

  /** To a command beside the town. */
  #show(path: string | undefined, uuid: string | null, response: ServerResponse): void {
    if (path === HOOK_PATHS.heard) reply(response, 200, this.#heard);
    else if (uuid !== null && path === HOOK_PATHS.held) reply(response, 200, this.#heldBy(uuid).map(shown));
    else if (uuid !== null && path === HOOK_PATHS.halt) reply(response, 200, this.#halts.get(uuid));
    else reply(response, 204);
  }

  /** What a hook of this life says; null = of none, or it said too much. */
  async #take(uuid: string | null, said: string | null, response: ServerResponse): Promise<void> {
    // Never an error: a hook tries again after one.
    if (uuid === null || said === null) {
      reply(response, 204);
      return;
    }
    await this.#note(haltIn(said, uuid, this.#deps.clock.wall()));
    if (isStart(said)) return this.#greet(uuid, response);
    const question = requestIn(said);
    if (question !== null && this.#heldBy(uuid).length < SOURCES.maxHeldPerLife) this.#hold(uuid, question, response);
    else reply(response, 204);
  }

  /** The adopted life whose hook this is; null = no such. */
  async #adoptedBy({ headers }: IncomingMessage): Promise<string | null> {
    const caller = await this.#callerBy(claimIn(headers));
    if (caller.is === 'unwatched' || caller.is === 'unproved') this.#heard[caller.is] += 1;
    if (caller.is !== 'adopted') return null;
    const { events = 0 } = this.#heard.adopted[caller.uuid] ?? {};
    this.#heard.adopted[caller.uuid] = { events: events + 1, at: this.#deps.clock.wall() };
    return caller.uuid;
  }

  async #greet(uuid: string, response: ServerResponse): Promise<void> {
    const isFirst = !this.#greeted.has(uuid) && !this.#sent.has(uuid);
    this.#greeted.add(uuid);
    try {
      const greeting = isFirst ? await this.#deps.greet(uuid).catch(() => null) : null;
      if (greeting === null) reply(response, 204);
      else {
        reply(response, 200, { hookSpecificOutput: { hookEventName: START, additionalContext: greeting.text } });
        // What does not go out is given at the next start.
        await finished(response);
        this.#sent.set(uuid, { given: greeting.given, at: this.#deps.clock.wall() });
      }
    } finally {
      if (isFirst) this.#greeted.delete(uuid);
    }
  }

  /** The last one of a life counts. */
  async #note(halt: Halt | null): Promise<void> {
    if (halt === null) return;
    this.#halts.set(halt.uuid, halt);
    this.#areHaltsKept = false;
    await this.#keep();
  }

  #hold(uuid: string, request: HeldQuestion['request'], response: ServerResponse): void {
    const key = randomUUID();
    this.#held.set(key, { key, uuid, heldAt: this.#deps.clock.wall(), request, response });
    response.on('close', () => {
      if (this.#held.get(key)?.response === response) this.#held.delete(key);
    });
  }

  /** null = no life's. */
  #holderOf({ headers }: IncomingMessage): string | null {
    const { [HOLDER_HEADERS.uuid]: uuid, [HOLDER_HEADERS.token]: token } = headers;
    if (typeof uuid !== 'string' || typeof token !== 'string') return null;
    const expected = Buffer.from(this.#deps.tokenFor(uuid));
    const given = Buffer.from(token);
    return expected.length === given.length && timingSafeEqual(expected, given) ? uuid : null;
  }
}

const shown = ({ key, heldAt, request, response }: Holding): HeldQuestion => ({
  key,
  heldAt,
  request,
  isAnswered: response === null,
});

/** null = it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= SOURCES.maxHeldBytes) chunks.push(chunk as Buffer);
  }
  return bytes > SOURCES.maxHeldBytes ? null : Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body?: object): void {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = text === '' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...headers, connection: 'close' }).end(text);
}
