// An MCP server over stdio with one tool, which writes the note that it is given into the file that the server was started with.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Asked {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: object };
}

const [, , file = ''] = process.argv;
const WORDS = { type: 'object', properties: { text: { type: 'string' }, issue: { type: 'string' } } };

function answerTo({ method, params }: Asked): object {
  if (method === 'initialize') {
    const serverInfo = { name: 'notes', version: '1.0.0' };
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'tools/list')
    return { tools: [{ name: 'keep_note', description: 'Keeps a note.', inputSchema: WORDS }] };
  if (method !== 'tools/call') return {};
  appendFileSync(file, `${JSON.stringify(params?.arguments)}\n`);
  return { content: [{ type: 'text', text: 'kept' }] };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line) as Asked;
  if (asked.id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: answerTo(asked) })}\n`);
});
