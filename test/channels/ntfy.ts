/** An ntfy on the loopback: topics, their streams with `since`, and what a phone does with a message. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bodyOf, httpAt } from './http.ts';

interface Action {
  readonly label: string;
  readonly url: string;
  readonly body: string;
}
export interface Published {
  readonly id: string;
  readonly topic: string;
  readonly message: string;
  /** In seconds of its own clock. */
  readonly time?: number;
  readonly actions?: readonly Action[];
}

export class NtfyServer {
  readonly published: Published[] = [];
  /** Marks with which streams were opened. */
  readonly since: string[] = [];
  /** How far its clock is ahead of ours. */
  aheadMs = 0;
  /** Written into each new stream before anything else. */
  first = '';
  url = '';
  readonly #streams = new Map<ServerResponse, string>();

  static async start(): Promise<NtfyServer> {
    const self = new NtfyServer();
    self.url = await httpAt((request, response) => self.#serve(request, response));
    return self;
  }

  /** On a topic, by anybody who knows its name. */
  publish(topic: string, message: string, more: object = {}): Published {
    const one = {
      id: `m${String(this.published.length + 1).padStart(6, '0')}`,
      time: Math.floor((Date.now() + this.aheadMs) / 1_000),
      topic,
      message,
      ...more,
    };
    this.published.push(one);
    for (const [stream, of] of this.#streams) if (of === topic) stream.write(line(one));
    return one;
  }

  /** What was sent to the person, the newest last. */
  on(topic: string): readonly Published[] {
    return this.published.filter((one) => one.topic === topic);
  }

  /** The person presses the button whose label begins so, of the newest message that has it. */
  async press(label: string, topic = 'town'): Promise<void> {
    const action = this.on(topic)
      .flatMap(({ actions = [] }) => actions)
      .findLast((one) => one.label.startsWith(label));
    if (action === undefined) throw new Error(`no button ${label} in ${JSON.stringify(this.on(topic))}`);
    await fetch(action.url, { method: 'POST', body: action.body });
  }

  /** Ends all streams, as a restart of the server does. */
  hangUp(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }

  get streams(): number {
    return this.#streams.size;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const [, topic = '', kind] = pathname.split('/');
    if (request.method === 'GET' && kind === 'json') {
      this.#stream(topic, searchParams.get('since') ?? '', response);
      return;
    }
    const body = await bodyOf(request);
    const { message = '', ...more } = topic === '' ? (JSON.parse(body) as Published) : { message: body, topic };
    response.end(line(this.publish(more.topic, message, more)));
  }

  #stream(topic: string, since: string, response: ServerResponse): void {
    this.since.push(since);
    response.writeHead(200);
    response.write(`${this.first}${JSON.stringify({ event: 'open', id: 'o', topic })}\n`);
    // An id that it does not know means all that it has.
    const at = this.published.findIndex(({ id }) => id === since);
    const from = /^\d+$/.test(since) ? Number(since) : 0;
    const isWanted = (one: Published): boolean => one.topic === topic && (one.time ?? 0) >= from;
    for (const one of this.published.slice(at + 1)) if (isWanted(one)) response.write(line(one));
    this.#streams.set(response, topic);
    response.on('close', () => this.#streams.delete(response));
  }
}

const line = (one: Published): string => `${JSON.stringify({ event: 'message', ...one })}\n`;
