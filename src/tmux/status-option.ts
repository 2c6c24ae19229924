/**
 * The server option `@town_status`, for the status line of a person (C-12): tmux draws it by itself, so that no process runs for it.
 * 1. It is written when it changed, in the same command that reads whose server it is. Nothing to say = it is absent.
 * 2. What tmux did not take is written again at the next scan. A town that falls leaves its last words, which the next one takes away.
 */
import type { TmuxClient } from './client.ts';
import { ownerCondition, type Owner } from './owner.ts';

interface StatusDeps {
  readonly tmux: Pick<TmuxClient, 'query' | 'sequence'>;
  readonly owner: Owner;
}

export class StatusOption {
  readonly #deps: StatusDeps;
  #wanted: string | null = null;
  /** null = not known. */
  #written: string | null = null;
  #writing: Promise<void> | null = null;
  #isOver = false;

  constructor(deps: StatusDeps) {
    this.#deps = deps;
  }

  /** null = the server did not answer, or is another one: what it has is not known. */
  show(text: string | null): void {
    if (this.#isOver) return;
    this.#wanted = text;
    if (text === null) this.#written = null;
    else void this.#write();
  }

  /** Once the server is ours, which may be another one, or have the last words of a town that fell. */
  again(): void {
    this.#written = null;
    this.show(this.#wanted ?? '');
  }

  /** Takes it away, for good. Never rejects. */
  async close(): Promise<void> {
    this.show('');
    this.#isOver = true;
    await this.#write();
  }

  #write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = null));
    return this.#writing;
  }

  /** What came meanwhile is written too, the last of it. */
  async #writeAll(): Promise<void> {
    const { tmux, owner } = this.#deps;
    while (this.#wanted !== null && this.#wanted !== this.#written) {
      const text = this.#wanted;
      const isOurs = ownerCondition(owner);
      try {
        // One command, which goes over the control client: agents begin and end to work all the time.
        if (text !== '')
          await tmux.query(['set-option', '-s', '-F', '@town_status', `#{?${isOurs},${text},#{@town_status}}`]);
        else await tmux.sequence([['if-shell', '-F', isOurs, 'set-option -s -q -u @town_status']]);
      } catch {
        return;
      }
      this.#written = text;
    }
  }
}
