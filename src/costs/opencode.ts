/**
 * What a conversation of opencode took, by its server, as seen with 1.18: it counts tokens and cost of each conversation itself, and
 * agents of its agent have conversations of their own. Its last messages are asked for only after it took more.
 */
import * as z from 'zod';
import { SESSION } from '../sources/opencode-asks.ts';
import { readFrom, type OpencodeServer } from '../sources/opencode-server.ts';
import { SOURCES } from '../sources/policy.ts';
import type { Meter } from './meter.ts';
import { COSTS } from './policy.ts';
import { combineParts, Tally, type Counted, type Sums } from './tally.ts';

const COUNT = z.number().nonnegative();
const CONVERSATION = z.object({
  id: SESSION,
  cost: COUNT,
  tokens: z.object({
    input: COUNT,
    output: COUNT,
    reasoning: COUNT,
    cache: z.object({ read: COUNT, write: COUNT }),
  }),
  time: z.object({ created: z.number() }),
});
type Conversation = z.infer<typeof CONVERSATION>;
const TEXT = z.object({ type: z.literal('text'), id: z.string(), text: z.string() });
const CALL = z.object({
  type: z.literal('tool'),
  id: z.string(),
  tool: z.string(),
  state: z.object({ status: z.enum(['running', 'completed', 'error']), input: z.record(z.string(), z.unknown()) }),
});
const MESSAGES = z.array(
  z.object({ info: z.object({ id: z.string(), role: z.string() }), parts: z.array(z.unknown()) }),
);
type Messages = z.infer<typeof MESSAGES>;

export function opencodeMeter(): Meter {
  const acts = actsReader();
  let counted: Counted | null = null;
  let before = '';
  return {
    get counted() {
      return counted;
    },
    look: async (books) => {
      if (books.program !== 'opencode') return;
      const { server, conversation } = books;
      const all = await withParts(server, conversation);
      if (all === null) {
        counted = null;
        return;
      }
      const now = JSON.stringify(all.map(({ tokens }) => tokens));
      if (now === before) return;
      const messages = await readFrom(server, `/session/${conversation}/message?limit=${COSTS.lastMessages}`, MESSAGES);
      if (messages !== null) acts.read(messages);
      const sums = combineParts(all.map(countedIn));
      // What agents of its agent do is not looked at: it counts as something new.
      const [, ...parts] = all;
      const news = messages && `${acts.tally.counted.news} ${JSON.stringify(parts.map(({ tokens }) => tokens))}`;
      counted = { ...sums, news, repeated: acts.tally.counted.repeated };
      before = messages === null ? '' : now;
    },
  };
}

/** The conversation, and those of agents of its agent; null = one of them is not told in a form that is known. */
async function withParts(server: OpencodeServer, root: string): Promise<readonly Conversation[] | null> {
  const first = await readFrom(server, `/session/${root}`, CONVERSATION);
  if (first === null) return null;
  const all = [first];
  for (const { id } of all) {
    const below = await readFrom(server, `/session/${id}/children`, z.array(CONVERSATION));
    if (below === null || all.length + below.length > COSTS.maxParts) return null;
    all.push(...below);
    if (all.length > SOURCES.maxActive) return null;
  }
  return all;
}

const countedIn = ({ tokens, cost, time }: Conversation): Counted => ({
  sums: sumsIn(tokens, cost),
  since: time.created,
  lastAt: null,
  stretches: [],
  // The server tells sums alone.
  keptFrom: Number.MAX_SAFE_INTEGER,
  news: null,
  repeated: null,
});

const sumsIn = ({ input, output, reasoning, cache }: Conversation['tokens'], cost: number): Sums => ({
  input: input + cache.write,
  cached: cache.read,
  output: output + reasoning,
  cost,
});

function actsReader(): { readonly tally: Tally; read(messages: Messages): void } {
  const tally = new Tally();
  let seen: ReadonlySet<string> = new Set();
  let last = '';
  return {
    tally,
    read: (messages) => {
      // What lies between was not seen, and may have been anything.
      if (last !== '' && !messages.some(({ info }) => info.id === last)) tally.said(`after ${last}`);
      last = messages.at(-1)?.info.id ?? last;
      const now = new Set<string>();
      for (const part of messages.flatMap(({ info, parts }) => (info.role === 'assistant' ? parts : []))) {
        const { data: text } = TEXT.safeParse(part);
        const { data: call } = CALL.safeParse(part);
        const id = text === undefined ? call?.id : `${text.id} ${text.text.length}`;
        if (id === undefined) continue;
        now.add(id);
        if (seen.has(id)) continue;
        if (text !== undefined) tally.said(text.text);
        if (call !== undefined)
          tally.called({ id, name: call.tool, input: call.state.input, subject: subjectOf(call.state.input) });
      }
      seen = now;
    },
  };
}

/** The first word of its input that is a text. */
const subjectOf = (input: Readonly<Record<string, unknown>>): string =>
  Object.values(input).find((one) => typeof one === 'string') ?? '';
