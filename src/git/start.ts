/**
 * Starts one git that goes out to no network and waits for its end. By Node's own call: a list of polecats starts one for each, and a
 * package's wrapper around it costs more than the start.
 */
import { execFile, type ChildProcess, type ExecFileException } from 'node:child_process';
import { GIT } from './policy.ts';

export interface Start {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A byte a character, as both streams are given back. */
  readonly input: string;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  /** It takes no lock. */
  readonly onlyReads?: boolean;
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly failed: boolean;
  /** null = it was not started, or ended by a signal. */
  readonly exitCode: number | null;
  /** The system's word for why it was not started; null = it was. */
  readonly code: string | null;
  readonly isLate: boolean;
  /** It said more than `maxBytes`. */
  readonly isTooMuch: boolean;
  /** In words of Node; '' = it ended well. */
  readonly why: string;
}

const running = new Set<ChildProcess>();

/** Before its folders go: it takes its locks in a repository back through them. */
const endAll = (): void => running.forEach((child) => child.kill());

export function endWithProcess(child: ChildProcess): void {
  if (!process.listeners('exit').includes(endAll)) process.prependListener('exit', endAll);
  running.add(child);
  child.once('close', () => running.delete(child));
}

const TOO_MUCH = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';

/** A git that does not end by TERM, or is stopped, is killed after its grace: until it is gone, it holds the turn of another. */
function killAfterGrace(child: ChildProcess, graceMs: number, cutOff: () => void): void {
  const kill = child.kill.bind(child);
  let timer: NodeJS.Timeout | undefined;
  // Node calls this for a limit, for too much output and for an abort, and throws away what it has not read.
  child.kill = (signal) => {
    cutOff();
    timer ??= setTimeout(kill, graceMs, 'SIGKILL');
    return kill(signal);
  };
  // An abort calls back before the end of its program.
  child.once('close', () => clearTimeout(timer));
}

/** Never rejects. */
export function startGit(
  args: readonly string[],
  { input, limitMs, maxBytes, onlyReads = false, ...place }: Start,
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let isCutOff = false;
  const end = (error: ExecFileException | null, stdout = '', stderr = ''): void => {
    const { code = error === null ? 0 : null, message = '' } = error ?? {};
    // One that ended by itself as its limit passed ended well, without what it said.
    const isLate = isCutOff && typeof code !== 'string';
    resolve({
      stdout,
      stderr,
      failed: error !== null || isLate,
      exitCode: typeof code === 'number' && !isLate ? code : null,
      code: typeof code === 'string' ? code : null,
      isLate,
      isTooMuch: code === TOO_MUCH,
      why: message.trim(),
    });
  };
  try {
    const how = { encoding: 'latin1', timeout: limitMs, maxBuffer: maxBytes ?? GIT.maxOutputBytes } as const;
    const child = execFile('git', args, { ...place, ...how }, end);
    killAfterGrace(child, onlyReads ? GIT.graceMs : GIT.writeGraceMs, () => (isCutOff = true));
    endWithProcess(child);
    // One that ended without reading it is judged by how it ended.
    child.stdin?.on('error', () => undefined).end(input, 'latin1');
  } catch (error) {
    end(error as ExecFileException);
  }
  return promise;
}
