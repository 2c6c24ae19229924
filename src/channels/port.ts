/** The one port of all channels. */
import type { Ms } from '../../machines/protocol.ts';
import type { Message } from './message.ts';

export interface Channel {
  /** The time for one message, where it is another than usual. */
  readonly limitMs?: Ms;
  /** Resolves with what the server said once it has the message. Rejects with `Undelivered`, also when the signal ends it. */
  send(message: Message, signal: AbortSignal): Promise<string>;
}

/** Why a message was not taken. `isFinal`: the server will never take this one; others it may. */
export class Undelivered extends Error {
  override readonly name = 'Undelivered';
  readonly isFinal: boolean;
  /** What the server asks to wait; null = it names no time. */
  readonly retryMs: Ms | null;

  constructor(text: string, { isFinal = false, retryMs = null }: { isFinal?: boolean; retryMs?: Ms | null } = {}) {
    super(text);
    this.isFinal = isFinal;
    this.retryMs = retryMs;
  }
}
