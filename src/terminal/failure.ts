/** How a command fails: one sentence (what, which value, what to type next), a code for programs, and the exit code. */
import type { Reply } from '../../machines/protocol.ts';
import { SYSTEM } from '../../state/files/system-words.ts';

export const EXIT = { done: 0, failed: 1, usage: 2, notRunning: 3, degraded: 4, refused: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class Failure extends Error {
  readonly exit: ExitCode;
  /** For programs: `unknown_session`, `protected_target` … */
  readonly code: string;

  constructor(exit: ExitCode, code: string, message: string) {
    super(message);
    this.name = 'Failure';
    this.exit = exit;
    this.code = code;
  }
}

/** What the running town answers. Throws Failure where it refuses. */
export function answerIn(reply: Reply): unknown {
  if (!reply.ok) throw new Failure(reply.exit, reply.code, reply.text);
  return reply.value;
}

/** The result found no place where stdout leads to: a full disk, a device that takes nothing. */
export class Unwritten extends Failure {
  constructor(error: NodeJS.ErrnoException) {
    super(
      EXIT.failed,
      'unwritten',
      `the result could not be written to stdout (${error.message}); see to where it leads and try again`,
    );
  }
}

export interface FailureText {
  readonly exit: ExitCode;
  readonly code: string;
  readonly lines: readonly string[];
}

function field(error: Error, name: string): unknown {
  return name in error ? (error as unknown as Record<string, unknown>)[name] : undefined;
}

/** One sentence for what the system refused: the path, where it names one, why, what to do. */
function systemText(error: Error): string {
  const code = String(field(error, 'code'));
  const [why, next] = SYSTEM[code] ?? ['the system refuses it', '`town doctor` looks at the machine'];
  const at = field(error, 'dest') ?? field(error, 'path');
  const place = typeof at === 'string' && at !== '' ? `${at}: ` : '';
  return `${place}${why} (${place === '' ? `${code}, ${String(field(error, 'syscall'))}` : code}); ${next}`;
}

const NOT_FOUND = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'];

/** A part of the program that is loaded when it is needed was taken away, or never came. The entry says the same of the first ones. */
function notWhole({ message }: Error): FailureText {
  const [what = ''] = message.split('\n');
  const line = `the package is not whole, it is half installed or was replaced meanwhile (${what}); try again, or install it again: npm install -g townwatch`;
  return { exit: EXIT.failed, code: 'not_whole', lines: [line] };
}

/**
 * What to print for any error. Errors of other rooms are recognised by their name, so that no room is loaded just to
 * fail.
 */
export function tell(error: unknown): FailureText {
  if (error instanceof Error && NOT_FOUND.includes(String(field(error, 'code')))) return notWhole(error);
  if (!(error instanceof Error)) return { exit: EXIT.failed, code: 'failed', lines: [String(error)] };
  if (error instanceof Failure) return { exit: error.exit, code: error.code, lines: [error.message] };
  if (error.name === 'ConfigError') {
    return { exit: EXIT.usage, code: String(field(error, 'code')), lines: error.message.split('\n') };
  }
  if (error.name === 'TownNotRunning') return { exit: EXIT.notRunning, code: 'not_running', lines: [error.message] };
  if (error.name === 'TownSilent') return { exit: EXIT.failed, code: 'town_silent', lines: [error.message] };
  const code = field(error, 'code');
  const exit = field(error, 'exit');
  const known = Object.values(EXIT).find((value) => value === exit);
  const line = field(error, 'errno') === undefined ? error.message.replaceAll('\n', ' ') : systemText(error);
  return {
    exit: known ?? EXIT.failed,
    code: typeof code === 'string' ? code.toLowerCase() : 'failed',
    lines: [line],
  };
}
