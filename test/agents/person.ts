/**
 * A person in the namespace of a stage: in the channel of a real ngircd, and with a phone at an ntfy. Orders come on stdin, one a line:
 * `say WORDS` in the channel, `press WORD` of the newest buttons. Prints one JSON a line: the ports, then what the person reads.
 */
import { createInterface } from 'node:readline';
import { ircd, logIn, person } from '../channels/ircd.ts';
import { NtfyServer } from '../channels/ntfy.ts';
import { closeFile } from '../world/over.ts';
import type { Read } from './ways.ts';

const LOOK_MS = 20;
const NICK = 'ana';
const SAID = /^:\S+ PRIVMSG #town :(.*)$/;

const print = (what: object): boolean => process.stdout.write(`${JSON.stringify(what)}\n`);
const read = (by: Read['by'], text: string): boolean => print({ by, text, at: Date.now() });

const port = await ircd();
const ana = await person(port, NICK);
await logIn(port, NICK, NICK);
const ntfy = await NtfyServer.start();

let [lines, messages] = [0, 0];
setInterval(() => {
  for (const row of ana.heard.slice(lines)) {
    const text = SAID.exec(row)?.[1];
    if (text !== undefined) read('irc', text);
  }
  lines = ana.heard.length;
  const sent = ntfy.on('town');
  for (const { message, actions = [] } of sent.slice(messages))
    read('ntfy', [message, ...actions.map(({ label }) => `[${label}]`)].join('\n'));
  messages = sent.length;
}, LOOK_MS);

print({ irc: port, ntfy: ntfy.url });
for await (const order of createInterface({ input: process.stdin })) {
  const [, verb = '', words = ''] = /^(\S+) (.*)$/.exec(order) ?? [];
  if (verb === 'say') ana.say(`PRIVMSG #town :${words}`);
  const actions = ntfy.on('town').flatMap((one) => one.actions ?? []);
  const button = actions.findLast(({ body }) => body.endsWith(` ${words}`));
  if (verb === 'press') await ntfy.press(button?.label ?? words);
}
await closeFile();
process.exit();
