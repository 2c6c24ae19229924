/** `town send`: work for a session, which the running town types once its agent is at rest. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { saysNothing } from '../../../machines/kernel/shell-safe-text.ts';
import type { Send, SendEnd, SendReply } from '../../../machines/protocol.ts';
import { mistakeIn } from '../../hearings/nudge.ts';
import { when } from '../../journal/when.ts';
import type { Settings } from '../../config/settings.ts';
import { TownNotRunning, TownSilent } from '../../socket/client.ts';
import type { SendView } from '../../socket/protocol.ts';
import { EXIT, Failure, type ExitCode } from '../../terminal/failure.ts';
import { clean, listing, note } from '../../terminal/print.ts';
import type { Context } from '../context.ts';
import { mustBeOperator } from '../naming/caller.ts';
import { checkUnprotected, isName, knownSession, quoteName } from '../naming/names.ts';
import { commandIn } from '../asking/command-text.ts';
import { operatorAs } from '../naming/operator.ts';
import { sessionToAct } from '../naming/resolve.ts';
import { textIn } from '../naming/text-in.ts';

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
  started: 'typed to, and begun by,',
  given: 'taken by the program of',
  begun: 'taken, and begun, by the program of',
};
const ENDS_ALONE: Readonly<Record<There, string>> = {
  typed: 'typed',
  started: 'typed, and its program began it',
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
  if (all || tag !== undefined) return sendToMany(context, word, words, options);
  if (word === undefined) throw usage('no_session', 'which session? write: town send builder "fix the failing test"');
  const name = await sessionToAct(context, word);
  const settings = await context.settings();
  const text = workIn(words, { file, who: name }, settings);
  checkUnprotected(name, settings);
  await knownSession(context, name);
  const why = await commandIn(context, settings, { name, text });
  if (why !== null)
    throw new Failure(
      EXIT.refused,
      'command_text',
      `${why}, so it is never typed to ${name}; type it in its pane: town session attach ${name}`,
    );
  const wanted = requestOf(options) ?? randomUUID().slice(0, ID_LETTERS);
  const work = { id: wanted, session: name, text };
  const { ahead, end } = wait ? await untilThere(context, work) : await give(context, work);
  const before = ahead === 0 ? '' : `, after ${ahead} that ${ahead === 1 ? 'waits' : 'wait'} there already`;
  const said =
    end === null ? `${wanted} is typed to ${name} once it is at rest${before}` : `${wanted} was ${ENDS[end]} ${name}`;
  context.answer('sent', { id: wanted, session: name, ahead, ...receiptOf(end) }, said);
  return EXIT.done;
}

/** Whether its agent has the work, and by which way. */
interface Receipt {
  readonly delivered: boolean;
  /** By keys: its program may also have taken it without one. */
  readonly typed: boolean;
  /** null = it is not known to be there. */
  readonly end: There | null;
}
const receiptOf = (end: There | null): Receipt => ({
  delivered: end !== null,
  typed: end === 'typed' || end === 'started',
  end,
});

type Work = Pick<Send, 'id' | 'session' | 'text'>;
type Given = Pick<SendReply, 'ahead' | 'isProving'> & { readonly end: There | null };

/** The same work once more is the same request: its reply says what became of it. Throws Failure, also where it is never typed. */
async function give(context: Context, { id, session, text }: Work): Promise<Given> {
  const value = await context.request({ verb: 'send', name: session, send: id, text, from: operatorAs(undefined) });
  const { ahead, end, undone, isProving } = value as SendReply;
  if (end === 'cancelled') throw new Failure(EXIT.failed, 'cancelled', `${id} was cancelled, and is not typed`);
  if (undone === null) return { ahead, end, ...(isProving === true && { isProving }) };
  const way = `it stays on record until you type: town send --cancel ${id}`;
  throw new Failure(EXIT.failed, 'undone', `${id} is not typed to ${session}: ${undone}; ${way}`);
}

/** Resolves once it is there, and nothing more of it will be known. Throws as `give`. */
async function untilThere(context: Context, work: Work): Promise<Given> {
  for (;;) {
    const given = await give(context, work);
    if (given.end !== null && given.isProving !== true) return given;
    await pause(LOOK_MS);
  }
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
interface SentView extends Receipt {
  readonly session: string;
  /** null = it gets none of it. */
  readonly id: string | null;
  readonly ahead: number | null;
  /** Why it gets none, or why it is not typed; null = it gets it. */
  readonly why: string | null;
}

const MANY_HEAD = ['SESSION', 'ID', 'OUTCOME'];
const manyRow = ({ session, id, ahead, end, why }: SentView): string[] => {
  const waits = ahead === 0 ? 'typed once it is at rest' : `typed once it is at rest, after ${String(ahead)} more`;
  const not = isUnknown(why) ? 'unknown' : 'not typed';
  return [session, id ?? '', end !== null ? ENDS_ALONE[end] : why === null ? waits : `${not}: ${clean(why)}`];
};

/**
 * One piece of work a session, each with its own id: one that cannot have it keeps it from no other. Exit 1 where none gets it, 3 where
 * the town went away meanwhile: the list says which have it.
 */
async function sendToMany(
  context: Context,
  word: string | undefined,
  words: readonly string[],
  options: SendOptions,
): Promise<ExitCode> {
  const { all = false, tag, file, wait = false } = options;
  if (all && tag !== undefined) throw usage('two_choices', '--all is for every session, --tag for some; write one');
  const settings = await context.settings();
  const way = tag === undefined ? '--all' : `--tag ${tag}`;
  const { sessionsMeant } = await import('../asking/meant-sessions.ts');
  const { meant, isSession } = await sessionsMeant(context, settings, tag);
  if (word !== undefined && isSession(word)) {
    const ways = 'write one of the two, or put quotes around the whole work';
    throw usage('two_choices', `${word} is a session, and ${way} chooses sessions too; ${ways}`);
  }
  const text = workIn(word === undefined ? words : [word, ...words], { file, who: way }, settings);
  const request = requestOf(options) ?? randomUUID().slice(0, ID_LETTERS);
  if (meant.length === 0) {
    const which = tag === undefined ? 'there is no session' : `no session has the tag ${quoteName(tag)}`;
    throw usage('no_session', `${which}; see \`town session list\``);
  }
  const able = meant.map(async ({ name, why }): Promise<Meant> => {
    return { name, why: why ?? (await commandIn(context, settings, { name, text })) };
  });
  const sent = await sendEach(context, await Promise.all(able), { request, text });
  const shown: SentView[] = [];
  for (const one of sent) shown.push(wait && one.why === null ? await thereOf(context, one, text) : one);
  context.answer('sent-many', shown, listing(shown, '', MANY_HEAD, manyRow));
  if (shown.some(({ why }) => isUnknown(why))) {
    note(
      `once the town runs, the same request gives it to the others, and says what came of it: town send ${way} --request ${request} …`,
    );
    return EXIT.notRunning;
  }
  return shown.some(({ id, why }) => id !== null && why === null) ? EXIT.done : EXIT.failed;
}

/** `why`: it gets none; null = it may get it. */
interface Meant {
  readonly name: string;
  readonly why: string | null;
}

/** Until the town goes away, which then takes none of the others either. */
async function sendEach(
  context: Context,
  meant: readonly Meant[],
  { request, text }: { readonly request: string; readonly text: string },
): Promise<SentView[]> {
  const sent: SentView[] = [];
  for (const { name: session, why: known } of meant) {
    const why = known ?? (sent.some((one) => one.why === GONE) ? GONE : null);
    sent.push(
      why === null ? await sendTo(context, { id: `${request}/${session}`, session, text }) : notSent(session, why),
    );
  }
  return sent;
}

/** As the end of `unknown: `. */
const GONE = 'the town went away before it said that it has this';
const AWAY = 'the town has it on record, and went away before it said what came of it';
const isUnknown = (why: string | null): boolean => why === GONE || why === AWAY;
const notSent = (session: string, why: string): SentView => ({
  session,
  id: null,
  ahead: null,
  ...receiptOf(null),
  why,
});

const whyOf = (error: unknown): string => {
  if (error instanceof TownNotRunning || error instanceof TownSilent) return GONE;
  if (error instanceof Failure) return error.exit === EXIT.notRunning ? GONE : error.message;
  throw error;
};

async function sendTo(context: Context, work: Work): Promise<SentView> {
  try {
    const { ahead, end } = await give(context, work);
    return { session: work.session, id: work.id, ahead, ...receiptOf(end), why: null };
  } catch (error) {
    return notSent(work.session, whyOf(error));
  }
}

async function thereOf(context: Context, one: SentView, text: string): Promise<SentView> {
  try {
    const { end } = await untilThere(context, { id: one.id ?? '', session: one.session, text });
    return { ...one, ...receiptOf(end) };
  } catch (error) {
    const why = whyOf(error);
    return { ...one, why: why === GONE ? AWAY : why };
  }
}

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
  const { sends = [] } = await context.ask((town) => town.status());
  if (sends === null)
    throw new Failure(EXIT.failed, 'records_unreadable', 'what waits cannot be read now; see: town alerts list');
  context.answer('sends', sends, listing(sends, 'no work waits', HEAD, row));
  return EXIT.done;
}
