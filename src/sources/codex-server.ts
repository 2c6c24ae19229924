/**
 * A client of the server that all terminals of one CODEX_HOME share: JSON-RPC over a WebSocket over a unix socket, as seen
 * with Codex 0.169 and 0.171. It starts nothing, and answers only questions that the server sent it. The server goes on where it is not answered, and says more than
 * this understands.
 */
import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import * as z from 'zod';
import type { Instant } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { SOURCES } from './policy.ts';

/**
 * What Codex's terminal calls itself. The server sends the name of its last client to the maker of the model with every
 * request: another name would change what a person's account is seen to use.
 */
const CLIENT = { name: 'codex-tui', title: 'Townwatch', version: '0' };
/** Notices that come unasked and are not read. */
const UNREAD = [
  'account/rateLimits/updated',
  'configWarning',
  'remoteControl/status/changed',
  'thread/started',
  'thread/status/changed',
  'thread/tokenUsage/updated',
  'turn/completed',
  'turn/started',
];

const WELCOME = z.object({ userAgent: z.string() });
const LIST = z.object({ data: z.array(z.string()).max(SOURCES.maxThreads) });
const THREAD = z.object({
  id: z.string(),
  cwd: z.string(),
  ephemeral: z.boolean(),
  /** The thread whose agent began it for a part of its work; null = a person did. */
  parentThreadId: z.string().nullable(),
  /** `user`, or what the program began it for. */
  threadSource: z.string().nullable(),
  /** In seconds. */
  createdAt: z.number(),
  /** The file that its turns are written to as they go on. */
  path: z.string().nullable().optional(),
  status: z.discriminatedUnion('type', [
    z.object({ type: z.literal('idle') }),
    z.object({ type: z.literal('active'), activeFlags: z.array(z.string()) }),
    /** Its last turn failed: for a limit, a login or anything else. */
    z.object({ type: z.literal('systemError') }),
    z.object({ type: z.literal('notLoaded') }),
  ]),
});
const READ = z.object({ thread: THREAD });
export type Thread = z.infer<typeof THREAD>;

const ANSWER = z.object({ id: z.number(), result: z.unknown().optional(), error: z.unknown().optional() });
const SAID = z.object({ id: z.union([z.number(), z.string()]).optional(), method: z.string(), params: z.unknown() });
/** What a server says unasked; with an `id` it wants an answer. */
export type Said = z.infer<typeof SAID>;

const REFUSED = Symbol('refused');

/** One connection. What it asks is null where the server gave no answer of a known form in time, or the connection is over. */
export interface CodexLine {
  ask<T>(method: string, params: object, form: z.ZodType<T>): Promise<T | null>;
  /** As `ask`, of something to be done; `refused`: the server said that it did not do it. */
  attempt<T>(method: string, params: object, form: z.ZodType<T>): Promise<T | 'refused' | null>;
  send(message: object): void;
  readonly userAgent: string;
  readonly isOpen: () => boolean;
  close(): void;
}

/** `call`: gives the result, `REFUSED`, or null. */
const askingBy = (call: (method: string, params: object) => Promise<unknown>): Pick<CodexLine, 'ask' | 'attempt'> => ({
  ask: async (method, params, form) => form.safeParse(await call(method, params)).data ?? null,
  attempt: async (method, params, form) => {
    const said = await call(method, params);
    return said === REFUSED ? 'refused' : (form.safeParse(said).data ?? null);
  },
});

/** Rejects where no server answers. Keeps no process from its end. */
async function openLine(path: string, heed: (said: Said) => void = () => undefined): Promise<CodexLine> {
  const { WebSocket: Client } = await import('ws');
  const socket: Socket = connect(path);
  const web: WebSocket = new Client('ws://localhost/', {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: SOURCES.maxAnswerBytes,
    handshakeTimeout: SOURCES.answerMs,
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  const end = (): void => {
    for (const answer of [...waiting.values()]) answer(null);
  };
  web.on('close', end);
  web.on('error', () => web.terminate());
  web.on('message', (data: Buffer) => {
    const json = orNull(() => JSON.parse(data.toString('utf8')) as unknown);
    const { data: said } = SAID.safeParse(json);
    if (said !== undefined) {
      heed(said);
      return;
    }
    const { data: answer } = ANSWER.safeParse(json);
    const done = answer && waiting.get(answer.id);
    if (answer === undefined || done === undefined) return;
    done(answer.result ?? (answer.error === undefined ? null : REFUSED));
  });
  const isOpen = (): boolean => web.readyState === Client.OPEN;
  const call = async (method: string, params: object): Promise<unknown> => {
    if (!isOpen()) return null;
    const id = ++last;
    const result = new Promise<unknown>((resolve) => {
      const limit = setTimeout(() => done(null), SOURCES.answerMs).unref();
      const done = (answer: unknown): void => {
        clearTimeout(limit);
        waiting.delete(id);
        resolve(answer);
      };
      waiting.set(id, done);
    });
    socket.ref();
    web.send(JSON.stringify({ id, method, params }));
    const said = await result;
    if (waiting.size === 0) socket.unref();
    return said;
  };
  const { ask, attempt } = askingBy(call);
  await new Promise<void>((resolve, reject) => {
    web.once('open', resolve);
    web.once('close', () => reject(new Error('no server answers there')));
  });
  const capabilities = { optOutNotificationMethods: UNREAD };
  const welcome = await ask('initialize', { clientInfo: CLIENT, capabilities }, WELCOME);
  if (isOpen()) web.send(JSON.stringify({ method: 'initialized' }));
  const send = (message: object): void => {
    if (isOpen()) web.send(JSON.stringify(message));
  };
  return { ask, attempt, send, userAgent: welcome?.userAgent ?? '', isOpen, close: () => web.terminate() };
}

/** Whether this user's server may be there: it may be a link into the folder for temporary files. */
async function isOurs(path: string): Promise<boolean> {
  const there = await stat(path).catch(() => null);
  return there?.isSocket() === true && there.uid === process.getuid?.();
}

/** A line on which the server may say more than it is asked. Rejects where no server of a known version answers. */
export async function joinedLine(path: string, heed: (said: Said) => void): Promise<CodexLine> {
  if (!(await isOurs(path))) throw new Error('no server of this user is there');
  const line = await openLine(path, heed);
  if (isKnown(line.userAgent)) return line;
  line.close();
  throw new Error(`its version is not known: ${line.userAgent}`);
}

/** Tried with 0.169 and 0.171. */
const KNOWN = /^[\w-]+\/0\.(\d+)\./;
const FIRST_KNOWN = 169;
const isKnown = (userAgent: string): boolean => Number(KNOWN.exec(userAgent)?.[1] ?? 0) >= FIRST_KNOWN;

export interface CodexServer {
  /**
   * Its threads, of which those that `matters` names are as they are now; null = it is not there, or of no known form. One answer serves
   * all that ask within `SOURCES.sharedMs`. Never rejects; may take for ever.
   */
  threads(matters: (thread: Thread) => boolean): Promise<readonly Thread[] | null>;
}

/** `path`: of its socket, which may not be there. `now`: a clock that no step moves. */
export function codexServer(path: string, now: () => Instant): CodexServer {
  let line: Promise<CodexLine> | null = null;
  /** Where a thread is and who began it never changes. */
  const known = new Map<string, Thread>();
  let shared: { readonly at: number; readonly threads: Promise<readonly Thread[] | null> } | null = null;
  const opened = async (): Promise<CodexLine | null> => {
    // Another user's server could say anything.
    if (!(await isOurs(path))) return null;
    const before = await line?.catch(() => null);
    if (before?.isOpen() === true) return before;
    known.clear();
    line = openLine(path);
    return line.catch(() => null);
  };
  /** Whether it was told, in a form that is known. */
  const read = async ({ ask }: CodexLine, threadId: string): Promise<boolean> => {
    const found = await ask('thread/read', { threadId }, READ);
    if (found === null) known.delete(threadId);
    else known.set(threadId, found.thread);
    return found !== null;
  };
  const look = async (matters: (thread: Thread) => boolean): Promise<readonly Thread[] | null> => {
    const to = await opened();
    if (to === null || !isKnown(to.userAgent)) return null;
    const list = await to.ask('thread/loaded/list', {}, LIST);
    if (list === null) return null;
    for (const id of known.keys()) if (!list.data.includes(id)) known.delete(id);
    // A part of an agent's work may be in another folder, and asks on the screen of that agent.
    const isNeeded = (id: string): boolean => {
      const before = known.get(id);
      return before === undefined || before.parentThreadId !== null || matters(before);
    };
    const told = await Promise.all(list.data.filter(isNeeded).map((id) => read(to, id)));
    // One that is not told could be the second thread of an agent, or the part that asks.
    return told.includes(false) ? null : [...known.values()];
  };
  const quiet = (): void => void line?.then(({ close }) => close()).catch(() => undefined);
  let idle: NodeJS.Timeout | undefined;
  return {
    threads: (matters) => {
      clearTimeout(idle);
      idle = setTimeout(quiet, SOURCES.idleLineMs).unref();
      if (shared === null || now() - shared.at >= SOURCES.sharedMs) shared = { at: now(), threads: look(matters) };
      return shared.threads;
    },
  };
}
