/**
 * A thread's file of Codex, line by line, as seen with 0.169: `token_count` tells the sums of the whole thread so far, and a line stands
 * for each call and each message. It names no price.
 */
import * as z from 'zod';
import { orNull } from '../../state/files/or-null.ts';
import { timeOf } from './claude.ts';
import { less, NOTHING, type Sums, type Tally } from './tally.ts';

const COUNT = z.number().nonnegative();
const TOTAL = z.object({ input_tokens: COUNT, cached_input_tokens: COUNT, output_tokens: COUNT });
const COUNTED = z.object({
  timestamp: z.string().optional(),
  payload: z.object({ type: z.literal('token_count'), info: z.object({ total_token_usage: TOTAL }) }),
});
const ITEM = z.object({
  type: z.literal('response_item'),
  payload: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message'),
      role: z.literal('assistant'),
      content: z.array(z.object({ text: z.string().optional() })),
    }),
    z.object({ type: z.literal('function_call'), call_id: z.string(), name: z.string(), arguments: z.string() }),
    z.object({ type: z.literal('custom_tool_call'), call_id: z.string(), name: z.string(), input: z.string() }),
    z.object({ type: z.literal('local_shell_call'), call_id: z.string(), action: z.unknown() }),
  ]),
});
type Item = z.infer<typeof ITEM>['payload'];

/** A command that takes long is waited for by these again and again; the second one only where it types nothing. */
const WAITS: readonly string[] = ['wait', 'wait_agent'];
const TYPED = z.object({ chars: z.string().min(1) });

/** A reader of lines into `tally`. A line of another form counts as nothing. */
export function codexLines(tally: Tally): (bytes: Buffer) => void {
  let total = NOTHING;
  return (bytes) => {
    const isCount = bytes.includes('"token_count"');
    if (!isCount && !bytes.includes('"response_item"')) return;
    const json = orNull(() => JSON.parse(bytes.toString('utf8')) as unknown);
    const { data: counted } = COUNTED.safeParse(json);
    if (counted !== undefined) {
      const now = sumsIn(counted.payload.info.total_token_usage);
      tally.spent(timeOf(counted.timestamp), since(total, now));
      total = now;
    }
    const { data: item } = ITEM.safeParse(json);
    if (item !== undefined) act(tally, item.payload);
  };
}

function act(tally: Tally, item: Item): void {
  switch (item.type) {
    case 'message':
      return tally.said(item.content.map(({ text = '' }) => text).join('\n'));
    case 'function_call':
      if (!isWait(item)) tally.called({ id: item.call_id, name: item.name, ...words(item.arguments) });
      return;
    case 'custom_tool_call':
      return tally.called({ id: item.call_id, name: item.name, ...words(item.input) });
    case 'local_shell_call':
      return tally.called({ id: item.call_id, name: 'shell', ...words(JSON.stringify(item.action)) });
  }
}

const words = (input: string): { readonly input: string; readonly subject: string } => ({ input, subject: input });

const isWait = ({ name, arguments: text }: Extract<Item, { type: 'function_call' }>): boolean =>
  WAITS.includes(name) ||
  (name === 'write_stdin' && !TYPED.safeParse(orNull(() => JSON.parse(text) as unknown)).success);

const sumsIn = ({ input_tokens, cached_input_tokens, output_tokens }: z.infer<typeof TOTAL>): Sums => ({
  input: Math.max(0, input_tokens - cached_input_tokens),
  cached: cached_input_tokens,
  output: output_tokens,
  cost: null,
});

/** Sums that are less than before began anew. */
function since(before: Sums, now: Sums): Sums {
  const isAnew = now.input < before.input || now.cached < before.cached || now.output < before.output;
  return less(now, isAnew ? NOTHING : before);
}
