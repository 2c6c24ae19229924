/** The channels of this machine: the bell, the pane of orchestrators, the mailbox of the mayor, and the command that a person named. */
import { runCommand } from '../proc/command-with-line.ts';
import { clean } from '../terminal/print.ts';
import { plainText, type Message } from './message.ts';
import { Undelivered, type Channel, type Reach } from './port.ts';
import type { ChannelSettings } from './settings.ts';

export const bell = (reach: Reach): Channel => ({ send: () => reach({ do: 'ring' }) });

/** Words of the town's own: what an agent wrote is typed to no other agent (M-5); where it stands is. */
function pointerTo({ title, session, severity, count }: Message): string {
  const about = session === null ? '' : `, about ${session}`;
  const many = count === 1 ? '' : `, ${String(count)} messages`;
  return `${title} (${severity}${about}${many}). Read it with: town questions`;
}

export const pane = (reach: Reach): Channel => ({
  send: (message) => reach({ do: 'nudge', text: pointerTo(message) }),
});

export const mayor = (reach: Reach): Channel => ({
  send: (message) => {
    const { id, severity, text } = message;
    const subject = clean(`[${severity.toUpperCase()}] ${text}`);
    return reach({
      do: 'mail',
      id: `channel.${id}`,
      subject,
      body: `${plainText(message)}\n`,
      isUrgent: severity === 'critical',
    });
  },
});

export const ENDED_WELL = 'it ended with 0';

/** Gets what a webhook gets, by the names that the command knows. */
export const command = ({ run, limitMs }: ChannelSettings['command']): Channel => ({
  limitMs,
  send: async ({ count, ...message }) => {
    const notice = { schema: 'notice/1', ...message, ...(count > 1 && { together: count }) };
    const why = await runCommand({ of: '[notify] command', command: run ?? [], limitMs }, notice);
    if (why !== null) throw new Undelivered(why);
    return ENDED_WELL;
  },
});
