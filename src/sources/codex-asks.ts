/**
 * What a Codex asks, by its server: a client that joins the thread gets the question that its terminal shows, with an id, and may
 * answer it there. As seen with 0.169.
 * 1. The thread is joined only while it waits for an answer, on a line of its own.
 * 2. The server says which questions are over. An answer goes out only for one that is open on this very line.
 * 3. What gives more is the very decision that the server offers with the question. A change of files, of which it sends no words, is left
 *    to the pane.
 */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import {
  choiceLines,
  choiceOffers,
  lineOf,
  linesOf,
  MORE,
  ONCE,
  permissionOffers,
  REJECT,
  type Asked,
  type Taken,
} from './question.ts';
import { joinedLine, type CodexLine, type Said } from './codex-server.ts';
import { SOURCES } from './policy.ts';

const COMMAND = z.object({
  threadId: z.string(),
  itemId: z.string(),
  /** Of each approval, where one item asks for several. */
  approvalId: z.string().nullish(),
  reason: z.string().nullish(),
  environmentId: z.string().nullish(),
  kind: z.literal('command').optional(),
  command: z.string(),
  cwd: z.string().nullish(),
  /** More than the command itself. */
  additionalPermissions: z.null().optional(),
  networkApprovalContext: z.null().optional(),
  /** A rule by which later commands would run unasked. */
  proposedExecpolicyAmendment: z.array(z.unknown()).nullish(),
  availableDecisions: z.array(z.unknown()).nullish(),
});
const RULE = z.strictObject({
  acceptWithExecpolicyAmendment: z.strictObject({ execpolicy_amendment: z.array(z.string()).min(1) }),
});
const INPUT = z.object({
  threadId: z.string(),
  itemId: z.string(),
  questions: z.tuple([
    z.object({
      id: z.string(),
      question: z.string(),
      isSecret: z.literal(false).default(false),
      options: z.array(z.object({ label: z.string(), description: z.string().default('') })).max(SOURCES.maxShown),
    }),
  ]),
});
const RESOLVED = z.object({ requestId: z.union([z.number(), z.string()]) });

/** How one question is told, and what an option of it is to its server. */
interface Open {
  readonly asked: Omit<Asked, 'answer' | 'isOver'>;
  readonly resultOf: (label: string) => object | undefined;
}

type Id = number | string;

/** One thread that waits. */
interface Joined {
  readonly line: CodexLine;
  readonly open: ReadonlyMap<Id, Open>;
  /** True once the server said that it is over; false when it did not in time. */
  isResolved(id: Id): Promise<boolean>;
}

export interface CodexAsks {
  /** What these threads, all that wait there, ask; null = nothing that is known here. Never rejects. */
  of(threads: readonly string[]): Promise<Asked | null>;
}

/** Of one terminal. `path`: of the socket of its CODEX_HOME. */
export function codexAsks(path: string): CodexAsks {
  const joined = new Map<string, Promise<Joined | null>>();
  const leave = (isLeft: (thread: string) => boolean): void => {
    for (const [thread, one] of joined) {
      if (!isLeft(thread)) continue;
      joined.delete(thread);
      void one.then((done) => done?.line.close());
    }
  };
  let idle: NodeJS.Timeout | undefined;
  return {
    of: async (threads) => {
      clearTimeout(idle);
      // Its agent may have ended.
      idle = setTimeout(() => leave(() => true), SOURCES.idleLineMs).unref();
      leave((thread) => !threads.includes(thread));
      for (const thread of threads) {
        const before = await joined.get(thread);
        // One that cannot be joined is tried once for each question.
        if (before === undefined || before?.line.isOpen() === false) joined.set(thread, join(path, thread));
        const now = await joined.get(thread);
        const [first] = now?.open ?? [];
        if (now !== undefined && now !== null && first !== undefined) return askedBy(now, ...first);
      }
      return null;
    },
  };
}

/** null = the server does not let it be joined. Never rejects. */
async function join(path: string, threadId: string): Promise<Joined | null> {
  const open = new Map<Id, Open>();
  const resolved = new Set<Id>();
  const waiting = new Map<Id, () => void>();
  let hasAsked = (): void => undefined;
  const firstAsked = new Promise<void>((resolve) => (hasAsked = resolve));
  const heed = ({ id, method, params }: Said): void => {
    if (method === 'serverRequest/resolved') {
      const over = RESOLVED.safeParse(params).data?.requestId;
      if (over === undefined) return;
      open.delete(over);
      resolved.add(over);
      waiting.get(over)?.();
      return;
    }
    const question = id === undefined ? null : questionIn(method, params);
    if (id === undefined) return;
    if (question !== null) open.set(id, question);
    hasAsked();
  };
  const line = await joinedLine(path, heed).catch(() => null);
  if (line === null) return null;
  if ((await line.ask('thread/resume', { threadId, excludeTurns: true }, z.object({ thread: z.unknown() }))) === null) {
    line.close();
    return null;
  }
  // It comes right before or after the answer to this.
  const limit = new AbortController();
  await Promise.race([firstAsked, pause(SOURCES.joinedMs, undefined, limit).catch(() => undefined)]);
  limit.abort();
  return {
    line,
    open,
    isResolved: (id) =>
      new Promise((resolve) => {
        if (resolved.has(id)) return resolve(true);
        const done = (isOver: boolean): void => {
          clearTimeout(limit);
          waiting.delete(id);
          resolve(isOver);
        };
        const limit = setTimeout(() => done(false), SOURCES.answerMs);
        waiting.set(id, () => done(true));
      }),
  };
}

function askedBy({ line, open, isResolved }: Joined, id: Id, { asked, resultOf }: Open): Asked {
  const answer = async (label: string): Promise<Taken> => {
    const result = resultOf(label);
    if (result === undefined) return 'unknown';
    if (!open.has(id)) return 'over';
    line.send({ id, result });
    return (await isResolved(id)) ? 'taken' : 'unknown';
  };
  return { ...asked, answer, isOver: () => Promise.resolve(!open.has(id)) };
}

/** null = of a kind that is answered in the pane. */
function questionIn(method: string, params: unknown): Open | null {
  if (method === 'item/commandExecution/requestApproval') return commandIn(params);
  return method === 'item/tool/requestUserInput' ? inputIn(params) : null;
}

function commandIn(params: unknown): Open | null {
  const { data } = COMMAND.safeParse(params);
  if (data === undefined || data.availableDecisions?.includes('accept') === false) return null;
  const { threadId, itemId, approvalId, command, cwd } = data;
  const about = [
    ...(data.reason ? [`reason: ${data.reason}`] : []),
    ...(data.environmentId ? [`environment: ${data.environmentId}`] : []),
    ...(cwd ? [`folder: ${cwd}`] : []),
  ];
  const more = moreIn(data);
  const results: Readonly<Record<string, object>> = {
    [ONCE]: { decision: 'accept' },
    [REJECT]: { decision: 'decline' },
    ...(more?.gives && { [MORE]: { decision: more.decision } }),
  };
  return {
    asked: {
      id: [threadId, itemId, ...(approvalId ? [approvalId] : [])].join(' '),
      kind: 'permission',
      question: `${lineOf(`command: ${command}`)}?`,
      ...linesOf([...about, command].flatMap((text) => text.split('\n'))),
      ...permissionOffers(more?.gives),
    },
    resultOf: (label) => results[label],
  };
}

/** What it offers that gives more, a rule for later commands before all else; undefined = nothing. `gives`: as `permissionOffers` has it. */
function moreIn({ availableDecisions, proposedExecpolicyAmendment: proposed, command }: z.output<typeof COMMAND>) {
  const decisions = availableDecisions ?? [];
  const rule = decisions.flatMap((one) => RULE.safeParse(one).data ?? [])[0];
  if (rule !== undefined) {
    const begin = rule.acceptWithExecpolicyAmendment.execpolicy_amendment.join(' ');
    return {
      decision: rule,
      gives: `do not ask again for commands that begin with \`${begin}\`, until you take that out of its rules`,
    };
  }
  if (decisions.includes('acceptForSession'))
    return { decision: 'acceptForSession', gives: `do not ask again for \`${command}\` until this session ends` };
  return (proposed ?? []).length === 0 ? undefined : { decision: null, gives: null };
}

function inputIn(params: unknown): Open | null {
  const { data } = INPUT.safeParse(params);
  if (data === undefined) return null;
  const [{ id, question, options }] = data.questions;
  return {
    asked: {
      id: `${data.threadId} ${data.itemId}`,
      kind: 'question',
      question: lineOf(question),
      ...choiceLines([question], options),
      offers: choiceOffers(options),
      withheld: [],
    },
    resultOf: (label) => ({ answers: { [id]: { answers: [label] } } }),
  };
}
