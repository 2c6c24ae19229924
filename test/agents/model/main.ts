/**
 * A model that answers by rote, on the loopback address of the network namespace that it is started in. Its argument is
 * a folder, and if you want a port: `health` there holds the mode for questions of the town, `log` gets a line per request. The project that an
 * agent works in is `dir`. Prints `ready` once it listens.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { ampReply } from './amp.ts';
import { anthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import { gemini } from './gemini.ts';
import { lastWords, planOf, type Plan } from './plan.ts';
import { isJson, replyOn, type Json, type Protocol } from './reply.ts';
import { responses } from './responses.ts';
import { callOf, inText } from './tools.ts';

const [, , folder = '.', port = '8080'] = process.argv;

const protocolOf = (path: string): Protocol | null => {
  if (path.includes('/messages')) return anthropic;
  if (path.includes('/responses')) return responses;
  if (path.includes('/chat/completions')) return chat;
  return path.includes('enerateContent') ? gemini : null;
};

const setting = (name: string, otherwise: string) => {
  try {
    return readFileSync(join(folder, name), 'utf8').trim();
  } catch {
    return otherwise;
  }
};
const note = (line: string) => appendFileSync(join(folder, 'log'), `${new Date().toISOString()} ${line}\n`);

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const text = request.headers['content-encoding'] === 'zstd' ? zstdDecompressSync(raw) : raw;
  const body: unknown = JSON.parse(text.toString('utf8') || '{}');
  return isJson(body) ? body : {};
}

/** By how long each lasts. */
const limitEndsAt = new Map<number, number>();
/** How long the limit lasts from now; undefined = it names no end. */
function limitLeftS({ lastsS }: Plan): number | undefined {
  if (lastsS === undefined) return undefined;
  const endsAt = limitEndsAt.get(lastsS) ?? Date.now() + lastsS * 1_000;
  limitEndsAt.set(lastsS, endsAt);
  return Math.max(0, Math.ceil((endsAt - Date.now()) / 1_000));
}

/** Answers under way, for a bench that has to know when the model is through. */
let underWay = 0;
function count(by: 1 | -1): void {
  underWay += by;
  writeFileSync(join(folder, 'under-way'), String(underWay));
}

/** A program whose turns have tools asks without them for a title beside its turn: no person waits for that, and no Esc ends it. */
let haveTools = false;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '/';
  const protocol = protocolOf(path);
  const body = await bodyOf(request);
  const tools = protocol?.tools(body) ?? [];
  haveTools ||= tools.length > 0;
  const isBeside = haveTools && tools.length === 0;
  const wanted = planOf(protocol?.turns(body) ?? [], setting('health', 'hang'));
  const call = wanted.call === undefined ? null : callOf(wanted.call, tools, setting('dir', folder));
  const hasNoTools = wanted.call !== undefined && tools.length === 0;
  const plan = hasNoTools ? { ...wanted, parts: [...wanted.parts, inText(wanted.call)] } : wanted;
  const out = replyOn(response, plan, path);
  if (protocol === null) {
    note(`${request.method ?? ''} ${path}`);
    const known = ampReply(path);
    if (known !== null) {
      out.json(200, known);
      return;
    }
    out.json(path.includes('models') ? 200 : 404, {
      object: 'list',
      data: [{ id: 'gpt-mock', object: 'model' }],
      models: [],
    });
    return;
  }
  if (/count_?tokens/i.test(path)) {
    out.json(200, { input_tokens: 100, totalTokens: 100 });
    return;
  }
  // aider writes some 6,000 characters of its own rules behind what a person said.
  const words = JSON.stringify(lastWords(protocol.turns(body))?.slice(-20_000) ?? null);
  note(`${path} ${plan.mode} ${call?.name ?? '-'} of ${tools.map(({ name }) => name).join(',')} ${words}`);
  if (!isBeside) await pause(plan.waitMs);
  if (response.destroyed) return;
  const leftS = plan.refusal === 'limit' ? limitLeftS(plan) : undefined;
  if (plan.refusal === undefined || leftS === 0) {
    await protocol.send(out, body, call);
    return;
  }
  const { status, body: refused, headers } = protocol.refuse(plan.refusal, leftS);
  out.json(status, refused, headers);
}

createServer((request, response) => {
  count(1);
  response.once('close', () => count(-1));
  answer(request, response).catch((error: unknown) => {
    note(`failed: ${String(error)}`);
    response.destroy();
  });
}).listen(Number(port), '127.0.0.1', () => void process.stdout.write('ready\n'));
