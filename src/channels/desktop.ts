/** Messages on the desktop of the user who runs the town, by `notify-send`. */
import { CHANNELS } from '../../machines/channels/policy.ts';
import { runCommand } from '../proc/command-with-line.ts';
import { plainText } from './message.ts';
import { Undelivered, type Channel } from './port.ts';

export const desktop = (): Channel => ({
  send: async (message) => {
    const urgency = message.severity === 'critical' ? 'critical' : 'normal';
    const words = ['--app-name', 'townwatch', '--urgency', urgency, '--', message.title, plainText(message)];
    const why = await runCommand({ of: '[desktop]', command: ['notify-send', ...words], limitMs: CHANNELS.sendMs }, {});
    if (why !== null) throw new Undelivered(why);
    return 'notify-send took it';
  },
});
