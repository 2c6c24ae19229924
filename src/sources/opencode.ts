/**
 * opencode's own word: the server that it runs in itself where it was started with `--port` and a password says which of its
 * conversations are at work, and what they ask.
 * 1. It is asked only with the password of that very process, at a socket that this process, or one below it, holds.
 * 2. Without a password nothing is asked: any user of the machine could have answered.
 * 3. One that tries again after a refusal says why only in words: the screen's rules read them.
 * 4. `idle` says only that no turn runs.
 * 5. On a busy machine it answers late, or never, what it is asked while it starts. It says only once which conversation it goes on
 *    with: that holds while it lives, also where it says nothing more.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import type { Proc, WallMs } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import { listeningOf, type Listening } from '../proc/listens.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Clock } from '../ports/ports.ts';
import { asksAt, SESSION, type OpencodeAsk } from './opencode-asks.ts';
import { opencodeGives } from './opencode-gives.ts';
import { hearFrom, readFrom, type OpencodeServer } from './opencode-server.ts';
import { withLateWords, type Waits } from './late-words.ts';
import type { Ear, Heard, ProgramPort } from './port.ts';
import { SOURCES } from './policy.ts';

const SOURCE = 'opencode server';

const STATUS = z.record(SESSION, z.object({ type: z.enum(['idle', 'busy', 'retry']) }));
const OF = z.object({ id: SESSION, parentID: SESSION.optional() });
/** With `error`, its provider refused the turn or a person broke it off: that is nothing that it did. */
const DONE = z.array(
  z.object({
    info: z.object({
      role: z.literal('assistant'),
      error: z.undefined().optional(),
      time: z.object({ created: z.number(), completed: z.number().optional() }),
    }),
  }),
);
const MESSAGES = z.array(
  z.object({
    info: z.object({ id: z.string() }),
    parts: z.array(
      z.looseObject({
        type: z.string(),
        tool: z.string().optional(),
        state: z
          .looseObject({
            status: z.string(),
            input: z.looseObject({ timeout: z.number().optional() }).optional(),
            time: z.looseObject({ start: z.number() }).optional(),
          })
          .optional(),
      }),
    ),
  }),
);
type Messages = z.output<typeof MESSAGES>;

type Processes = Pick<ProcessTable, 'alive' | 'children' | 'commandOf' | 'proc' | 'variableOf'>;

interface Around {
  readonly processes: Processes;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
}

export function opencodePort({ processes, clock, waitMs }: Around & Waits): ProgramPort {
  return {
    kind: 'opencode',
    open: (proc) => {
      const argv = processes.commandOf(proc.pid)?.argv ?? [];
      if (!argv.some((word) => word === '--port' || word.startsWith('--port='))) return null;
      const password = processes.variableOf(proc, 'OPENCODE_SERVER_PASSWORD') ?? '';
      if (password === '') return null;
      const user = processes.variableOf(proc, 'OPENCODE_SERVER_USERNAME') ?? 'opencode';
      const find = finder(proc, { processes, clock });
      const serverNow = async (): Promise<OpencodeServer | null> => {
        const at = await find();
        return at === null ? null : { host: at.host, port: at.port, user, password };
      };
      const { hear, kept } = hearer(serverNow, resumedIn(argv), { clock, waitMs });
      const whileAlive = (heard: Heard | null): Heard | null =>
        orNull(() => processes.alive(proc)) === true ? heard : null;
      const place = `opencode ${proc.pid} ${proc.started}`;
      // Whether it lives is asked after its server was.
      return { place, waitMs, hear: () => hear().then(whileAlive), kept: () => whileAlive(kept()) };
    },
  };
}

/** The conversation that it was started to go on with; null = with none. */
function resumedIn(argv: readonly string[]): string | null {
  const at = argv.findIndex((word) => word === '--session' || word === '-s');
  const word = at < 0 ? argv.find((one) => one.startsWith('--session='))?.slice('--session='.length) : argv[at + 1];
  return SESSION.safeParse(word).data ?? null;
}

/** Where it listens now: itself, or what its launcher started. A search over all processes is made ever more rarely. */
function finder(proc: Proc, { processes, clock }: Around): () => Promise<Listening | null> {
  let found: Listening | null = null;
  let below: readonly Proc[] = [];
  let searches = 0;
  let nextAt = 0;
  const listening = (): Listening | null => {
    for (const one of [proc, ...below]) {
      // The number of one that ended may be a stranger's by now.
      const at = orNull(() => processes.alive(one)) === true ? listeningOf(one.pid) : null;
      if (at !== null) return at;
    }
    return null;
  };
  return async () => {
    if (found?.isHeld() === true) return found;
    found = listening();
    if (found !== null || clock.now() < nextAt) return found;
    nextAt = clock.now() + Math.min(SOURCES.searchEveryMs, SOURCES.firstSearchMs * 2 ** searches);
    searches += 1;
    const children = await processes.children().catch(() => new Map<number, readonly number[]>());
    const pids = [...(children.get(proc.pid) ?? [])];
    for (const pid of pids) pids.push(...(children.get(pid) ?? []));
    below = pids.flatMap((pid) => orNull(() => processes.proc(pid)) ?? []);
    found = listening();
    return found;
  };
}

/** What it does and asks now, by conversation. */
interface Said {
  readonly busy: readonly string[];
  readonly isRetrying: boolean;
  readonly asks: readonly OpencodeAsk[];
}

async function saidAt(server: OpencodeServer): Promise<Said | null> {
  const [status, asks] = await Promise.all([hearFrom(server, '/session/status', STATUS), asksAt(server)]);
  if (status === null || asks === null) return null;
  const doing = (type: string): string[] =>
    Object.entries(status).flatMap(([session, one]) => (one.type === type ? [session] : []));
  const retrying = doing('retry');
  return { busy: [...doing('busy'), ...retrying], isRetrying: retrying.length > 0, asks };
}

function hearer(
  serverNow: () => Promise<OpencodeServer | null>,
  resumed: string | null,
  { clock, waitMs }: Pick<Around, 'clock'> & Waits,
): { readonly hear: Ear['hear']; readonly kept: () => Heard | null } {
  const wall = (): WallMs => clock.wall();
  let conversation: string | null = null;
  let hasWorked = false;
  const isUntold = (): boolean => resumed !== null && conversation === null && !hasWorked;
  const claim = claimer(resumed ?? '', () => {
    if (isUntold()) conversation = resumed;
  });
  const parents = new Map<string, string>();
  const kept = (): Heard | null => (conversation === null ? null : { word: null, conversation, isSilent: true });
  const hear = async (): Promise<Heard | null> => {
    const server = await serverNow();
    if (server === null) return null;
    const claimed = isUntold() ? claim(server) : null;
    const said = await saidAt(server);
    if (said === null) return kept();
    const active = [...said.busy, ...said.asks.map(({ session }) => session)];
    // One terminal has a few; each more is a question to a server that may lie.
    if (active.length > SOURCES.maxActive) return null;
    const roots = new Set<string>();
    hasWorked ||= active.length > 0;
    for (const session of active) roots.add(await rootOf(server, session, parents));
    const [root] = roots;
    // A person may have begun another one while the first goes on: which one the next life goes on with is unknown then.
    if (root !== undefined) conversation = roots.size === 1 ? root : null;
    else if (claimed !== null) await Promise.race([claimed, pause(SOURCES.claimWaitMs)]);
    const word = wordOf(said, wall());
    const [asking] = said.asks;
    const heard = {
      word,
      conversation,
      ...(conversation !== null && { books: { program: 'opencode', server, conversation } as const }),
    };
    if (asking !== undefined) return { ...heard, asked: asking.asked };
    if (word?.state === 'idle' && conversation !== null)
      return { ...heard, ...(await datedAt(server, conversation)), gives: opencodeGives(server, conversation, wall) };
    if (word?.state !== 'working' || said.busy.length === 0) return heard;
    return { ...heard, ...(await workAt(server, said.busy, wall())) };
  };
  return { hear: withLateWords(hear, kept, { clock, waitMs }), kept };
}

/**
 * A command line is no word of its program's: its server has to know that conversation. It is asked once at a time, for longer than a
 * look waits: its answer counts also when it comes behind that.
 */
function claimer(session: string, isTold: () => void): (server: OpencodeServer) => Promise<void> {
  let asked: Promise<void> | null = null;
  return (server) =>
    (asked ??= readFrom(server, `/session/${session}`, OF, SOURCES.claimMs).then((found) => {
      asked = null;
      if (found !== null) isTold();
    }));
}

/**
 * When it did something last: a turn may be shorter than the time between two looks. Its conversation's own date moves with words that are
 * typed to it, so that its own last message counts.
 */
async function datedAt(server: OpencodeServer, conversation: string): Promise<Pick<Heard, 'changedAt'>> {
  const [last] = (await hearFrom(server, `/session/${conversation}/message?limit=1`, DONE)) ?? [];
  return last === undefined ? {} : { changedAt: last.info.time.completed ?? last.info.time.created };
}

/** What an agent began for a part of its work belongs to the conversation of that agent. */
async function rootOf(server: OpencodeServer, session: string, parents: Map<string, string>): Promise<string> {
  let at = session;
  for (let depth = 0; depth < SOURCES.maxParts; depth += 1) {
    if (!parents.has(at)) {
      const found = await hearFrom(server, `/session/${at}`, OF);
      if (found === null) return at;
      if (parents.size >= SOURCES.maxThreads) parents.clear();
      parents.set(at, found.parentID ?? '');
    }
    const parent = parents.get(at) ?? '';
    if (parent === '') return at;
    at = parent;
  }
  return at;
}

function wordOf({ busy, isRetrying, asks: [first] }: Said, at: WallMs): Heard['word'] {
  const word = { by: 'program', source: SOURCE, since: null, at, rule: null, detail: null } as const;
  if (first !== undefined) return { ...word, state: 'asks', detail: first.detail };
  if (isRetrying) return null;
  return { ...word, state: busy.length > 0 ? 'working' : 'idle' };
}

/** How far those at work are, and whether a tool of theirs runs that has time left (M-3). */
async function workAt(
  server: OpencodeServer,
  busy: readonly string[],
  now: WallMs,
): Promise<Pick<Heard, 'progress' | 'hasTool'>> {
  const all = await Promise.all(busy.map((one) => hearFrom(server, `/session/${one}/message?limit=1`, MESSAGES)));
  const told = all.filter((one) => one !== null);
  if (told.length < all.length) return {};
  const progress = told.map((messages) => `${messages[0]?.info.id} ${JSON.stringify(messages).length}`).join(' ');
  return { progress, ...(told.some((messages) => hasTool(messages, now)) && { hasTool: true }) };
}

function hasTool([last]: Messages, now: WallMs): boolean {
  const { shellMs, otherMs, subagentMs, graceMs } = SOURCES.tools;
  return (last?.parts ?? []).some(({ type, tool, state }) => {
    if (type !== 'tool' || state?.status !== 'running') return false;
    const shell = Math.min(state.input?.timeout ?? shellMs, otherMs);
    const limit = tool === 'task' ? subagentMs : tool === 'bash' ? shell : otherMs;
    return now < (state.time?.start ?? now) + limit + graceMs;
  });
}
