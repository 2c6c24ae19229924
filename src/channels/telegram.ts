/** Messages by a bot of Telegram, with a button for each answer; and who pressed one, by a request that waits for the next. */
import { askName, optionsFor } from '../../machines/channels/answers.ts';
import { ANSWERS, CHANNELS } from '../../machines/channels/policy.ts';
import { meaningOf, plainText, type Message } from './message.ts';
import { Undelivered, type Channel, type Ear, type Replying } from './port.ts';
import { proofOf } from './proof.ts';
import { heardIn } from './replies.ts';
import { mustBe, secretOf } from './secrets.ts';
import type { ChannelSettings } from './settings.ts';
import { objectIn, post, provedBy, type Reply } from './web.ts';

type Settings = ChannelSettings['telegram'];
type Fields = Readonly<Record<string, unknown>>;

const NAME = 'telegram';

async function call(settings: Settings, method: string, body: object, signal: AbortSignal): Promise<Reply> {
  const token = secretOf(settings.token, '[telegram] token');
  const url = `${settings.url}/bot${mustBe(token, '[telegram] token')}/${method}`;
  const reply = await post({ url, body: JSON.stringify(body) }, signal);
  provedBy(reply, objectIn(reply)['ok'] === true);
  return reply;
}

export const telegram = (settings: Settings, replying: Replying): Channel => ({
  send: async (message, signal) => {
    const { keyboard, lines } = answersOf(message, replying);
    const text = [`${message.title}\n\n${plainText(message)}`, ...lines].join('\n');
    const body = {
      chat_id: settings.chat,
      text,
      disable_notification: ['recovered', 'well'].includes(message.kind),
      ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
    };
    return (await call(settings, 'sendMessage', body, signal)).said;
  },
});

/** A row for each answer that one of its users may choose, and a line to send for each that needs words. */
function answersOf({ ask }: Message, { rules, key }: Replying) {
  if (ask === null) return { keyboard: [], lines: [] };
  const options = optionsFor(NAME, ask, rules);
  const words = (word: string): string => `${askName(ask.number)} ${proofOf(key, NAME, ask.number)} ${word}`;
  const isWritten = ({ text }: (typeof options)[number]): boolean => text === 'must';
  const written = options.filter(isWritten).map((one) => `${words(one.word)} ${meaningOf(one)}`);
  return {
    keyboard: options
      .filter((one) => !isWritten(one))
      .map(({ word, label: text }) => [{ text, callback_data: words(word) }]),
    lines: written.length === 0 ? [] : ['To answer with words, send here:', ...written],
  };
}

const fieldsIn = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** Its user is who Telegram says pressed the button: a name or a word of theirs counts nothing. */
export const telegramEar = (settings: Settings): Ear => ({
  now: () => '0',
  listen: async ({ since, hear, up, signal }) => {
    for (let offset = Number(since) || 0; ;) {
      const { pollMs: timeoutMs, updates: limit } = ANSWERS;
      const body = { offset, limit, timeout: timeoutMs / 1_000, allowed_updates: ['callback_query', 'message'] };
      const patience = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + CHANNELS.sendMs)]);
      const { result } = objectIn(await call(settings, 'getUpdates', body, patience));
      up();
      for (const update of Array.isArray(result) ? result.map(fieldsIn) : []) {
        const { update_id: nth, callback_query: query, message } = update;
        if (!Number.isSafeInteger(nth)) throw new Undelivered('it answered, but not as this service does');
        offset = Number(nth) + 1;
        const { id, data, from } =
          query === undefined ? { ...fieldsIn(message), data: fieldsIn(message)['text'] } : fieldsIn(query);
        const user = String(fieldsIn(from)['id']);
        const said = { id: `${NAME}/${String(nth)}`, from: `${NAME}:${user}` };
        await hear(String(offset), typeof data === 'string' ? heardIn(data, said) : null);
        // The button shows a clock until then. What came of it is a message of its own.
        if (query !== undefined)
          await call(settings, 'answerCallbackQuery', { callback_query_id: id }, patience).catch(() => undefined);
      }
    }
  },
});
