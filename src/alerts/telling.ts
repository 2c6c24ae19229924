/** What the town tells people, over the real ports: alerts, mail and the person's command; and the end of what it told of things. */
import { Alerts } from '../../state/alerts/episodes.ts';
import { RigRecords } from '../../state/rigs/records.ts';
import { Mailbox } from '../../state/mail/mailbox.ts';
import type { Quarantine } from '../../state/files/quarantine.ts';
import type { Store } from '../../state/store.ts';
import type { Settings } from '../config/settings.ts';
import type { Host } from '../host/host.ts';
import { createNotifier } from './notify.ts';
import type { Announce } from '../ports/ports.ts';
import { Conditions } from './conditions.ts';
import { createNotices, type NoticeDeps, type Notices } from './notices.ts';
import { Office } from './office.ts';
import { Subjects, type SubjectsDeps } from './subjects.ts';

export interface TellingNeeds {
  readonly settings: Settings;
  readonly host: Pick<Host, 'disk' | 'clock' | 'logger'>;
  readonly store: Pick<Store, 'readSessions' | 'session'>;
  readonly quarantine: Quarantine;
  readonly announce: Announce;
}

export function tellingOf(
  needs: TellingNeeds,
  seen: Pick<SubjectsDeps, 'stands' | 'asks'>,
): {
  readonly notices: Notices;
  readonly subjects: Subjects;
  readonly office: Office;
  readonly conditions: Conditions;
} {
  const { settings, host, store, quarantine, announce } = needs;
  const { disk, clock, logger } = host;
  const alerts = new Alerts({ disk, quarantine, policy: settings.state });
  const { command } = settings.notify;
  const options = command === null ? null : { command, limitMs: settings.process.notifyMs };
  const notify = createNotifier(options, (text) => logger.warn(text));
  const log = (text: string, more: object): void => logger.warn(more, text);
  // Looked through as often as what has to be told again.
  const { remindEveryMs } = settings.state;
  const office = new Office({ clock, alerts, notify, log, remindEveryMs });
  const notices = noticesOf(needs, { clock, notify, log, office });
  const session = (name: string): ReturnType<Store['session']> => store.session(name);
  const subjects = new Subjects({
    ...{ notices, alerts, disk, clock, session, announce, everyMs: remindEveryMs, log },
    ...seen,
  });
  return { notices, subjects, office, conditions: new Conditions(office) };
}

function noticesOf(
  { settings, host, store, quarantine }: TellingNeeds,
  deps: Pick<NoticeDeps, 'clock' | 'notify' | 'log' | 'office'>,
): Notices {
  const { disk } = host;
  const files = { disk, quarantine };
  const rigs = new RigRecords({ disk, policy: settings.state });
  return createNotices({
    ...deps,
    mailboxOf: (address) => new Mailbox(files, settings.state.maxRecordBytes, address),
    correspondents: async () => {
      const added = await rigs.correspondents();
      return {
        ...added,
        rigs: [...Object.keys(settings.rigs), ...added.rigs],
        sessions: (await store.readSessions()).map(({ spec }) => spec.name),
      };
    },
  });
}
