/** Lines as the real programs write them, short: Claude Code 2.1 and Codex 0.169. */
import { COSTS } from '../../src/costs/policy.ts';

/** The beginning of a stretch. */
export const AT = Math.ceil(Date.UTC(2026, 10, 28, 8) / COSTS.stretchMs) * COSTS.stretchMs;
const iso = (at: number): string => new Date(at).toISOString();

export interface Message {
  readonly id: string;
  readonly at?: number;
  /** As the line has it: input, written into the cache, read from it, output. */
  readonly usage?: readonly [input: number, written: number, read: number, output: number];
  readonly part: object;
  readonly isSidechain?: boolean;
}

export const claude = ({ id, at = AT, usage = [10, 0, 0, 1], part, isSidechain = false }: Message): string => {
  const [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens] = usage;
  return JSON.stringify({
    parentUuid: null,
    isSidechain,
    sessionId: '83e007c0-2e57-458e-912f-25304f75f9d8',
    version: '2.1.332',
    message: {
      model: 'claude-sonnet-4-5',
      id,
      type: 'message',
      role: 'assistant',
      content: [part],
      usage: { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens },
    },
    requestId: `req_${id}`,
    type: 'assistant',
    timestamp: iso(at),
  });
};
export const text = (words: string): object => ({ type: 'text', text: words });
export const bash = (id: string, command: string): object => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input: { command },
});
export const result = (id: string): string =>
  JSON.stringify({
    type: 'user',
    timestamp: iso(AT),
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: '"assistant" failed ✗' }] },
  });

/** Of one message in two lines, the second with the whole sums; and one more with a call. */
export const TRANSCRIPT: readonly string[] = [
  '{"type":"summary","summary":"a task"}',
  claude({ id: 'm1', usage: [3, 1_000, 0, 1], part: text('I look at it – zuerst.') }),
  claude({ id: 'm1', usage: [3, 1_000, 0, 90], part: bash('t1', 'npm test') }),
  result('t1'),
  claude({ id: 'm2', at: AT + COSTS.stretchMs, usage: [4, 200, 1_000, 50], part: bash('t2', 'npm test') }),
  claude({ id: 'm3', at: AT + COSTS.stretchMs, usage: [1, 0, 5, 7], part: bash('t3', 'ls'), isSidechain: true }),
];

export const codexCount = (input: number, cached: number, output: number, at = AT): string => {
  const usage = { input_tokens: input, cached_input_tokens: cached, output_tokens: output };
  const more = { reasoning_output_tokens: 0, total_tokens: input + output };
  const info = { total_token_usage: { ...usage, ...more }, last_token_usage: usage, model_context_window: 272_000 };
  return JSON.stringify({ timestamp: iso(at), type: 'event_msg', payload: { type: 'token_count', info } });
};
export const codexItem = (payload: object): string =>
  JSON.stringify({ timestamp: iso(AT), type: 'response_item', payload });
export const codexCall = (call_id: string, name: string, args: object): string =>
  codexItem({ type: 'function_call', name, arguments: JSON.stringify(args), call_id });
export const codexSaid = (words: string): string =>
  codexItem({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] });
