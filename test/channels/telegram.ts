/** Telegram's server for bots on the loopback: it keeps updates until their offset is confirmed, and holds a question for new ones. */
import type { ServerResponse } from 'node:http';
import { bodyOf, httpAt } from './http.ts';

interface Button {
  readonly text: string;
  readonly callback_data: string;
}
export interface SentMessage {
  readonly chat_id: string;
  readonly text: string;
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly Button[])[] };
}

export class TelegramServer {
  readonly sent: SentMessage[] = [];
  readonly offsets: number[] = [];
  readonly confirmed: string[] = [];
  url = '';
  #updates: { readonly update_id: number; readonly callback_query?: object; readonly message?: object }[] = [];
  #nth = 700;
  #waiting: (() => void) | null = null;

  static async start(): Promise<TelegramServer> {
    const self = new TelegramServer();
    self.url = await httpAt(async (request, response) => {
      const body = await bodyOf(request);
      self.#serve((request.url ?? '').split('/').at(-1) ?? '', JSON.parse(body) as never, response);
    });
    return self;
  }

  get buttons(): readonly Button[] {
    return this.sent.flatMap(({ reply_markup: markup }) => markup?.inline_keyboard.flat() ?? []);
  }

  /** This user presses a button with this data. */
  press(user: number, data: string): void {
    this.#nth += 1;
    const from = { id: user, username: 'ana' };
    this.#updates.push({ update_id: this.#nth, callback_query: { id: `q${String(this.#nth)}`, from, data } });
    this.#waiting?.();
  }

  /** This user writes to the bot. */
  say(user: number, text: string): void {
    this.#nth += 1;
    this.#updates.push({ update_id: this.#nth, message: { message_id: this.#nth, from: { id: user }, text } });
    this.#waiting?.();
  }

  #serve(method: string, body: SentMessage & { offset: number; callback_query_id: string }, to: ServerResponse): void {
    const answer = (result: unknown): void => void to.end(JSON.stringify({ ok: true, result }));
    if (method === 'sendMessage') {
      this.sent.push(body);
      answer({ message_id: this.sent.length });
    } else if (method === 'answerCallbackQuery') {
      this.confirmed.push(body.callback_query_id);
      answer(true);
    } else {
      this.offsets.push(body.offset);
      this.#updates = this.#updates.filter(({ update_id: id }) => id >= body.offset);
      const tell = (): void => answer(this.#updates);
      if (this.#updates.length > 0) tell();
      else this.#waiting = tell;
    }
  }
}
