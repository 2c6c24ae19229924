/**
 * One WebSocket connection: a viewer, a guest, or both. Owns its unsent messages and how fast it may speak.
 * 1. The town never waits for it: it reads from a queue of shared texts, and is dropped when it falls too far behind.
 * 2. A guest that speaks too fast is not read for a while: nothing of it is lost, and it slows no other connection.
 */
import type { RawData, WebSocket } from 'ws';
import type { InspectPolicy } from './policy.ts';
import type { Instant } from '../../machines/protocol.ts';

export interface ViewerNeeds {
  readonly policy: InspectPolicy;
  readonly now: () => Instant;
  /** A frame of the protocol, as text. */
  readonly said: (text: string) => void;
  readonly gone: () => void;
  readonly complain: (text: string) => void;
}

/** WebSocket close codes (RFC 6455). */
const GOING_AWAY = 1001;
const UNSUPPORTED = 1003;
const SECOND_MS = 1_000;

export class Viewer {
  readonly #socket: WebSocket;
  readonly #needs: ViewerNeeds;
  #queue: string[] = [];
  #next = 0;
  #behind = 0;
  #allowed: number;
  #inFlight = 0;
  #isAlive = true;
  #framesLeft: number;
  #bytesLeft: number;
  #paidAt: Instant;
  #pause: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket, needs: ViewerNeeds) {
    this.#socket = socket;
    this.#needs = needs;
    const { policy, gone } = needs;
    this.#allowed = policy.maxBehindChars;
    this.#framesLeft = policy.framesPerS;
    this.#bytesLeft = policy.bytesPerS;
    this.#paidAt = needs.now();
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    // A broken frame or a broken line: the close that follows is all there is to do.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#pause !== null) clearTimeout(this.#pause);
      this.#queue = [];
      gone();
    });
  }

  /** The first words, however many: it is not behind because it came late. */
  greet(texts: readonly string[]): void {
    for (const text of texts) this.#allowed += text.length;
    for (const text of texts) this.tell(text);
  }

  tell(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#queue.push(text);
    this.#behind += text.length;
    if (this.#behind > this.#allowed) this.#drop(`it is ${this.#behind} characters behind`);
    else this.#send();
  }

  /** Asks for life; who did not answer since the last time is dropped. */
  ping(): void {
    if (this.#pause !== null) return; // its answer waits where we do not read
    if (!this.#isAlive) {
      this.#drop('it did not answer');
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  end(): void {
    this.#socket.close(GOING_AWAY, 'the town closes its inspector');
    this.#socket.terminate();
  }

  #drop(why: string): void {
    this.#needs.complain(`inspector: a viewer was dropped: ${why}`);
    this.#queue = [];
    this.#socket.terminate();
  }

  /** Hands on as much as the system takes at a time; the rest stays a list of texts that all viewers share. */
  #send(): void {
    while (this.#next < this.#queue.length && this.#inFlight < this.#needs.policy.maxInFlightChars) {
      const text = this.#queue[this.#next] ?? '';
      this.#next += 1;
      this.#inFlight += text.length;
      this.#socket.send(text, () => {
        this.#inFlight -= text.length;
        this.#behind -= text.length;
        this.#allowed = Math.max(this.#needs.policy.maxBehindChars, this.#allowed - text.length);
        this.#send();
      });
    }
    if (this.#next < this.#queue.length) return;
    this.#queue = [];
    this.#next = 0;
  }

  #hear(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#socket.close(UNSUPPORTED, 'the protocol is JSON text');
      return;
    }
    const text = (data as Buffer).toString(); // `nodebuffer`, the default
    this.#pay((data as Buffer).length);
    this.#needs.said(text);
  }

  /** Frames and bytes are paid from an allowance that fills up with time; in debt it is not read until that is paid. */
  #pay(bytes: number): void {
    const { framesPerS, bytesPerS } = this.#needs.policy;
    const now = this.#needs.now();
    const seconds = (now - this.#paidAt) / SECOND_MS;
    this.#paidAt = now;
    this.#framesLeft = Math.min(framesPerS, this.#framesLeft + seconds * framesPerS) - 1;
    this.#bytesLeft = Math.min(bytesPerS, this.#bytesLeft + seconds * bytesPerS) - bytes;
    const debt = Math.max(-this.#framesLeft / framesPerS, -this.#bytesLeft / bytesPerS);
    if (debt <= 0 || this.#pause !== null) return;
    this.#socket.pause();
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#isAlive = true;
      this.#socket.resume();
    }, debt * SECOND_MS).unref();
  }
}
