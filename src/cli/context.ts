/** What every command is given: the root, the settings when it needs them, the disk, the town, and how to answer. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Request } from '../../machines/protocol.ts';
import type { Disk } from '../../state/files/disk.ts';
import type { Lasting } from '../config/lasting.ts';
import { findRoot, type Root } from '../config/root.ts';
import type { Settings } from '../config/settings.ts';
import type { TownClient } from '../socket/client.ts';
import { answerIn, EXIT, Failure } from '../terminal/failure.ts';
import { envelope, note, page, say } from '../terminal/print.ts';
import type { Words } from './naming/words.ts';

/** Before a town that does not answer is looked at: most answer within a tenth of it. */
const PATIENCE_MS = 500;
/** The wait for a town that starts or that its guard brings back: a second on most machines, several on a busy one. */
const RETURN_MS = 10_000;

/** The text for people: a text, or its lines, which a function makes only for them. */
export type Told = string | (() => string | readonly string[]);

export function textIn(told: Told): string {
  const text = typeof told === 'string' ? told : told();
  return typeof text === 'string' ? text : text.join('\n');
}

export class Context {
  readonly json: boolean;
  /** Whether this process's terminal is the caller's, if there is one. */
  readonly isForPerson: boolean = true;
  readonly #words: Words;
  #root: Root | null = null;
  #settings: Settings | null = null;

  constructor(words: Words) {
    this.#words = words;
    this.json = words.json;
  }

  /** The place of the root; its configuration is not read. Throws ConfigError. */
  get where(): Root {
    this.#root ??= findRoot({ flag: this.#words.root });
    return this.#root;
  }

  get root(): string {
    return this.where.root;
  }

  /** Whether a root is found, and there. */
  hasRoot(): boolean {
    try {
      return statSync(this.root, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  }

  /** The root, which must be there already: a typing mistake in --root must not look like an empty town. */
  existing(): string {
    if (statSync(this.root, { throwIfNoEntry: false }) === undefined) {
      const text = `there is no town at ${this.root} (from ${this.where.from}); start one with \`town up\`, or give --root DIR`;
      throw new Failure(EXIT.notRunning, 'no_town', text);
    }
    return this.root;
  }

  /**
   * The whole configuration, for what only reads or files: a broken town.toml is told on stderr, and the text that a town
   * last came up with is used. Throws ConfigError where there is none.
   */
  async settings(): Promise<Settings> {
    if (this.#settings === null) {
      const { settings, broken } = await this.lasting();
      if (broken !== null) note(broken);
      this.#settings = settings;
    }
    return this.#settings;
  }

  /** The same as `settings`, without notes; `set` = values of --set. */
  async lasting(set: readonly string[] = []): Promise<Lasting> {
    const { lastingSettings } = await import('../config/lasting.ts');
    return lastingSettings({ root: this.#words.root, set }, await this.disk());
  }

  /** The whole configuration as it stands; `set` = values of --set. Throws ConfigError with every mistake. */
  async exactSettings(set: readonly string[] = []): Promise<Settings> {
    const { loadSettings } = await import('../config/load.ts');
    this.#settings = loadSettings({ root: this.#words.root, set });
    return this.#settings;
  }

  async disk(): Promise<Disk> {
    const { realDisk } = await import('../../state/files/disk.ts');
    return realDisk(this.root, performance.timeOrigin);
  }

  /**
   * For commands that start a town: throws Failure if something stands in the place of a folder, and leaves the root as
   * it is.
   */
  async placed(): Promise<void> {
    const { obstacleIn } = await import('../../state/folders.ts');
    const obstacle = await obstacleIn(await this.disk());
    if (obstacle === null) return;
    const text = `${join(this.root, obstacle.path)} is ${obstacle.is} where a folder of the town goes; move it away and try again`;
    throw new Failure(EXIT.usage, 'no_folder', text);
  }

  /**
   * Asks the town something and hangs up; one that starts or comes back is waited for a little. Throws TownNotRunning, and
   * TownSilent also for one that has its root and does not listen.
   */
  async ask<T>(question: (town: TownClient) => Promise<T>): Promise<T> {
    const end = performance.now() + RETURN_MS;
    for (;;) {
      const answer = await this.askIfUp(async (town) => ({ is: await question(town) }));
      if (answer !== null) return answer.is;
      const { expectedIn, silenceOf, whyNobody } = await import('./asking/silence.ts');
      const silence = await silenceOf(this);
      const waitMs = expectedIn(silence);
      if (waitMs === null || performance.now() + waitMs > end) {
        const { TownNotRunning, TownSilent } = await import('../socket/client.ts');
        throw silence?.kind === 'silent' ? new TownSilent(silence.why) : new TownNotRunning(await whyNobody(this));
      }
      await pause(waitMs);
    }
  }

  /** The town's answer. Throws Failure where the town refuses. */
  async request(wanted: Request): Promise<unknown> {
    return answerIn(await this.ask((town) => town.request(wanted)));
  }

  /** Like `ask`, where a town that is down is fine: null then. */
  async askIfUp<T>(question: (town: TownClient) => Promise<T>): Promise<T | null> {
    const { connectTown, TownNotRunning } = await import('../socket/client.ts');
    try {
      const town = await connectTown(this.root);
      try {
        return await this.#unlessHeld(question(town));
      } finally {
        town.close();
      }
    } catch (error) {
      if (error instanceof TownNotRunning) return null;
      throw error;
    }
  }

  /** A town that is stopped takes a question and never answers: that is found out long before its limit is over. */
  async #unlessHeld<T>(answer: Promise<T>): Promise<T> {
    const over = new AbortController();
    const held = pause(PATIENCE_MS, null, { signal: over.signal })
      .then(() => import('./asking/silence.ts'))
      .then(({ whyHeld }) => whyHeld(this, over.signal));
    try {
      return await Promise.race([
        answer,
        held.then(async (why) => {
          const { TownSilent } = await import('../socket/client.ts');
          throw new TownSilent(why);
        }),
      ]);
    } finally {
      over.abort();
      [answer, held].forEach((one) => void one.catch(() => undefined)); // The race is over.
    }
  }

  /** The result: an envelope for programs, a page for people. */
  answer(name: string, data: unknown, told: Told): void {
    this.answerPlain(name, data, () => page(textIn(told)));
  }

  /** Answers like `answer`, with lines that stay as they are: a program's own, or lines for a shell. */
  answerPlain(name: string, data: unknown, told: Told): void {
    say(this.json ? envelope(name, data) : textIn(told));
  }
}
