/** The one port of all channels. */
import type { Ms } from '../../machines/protocol.ts';
import type { MayAnswer, Said } from '../../machines/channels/answers.ts';
import type { Message } from './message.ts';

export interface Channel {
  /** The time for one message, where it is another than usual. */
  readonly limitMs?: Ms;
  /** Resolves with what the server said once it has the message. Rejects with `Undelivered`, also when the signal ends it. */
  send(message: Message, signal: AbortSignal): Promise<string>;
}

/** A channel that could not deliver what waits for it. */
export interface Trouble {
  readonly channel: string;
  readonly why: string;
  readonly forMs: number;
  /** No reply is heard there. What it delivers is another matter. */
  readonly isDeaf?: true;
}

/** What a channel needs to offer answers. */
export interface Replying {
  readonly rules: readonly MayAnswer[];
  /** What the secrets of messages are made from. */
  readonly key: string;
}
/** Where nothing may be answered. */
export const NO_REPLIES: Replying = { rules: [], key: '' };

/** A reply on a channel. `proof`: the secret of the message that it answers; null = its caller is known by an account. */
export interface Heard extends Said {
  readonly proof: string | null;
}

/** One line for one agent. */
export interface Page {
  readonly nick: string;
  readonly text: string;
}

/** Work for an agent, which a person gave it in a channel. */
export interface Mention {
  readonly id: string;
  /** The caller, proved by an account: `irc:ana`. */
  readonly from: string;
  /** As the person wrote it: an agent, its session, or its nick. */
  readonly to: string;
  readonly text: string;
}

/** What an agent said under its own nick. */
export interface Spoken {
  readonly agent: string;
  readonly text: string;
}

export interface Listening {
  /** A mark of this server's: what came behind it is wanted. */
  readonly since: string;
  /** null = nothing that could be an answer. Rejects where it must come again. */
  readonly hear: (mark: string, heard: Heard | null) => Promise<void>;
  /** As `hear`, of work for an agent. */
  readonly mentioned: (mention: Mention) => Promise<void>;
  readonly spoke: (spoken: Spoken) => void;
  /** The connection stands. */
  readonly up: () => void;
  readonly signal: AbortSignal;
}

/** The replies on a channel. */
export interface Ear {
  /** The mark from which it listens at first. */
  now(): string;
  /** Until the connection ends, and then rejects with why. */
  listen(how: Listening): Promise<never>;
  /** Says a line to an agent there. Rejects with `Undelivered`. */
  readonly page?: (page: Page) => Promise<void>;
}

/** What a channel has the town do (src/alerts/reach.ts). */
export type TownRequest =
  | { readonly do: 'ring' }
  /** `isBySsh`: only for people who came by ssh. */
  | { readonly do: 'notify'; readonly text: string; readonly isBySsh: boolean }
  | { readonly do: 'nudge'; readonly text: string }
  /** The same id once more is the same letter. */
  | {
      readonly do: 'mail';
      readonly id: string;
      readonly subject: string;
      readonly body: string;
      readonly isUrgent: boolean;
    };

/** Resolves with what came of it, in words. Rejects with `Undelivered`. */
export type Reach = (request: TownRequest) => Promise<string>;
/** Where no town is asked. */
export const NO_REACH: Reach = () => Promise.reject(new Undelivered('the town is not asked'));

interface How {
  readonly isFinal?: boolean;
  readonly isUnsure?: boolean;
  readonly retryMs?: Ms | null;
  readonly isWaiting?: boolean;
}

/** Why a message was not taken. `isFinal`: the server will never take this one; others it may. `isUnsure`: it may have it, and did not say. `isWaiting`: its reader is away or at work, which is no fault. */
export class Undelivered extends Error {
  override readonly name = 'Undelivered';
  readonly isFinal: boolean;
  readonly isUnsure: boolean;
  readonly isWaiting: boolean;
  /** What the server asks to wait; null = it names no time. */
  readonly retryMs: Ms | null;

  constructor(text: string, { isFinal = false, isUnsure = false, retryMs = null, isWaiting = false }: How = {}) {
    super(text);
    this.isFinal = isFinal;
    this.isUnsure = isUnsure;
    this.retryMs = retryMs;
    this.isWaiting = isWaiting;
  }
}
