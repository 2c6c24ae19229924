/**
 * Messages on the desktop of the user who runs the town, by `notify-send`; where that cannot show them, and for people who came by ssh,
 * by a notification in the terminals that are attached.
 */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { textOf } from '../../state/files/disk.ts';
import { runCommand } from '../proc/command-with-line.ts';
import { plainText, type Message } from './message.ts';
import { Undelivered, type Channel, type Reach } from './port.ts';

/**
 * The body is markup to the server (Desktop Notifications Specification, 4.2), and notify-send reads escapes of C in it
 * (`g_strcompress`): a person sees each sign as it stands, and no link.
 */
const forDesktop = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** null = it was shown; else why not. */
function notifySend(message: Message): Promise<string | null> {
  const urgency = message.severity === 'critical' ? 'critical' : 'normal';
  const words = ['--app-name', 'townwatch', '--urgency', urgency, '--', message.title, forDesktop(plainText(message))];
  return runCommand({ of: '[desktop]', command: ['notify-send', ...words], limitMs: CHANNELS.sendMs }, {});
}

export const desktop = (reach: Reach): Channel => ({
  limitMs: 2 * CHANNELS.sendMs,
  send: async (message) => {
    const why = await notifySend(message);
    const text = `${message.title}: ${message.text}`.slice(0, CHANNELS.maxNamed);
    try {
      const said = await reach({ do: 'notify', text, isBySsh: why === null });
      return why === null ? `notify-send took it, and it was ${said}` : said;
    } catch (error) {
      if (why === null) return 'notify-send took it';
      throw new Undelivered(`${why}; ${textOf(error)}`);
    }
  },
});
