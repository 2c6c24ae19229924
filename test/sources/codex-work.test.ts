/** Which calls of Codex still wait in a thread's file, and until when that excuses its standstill (M-3). Lines as Codex 0.169 writes them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { untilInRollout } from '../../src/sources/codex-work.ts';
import { SOURCES } from '../../src/sources/policy.ts';
import { tempFolder } from '../world/over.ts';

const AT = Date.UTC(2026, 10, 28, 16, 13, 19);
const LIMIT = SOURCES.tools.otherMs + SOURCES.tools.graceMs;

const line = (type: string, id: string, at = AT): string =>
  JSON.stringify({ timestamp: new Date(at).toISOString(), type: 'response_item', payload: { type, call_id: id } });

function until(...lines: string[]): Promise<number | null> {
  const file = join(tempFolder('town-rollout'), 'rollout.jsonl');
  writeFileSync(file, lines.join('\n'));
  return untilInRollout(file)(AT);
}

// Rules: M-3.
test.each<[name: string, lines: string[], until: number | null]>([
  ['a call without its output', [line('function_call', 'a')], AT + LIMIT],
  ['one that has its output', [line('function_call', 'a'), line('function_call_output', 'a')], null],
  ['the later of two', [line('function_call', 'a'), line('custom_tool_call', 'b', AT + 5_000)], AT + 5_000 + LIMIT],
  ['a torn last line', [line('function_call', 'a').slice(0, -9)], null],
  ['a line of another kind that names a call', ['{"type":"event_msg","payload":{"type":"x_call"}}'], null],
  ['an empty file', [], null],
])('%s', async (_, lines, at) => {
  expect(await until(...lines)).toBe(at);
});

test('a file that is not there tells of no call', async () => {
  expect(await untilInRollout('/nonexistent/rollout.jsonl')(AT)).toBeNull();
});
