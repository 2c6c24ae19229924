/**
 * All that a person wants to see at a glance: sessions as tmux and the processes show them now, hearings, alerts, mail.
 * The running town gives it (it has everything loaded); a command makes its own when the town is down.
 */
import { Alerts } from '../../state/alerts/episodes.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS, isRecordName, nameOf } from '../../state/files/layout.ts';
import { Mailbox, type Received } from '../../state/mail/mailbox.ts';
import type { Incarnation, SessionRecord } from '../../machines/protocol.ts';
import type { TokensView } from '../costs/view.ts';
import type { Load } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import { socketHolder } from '../tmux/socket-hold.ts';
import type { AgentNow } from './agents-now.ts';
import { Onlooker } from './onlooker.ts';
import { alertsNow, openAlert, type AskedNow, type OpenAlert } from './open-alerts.ts';
import { orUnknown, readOpenDances } from './records.ts';
import { OVERVIEW } from './policy.ts';
import { rigsView, type RigsView } from './rigs.ts';
import type { Scene } from './scene.ts';
import { sessionViews, type SessionView } from './sessions.ts';

export interface UnreadMail {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  /** Who really wrote it: `operator`, `agent`, or `town`; absent in the answer of an older town. */
  readonly via?: string;
  /** It waits for an answer or a decision. Absent where an older town tells. */
  readonly needs_response?: boolean;
}

/** null = its folder cannot be read: unknown. */
export interface Waiting {
  /** Hearings under way. */
  readonly dances: number | null;
  readonly alerts: readonly OpenAlert[] | null;
  /** Unread messages for the overseer: the newest, at most `OVERVIEW.mail` and as many of the town's own. */
  readonly mail: readonly UnreadMail[] | null;
  /** How many are unread; absent where an older town tells. */
  readonly mail_count?: number | null;
}

export interface Overview extends Waiting {
  /** null = the records cannot be read, so that our sessions and foreign ones look alike. */
  readonly sessions: readonly SessionView[] | null;
  readonly tmux_socket: string;
  /** The town that has the socket, whichever it is; `pid` null = its guard starts it again. null = none has. */
  readonly tmux_holder: {
    readonly root: string | null;
    readonly pid: number | null;
    readonly guard_pid: number | null;
  } | null;
  /** Absent = the town has no rigs, or is an older one; null = their records cannot be read. */
  readonly work?: RigsView | null;
  /** Why tmux could not be asked; null = it was. */
  readonly tmux_fault: string | null;
  /** One sentence per file that does not count, and per folder that cannot be read. */
  readonly unreadable: readonly string[];
}

type Table = Pick<ProcessTable, 'alive' | 'loadOf'>;

export interface OverviewNeeds {
  readonly disk: Disk;
  /** Every session that the town knows; sentences about files that do not count go to `say`. Rejects as `Disk.list`. */
  readonly sessions: (say: (why: string) => void) => Promise<readonly SessionRecord[]>;
  readonly processes: Table;
  /** CPU ms per s of this life of late; null = not measured. */
  readonly rateOf: (uuid: string) => number | null;
  /** What this life asks a person; null = nothing, or no town runs; undefined = its pane was not looked at yet. */
  readonly asksOf: (uuid: string) => string | null | undefined;
  /** The question of this life, as this look found it; null = it asks nothing, undefined = that is not known. */
  readonly questionNow: (uuid: string) => AskedNow | null | undefined;
  /** What the conversation of this life took; null = not known. */
  readonly tokensOf: (uuid: string) => TokensView | null;
  /** How the agents of these lives are. Never rejects. */
  readonly agents: (lives: readonly Incarnation[]) => Promise<ReadonlyMap<string, AgentNow>>;
  readonly see: () => Promise<Scene>;
}

const OVERSEER = 'overseer';

/** Looks only; rejects when the disk gives no answer. */
export async function overviewOf(needs: OverviewNeeds): Promise<Overview> {
  const { disk, sessions, processes, see, rateOf, asksOf, tokensOf } = needs;
  const unreadable: string[] = [];
  const say = (why: string): void => void unreadable.push(why);
  const told = <T>(what: string, reading: Promise<T>): Promise<T | null> => orUnknown(reading, what, say);
  const files = { disk, quarantine: new Onlooker(disk, say) };
  const [records, names, scene, dances, alerts, mail, work] = await Promise.all([
    told('the sessions', sessions(say)),
    disk.list(FOLDERS.sessions).catch(() => []),
    see(),
    told('the hearings', readOpenDances(disk)),
    told('the alerts', new Alerts({ ...files }).list()),
    told('your mail', unreadIn(new Mailbox(files, OVERSEER))),
    told(
      'the rigs',
      rigsView(files).then((view) => view ?? undefined),
    ),
  ]);
  const known = records ?? [];
  const lives = known.flatMap(({ incarnation }) => incarnation ?? []);
  const [holder, loads, agents] = await Promise.all([
    socketHolder(scene.socketPath, processes),
    loadsOf(lives, processes),
    needs.agents(lives),
  ]);
  const around = {
    scene,
    processes,
    loads,
    agents,
    rateOf,
    asksOf,
    tokensOf,
    dances: dances?.found.map(({ value }) => value) ?? [],
    wall: Date.now(),
  };
  return {
    sessions: records && sessionViews(records, { ...around, doubtful: withoutRecord(names, records) }),
    ...(work !== undefined && { work }),
    tmux_socket: scene.socketPath,
    tmux_holder: holder && { root: holder.root, pid: holder.pid, guard_pid: holder.guardPid },
    tmux_fault: scene.fault,
    unreadable: [...unreadable, ...(dances?.unreadable ?? [])],
    dances: dances && dances.found.length,
    alerts: alerts && alertsNow(alerts.map(openAlert), known, needs.questionNow),
    mail: mail && mail.newest.map(unreadMail),
    mail_count: mail && mail.count,
  };
}

/** What is written to the operator is the operator's to read (law 11): the list is empty for a caller with a token. */
export const lettersFor = <T>(token: string | null | undefined, letters: readonly T[] | null): readonly T[] | null =>
  (token ?? null) === null || letters === null ? letters : [];

/** As many files are opened of 10 letters as of 100,000. */
export async function unreadIn(
  mailbox: Mailbox,
): Promise<{ readonly newest: readonly Received[]; readonly count: number }> {
  const box = mailbox.still(Date.now());
  const { new: fresh, later, aside } = await box.counts();
  const limits = { limit: OVERVIEW.mail, from: 'newest' } as const;
  // News of the town's own is much, and hides no letter that waits for an answer.
  const letters = await box.page(['new'], { ...limits, of: 'letters' });
  const notices = await box.page(['new'], { ...limits, of: 'notices' });
  return { newest: [...notices, ...letters], count: fresh + later + aside };
}

/** Names of sessions that have a file of their own which does not count. */
function withoutRecord(files: readonly string[], records: readonly SessionRecord[]): readonly string[] {
  const counted = new Set(records.map(({ spec }) => `${nameOf(spec.name)}.json`));
  return files.filter((file) => isRecordName(file) && !counted.has(file)).map((file) => file.slice(0, -'.json'.length));
}

/** A message as the overview shows it. */
export const unreadMail = ({ id, from, subject, via, needs_response }: Received): Required<UnreadMail> => {
  return { id, from, subject, via, needs_response };
};

/** One pass over all processes; none where they cannot be listed: a glance is no reason to fail. */
async function loadsOf(lives: readonly Incarnation[], processes: Table): Promise<Map<string, Load>> {
  const loads = await processes.loadOf(lives.map(({ agent }) => agent)).catch(() => []);
  return new Map(
    lives.flatMap(({ uuid }, at) => {
      const load = loads[at] ?? null;
      return load === null ? [] : [[uuid, load] as const];
    }),
  );
}
