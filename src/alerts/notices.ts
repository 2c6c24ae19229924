/**
 * What people and requesters are told: verdicts by mail, alerts as episodes, reminders of what nobody took note of (law 8).
 * 1. Telling twice is harmless: a mail has the dance, the warrant and the verdict in its id; an episode is told as an edge.
 * 2. What asks a person something is told again while nobody took note; news is told once.
 * 3. Told at least once: an episode counts as told after the telling, so a crash between tells it again.
 */
import { isStop } from '../../machines/hearings/dance.ts';
import type { Alert, Dance, EpisodeName, Ms, Warrant } from '../../machines/protocol.ts';
import { savedText } from '../../machines/hearings/saved-work.ts';
import type { Alerts, Episode } from '../../state/alerts/episodes.ts';
import { addressOf, MailRefused, type Correspondents, type Mailbox } from '../../state/mail/mailbox.ts';
import { outputPath } from '../../state/sessions/output.ts';
import type { Refused } from '../../state/files/quarantine.ts';
import { askedBy } from './questions.ts';
import { mailNotice, type Notice } from './notify.ts';
import type { Clock, OrderOf, Perform } from '../ports/ports.ts';

export interface NoticeDeps {
  readonly clock: Clock;
  readonly alerts: Alerts;
  readonly mailboxOf: (address: string) => Mailbox;
  readonly correspondents: () => Promise<Correspondents>;
  /** Runs `[notify] command`; never rejects. */
  readonly notify: (notice: Notice) => Promise<void>;
  readonly log: (text: string, more: object) => void;
  readonly remindEveryMs: Ms;
}

export interface Notices {
  readonly tell: Perform<OrderOf<'tell'>>;
  readonly alert: Perform<OrderOf<'alert'>>;
  readonly endAlert: Perform<OrderOf<'endAlert'>>;
  readonly endOthers: Perform<OrderOf<'endOthers'>>;
  readonly mail: Perform<OrderOf<'mail'>>;
  /** Tells a person at once, without a record: for the case that records cannot be written. Never rejects. */
  shout(alert: Alert): Promise<void>;
  /** Tells again what is due, for as long as the town runs. */
  remind(stop: AbortSignal): Promise<void>;
}

/** An episode that was open, and how it ended. */
interface Ended {
  readonly episode: string;
  readonly text: string;
}

/** The person behind everything. */
const OVERSEER = 'overseer';

export function createNotices(deps: NoticeDeps): Notices {
  const iso = () => new Date(deps.clock.wall()).toISOString();
  const announce = async (episode: Episode): Promise<void> => {
    const isOver = episode.ended_at !== null;
    const text = isOver ? (episode.recovery ?? episode.text) : episode.text;
    const { severity, session, count } = episode;
    const type = isOver ? null : askedBy(episode.episode, session);
    const isOldNews = !isOver && type === null && episode.told_at !== null;
    const more = { episode: episode.episode, severity, session, count, question: type !== null, type: type ?? [] };
    if (!isOldNews) {
      deps.log(text, { episode: episode.episode, severity, session });
      await deps.notify({ schema: 'notice/1', kind: isOver ? 'recovered' : 'alert', text, at: iso(), ...more });
    }
    if (isOver) await deps.alerts.forget(episode.episode);
    else await deps.alerts.told(episode.episode, deps.clock.wall());
  };
  const end = async (episode: string, text: string): Promise<Ended[]> => {
    const ended = await deps.alerts.end(episode, text, deps.clock.wall());
    if (ended === null) return [];
    await announce(ended);
    return [{ episode, text }];
  };
  return {
    tell: async ({ dance }) => {
      const known = await deps.correspondents();
      for (const warrant of dance.warrants) await mail(deps, dance, warrant, known);
      return { type: 'TOLD' };
    },
    alert: async ({ alert }) => {
      const episode = await deps.alerts.raise(alert, deps.clock.wall());
      if (episode !== null) await announce(episode);
      return { type: 'ALERTED' };
    },
    endAlert: async ({ episode, text }) => ({ type: 'ALERTED', ended: await end(episode, text) }),
    endOthers: async ({ prefix, except, text }) => {
      const open = (await deps.alerts.list()).filter(({ episode }) => episode.startsWith(prefix));
      const ended: Ended[] = [];
      for (const { episode } of open) if (!except.includes(episode)) ended.push(...(await end(episode, text)));
      return { type: 'ALERTED', ended };
    },
    mail: async ({ id, to, subject, body }) => {
      const flags = { via: 'town', urgent: false, needs_response: false } as const;
      const address = addressOf(to, await deps.correspondents());
      await post(deps, address, { id, from: 'town', subject, body, sentAt: deps.clock.wall(), ...flags });
      return { type: 'MAILED' };
    },
    shout: ({ episode, severity, session, text }) =>
      deps.notify({ schema: 'notice/1', kind: 'alert', text, at: iso(), episode, severity, session, count: 1 }),
    remind: async (stop) => {
      while (!stop.aborted) {
        try {
          for (const episode of await deps.alerts.due(deps.clock.wall())) await announce(episode);
        } catch (error) {
          deps.log('alerts could not be read; they are looked at again', { err: error });
        }
        await deps.clock.sleep(deps.remindEveryMs, stop);
      }
    },
  };
}

/** A requester who has no mailbox (a script, a person at a prompt) is answered through the overseer's. */
function addressFor(requester: string, known: Correspondents): string {
  try {
    return addressOf(requester, known);
  } catch (error) {
    if (error instanceof MailRefused) return OVERSEER;
    throw error;
  }
}

/** Into a mailbox; what is for the person also goes into the log and to their command, once. */
async function post(deps: NoticeDeps, address: string, message: Parameters<Mailbox['send']>[0]): Promise<void> {
  const isNew = await deps.mailboxOf(address).send(message);
  if (address !== OVERSEER || !isNew) return;
  const notice = mailNotice(message);
  deps.log(notice.text, { mail: message.id });
  await deps.notify(notice);
}

async function mail(deps: NoticeDeps, dance: Dance, warrant: Warrant, known: Correspondents): Promise<void> {
  const verdict = dance.verdict ?? 'failed';
  const needsPerson = verdict === 'escalated' || verdict === 'failed';
  if (isStop(warrant) && !needsPerson) return; // Whoever stopped it waits for that, and is told what was saved.
  const { session } = dance.target;
  const survivors =
    dance.survivors.length === 0 ? '' : `Still alive: pids ${dance.survivors.map((p) => p.pid).join(', ')}.\n`;
  const rescue = dance.rescue === null ? '' : `Rescue: ${savedText(dance.rescue)}.\n`;
  await post(deps, addressFor(warrant.requester, known), {
    id: `${dance.id}.${warrant.id}.${verdict}`,
    from: 'town',
    subject: `VERDICT: ${session} ${verdict}`,
    body:
      `${session} was ${verdict.replace('_', ' ')}: ${dance.reason}.\n` +
      `Warrant ${warrant.id} by ${warrant.requester}: ${warrant.reason}\n` +
      `${survivors}${rescue}See: town dog show ${dance.id}\n`,
    sentAt: deps.clock.wall(),
    via: 'town',
    urgent: needsPerson,
    needs_response: false,
  });
}

/** A file that does not count. `sequel`: what became of it all the same, as a sentence. */
export async function fileAlarm(
  notices: Notices,
  { file, why, movedTo }: Refused,
  episode: EpisodeName,
  sequel: string | null = null,
): Promise<void> {
  const place = movedTo === null ? 'It was left where it is.' : `It is kept in ${movedTo}.`;
  const text = [`${file} does not count: ${why} ${place}`, ...(sequel === null ? [] : [sequel])].join(' ');
  const alert = { episode, severity: 'medium', session: null, text } as const;
  await quietly(notices.alert, { type: 'alert', id: `file/${file}`, alert });
}

const UNSAVED = 'output-unsaved/';
/** The session whose dead pane this episode is about; null = it is about something else. */
export const unsavedSession = (episode: string): string | null =>
  episode.startsWith(UNSAVED) ? episode.slice(UNSAVED.length) : null;

/** What a dead pane of this session shows could not be saved, for this reason, or could again. */
export async function outputAlarm(notices: Notices, session: string, why: string | null): Promise<void> {
  const episode = `${UNSAVED}${session}` as const;
  if (why === null) {
    const text = `What dead panes of ${session} show is saved again.`;
    await quietly(notices.endAlert, { type: 'endAlert', id: `output/${session}/end`, episode, text });
    return;
  }
  const text = `What a dead pane of ${session} shows could not be saved (${why}), so it was left standing in tmux. Read it there, and see to ${outputPath(session)}.`;
  const alert = { episode, severity: 'medium', session, text } as const;
  await quietly(notices.alert, { type: 'alert', id: `output/${session}`, alert });
}

/** The town was started again with the last good configuration, for this reason; or with a right one. */
export async function configAlarm(notices: Notices, why: string | null): Promise<void> {
  const episode = 'config-broken';
  if (why === null) {
    const text = 'The town was started with a right town.toml.';
    await quietly(notices.endAlert, { type: 'endAlert', id: `${episode}/end`, episode, text });
    return;
  }
  const text = `${why}. \`town config check\` says when it is right; then type \`town restart\`.`;
  const alert = { episode, severity: 'high', session: null, text } as const;
  await quietly(notices.alert, { type: 'alert', id: episode, alert });
}

/** The town was started again on its recorded tmux socket, since it cannot leave it, for this reason; or on the configured one. */
export async function socketAlarm(notices: Notices, why: string | null): Promise<void> {
  const episode = 'socket-moved';
  if (why === null) {
    const text = 'The town was started on the tmux socket that is configured.';
    await quietly(notices.endAlert, { type: 'endAlert', id: `${episode}/end`, episode, text });
    return;
  }
  const text = `${why}. The town goes on where it is; \`town restart\` once that is done.`;
  const alert = { episode, severity: 'high', session: null, text } as const;
  await quietly(notices.alert, { type: 'alert', id: episode, alert });
}

/** The disk's trouble began, for this reason, or is over. */
export async function diskAlarm(notices: Notices, why: string | null): Promise<void> {
  const episode = 'disk';
  if (why === null) {
    await quietly(notices.endAlert, {
      type: 'endAlert',
      id: 'disk/end',
      episode,
      text: 'The disk takes records again.',
    });
    return;
  }
  const text = `The town is degraded, nothing is killed meanwhile: ${why}`;
  const alert = { episode, severity: 'critical', session: null, text } as const;
  const order = { type: 'alert', id: 'disk', alert } as const;
  await notices.alert(order, new AbortController().signal).catch(() => notices.shout(alert));
}

/** What cannot be recorded now is in the log already. */
export async function quietly<O>(
  perform: (order: O, signal: AbortSignal) => Promise<unknown>,
  order: O,
): Promise<void> {
  await perform(order, new AbortController().signal).catch(() => undefined);
}
