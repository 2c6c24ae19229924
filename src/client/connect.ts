/**
 * `townwatch/client`: a town for programs. Each call is the command of the same name, in the caller's name, and answers what its
 * `--json` has as `data`; a refusal is a `Failure` with the exit code and the word of that command. It prints nothing. The caller is the operator,
 * or the agent whose TOWN_TOKEN stands in the environment.
 */
import type { Ask } from '../cli/commands/ask.ts';
import type { Overheard } from '../cli/overheard.ts';
import type { StatusData } from '../cli/status-text.ts';
import type { WarrantView } from '../overview/records.ts';
import type { SessionView } from '../overview/sessions.ts';
import { given } from '../cli/naming/given.ts';
import { MIN_NODE } from '../package.ts';
import { EXIT, Failure, tell } from '../terminal/failure.ts';
import { silently } from '../terminal/streams.ts';
import { eventsOf, type EventsOptions, type TownEvent } from './events.ts';

export { Failure } from '../terminal/failure.ts';
export type { Ask, EventsOptions, SessionView, StatusData, TownEvent, WarrantView };

export interface ConnectOptions {
  /** The folder of the town. Absent = as `town` finds it: $TOWN_ROOT, a folder above with a town.toml, ~/town. */
  readonly root?: string;
}

/** Work that was sent. */
export interface Sent {
  readonly id: string;
  readonly session: string;
  /** How much of the same session is typed before it. */
  readonly ahead: number;
}

/** What came of an answer, as far as its question says. `then`: what stands on the screen afterwards. */
export interface Answered {
  readonly then?: string;
}

/** Its calls reject with `Failure`. */
export interface Town {
  /** Absolute. */
  readonly root: string;
  /** As `town status --json`, also of a town that is down: `running` is false then. */
  status(): Promise<StatusData>;
  sessions(): Promise<readonly SessionView[]>;
  /** Those that are open; `all`: closed ones too. */
  warrants(options?: { readonly all?: boolean }): Promise<readonly WarrantView[]>;
  /** The questions that wait for a person. */
  asks(): Promise<readonly Ask[]>;
  /** `option`: its `key`. Fails with exit 3 where the question is over, with 5 where another one stands there. */
  answer(id: string, option: string, text?: string): Promise<Answered>;
  /**
   * Types the text once the session's agent rests. `request`: an id of yours (letters, digits, `_`, `-`, at most 64), by which
   * the same call once more is known: repeat it after a `Failure` with the code `town_silent` or `waits_for_disk`, and the work is typed once.
   */
  send(session: string, text: string, options?: { readonly request?: string }): Promise<Sent>;
  /** What the journal holds and what is added, each once, also over a kill of the town. */
  events(options?: EventsOptions): AsyncIterable<TownEvent>;
}

/** The package brings no Node along for the program that loads it. Throws `Failure` (1). */
function refuseOldNode(version: string): void {
  if (Number.parseInt(version, 10) >= MIN_NODE) return;
  const text = `townwatch/client needs Node ${MIN_NODE} or newer, and this is Node ${version}; run this program with a newer one, or call the command \`town\` with --json, which brings its own`;
  throw new Failure(EXIT.failed, 'old_node', text);
}

/** What the command says of any error, as its caller gets it. */
function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { exit, code, lines } = tell(error);
  return new Failure(exit, code, lines.join('\n'));
}

/** What a program without types may pass instead. `optional` may be absent. Throws `Failure` (2). */
function mustBeTexts(
  call: string,
  needed: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, unknown>> = {},
): void {
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  for (const [name, value] of [...Object.entries(needed), ...given]) {
    if (typeof value === 'string') continue;
    const text = `${call}: ${name} must be a string, and it is ${value === null ? 'null' : `of the type ${typeof value}`}`;
    throw new Failure(EXIT.usage, 'bad_argument', text);
  }
}

/**
 * Rejects with `Failure`: 3 where no town is at that place, which need not run; 2 for a wrong argument; 1 where this Node is too old.
 */
export async function connect({ root }: ConnectOptions = {}): Promise<Town> {
  refuseOldNode(process.versions.node);
  mustBeTexts('connect', {}, { root });
  const { Overheard: Caller } = await import('../cli/overheard.ts');
  const open = (): Overheard => new Caller({ root, json: false, rest: [] });
  /** All that a caller reaches goes through here: it rejects with `Failure` alone. */
  const within = <T>(deed: (context: Overheard) => Promise<T>): Promise<T> =>
    silently(async () => {
      try {
        return await deed(open());
      } catch (error) {
        throw failureOf(error);
      }
    });
  const call = <T>(deed: (context: Overheard) => Promise<unknown>): Promise<T> =>
    within(async (context) => {
      await deed(context);
      return context.data as T;
    });
  return {
    root: await within((context) => Promise.resolve(context.existing())),
    status: () => call(async (context) => (await import('../cli/commands/status.ts')).status(context)),
    sessions: () => call(async (context) => (await import('../cli/commands/sessions.ts')).list(context)),
    warrants: (options = {}) =>
      call(async (context) => (await import('../cli/commands/warrants.ts')).listWarrants(context, options)),
    asks: () => call(async (context) => (await import('../cli/commands/ask.ts')).list(context)),
    answer: (id, option, text) =>
      call(async (context) => {
        mustBeTexts('answer', { id, option }, { text });
        await (await import('../cli/commands/ask.ts')).answer(context, id, option, text === undefined ? [] : [text]);
      }),
    send: (session, text, { request } = {}) =>
      call(async (context) => {
        mustBeTexts('send', { session, text }, { request });
        await (await import('../cli/commands/send.ts')).send(context, session, [text], given({ request }));
      }),
    events: async function* (options) {
      yield* await within(async (context) => eventsOf(await context.disk(), context.existing(), options));
    },
  };
}
