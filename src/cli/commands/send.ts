/** `town send`: work for a session, which the running town types once its agent is at rest. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { saysNothing } from '../../../machines/kernel/shell-safe-text.ts';
import { mistakeIn } from '../../hearings/nudge.ts';
import { textOf } from '../../../state/files/disk.ts';
import { when } from '../../journal/when.ts';
import type { SendView } from '../../socket/protocol.ts';
import { EXIT, Failure } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { checkUnprotected, knownSession, quoteName } from '../naming/names.ts';
import { operatorAs } from '../naming/operator.ts';
import { sessionToAct } from '../naming/resolve.ts';

export interface SendOptions {
  readonly file?: string;
  readonly wait?: boolean;
  readonly list?: boolean;
  readonly cancel?: string;
}

const ID_LETTERS = 8;
const LOOK_MS = 500;

const usage = (code: string, text: string): Failure => new Failure(EXIT.usage, code, text);

/** Throws Failure (2). */
export async function send(
  context: Context,
  word: string | undefined,
  words: readonly string[],
  { file, wait = false, list: isList = false, cancel: id }: SendOptions,
): Promise<void> {
  context.existing();
  await mustBeOperator(context, 'giving work to a session');
  if (isList) return list(context);
  if (id !== undefined) return cancel(context, id);
  if (word === undefined) throw usage('no_session', 'which session? write: town send builder "fix the failing test"');
  const name = await sessionToAct(context, word);
  const settings = await context.settings();
  const text = textIn(words, file);
  if (saysNothing(text)) throw usage('no_text', `no work for ${name}; write: town send ${name} "fix the failing test"`);
  const { maxNudgeChars: most } = settings.hands;
  if (text.length > most) {
    const way = `put them into a file that its agent can read, and send: town send ${name} "read TASK.md and do it"`;
    throw usage('long_text', `the work has ${text.length} characters, and at most ${most} are typed; ${way}`);
  }
  const unfit = mistakeIn(text, settings.hands);
  if (unfit !== null) throw usage('unfit_text', `the work cannot be typed: ${unfit}`);
  checkUnprotected(name, settings);
  await knownSession(context, name);
  const wanted = randomUUID().slice(0, ID_LETTERS);
  const value = await context.request({ verb: 'send', name, send: wanted, text, from: operatorAs(undefined) });
  const { ahead } = value as { readonly ahead: number };
  if (wait) await untilTyped(context, wanted);
  const before = ahead === 0 ? '' : `, after ${ahead} that ${ahead === 1 ? 'waits' : 'wait'} there already`;
  const said = wait ? `${wanted} was typed to ${name}` : `${wanted} is typed to ${name} once it is at rest${before}`;
  context.answer('sent', { id: wanted, session: name, ahead, typed: wait }, said);
}

/** Throws Failure (1) where it never will be. */
async function untilTyped(context: Context, wanted: string): Promise<void> {
  for (;;) {
    const { sends = [], sends_ended: ended = [] } = await context.ask((town) => town.status());
    const end = ended.find(({ id }) => id === wanted)?.end;
    if (end === 'typed') return;
    if (end === 'cancelled') throw new Failure(EXIT.failed, 'cancelled', `${wanted} was cancelled, and is not typed`);
    const one = sends.find(({ id }) => id === wanted);
    if (one?.is_undone === true) {
      const way = `it stays on record until you type: town send --cancel ${wanted}`;
      throw new Failure(EXIT.failed, 'undone', `${wanted} is not typed to ${one.session}: ${one.waits ?? ''}; ${way}`);
    }
    await pause(LOOK_MS);
  }
}

/** Throws Failure (2). */
function textIn(words: readonly string[], file: string | undefined): string {
  const text = words.join(' ').trim();
  if (file === undefined) return text;
  if (text !== '') throw usage('two_texts', 'there is a text and --file; leave one of them out');
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (error) {
    throw usage('unreadable', `${quoteName(file)} cannot be read: ${textOf(error)}`);
  }
}

const sendsNow = async (context: Context): Promise<readonly SendView[]> =>
  (await context.ask((town) => town.status())).sends ?? [];

async function cancel(context: Context, id: string): Promise<void> {
  await context.request({ verb: 'cancelSend', send: id });
  context.answer('send-cancelled', { id }, `${quoteName(id)} is cancelled, and is not typed`);
}

const HEAD = ['ID', 'SESSION', 'SENT', 'WORK', 'WAITS'];
const row = ({ id, session, sent_at, text, is_undone, waits }: SendView): string[] => [
  id,
  session,
  when(sent_at),
  clean(text.split('\n')[0] ?? ''),
  clean(is_undone ? `not typed: ${waits ?? ''}` : (waits ?? '')),
];

async function list(context: Context): Promise<void> {
  const sends = await sendsNow(context);
  context.answer('sends', sends, listing(sends, 'no work waits', HEAD, row));
}
