/**
 * A shell that starts one git after another, of calls that only read. Node starts a program by a copy of its whole memory map, which
 * costs as much as a look at a small worktree; a shell is small.
 * 1. It has one call at a time, and gets the next once both streams of the last one ended with its mark.
 * 2. What it cannot say for certain it does not say: that git is then started again by Node.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { inQuotes } from '../../state/files/show-text.ts';
import { endGroup } from '../proc/group.ts';
import { GIT } from './policy.ts';
import { endWithProcess, type Ended, type Start } from './start.ts';

/** Higher exit codes are the shell's own words: for a signal, or for a program or folder that it did not find. */
const MOST_OF_GIT = 125;
const NOT_STARTED = 127;
/** Characters that hold a mark and its exit code. */
const MARK_LENGTH = 64;

/** One stream of a call, up to its mark. */
class Heard {
  readonly #parts: string[] = [];
  readonly #mark: RegExp;
  #last = '';
  length = 0;

  constructor(mark: string) {
    this.#mark = new RegExp(`${mark} (\\d+)\n$`);
  }

  add(text: string): void {
    this.#parts.push(text);
    this.length += text.length;
    this.#last = (this.#last + text).slice(-MARK_LENGTH);
  }

  /** null = it goes on. */
  whole(): { readonly text: string; readonly exitCode: number } | null {
    const [mark = '', code] = this.#mark.exec(this.#last) ?? [];
    return code === undefined ? null : { text: this.#parts.join('').slice(0, -mark.length), exitCode: Number(code) };
  }
}

interface Call {
  readonly stdout: Heard;
  readonly stderr: Heard;
  readonly maxBytes: number;
  readonly answer: PromiseWithResolvers<Ended | null>;
}

const CUT_OFF: Ended = {
  stdout: '',
  stderr: '',
  failed: true,
  exitCode: null,
  code: null,
  isLate: false,
  isTooMuch: false,
  why: '',
};

export class GitShell {
  readonly #mark = randomUUID();
  /** It leads a group, so that a git which is late is ended with it. */
  readonly #child = spawn('/bin/sh', [], { cwd: '/', env: {}, detached: true, stdio: 'pipe' });
  #call: Call | null = null;
  #isOver = false;

  constructor() {
    endWithProcess(this.#child);
    const end = (): void => this.#end(null);
    this.#child.on('error', end).on('close', end);
    this.#child.stdin.on('error', end);
    this.#child.stdout.setEncoding('latin1').on('data', (text: string) => this.#hear('stdout', text));
    this.#child.stderr.setEncoding('latin1').on('data', (text: string) => this.#hear('stderr', text));
  }

  /** It has ended, and runs nothing more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** null = nothing is known of this git, or it was aborted. Never rejects. */
  async run(args: readonly string[], { cwd, env, limitMs, signal, maxBytes }: Start): Promise<Ended | null> {
    const answer = Promise.withResolvers<Ended | null>();
    const [stdout, stderr] = [new Heard(this.#mark), new Heard(this.#mark)];
    this.#call = { stdout, stderr, answer, maxBytes: maxBytes ?? GIT.maxOutputBytes };
    const limit = setTimeout(() => this.#cutOff({ ...CUT_OFF, isLate: true }), limitMs);
    const abort = (): void => this.#cutOff(null);
    signal?.addEventListener('abort', abort);
    const variables = Object.entries(env).map(([name, value]) => `${name}=${inQuotes(value)}`);
    const git = [...variables, 'git', ...args.map(inQuotes), '</dev/null'].join(' ');
    // Between two calls it stands in no worktree: one that it stood in would not be removed.
    const marks = `code=$?; cd /; echo ${this.#mark} $code; echo ${this.#mark} 0 >&2`;
    const there = `if cd -P -- ${inQuotes(cwd)} 2>/dev/null; then ${git}; else (exit ${NOT_STARTED}); fi`;
    this.#child.stdin.write(`${there}; ${marks}\n`);
    try {
      return await answer.promise;
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** It has nothing more to do, and ends. */
  close(): void {
    this.#child.stdin.end();
  }

  #hear(stream: 'stdout' | 'stderr', text: string): void {
    const call = this.#call;
    if (call === null) return;
    call[stream].add(text);
    if (call[stream].length > call.maxBytes + MARK_LENGTH)
      return this.#cutOff({ ...CUT_OFF, isTooMuch: true, why: `it said more than ${call.maxBytes} bytes` });
    const [stdout, stderr] = [call.stdout.whole(), call.stderr.whole()];
    if (stdout === null || stderr === null) return;
    const { text: said, exitCode } = stdout;
    const isKnown = exitCode <= MOST_OF_GIT;
    const failed = exitCode !== 0;
    const why = failed ? `it ended with the exit code ${exitCode}` : '';
    this.#answer(isKnown ? { ...CUT_OFF, stdout: said, stderr: stderr.text, failed, exitCode, why } : null);
  }

  #answer(ended: Ended | null): void {
    this.#call?.answer.resolve(ended);
    this.#call = null;
  }

  /** The git that runs is ended, and its shell with it. */
  #cutOff(ended: Ended | null): void {
    this.#end(ended);
    const { pid, stdin, stdout, stderr } = this.#child;
    // A program that the git left behind may hold its streams.
    [stdin, stdout, stderr].forEach((stream) => stream.destroy());
    if (pid !== undefined) void endGroup(pid, GIT.graceMs);
  }

  #end(ended: Ended | null): void {
    this.#isOver = true;
    this.#answer(ended);
  }
}
