/** How a court is set up, and how an agent is started in it. */
import type { HandsPolicy } from '../../../src/ports/policy.ts';
import type { ServerOptions } from '../../tmux/server.ts';

export interface CourtOptions extends ServerOptions {
  readonly policy?: Partial<HandsPolicy>;
}

export interface StartOptions {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly ready?: string | undefined;
}
