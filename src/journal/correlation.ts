/** Whom an order or a request is about, as far as its own words tell. */
import type { Request } from '../../machines/protocol.ts';
import { ENDING } from '../../machines/sessions/survivors.ts';

/** `dog-17/2/look-41` without its counter: one thing that fails again and again is told once. */
export const withoutCounter = (id: string): string => id.replace(/-\d+$/, '').replace(/\/\d{4,}$/, '');
/** What a line is about, as far as an order's id or a code tells it. */
export interface About {
  readonly dance?: string;
  readonly check?: string;
  readonly session?: string;
}
/** What a change is a change of: the orders of all health checks of one life have the same ids. */
export const thingOf = (orderId: string, { check }: About): string => (check === undefined ? orderId : `${check}/seen`);
export const danceIn = (orderId: string): string | null => /^dog-\d+/.exec(orderId)?.[0] ?? null;

/** The session whose survivors this order helps to end before a start; null = it does not. */
export const survivorsOf = (orderId: string): string | null =>
  orderId.startsWith(ENDING) ? (orderId.slice(ENDING.length).split('/', 1)[0] ?? null) : null;

/** Whom a caller's request is about. */
export const sessionOf = (request: Request): { session?: string } => {
  switch (request.verb) {
    case 'startSession':
      return { session: request.spec.name };
    case 'adoptSession':
    case 'stopSession':
    case 'removeSession':
    case 'nudge':
      return { session: request.name };
    case 'healthCheck':
      return request.session === null ? {} : { session: request.session };
    case 'cancelWarrant':
    case 'bootTriage':
      return {};
  }
};
