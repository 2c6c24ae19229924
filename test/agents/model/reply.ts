/** What the four protocols share: reading loose JSON, writing server-sent events, the words of a turn. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Plan, Refusal, Turn } from './plan.ts';
import type { Tool, ToolCall } from './tools.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Refused {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

export interface Protocol {
  readonly turns: (body: Json) => Turn[];
  readonly tools: (body: Json) => Tool[];
  readonly send: (out: Reply, body: Json, call: ToolCall | null) => Promise<void>;
  /** `lastsS`: so long from now, as far as it names an end; absent = for hours. */
  readonly refuse: (kind: Refusal, lastsS?: number) => Refused;
}

export interface Reply {
  readonly plan: Plan;
  readonly path: string;
  json(status: number, body: unknown, headers?: Record<string, string>): void;
  /** One event; its head goes out with the first. */
  event(name: string | null, body: unknown): void;
  /** Each part of the plan's text, at its pace. */
  parts(each: (text: string) => void): Promise<void>;
  end(): void;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
export const wordOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** All text below a message's content, in any wrapping. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOf).join('\n');
  return isJson(content) ? textOf(content['text'] ?? content['content'] ?? content['parts'] ?? '') : '';
}

export const roleOf = (role: unknown): Turn['by'] => {
  if (role === 'user') return 'person';
  if (role === 'assistant' || role === 'model') return 'agent';
  return role === 'tool' ? 'tool' : 'system';
};

/** How both protocols of OpenAI refuse; `keyed`: what the one calls a wrong key. */
export function openAiFailure(kind: Exclude<Refusal, 'limit'>, keyed: string): Refused {
  const said = (status: number, message: string, type: string) => ({ status, body: { error: { message, type } } });
  if (kind === 'error') return said(401, 'invalid x-api-key', keyed);
  return kind === 'fault'
    ? said(500, 'Internal server error', 'server_error')
    : said(529, 'Overloaded', 'overloaded_error');
}

export function replyOn(response: ServerResponse, plan: Plan, path: string): Reply {
  return {
    plan,
    path,
    json(status, body, headers = {}) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    },
    event(name, body) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      const line = typeof body === 'string' ? body : JSON.stringify(body);
      response.write(`${name === null ? '' : `event: ${name}\n`}data: ${line}\n\n`);
    },
    async parts(each) {
      for (const part of plan.parts) {
        if (response.destroyed) return;
        each(part);
        await pause(plan.paceMs);
      }
    },
    end: () => void response.end(),
  };
}
