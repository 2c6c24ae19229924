/** The chat completions protocol of OpenAI, as Qwen Code, opencode, Copilot CLI and aider speak it. */
import { isJson, listOf, openAiFailure, roleOf, textOf, wordOf, type Protocol } from './reply.ts';

const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

export const chat: Protocol = {
  turns: (body) =>
    listOf(body['messages']).map((message) => ({ by: roleOf(message['role']), text: textOf(message['content']) })),
  tools: (body) =>
    listOf(body['tools'])
      .map((tool) => tool['function'])
      .filter(isJson)
      .map((tool) => ({ name: wordOf(tool['name']), schema: isJson(tool['parameters']) ? tool['parameters'] : {} })),
  refuse(kind) {
    if (kind !== 'limit') return openAiFailure(kind, 'authentication_error');
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    return { status: 429, body: { error: { message, type: 'insufficient_quota', code: 'insufficient_quota' } } };
  },
  async send(out, body, call) {
    const id = `chatcmpl-${Date.now()}`;
    const model = body['model'];
    const head = { id, created: 1, model };
    const text = out.plan.parts.join('');
    if (body['stream'] !== true) {
      const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
      out.json(200, { ...head, object: 'chat.completion', choices: [choice], usage });
      return;
    }
    const chunk = (delta: object, finish_reason: string | null = null) =>
      out.event(null, { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
    chunk({ role: 'assistant', content: '' });
    await out.parts((content) => chunk({ content }));
    if (call !== null) {
      const asked = { name: call.name, arguments: JSON.stringify(call.args) };
      chunk({ tool_calls: [{ index: 0, id: call.id, type: 'function', function: asked }] });
    }
    chunk({}, call === null ? 'stop' : 'tool_calls');
    out.event(null, { ...head, object: 'chat.completion.chunk', choices: [], usage });
    out.event(null, '[DONE]');
    out.end();
  },
};
