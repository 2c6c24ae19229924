/**
 * The town's own actors for viewers: who there is, the latest snapshot of each, and events. Owns what is shown of the
 * town.
 * 1. Watching costs the step a push to a list; values are read, trimmed and written afterwards, together.
 * 2. Of an actor's snapshots only the latest is sent, and only when it differs from the last one sent.
 * 3. An actor is announced before its events, a parent before its child.
 */
import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { InspectPolicy } from './policy.ts';
import type { WallMs } from '../../machines/protocol.ts';
import {
  actorMessage,
  definitionOf,
  eventMessage,
  OURS,
  ourId,
  parentOf,
  shownSnapshot,
  snapshotMessage,
  type Head,
} from './messages.ts';
import { Ring } from './ring.ts';
import { trim } from './trim.ts';

export interface FeedNeeds {
  readonly policy: InspectPolicy;
  readonly wall: () => WallMs;
  /** Something happened: `flush` is wanted soon. */
  readonly stirred: () => void;
  /** A message for every viewer there is. */
  readonly tell: (text: string) => void;
  /** Whether anybody looks; without a viewer no snapshot is written. */
  readonly isWatched: () => boolean;
}

interface Known {
  readonly ref: AnyActorRef;
  readonly head: Head;
  /** The event behind the latest snapshot. */
  cause: unknown;
  changedAt: WallMs;
  /** The snapshot as seen last, and as shown: `shown` belongs to `shownOf`. */
  seen: object | undefined;
  shownOf: object | undefined;
  shown: string;
  ended: boolean;
}

interface Happening {
  readonly to: AnyActorRef;
  readonly from: AnyActorRef | undefined;
  readonly rootId: string;
  readonly event: unknown;
  readonly wall: WallMs;
}

const NOTHING = { type: '' } as const;

export class Feed {
  readonly #needs: FeedNeeds;
  readonly #ring: Ring;
  readonly #known = new Map<AnyActorRef, Known>();
  readonly #definitions = new WeakMap<object, string>();
  #born: Known[] = [];
  #happened: Happening[] = [];

  constructor(needs: FeedNeeds) {
    this.#needs = needs;
    this.#ring = new Ring(needs.policy);
  }

  /** Takes one of the root's inspection events. */
  observe(e: InspectionEvent): void {
    const ref = e.actorRef as AnyActorRef; // typed as ActorRefLike, is an actor
    if (e.type === '@xstate.actor') this.#welcome(ref, e.rootId);
    else if (e.type === '@xstate.event') this.#note(ref, e.sourceRef as AnyActorRef | undefined, e.rootId, e.event);
    else if (e.type === '@xstate.snapshot') this.#change(ref, e.event);
    else return;
    this.#needs.stirred();
  }

  /** Tells what happened since the last time. */
  flush(): void {
    const { tell, policy, isWatched } = this.#needs;
    const born = this.#born;
    this.#born = [];
    for (const known of isWatched() ? born : []) tell(this.#actor(known));
    const happened = this.#happened;
    this.#happened = [];
    for (const { to, from, rootId, event, wall } of happened) {
      const place = { sessionId: ourId(to), rootId: `${OURS}${rootId}`, wall };
      const text = eventMessage(place, from && ourId(from), trim(event, policy));
      this.#ring.push(text);
      tell(text);
    }
    for (const known of this.#known.values()) this.#look(known);
    this.#forget();
  }

  /** What a new viewer gets: actors, snapshots, events. Call `flush` before. */
  greeting(): string[] {
    const all = [...this.#known.values()];
    return [
      ...all.map((known) => this.#actor(known)),
      ...all.map((known) => this.#snapshot(known)),
      ...this.#ring.texts,
    ];
  }

  #welcome(ref: AnyActorRef, rootId: string): void {
    const parent = parentOf(ref);
    const wall = this.#needs.wall();
    const head: Head = {
      name: ref.id,
      sessionId: ourId(ref),
      parentId: parent && ourId(parent),
      rootId: `${OURS}${rootId}`,
      definition: this.#definition(ref),
      bornAt: wall,
    };
    const nothing = { cause: NOTHING, seen: undefined, shownOf: undefined, shown: '' };
    const known: Known = { ref, head, changedAt: wall, ended: false, ...nothing };
    this.#known.set(ref, known);
    this.#born.push(known);
  }

  #note(to: AnyActorRef, from: AnyActorRef | undefined, rootId: string, event: unknown): void {
    if (this.#happened.length >= this.#needs.policy.ringEvents) this.#happened.shift();
    this.#happened.push({ to, from, rootId, event, wall: this.#needs.wall() });
  }

  #change(ref: AnyActorRef, cause: unknown): void {
    const known = this.#known.get(ref);
    if (known === undefined) return;
    known.cause = cause;
    known.changedAt = this.#needs.wall();
  }

  /** The actor itself is asked: a crash is announced by no event. */
  #look(known: Known): void {
    if (known.ended) return;
    const snapshot = known.ref.getSnapshot() as { readonly status: string } | undefined;
    if (snapshot === undefined) return; // its first state is being made
    known.ended = snapshot.status !== 'active';
    if (snapshot === known.seen) return;
    known.seen = snapshot;
    if (!this.#needs.isWatched()) return;
    const before = known.shown;
    if (this.#show(known) !== before) this.#needs.tell(this.#snapshot(known));
  }

  /** Ended actors leave in the order of their birth; an ended parent that has a child left stays for its sake. */
  #forget(): void {
    const ended = [...this.#known.values()].filter((known) => known.ended);
    const over = ended.length - this.#needs.policy.maxEnded;
    if (over <= 0) return;
    const parents = new Set([...this.#known.values()].map(({ head }) => head.parentId));
    for (const { ref, head } of ended.slice(0, over)) {
      if (!parents.has(head.sessionId)) this.#known.delete(ref);
    }
  }

  #show(known: Known): string {
    if (known.seen !== known.shownOf || known.shown === '') {
      known.shown = shownSnapshot(known.seen ?? { status: 'active' }, this.#needs.policy);
      known.shownOf = known.seen;
    }
    return known.shown;
  }

  #actor(known: Known): string {
    known.seen ??= known.ref.getSnapshot() as object | undefined;
    return actorMessage(known.head, this.#show(known));
  }

  #snapshot(known: Known): string {
    const { sessionId, rootId } = known.head;
    const place = { sessionId, rootId, wall: known.changedAt };
    return snapshotMessage(place, this.#show(known), trim(known.cause, this.#needs.policy));
  }

  #definition(ref: AnyActorRef): string {
    const { logic = ref } = ref as { logic?: object };
    const known = this.#definitions.get(logic);
    if (known !== undefined) return known;
    const made = definitionOf(ref, this.#needs.policy);
    this.#definitions.set(logic, made);
    return made;
  }
}
