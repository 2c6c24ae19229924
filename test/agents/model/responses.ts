/** The responses protocol of OpenAI, as Codex speaks it. */
import type { Turn } from './plan.ts';
import { isJson, listOf, openAiFailure, roleOf, textOf, wordOf, type Json, type Protocol } from './reply.ts';

const LIMIT_LASTS_S = 3 * 3_600;

function turnOf(item: Json): Turn {
  const type = wordOf(item['type']);
  if (type.endsWith('_output')) return { by: 'tool', text: '' };
  if (type.endsWith('_call') || type === 'reasoning') return { by: 'agent', text: '' };
  return { by: roleOf(item['role']), text: textOf(item['content']) };
}

export const responses: Protocol = {
  turns: (body) => listOf(body['input']).map(turnOf),
  tools: (body) =>
    listOf(body['tools']).map((tool) => ({
      name: wordOf(tool['name'] ?? tool['type']),
      schema: isJson(tool['parameters'])
        ? tool['parameters']
        : { properties: { input: { type: 'string' } }, required: ['input'], type: wordOf(tool['type']) },
    })),
  refuse(kind) {
    if (kind !== 'limit') return openAiFailure(kind, 'invalid_request_error');
    const resets_at = Math.floor(Date.now() / 1_000) + LIMIT_LASTS_S;
    const message = 'The usage limit has been reached';
    return { status: 429, body: { error: { type: 'usage_limit_reached', message, plan_type: 'plus', resets_at } } };
  },
  async send(out, body, call) {
    const stamp = Date.now();
    const id = `msg_${stamp}`;
    const place = { item_id: id, output_index: 0, content_index: 0 };
    const event = (type: string, rest: object) => out.event(type, { type, ...rest });
    const response = { id: `resp_${stamp}`, object: 'response', status: 'in_progress', output: [] };
    const item = { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    event('response.created', { response });
    event('response.output_item.added', { output_index: 0, item });
    event('response.content_part.added', { ...place, part: { type: 'output_text', text: '' } });
    await out.parts((delta) => event('response.output_text.delta', { ...place, delta }));
    const text = out.plan.parts.join('');
    const said = { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
    event('response.output_text.done', { ...place, text });
    event('response.output_item.done', { output_index: 0, item: said });
    const output: object[] = [said];
    if (call !== null) {
      const wanted = listOf(body['tools']).find((tool) => tool['name'] === call.name);
      const base = { id: `fc_${stamp}`, call_id: call.id, name: call.name, status: 'completed' };
      const asked =
        wanted?.['type'] === 'custom'
          ? { ...base, type: 'custom_tool_call', input: wordOf(call.args['input']) }
          : { ...base, type: 'function_call', arguments: JSON.stringify(call.args) };
      event('response.output_item.added', { output_index: 1, item: asked });
      event('response.output_item.done', { output_index: 1, item: asked });
      output.push(asked);
    }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    };
    event('response.completed', { response: { ...response, status: 'completed', output, usage } });
    out.end();
  },
};
