/** The hands of the worker monitor over what the others see already. */
import { Mailbox } from '../../state/mail/mailbox.ts';
import { MailWatch } from '../../state/mail/watch.ts';
import { Reports } from '../../state/monitor/reports.ts';
import { AFTER_COPY, restoredAt } from '../../state/process/restored.ts';
import { type HandsNeeds, notesOf } from '../host/hands-needs.ts';
import type { TownTmux } from '../host/town-tmux.ts';
import { pollHand } from '../monitor/hands.ts';
import { remindHand, seeTurnHand } from '../monitor/remind.ts';
import { agentsNow } from '../overview/agents-now.ts';
import { Onlooker } from '../overview/onlooker.ts';
import type { Hands } from '../ports/ports.ts';
import type { Asking } from '../overview/asking.ts';
import { takeLines } from '../overview/lines.ts';
import type { Sources } from '../sources/sources.ts';

interface Ears {
  readonly asking: Asking;
  readonly sources: Sources;
  readonly nudge: Hands['nudge'];
}

type MonitorOrders = 'pollWorkers' | 'lookAtMail' | 'seeTurn' | 'remind';

export function handsOfMonitor(
  needs: HandsNeeds,
  { tmux }: TownTmux,
  { asking, sources, nudge }: Ears,
): Pick<Hands, MonitorOrders> {
  const { settings, host, store } = needs;
  const files = notesOf(needs);
  const { monitor: policy } = settings.policy;
  const reports = new Reports(files);
  // An unreadable letter is named by its own reader.
  const quarantine = new Onlooker(files.disk, () => undefined);
  const mail = new MailWatch({ disk: files.disk, quarantine });
  return {
    pollWorkers: pollHand({
      policy,
      sessions: () => store.sessionsNow(),
      agents: (lives, isLooked) => {
        const heard = { of: () => Promise.resolve(asking.heard) };
        return agentsNow(
          { sources: isLooked ? heard : sources, seen: (uuid) => asking.seen(uuid), reported: null },
          lives,
        );
      },
      look: (lives, workers) => asking.look(lives, true, workers),
      workedSince: (uuid) => asking.work.of(uuid).workedSince,
      questionOf: (uuid) => asking.questionOf(uuid),
      wrote: (uuid) => asking.seen(uuid)?.wrote ?? null,
      linesOf: (lives) => takeLines({ tmux, wall: host.clock.wall() }, lives),
      reports: (sessions) => reports.of(sessions),
      mailbox: new Mailbox(files, `tag/${policy.orchestratorTag}`),
    }),
    lookAtMail: async () => {
      const sessions = (await store.sessionsNow()).map(({ spec }) => spec);
      const { orchestratorTag } = policy;
      return { type: 'MAIL_SEEN', letters: await mail.look(host.clock.wall(), { sessions, orchestratorTag }) };
    },
    seeTurn: seeTurnHand({ session: (name) => store.session(name), sources, sleep: (ms) => host.clock.sleep(ms) }),
    remind: remindHand({
      session: (name) => store.session(name),
      nudge,
      held: async () => ((await restoredAt(host.disk)) === null ? null : AFTER_COPY),
      log: (text) => host.logger.warn(text),
    }),
  };
}
