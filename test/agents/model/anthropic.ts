/** The messages protocol of Anthropic, as Claude Code speaks it. */
import type { Turn } from './plan.ts';
import { isJson, listOf, roleOf, textOf, wordOf, type Json, type Protocol } from './reply.ts';

const LIMIT_LASTS_S = 3 * 3_600;

function turnOf(message: Json): Turn[] {
  const parts = listOf(message['content']);
  const by = roleOf(message['role']);
  const results = parts.filter((part) => part['type'] === 'tool_result');
  if (results.length === 0) return [{ by, text: textOf(message['content']) }];
  const words = textOf(parts.filter((part) => part['type'] !== 'tool_result'));
  return [{ by: 'tool', text: '' }, ...(words.trim() === '' ? [] : [{ by, text: words }])];
}

const NO_RETRY = { 'x-should-retry': 'false' };
const failure = (type: string, message: string) => ({ type: 'error', error: { type, message } });

export const anthropic: Protocol = {
  turns: (body) => listOf(body['messages']).flatMap(turnOf),
  tools: (body) =>
    listOf(body['tools']).map((tool) => ({
      name: wordOf(tool['name']),
      schema: isJson(tool['input_schema']) ? tool['input_schema'] : {},
    })),
  refuse(kind, lastsS = LIMIT_LASTS_S) {
    if (kind === 'error')
      return { status: 401, body: failure('authentication_error', 'invalid x-api-key'), headers: NO_RETRY };
    if (kind === 'fault') return { status: 500, body: failure('api_error', 'Internal server error') };
    if (kind === 'overload') return { status: 529, body: failure('overloaded_error', 'Overloaded') };
    const reset = Math.floor(Date.now() / 1_000) + lastsS;
    const words = "This request would exceed your account's rate limit. Please try again later.";
    const headers = {
      ...NO_RETRY,
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(reset),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    return { status: 429, body: failure('rate_limit_error', words), headers };
  },
  async send(out, body, call) {
    const id = `msg_${Date.now()}`;
    const stop = { stop_reason: call === null ? 'end_turn' : 'tool_use', stop_sequence: null };
    const message = { id, type: 'message', role: 'assistant', model: body['model'], content: [] as unknown[] };
    if (body['stream'] !== true) {
      const content = [{ type: 'text', text: out.plan.parts.join('') }];
      out.json(200, { ...message, content, ...stop, usage: { input_tokens: 10, output_tokens: 10 } });
      return;
    }
    const event = (type: string, rest: object) => out.event(type, { type, ...rest });
    event('message_start', {
      message: { ...message, stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
    });
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    await out.parts((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }));
    event('content_block_stop', { index: 0 });
    if (call !== null) {
      const block = { type: 'tool_use', id: `tool${call.id}`, name: call.name, input: {} };
      const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.args) };
      event('content_block_start', { index: 1, content_block: block });
      event('content_block_delta', { index: 1, delta });
      event('content_block_stop', { index: 1 });
    }
    event('message_delta', { delta: stop, usage: { output_tokens: 20 } });
    event('message_stop', {});
    out.end();
  },
};
