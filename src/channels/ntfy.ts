/** Messages by ntfy, with a button for each answer; and the answers, which the buttons publish on a topic of their own. */
import { askName, optionsFor } from '../../machines/channels/answers.ts';
import { ANSWERS, CHANNELS } from '../../machines/channels/policy.ts';
import type { Severity } from '../../machines/protocol.ts';
import { meaningOf, plainText, type Message } from './message.ts';
import { Undelivered, type Channel, type Ear, type Replying } from './port.ts';
import { proofOf } from './proof.ts';
import { heardIn } from './replies.ts';
import { mustBe, secretOf } from './secrets.ts';
import type { ChannelSettings } from './settings.ts';
import { objectIn, post, provedBy, streamOf } from './web.ts';

type Settings = ChannelSettings['ntfy'];

const NAME = 'ntfy';
const PRIORITIES: Readonly<Record<Severity, number>> = { low: 2, medium: 3, high: 4, critical: 5 };

const authorized = ({ token }: Settings): Record<string, string> => {
  const secret = secretOf(token, '[ntfy] token');
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
};

export const ntfy = (settings: Settings, replying: Replying): Channel => ({
  send: async (message, signal) => {
    const { title, severity, kind } = message;
    const { actions, lines } = answersOf(message, settings, replying);
    const body = {
      topic: settings.topic,
      title,
      message: [plainText(message), ...lines].join('\n'),
      priority: kind === 'recovered' ? 2 : PRIORITIES[severity],
      tags: [kind],
      ...(actions.length > 0 && { actions }),
    };
    const reply = await post({ url: settings.url, body: JSON.stringify(body), headers: authorized(settings) }, signal);
    return provedBy(reply, typeof objectIn(reply)['id'] === 'string');
  },
});

/** A button for each of the first options, and a line to publish for each of the others. */
function answersOf({ ask }: Message, { url, replyTopic }: Settings, { key, rules }: Replying) {
  if (ask === null || replyTopic === null) return { actions: [], lines: [] };
  const options = optionsFor(NAME, ask, rules);
  const words = (word: string): string => `${askName(ask.number)} ${proofOf(key, NAME, ask.number)} ${word}`;
  const buttons = options.filter(({ text }) => text !== 'must').slice(0, ANSWERS.buttons);
  const actions = buttons.map(({ word, label }) => ({
    action: 'http',
    label: label.slice(0, ANSWERS.maxLabel),
    url: `${url.replace(/\/+$/, '')}/${replyTopic}`,
    method: 'POST',
    body: words(word),
    clear: true,
  }));
  const others = options.filter((one) => !buttons.includes(one)).map((one) => `${words(one.word)} ${meaningOf(one)}`);
  return { actions, lines: others.length === 0 ? [] : [`To choose another, publish on ${replyTopic}:`, ...others] };
}

export const ntfyEar = (settings: Settings): Ear => ({
  // All that it keeps: its clock may be another than ours, and an answer that was taken before is known by its id.
  now: () => 'all',
  listen: async ({ since, hear, up, signal }) => {
    const topic = mustBe(settings.replyTopic, '[ntfy] reply_topic');
    const url = `${settings.url.replace(/\/+$/, '')}/${encodeURIComponent(topic)}/json?since=${encodeURIComponent(since)}`;
    const stream = { headers: authorized(settings), silentMs: ANSWERS.silentMs, maxLine: CHANNELS.maxReplyBytes };
    for await (const lines of streamOf(url, stream, signal))
      for (const text of lines) {
        const { event, id, message } = objectIn({ text });
        if (event === 'open') up();
        if (event !== 'message' || typeof id !== 'string') continue;
        await hear(id, typeof message === 'string' ? heardIn(message, { id: `${NAME}/${id}`, from: NAME }) : null);
      }
    throw new Undelivered('the server ended the stream');
  },
});
