/** What the town tells people, over the real ports: alerts, mail and the person's command; and what it tells of files. */
import { NOTIFY } from '../../machines/alerts/policy.ts';
import { Alerts } from '../../state/alerts/episodes.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import type { Quarantine, Refused } from '../../state/files/quarantine.ts';
import type { Store } from '../../state/store.ts';
import { waysOf } from '../channels/settings.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from '../host/host.ts';
import type { Announce } from '../ports/ports.ts';
import { AnswersToJournal } from './answers.ts';
import { Bell, complainingOnce } from './bell.ts';
import { alertHands, type AlertDeps } from './hands.ts';
import { createNotices, type NoticeDeps, type Notices } from './notices.ts';

export interface TellingNeeds {
  readonly settings: Settings;
  readonly host: Pick<Host, 'disk' | 'clock' | 'logger'>;
  readonly store: Pick<Store, 'readSessions' | 'session'>;
  readonly quarantine: Quarantine;
  readonly announce: Announce;
}

export interface Telling {
  readonly perform: Notices & ReturnType<typeof alertHands>;
  /** Rings for what waited for the end of its window, until it is stopped. */
  readonly attend: (stop: AbortSignal) => Promise<void>;
  /** Tells of a file that does not count. Never rejects. `sequel`: what became of it all the same, as a sentence. */
  refused(refused: Refused, sequel?: string | null): Promise<void>;
}

type Said = Pick<NoticeDeps, 'clock' | 'keep' | 'log'>;

export function tellingOf(needs: TellingNeeds, seen: Pick<AlertDeps, 'stands' | 'asks' | 'offers'>): Telling {
  const { settings, host, store, quarantine, announce } = needs;
  const { disk, clock, logger } = host;
  const { root, process } = settings;
  const ways = waysOf(settings.channels);
  const bell = new Bell({ root, disk, ...ways, limitMs: process.notifyMs, wall: () => clock.wall() });
  const answers = new AnswersToJournal({ disk, quarantine }, announce, () => clock.wall());
  const unread = (err: unknown): void => logger.warn({ err }, 'answers could not be put into the journal yet');
  const reported = complainingOnce((text) => logger.warn(text));
  const said: Said = {
    clock,
    keep: async (notice, cause) => {
      const ring = await bell.keep(notice, cause);
      return () => reported(ring());
    },
    log: (text: string, more: object): void => logger.warn(more, text),
  };
  const notify: AlertDeps['notify'] = (notice, cause) => reported(bell.ring(notice, cause));
  const alerts = new Alerts({ disk, quarantine });
  const session = (name: string): ReturnType<Store['session']> => store.session(name);
  return {
    perform: {
      ...noticesOf(needs, said),
      ...alertHands({ ...said, ...seen, notify, alerts, disk, session, announce }),
    },
    attend: async (stop) => {
      while (!stop.aborted) {
        await reported(bell.ringLate());
        await answers.look().catch(unread);
        await clock.sleep(NOTIFY.lookEveryMs, stop);
      }
    },
    refused: async ({ file, why, movedTo }, sequel = null) => {
      const stat = movedTo === null ? await disk.stat(file).catch(() => null) : null; // looked at again in a moment
      announce({ type: 'FILE_REFUSED', file, why, movedTo, sequel, ...(stat !== null && { mark: stat.mark }) });
    },
  };
}

function noticesOf({ settings, host, store, quarantine }: TellingNeeds, said: Said): Notices {
  const { disk } = host;
  const files = { disk, quarantine };
  const rigs = new RigRecords({ disk });
  return createNotices({
    ...said,
    mailboxOf: (address) => new Mailbox(files, address),
    correspondents: async () => {
      const added = await rigs.agents();
      return {
        ...added,
        rigs: [...Object.keys(settings.rigs), ...added.rigs],
        sessions: (await store.readSessions()).map(({ spec }) => spec.name),
      };
    },
  });
}
