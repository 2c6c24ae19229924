/**
 * The guard's ear at the town's control socket: asks to `watch`, passes on what the town tells, connects again when cut.
 * Speaks the frames itself: a JSON-RPC library would double the guard's own memory.
 */
import { connect, type Socket } from 'node:net';
import { socketRefusedAt } from '../../state/files/trusted-roots.ts';
import { FrameReader, toFrame, type FrameLimits, type WireMessage } from '../socket/frames.ts';
import { METHODS } from '../socket/protocol.ts';

export type Heard = (steps: number, saving: boolean) => void;

export class ProgressListener {
  readonly #limits: FrameLimits;
  readonly #heard: Heard;
  #socket: Socket | null = null;

  constructor(limits: FrameLimits, heard: Heard) {
    this.#limits = limits;
    this.#heard = heard;
  }

  /**
   * Connects when it is not connected; a refusal is tried again at the next call. Another user's socket is left alone.
   */
  listenAt(path: string): void {
    if (this.#socket !== null || socketRefusedAt(path) !== null) return;
    const socket = connect(path);
    const reader = new FrameReader(this.#limits);
    this.#socket = socket;
    socket.on('connect', () => socket.write(toFrame({ jsonrpc: '2.0', id: 1, method: METHODS.watch, params: {} })));
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.take(chunk)) this.#take(message);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    // A town that cannot be reached is silent; whether it lives is asked of the system.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = null;
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #take({ params, result }: WireMessage): void {
    const said = (params ?? result) as { steps?: unknown; saving?: unknown } | null | undefined;
    if (typeof said?.steps === 'number') this.#heard(said.steps, said.saving === true);
  }
}
