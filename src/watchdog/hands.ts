/** The hands of the watchdog chain: what it reads, announces and files. */
import type { OutcomeBody, SessionRecord, WallMs, Discovered, Letter } from '../../machines/protocol.ts';
import { agentOfSession, sessionOfAgent } from '../../machines/rigs/names.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import type { Mailbox, Received } from '../../state/mail/mailbox.ts';
import { noteRead, readNote, readPause, type NoteOptions } from '../../state/watchdog/records.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { warrantText } from '../../state/hearings/warrants.ts';
import type { HearingDeps } from '../hearings/view.ts';
import type { Announce, Clock, Hands } from '../ports/ports.ts';
import { Ages } from './staleness.ts';
import { findSession, type FindDeps } from './find.ts';
import { moodOf } from './pane-state.ts';
import { observeDeacon } from './observe.ts';

export interface WatchdogNeeds {
  readonly clock: Clock;
  readonly notes: NoteOptions;
  readonly announce: Announce;
  readonly hearing: HearingDeps;
  readonly find: FindDeps;
  readonly sessions: () => Promise<readonly SessionRecord[]>;
  readonly session: (name: string) => Promise<SessionRecord | null>;
  /** Whether a hearing of this life is open. */
  readonly isHeard: (uuid: string) => Promise<boolean>;
  /** The Deacon's mailbox. */
  readonly mailbox: Mailbox;
  /** Names the actor's life in its beats. */
  readonly actor: string;
}

type Looks = 'readBoot' | 'readNote' | 'observeDeacon' | 'discover' | 'readDeaconMail';
type Acts = 'announce' | 'archiveDeaconMail' | 'fileWarrant';

/** Letters of one reading; a flood waits for the next one. */
const MAX_LETTERS = 500;

/** When this life beat last (D-4): only the Deacon's session does. null = never, or another life did. */
export const heartbeatOf =
  (notes: NoteOptions) =>
  async (uuid: string): Promise<WallMs | null> => {
    const beat = await readNote(notes, 'heartbeat');
    return beat?.incarnation === uuid ? beat.at : null;
  };

export function watchdogHands(needs: WatchdogNeeds): Pick<Hands, Looks | Acts> {
  const { notes, announce, clock, mailbox, actor } = needs;
  const ages = new Ages(clock);
  const startedAt = clock.now();
  const observe = observeDeacon({
    processes: needs.hearing.processes,
    ages,
    session: needs.session,
    find: (name) => findSession(needs.find, name),
    mood: (life) => moodOf(needs.hearing, life),
    heartbeat: () => readNote(notes, 'heartbeat'),
    pause: () => readPause(notes),
    unread: () => mailbox.unread(),
    isHeard: needs.isHeard,
    actor: () => ({ uuid: actor, startedMsAgo: Math.round(clock.now() - startedAt) }),
  });
  return {
    announce: ({ news }) => {
      announce(news);
      return Promise.resolve({ type: 'ANNOUNCED' });
    },
    readBoot: async () => {
      const running = await readNote(notes, 'bootRunning');
      const markMs = running === null ? null : ages.of('boot', running.at);
      // Only one town runs in a root: the Boot of a mark that is older than this process ended with its town.
      const isOver = markMs !== null && markMs > clock.now() - startedAt;
      return { type: 'BOOT_READ', runningMs: isOver ? null : markMs, status: await readNote(notes, 'bootStatus') };
    },
    readNote: ({ note }) => noteRead(notes, note),
    observeDeacon: observe,
    discover: async ({ names }) => {
      const found = await Promise.all(names.map((name) => discover(needs, name)));
      const paused = (await readPause(notes)) !== null;
      return { type: 'DISCOVERED', paused, found };
    },
    readDeaconMail: () => readMail(needs),
    archiveDeaconMail: async ({ ids, aside = [] }) => {
      await mailbox.archiveAll(ids);
      await mailbox.shelve(aside, 'aside');
      return { type: 'MAIL_ARCHIVED' };
    },
    fileWarrant: async ({ warrant }) => {
      await notes.disk.mkdir(FOLDERS.warrants);
      await writeFiles(notes.disk, [{ path: paths.warrant(warrant.id), text: warrantText(warrant) }]);
      announce({ type: 'CHANGED', what: 'warrants' });
      return { type: 'WARRANT_WRITTEN' };
    },
  };
}

/** tmux itself is asked; only an agent that lives apart from tmux (C-7) is known by its record and its process. */
async function discover(needs: WatchdogNeeds, name: string): Promise<Discovered> {
  const record = await needs.session(name);
  const known = record?.incarnation ?? null;
  if (known?.origin === 'detached' && needs.hearing.processes.alive(known.agent))
    return { name, life: 'alive', uuid: null };
  const { life, uuid } = await findSession(needs.find, name);
  return { name, life, uuid, retired: record !== null && isRetired(record) };
}

type MailRead = Extract<OutcomeBody, { type: 'DEACON_MAIL_READ' }>;

async function readMail({ mailbox, sessions, notes, clock }: WatchdogNeeds): Promise<MailRead> {
  const waiting = mailbox.page(['new', 'cur'], { limit: MAX_LETTERS, from: 'oldest' });
  const counts = mailbox.still(clock.wall()).counts();
  const [letters, records, pause, { aside }] = await Promise.all([waiting, sessions(), readPause(notes), counts]);
  const living = records.filter(({ state }) => state === 'running' || state === 'observed');
  const isUnwell = ({ state, crashLoop }: SessionRecord): boolean => crashLoop || state === 'backing_off';
  return {
    type: 'DEACON_MAIL_READ',
    letters: letters.map((letter) => letterOf(letter, living)),
    known: records.map(({ spec }) => ({ name: spec.name, address: agentOfSession(spec) })),
    aside,
    healthy: living.filter((record) => !isUnwell(record)).length,
    unhealthy: records.filter(isUnwell).length,
    paused: pause !== null,
  };
}

function letterOf(
  { id, from, via, subject, body, sent_at, incarnation }: Received,
  living: readonly SessionRecord[],
): Letter {
  const session = sessionOfAgent(from);
  const record = living.find(({ spec }) => spec.name === session);
  const uuid = record?.incarnation?.uuid;
  const sender = uuid === undefined ? null : { session, uuid };
  return { id, from, via, subject, body, sentAt: Date.parse(sent_at), writtenBy: incarnation ?? null, sender };
}
