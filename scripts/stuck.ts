/**
 * A reporter of the test runner that ends a run in which nothing happens any more. The runner's own limits cannot end a test
 * that never gives its process back, for example one that waits for a program synchronously. The reporter names what runs,
 * as far as the workers said, and every process of this user on stderr, then ends the runner's workers; the runner counts that as a failure.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { allProcesses, signalBelow } from './below.ts';

/** Longer than any test may take by its own limit, with its hooks. */
const SILENCE_MS = 16 * 60_000;
/** Looks in the time of one silence. */
const LOOKS = 32;

export interface StuckOptions {
  /** Milliseconds without a begin or an end after which the run is ended. */
  readonly silenceMs?: number;
}

export default class Stuck implements Reporter {
  readonly #running = new Map<string, string>();
  readonly #silenceMs: number;
  #last = performance.now();

  constructor({ silenceMs = SILENCE_MS }: StuckOptions = {}) {
    this.#silenceMs = silenceMs;
    setInterval(() => this.#look(), silenceMs / LOOKS).unref();
  }

  onTestModuleStart({ id, relativeModuleId }: TestModule): void {
    this.#begin(id, relativeModuleId);
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#end(id);
  }

  onTestCaseReady({ id, fullName, module }: TestCase): void {
    this.#begin(id, `${module.relativeModuleId}: ${fullName}`);
  }

  onTestCaseResult({ id }: TestCase): void {
    this.#end(id);
  }

  #begin(id: string, name: string): void {
    this.#last = performance.now();
    this.#running.set(id, name);
  }

  #end(id: string): void {
    this.#last = performance.now();
    this.#running.delete(id);
  }

  #look(): void {
    if (performance.now() - this.#last < this.#silenceMs) return;
    this.#last = performance.now();
    const names = [...this.#running.values()].map((name) => `  ${name}\n`).join('');
    const seconds = this.#silenceMs / 1000;
    process.stderr.write(`No test began or ended for ${seconds} seconds. These run:\n${names}${allProcesses()}`);
    void signalBelow(process.pid, 'SIGKILL');
  }
}
