/**
 * The stock `@statelyai/inspect` protocol: JSON text frames without a handshake, made of XState's inspection events.
 * Pure but for the session ids, which get a prefix: XState counts them anew in every process, so those of a guest would be
 * mistaken for ours.
 */
import type { StatelyActorEvent, StatelyEventEvent, StatelySnapshotEvent } from '@statelyai/inspect';
import type { AnyActorRef, AnyEventObject } from 'xstate';
import type { TrimPolicy } from './policy.ts';
import type { WallMs } from '../../machines/protocol.ts';
import { nameOf, trim } from './trim.ts';

/** The version of the protocol, which is that of the package. */
const VERSION = '0.7.2';
/** Before every session id of the town; a guest may not use it. */
export const OURS = 'town:';

/** What of an actor never changes. */
export interface Head {
  readonly name: string;
  readonly sessionId: string;
  readonly parentId: string | undefined;
  readonly rootId: string;
  readonly definition: string;
  readonly bornAt: WallMs;
}

/** Where and when something happened. */
type Place = Pick<Head, 'sessionId' | 'rootId'> & { readonly wall: WallMs };

export const ourId = (ref: AnyActorRef): string => `${OURS}${ref.sessionId}`;
export const parentOf = (ref: AnyActorRef): AnyActorRef | undefined => (ref as { _parent?: AnyActorRef })._parent;

/** The types ask for an id, the stock inspector sends none. */
const common = ({ sessionId, rootId, wall }: Place) => ({
  sessionId,
  rootId,
  createdAt: String(wall),
  id: null as unknown as string,
  _version: VERSION,
});

/** An actor; `snapshot` is JSON, made by `shownSnapshot`. */
export function actorMessage(head: Head, snapshot: string): string {
  const { name, parentId, definition, bornAt } = head;
  const message: Omit<StatelyActorEvent, 'snapshot'> = {
    type: '@xstate.actor',
    name,
    parentId,
    definition,
    ...common({ ...head, wall: bornAt }),
  };
  return withSnapshot(message, snapshot);
}

export function eventMessage(place: Place, sourceId: string | undefined, event: unknown): string {
  const message: StatelyEventEvent = {
    type: '@xstate.event',
    sourceId,
    event: event as AnyEventObject,
    ...common(place),
  };
  return JSON.stringify(message);
}

/** The latest snapshot of an actor, as JSON, and what led to it. */
export function snapshotMessage(place: Place, snapshot: string, event: unknown): string {
  const message: Omit<StatelySnapshotEvent, 'snapshot'> = {
    type: '@xstate.snapshot',
    event: event as AnyEventObject,
    ...common(place),
  };
  return withSnapshot(message, snapshot);
}

/** Puts in what is text already: it is compared as text, and written once for all messages that hold it. */
function withSnapshot(message: object, snapshot: string): string {
  return `${JSON.stringify(message).slice(0, -1)},"snapshot":${snapshot}}`;
}

interface AnySnapshot {
  readonly status: string;
  readonly value?: unknown;
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly tags?: ReadonlySet<string>;
  readonly children?: Readonly<Record<string, unknown>>;
}

/** A snapshot as XState writes it, as JSON, with a context of bounded size and known words. */
export function shownSnapshot(snapshot: object, policy: TrimPolicy): string {
  const { status, value, context, output, error, tags, children } = snapshot as AnySnapshot;
  return JSON.stringify({
    status,
    value,
    context: trim(context ?? {}, policy),
    ...(output !== undefined && { output: trim(output, policy) }),
    ...(error !== undefined && { error: trim(error, policy) }),
    tags: [...(tags ?? [])],
    children: trim(children ?? {}, policy),
  });
}

/**
 * The machine's own config as JSON, as the stock inspector sends it: source text, with functions by name. A context written
 * into the config is trimmed like any other. Never throws.
 */
export function definitionOf(ref: AnyActorRef, policy: TrimPolicy & { readonly maxDefinitionChars: number }): string {
  const { config } = (ref as { logic?: { config?: object } }).logic ?? {};
  const bare = JSON.stringify({ id: ref.id });
  if (config === undefined) return bare;
  try {
    const { context } = config as { context?: unknown };
    const shown = context === undefined ? config : { ...config, context: trim(context, policy) };
    const text = JSON.stringify(shown, (_, value: unknown) =>
      typeof value === 'function' ? { type: nameOf(value) } : value,
    );
    return text.length <= policy.maxDefinitionChars ? text : bare;
  } catch {
    return bare; // a config with a ring in it draws nothing, but its actor is still shown
  }
}
