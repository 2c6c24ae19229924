/** `town send`: work for a session, which the running town types once its agent is at rest. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { saysNothing } from '../../../machines/kernel/shell-safe-text.ts';
import type { SendEnd } from '../../../machines/protocol.ts';
import { mistakeIn } from '../../hearings/nudge.ts';
import { textOf } from '../../../state/files/disk.ts';
import { when } from '../../journal/when.ts';
import type { Settings } from '../../config/settings.ts';
import type { SendView } from '../../socket/protocol.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, listing } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { checkUnprotected, isName, knownSession, quoteName } from '../naming/names.ts';
import { operatorAs } from '../naming/operator.ts';
import { sessionToAct } from '../naming/resolve.ts';

export interface SendOptions {
  readonly file?: string;
  readonly wait?: boolean;
  readonly list?: boolean;
  readonly cancel?: string;
  readonly all?: boolean;
  readonly tag?: string;
  readonly request?: string;
}

/** How work got to its agent. */
type There = Exclude<SendEnd['end'], 'cancelled'>;
/** Between `was` and the session. */
const ENDS: Readonly<Record<There, string>> = {
  typed: 'typed to',
  given: 'taken by the program of',
  begun: 'taken, and begun, by the program of',
};
const ENDS_ALONE: Readonly<Record<There, string>> = {
  typed: 'typed',
  given: 'taken by its program',
  begun: 'taken by its program, which began it',
};

const ID_LETTERS = 8;
const LOOK_MS = 500;

const usage = (code: string, text: string): Failure => new Failure(EXIT.usage, code, text);

/** Throws Failure (2). */
export async function send(
  context: Context,
  word: string | undefined,
  words: readonly string[],
  options: SendOptions,
): Promise<ExitCode> {
  context.existing();
  await mustBeOperator(context, 'giving work to a session');
  if (options.list === true) return list(context);
  if (options.cancel !== undefined) return cancel(context, options.cancel);
  const { all = false, tag, file, wait = false } = options;
  if (all || tag !== undefined) return sendToMany(context, word === undefined ? words : [word, ...words], options);
  if (word === undefined) throw usage('no_session', 'which session? write: town send builder "fix the failing test"');
  const name = await sessionToAct(context, word);
  const settings = await context.settings();
  const text = workIn(words, { file, who: name }, settings);
  checkUnprotected(name, settings);
  await knownSession(context, name);
  const wanted = requestOf(options) ?? randomUUID().slice(0, ID_LETTERS);
  const ahead = await give(context, name, wanted, text);
  const end = wait ? await untilThere(context, wanted) : null;
  const before = ahead === 0 ? '' : `, after ${ahead} that ${ahead === 1 ? 'waits' : 'wait'} there already`;
  const said =
    end === null ? `${wanted} is typed to ${name} once it is at rest${before}` : `${wanted} was ${ENDS[end]} ${name}`;
  context.answer('sent', { id: wanted, session: name, ahead, typed: end === 'typed', end }, said);
  return EXIT.done;
}

/** How much of the same session is typed before it. Throws Failure. */
async function give(context: Context, name: string, id: string, text: string): Promise<number> {
  const value = await context.request({ verb: 'send', name, send: id, text, from: operatorAs(undefined) });
  return (value as { readonly ahead: number }).ahead;
}

/** The caller's own id of a request; null = it gave none. Throws Failure (2). */
function requestOf({ request }: SendOptions): string | null {
  if (request === undefined || isName(request)) return request ?? null;
  const why = `--request ${quoteName(request)} is no id: letters, digits, _ and -, at most 64`;
  throw usage('bad_request', `${why}; write --request monday-1`);
}

/** Work that can be typed. Throws Failure (2). */
function workIn(
  words: readonly string[],
  { file, who }: { readonly file: string | undefined; readonly who: string },
  settings: Settings,
): string {
  const text = textIn(words, file);
  if (saysNothing(text)) throw usage('no_text', `no work for ${who}; write: town send ${who} "fix the failing test"`);
  const { maxNudgeChars: most } = settings.hands;
  if (text.length > most) {
    const way = `put them into a file that its agent can read, and send: town send ${who} "read TASK.md and do it"`;
    throw usage('long_text', `the work has ${text.length} characters, and at most ${most} are typed; ${way}`);
  }
  const unfit = mistakeIn(text, settings.hands);
  if (unfit !== null) throw usage('unfit_text', `the work cannot be typed: ${unfit}`);
  return text;
}

/** What came of the work for one session. */
interface SentView {
  readonly session: string;
  /** null = it gets none of it. */
  readonly id: string | null;
  readonly ahead: number | null;
  readonly typed: boolean;
  /** How it got there; null = it is not known to be there. */
  readonly end: There | null;
  /** Why it gets none, or why it is not typed; null = it gets it. */
  readonly why: string | null;
}

const MANY_HEAD = ['SESSION', 'ID', 'OUTCOME'];
const manyRow = ({ session, id, ahead, end, why }: SentView): string[] => {
  const waits = ahead === 0 ? 'typed once it is at rest' : `typed once it is at rest, after ${String(ahead)} more`;
  return [session, id ?? '', end !== null ? ENDS_ALONE[end] : why === null ? waits : `not typed: ${clean(why)}`];
};

/** One piece of work a session, each with its own id: one that cannot have it keeps it from no other. Exit 1 where none gets it. */
async function sendToMany(context: Context, words: readonly string[], options: SendOptions): Promise<ExitCode> {
  const { all = false, tag, file, wait = false } = options;
  if (all && tag !== undefined) throw usage('two_choices', '--all is for every session, --tag for some; write one');
  const settings = await context.settings();
  const way = tag === undefined ? '--all' : `--tag ${tag}`;
  const text = workIn(words, { file, who: way }, settings);
  const request = requestOf(options);
  const { sessionsMeant } = await import('../asking/meant-sessions.ts');
  const meant = await sessionsMeant(context, settings, tag);
  if (meant.length === 0)
    throw usage('no_session', `no session has the tag ${quoteName(tag ?? '')}; see \`town session list\``);
  const sent: SentView[] = [];
  for (const { name: session, why } of meant) {
    const id = request === null ? randomUUID().slice(0, ID_LETTERS) : `${request}/${session}`;
    sent.push(why === null ? await sendTo(context, session, id, text) : { session, ...NOT_SENT, why });
  }
  const shown = wait ? await Promise.all(sent.map((one) => typedOf(context, one))) : sent;
  context.answer('sent-many', shown, listing(shown, '', MANY_HEAD, manyRow));
  return shown.some(({ id, why }) => id !== null && why === null) ? EXIT.done : EXIT.failed;
}

const NOT_SENT = { id: null, ahead: null, typed: false, end: null } as const;

const whyOf = (error: unknown): string => {
  // A town that went away takes none of the others either.
  if (error instanceof Failure && error.exit !== EXIT.notRunning) return error.message;
  throw error;
};

async function sendTo(context: Context, session: string, id: string, text: string): Promise<SentView> {
  try {
    return { session, id, ahead: await give(context, session, id, text), typed: false, end: null, why: null };
  } catch (error) {
    return { session, ...NOT_SENT, why: whyOf(error) };
  }
}

async function typedOf(context: Context, one: SentView): Promise<SentView> {
  if (one.id === null) return one;
  try {
    const end = await untilThere(context, one.id);
    return { ...one, typed: end === 'typed', end };
  } catch (error) {
    return { ...one, why: whyOf(error) };
  }
}

/** How it got there. Throws Failure (1) where it never will. */
async function untilThere(context: Context, wanted: string): Promise<There> {
  for (;;) {
    const { sends = [], sends_ended: ended = [] } = await context.ask((town) => town.status());
    const end = ended.find(({ id }) => id === wanted)?.end;
    if (end === 'cancelled') throw new Failure(EXIT.failed, 'cancelled', `${wanted} was cancelled, and is not typed`);
    if (end !== undefined) return end;
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

async function cancel(context: Context, id: string): Promise<ExitCode> {
  await context.request({ verb: 'cancelSend', send: id });
  context.answer('send-cancelled', { id }, `${quoteName(id)} is cancelled, and is not typed`);
  return EXIT.done;
}

const HEAD = ['ID', 'SESSION', 'SENT', 'WORK', 'WAITS'];
const row = ({ id, session, sent_at, text, is_undone, waits }: SendView): string[] => [
  id,
  session,
  when(sent_at),
  clean(text.split('\n')[0] ?? ''),
  clean(is_undone ? `not typed: ${waits ?? ''}` : (waits ?? '')),
];

async function list(context: Context): Promise<ExitCode> {
  const sends = await sendsNow(context);
  context.answer('sends', sends, listing(sends, 'no work waits', HEAD, row));
  return EXIT.done;
}
