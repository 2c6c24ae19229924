/** Messages on the desktop of the user who runs the town, by `notify-send`. */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { runCommand } from '../proc/command-with-line.ts';
import { plainText } from './message.ts';
import { Undelivered, type Channel } from './port.ts';

/**
 * The body is markup to the server (Desktop Notifications Specification, 4.2), and notify-send reads escapes of C in it
 * (`g_strcompress`): a person sees each sign as it stands, and no link.
 */
const forDesktop = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const desktop = (): Channel => ({
  send: async (message) => {
    const urgency = message.severity === 'critical' ? 'critical' : 'normal';
    const words = [
      '--app-name',
      'townwatch',
      '--urgency',
      urgency,
      '--',
      message.title,
      forDesktop(plainText(message)),
    ];
    const why = await runCommand({ of: '[desktop]', command: ['notify-send', ...words], limitMs: CHANNELS.sendMs }, {});
    if (why !== null) throw new Undelivered(why);
    return 'notify-send took it';
  },
});
