/**
 * The hand of the worker monitor: one look at every worker, from what is known already. Sessions come from memory, states
 * from the programs themselves and the screens that the scans read; a screen is captured only for the words of an alert.
 */
import type { Incarnation, OutcomeBody, SessionRecord, StatusReport, WorkerSeen } from '../../machines/protocol.ts';
import type { Word } from '../../machines/sessions/agent-state.ts';
import type { MonitorPolicy } from '../../machines/monitor/policy.ts';
import type { Mailbox } from '../../state/mail/mailbox.ts';
import type { AgentNow } from '../overview/agents-now.ts';
import type { Wrote } from '../overview/standstill.ts';
import type { Hands } from '../ports/ports.ts';
import { isWorker } from './workers.ts';

export interface MonitorNeeds {
  readonly policy: MonitorPolicy;
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  /** `isLooked`: right after a look, which heard all of them. */
  readonly agents: (lives: readonly Incarnation[], isLooked: boolean) => Promise<ReadonlyMap<string, AgentNow>>;
  /** Looks at the screens of all these that changed, and at those of workers that stand still. Never rejects. */
  readonly look: (lives: readonly Incarnation[], workers: readonly Incarnation[]) => Promise<void>;
  /** What its screen showed when it was read last; null = it was not read. */
  readonly wrote: (uuid: string) => Wrote | null;
  /** When this life began the work in which it was seen last; null = none was seen. */
  readonly workedSince: (uuid: string) => number | null;
  /** Which question this life asks; undefined = none that is known. */
  readonly questionOf: (uuid: string) => string | undefined;
  /** The last lines that these lives show now, by uuid; those that cannot be seen are missing. */
  readonly linesOf: (lives: readonly Incarnation[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly reports: (sessions: readonly string[]) => Promise<ReadonlyMap<string, StatusReport>>;
  /** Of the orchestrators' tag. */
  readonly mailbox: Mailbox;
}

type Living = SessionRecord & { readonly incarnation: Incarnation };

const isLiving = (r: SessionRecord): r is Living =>
  r.incarnation !== null && (r.state === 'running' || r.state === 'observed');

export function pollHand(needs: MonitorNeeds): Hands['pollWorkers'] {
  const { policy, mailbox } = needs;
  return async ({ preview, isRegular }) => {
    const living = (await needs.sessions()).filter(isLiving);
    const orchestrators = living.filter(({ spec }) => spec.tags.includes(policy.orchestratorTag));
    const workers = living.filter(({ spec }) => isWorker(spec, policy));
    const livesOf = (all: typeof living): Incarnation[] => all.map(({ incarnation }) => incarnation);
    if (workers.length > 0 && isRegular) await needs.look(livesOf(living), livesOf(workers));
    const seen =
      workers.length === 0 ? [] : await lookAt(needs, workers, { preview: new Set(preview), isLooked: isRegular });
    const waiting = await waitingIn(mailbox, TIMES[policy.mode]);
    return {
      type: 'WORKERS_SEEN',
      workers: seen,
      orchestrators: orchestrators.map(({ incarnation }) => incarnation),
      waiting,
      isRegular,
    };
  };
}

interface Poll {
  readonly preview: ReadonlySet<string>;
  readonly isLooked: boolean;
}

async function lookAt(
  needs: MonitorNeeds,
  workers: readonly Living[],
  { preview, isLooked }: Poll,
): Promise<WorkerSeen[]> {
  const lives = workers.map(({ incarnation }) => incarnation);
  const agents = await needs.agents(lives, isLooked);
  const reports = await needs.reports(lives.map(({ session }) => session));
  const unread = lives.filter(({ uuid }) => preview.has(uuid) && agents.get(uuid)?.verdict.word?.by === 'program');
  const lines = unread.length === 0 ? new Map<string, readonly string[]>() : await needs.linesOf(unread);
  return workers.map(({ spec, incarnation }) => {
    const { uuid, session } = incarnation;
    const report = reports.get(session);
    return seenOf({ tags: spec.tags, life: incarnation }, agents.get(uuid), {
      wrote: needs.wrote(uuid),
      workedSince: needs.workedSince(uuid),
      question: needs.questionOf(uuid),
      lines: lines.get(uuid) ?? null,
      report: report?.uuid === uuid ? report : null,
    });
  });
}

interface Known {
  readonly wrote: Wrote | null;
  readonly workedSince: number | null;
  readonly question: string | undefined;
  readonly lines: readonly string[] | null;
  readonly report: StatusReport | null;
}

const SILENT: AgentNow = { verdict: { state: 'unknown', word: null, disagree: [] }, unheard: null, conversation: null };
const NO_WORD = { since: null, source: null, rule: null, detail: null };

/** A program that works or asks is read only at a standstill: else what its screen showed is nothing of now. */
const isRead = (word: Word | null): boolean => word?.by !== 'program' || word.state === 'idle';

function seenOf(
  worker: Pick<WorkerSeen, 'life' | 'tags'>,
  now: AgentNow = SILENT,
  { wrote, workedSince, question, lines, report }: Known,
): WorkerSeen {
  const { state, word } = now.verdict;
  const { since, source, rule, detail } = word ?? NO_WORD;
  const shown = isRead(word) ? wrote : null;
  return {
    ...worker,
    state,
    since,
    source,
    rule,
    detail,
    ...(question !== undefined && { question }),
    workedSince: state === 'working' && since !== null ? since : workedSince,
    report: report && { status: report.status, message: report.message, outcome: report.outcome, at: report.at },
    mark: markOf(now, state === 'working' ? wrote : shown),
    lines: lines ?? wrote?.lines ?? [],
    error: shown?.error ?? null,
    isExcused:
      now.hasTool === true || (word?.by === 'program' && word.state === 'working' && now.progress === undefined),
  };
}

/** null = nothing of it is known now. */
function markOf({ verdict: { word, disagree }, progress = '' }: AgentNow, shown: Wrote | null): string | null {
  if (disagree.length > 0 || (word === null && shown === null)) return null;
  const said =
    word === null ? '' : word.by === 'program' ? `${word.state} ${word.since ?? ''} ${progress}` : word.state;
  return `${said} ${shown?.news ?? ''}`;
}

type Waiting = Extract<OutcomeBody, { type: 'WORKERS_SEEN' }>['waiting'];

/** What of the mailbox is about workers: what the town wrote, and letters too where an agent writes to the tag (M-10). */
const TIMES = { actor: /^worker-(\d{12,14})-/, session: /^(?:worker|m)-(\d{12,14})-/ };

/** By the names of its messages: nothing is opened. */
async function waitingIn(mailbox: Mailbox, time: RegExp): Promise<Waiting> {
  const names = await mailbox.names(['new']).catch(() => null);
  if (names === null) return null;
  const times = names.flatMap((name) => time.exec(name)?.[1] ?? []).map(Number);
  const [oldestAt, newestAt] = times.length === 0 ? [null, null] : [Math.min(...times), Math.max(...times)];
  return { count: times.length, oldestAt, newestAt };
}
