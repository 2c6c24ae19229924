/** The generateContent protocol of Google, as Gemini CLI speaks it. */
import type { Turn } from './plan.ts';
import { isJson, listOf, roleOf, textOf, wordOf, type Json, type Protocol } from './reply.ts';

const METRIC = 'generativelanguage.googleapis.com/generate_content_free_tier_requests';
const QUOTA = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier';

function turnsOf(content: Json): Turn[] {
  const parts = listOf(content['parts']);
  const words = textOf(parts.filter((part) => !('functionResponse' in part)));
  const isResult = parts.some((part) => 'functionResponse' in part);
  if (!isResult) return [{ by: roleOf(content['role']), text: words }];
  return [{ by: 'tool', text: '' }, ...(words.trim() === '' ? [] : [{ by: roleOf(content['role']), text: words }])];
}

const failure = (code: number, status: string, message: string, details: object[] = []) => ({
  error: { code, status, message, details },
});

export const gemini: Protocol = {
  turns: (body) => listOf(body['contents']).flatMap(turnsOf),
  tools: (body) =>
    listOf(body['tools'])
      .flatMap((group) => listOf(group['functionDeclarations']))
      .map((tool) => {
        const schema = tool['parametersJsonSchema'] ?? tool['parameters'];
        return { name: wordOf(tool['name']), schema: isJson(schema) ? schema : {} };
      }),
  refuse(kind) {
    if (kind === 'error') return { status: 401, body: failure(401, 'UNAUTHENTICATED', 'API key not valid.') };
    if (kind === 'fault') return { status: 500, body: failure(500, 'INTERNAL', 'An internal error has occurred.') };
    if (kind === 'overload') return { status: 503, body: failure(503, 'UNAVAILABLE', 'The model is overloaded.') };
    const words = `You exceeded your current quota, please check your plan and billing details. Quota exceeded for metric: ${METRIC}, limit: 50`;
    const violations = [{ quotaMetric: METRIC, quotaId: QUOTA, quotaValue: '50' }];
    const detail = { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations };
    return { status: 429, body: failure(429, 'RESOURCE_EXHAUSTED', words, [detail]) };
  },
  async send(out, _body, call) {
    const chunk = (parts: object[], end?: string) => ({
      candidates: [{ content: { role: 'model', parts }, index: 0, ...(end !== undefined && { finishReason: end }) }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'gemini-2.5-pro',
    });
    if (!out.path.includes('streamGenerateContent')) {
      out.json(200, chunk([{ text: out.plan.parts.join('') }], 'STOP'));
      return;
    }
    await out.parts((text) => out.event(null, chunk([{ text }])));
    if (call !== null) out.event(null, chunk([{ functionCall: { name: call.name, args: call.args } }]));
    out.event(null, chunk([{ text: '' }], 'STOP'));
    out.end();
  },
};
