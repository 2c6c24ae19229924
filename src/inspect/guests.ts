/**
 * Actors of other programs, sent by a stock `createWebSocketInspector`. Owns their identities and what late viewers get
 * of them. Every frame is foreign text: it is checked, kept within bounds, passed on, and never acted on.
 * 1. A guest's session ids stay as they are while it is the only guest; those of others get a prefix, as all count from
 *    x:0.
 * 2. The actors of a guest that left are shown until another takes its place.
 */
import type { InspectPolicy } from './policy.ts';
import { OURS } from './messages.ts';
import { Ring } from './ring.ts';

type GuestLimits = Pick<InspectPolicy, 'maxGuestActors' | 'maxGuestChars' | 'ringEvents' | 'ringChars'>;

const TYPES: ReadonlySet<unknown> = new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']);
const ID_FIELDS = ['sessionId', 'parentId', 'rootId', 'sourceId'] as const;
/** An id of XState is short; one of another program may be a UUID or a name. */
const MAX_ID_CHARS = 256;

type Fields = Readonly<Record<string, unknown>>;
interface Frame {
  readonly type: string;
  readonly sessionId: string;
  readonly parentId: string | null;
  readonly text: string;
}
interface Kept {
  readonly id: string;
  readonly parentId: string | null;
  readonly place: number;
  readonly actor: string;
  snapshot: string;
}

/** The prefix of a place's ids; the first has none, so that its frames pass as they came. */
const prefixOf = (place: number): string => (place === 0 ? '' : `guest-${place}:`);
const RESERVED = new RegExp(`^(${OURS}|guest-\\d+:)`);

export class Guests {
  readonly #limits: GuestLimits;
  readonly #ring: Ring;
  readonly #kept = new Map<string, Kept>();
  readonly #taken = new Set<number>();
  #chars = 0;

  constructor(limits: GuestLimits) {
    this.#limits = limits;
    this.#ring = new Ring(limits);
  }

  /** A place for a new guest: the first that is free. */
  enter(): number {
    let place = 0;
    while (this.#taken.has(place)) place += 1;
    this.#taken.add(place);
    for (const kept of [...this.#kept.values()]) if (kept.place === place) this.#drop(kept);
    return place;
  }

  leave(place: number): void {
    this.#taken.delete(place);
  }

  /** The message to pass on. Throws with what was wrong when it is no frame of the protocol. */
  take(place: number, text: string): string {
    const frame = parse(text, prefixOf(place));
    const kept = this.#kept.get(frame.sessionId);
    if (frame.type === '@xstate.actor') {
      if (kept !== undefined) this.#drop(kept);
      this.#keep({ id: frame.sessionId, parentId: frame.parentId, place, actor: frame.text, snapshot: '' });
    } else if (frame.type === '@xstate.event') {
      this.#ring.push(frame.text);
    } else if (kept !== undefined) {
      this.#chars += frame.text.length - kept.snapshot.length;
      kept.snapshot = frame.text;
      this.#bound();
    }
    return frame.text;
  }

  /** What a new viewer gets: actors, parents first, then snapshots and events. */
  greeting(): string[] {
    const all = parentsFirst([...this.#kept.values()]);
    return [
      ...all.map(({ actor }) => actor),
      ...all.map(({ snapshot }) => snapshot).filter((text) => text !== ''),
      ...this.#ring.texts,
    ];
  }

  #keep(kept: Kept): void {
    this.#kept.set(kept.id, kept);
    this.#chars += kept.actor.length;
    this.#bound();
  }

  #drop(kept: Kept): void {
    this.#kept.delete(kept.id);
    this.#chars -= kept.actor.length + kept.snapshot.length;
  }

  #bound(): void {
    for (const kept of this.#kept.values()) {
      if (this.#kept.size <= this.#limits.maxGuestActors && this.#chars <= this.#limits.maxGuestChars) return;
      this.#drop(kept);
    }
  }
}

function parse(text: string, prefix: string): Frame {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('it is no object');
  const fields = value as Fields;
  const { type, sessionId, parentId } = fields;
  if (!TYPES.has(type)) throw new Error('its type is none of @xstate.actor, @xstate.event, @xstate.snapshot');
  if (typeof sessionId !== 'string') throw new Error('it has no sessionId');
  for (const name of ID_FIELDS) checkId(name, fields[name]);
  if (type === '@xstate.actor') checkActor(fields);
  const part = type === '@xstate.event' ? 'event' : 'snapshot';
  if (typeof fields[part] !== 'object' || fields[part] === null) throw new Error(`its ${part} is no object`);
  const frame = { type: String(type), sessionId: `${prefix}${sessionId}` };
  if (prefix === '') return { ...frame, parentId: typeof parentId === 'string' ? parentId : null, text };
  const ids = ID_FIELDS.filter((name) => typeof fields[name] === 'string').map(
    (name) => [name, `${prefix}${String(fields[name])}`] as const,
  );
  return {
    ...frame,
    parentId: typeof parentId === 'string' ? `${prefix}${parentId}` : null,
    text: JSON.stringify({ ...fields, ...Object.fromEntries(ids) }),
  };
}

function checkId(name: string, id: unknown): void {
  if (id === undefined || id === null) return;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) throw new Error(`its ${name} is no id`);
  if (RESERVED.test(id)) throw new Error(`its ${name} begins like one of the town's`);
}

function checkActor({ name, definition }: Fields): void {
  if (typeof name !== 'string') throw new Error('it has no name');
  if (definition !== undefined && definition !== null && typeof definition !== 'string') {
    throw new Error('its definition is no JSON text');
  }
}

/** In the order given, but no child before its parent; of a ring of parents the first comes first. */
export function parentsFirst<T extends Pick<Kept, 'id' | 'parentId'>>(nodes: readonly T[]): T[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placed = new Set<T>();
  for (const node of nodes) {
    const line: T[] = [];
    for (let next: T | undefined = node; next !== undefined && !placed.has(next) && !line.includes(next);) {
      line.unshift(next);
      next = next.parentId === null ? undefined : byId.get(next.parentId);
    }
    for (const member of line) placed.add(member);
  }
  return [...placed];
}
