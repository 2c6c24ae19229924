/**
 * Whether the end of a life would take nothing from its agent or from a person now (M-9): the town asks before it restarts a life
 * that still uses an old login. What is not known is a no.
 * 1. Its program neither works nor asks, and runs no tool.
 * 2. Its composer is seen empty, and no menu stands there.
 * 3. No person typed there a short while ago (law 6).
 * 4. Its next life goes on with its conversation, as a start of it would find now.
 */
import type { Incarnation, Instant, SessionRecord } from '../../machines/protocol.ts';
import type { HandsPolicy } from '../ports/policy.ts';
import type { Clock } from '../ports/ports.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { goesOn } from '../sessions/conversation.ts';
import type { PersonIn } from '../sessions/clear.ts';
import type { TmuxClient } from '../tmux/client.ts';
import type { Asking } from './asking.ts';

export interface AtRestDeps {
  readonly tmux: Pick<TmuxClient, 'query'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly processes: Pick<ProcessTable, 'groupsBelow' | 'variableOf'>;
  readonly packs: Pick<Packs, 'kindOf' | 'named'>;
  readonly asking: Pick<Asking, 'heard' | 'isEmptyNow'>;
  readonly personIn: PersonIn;
  readonly recordOf: (session: string) => Promise<SessionRecord | null>;
  readonly policy: Pick<HandsPolicy, 'restFreshMs' | 'restLookMs'>;
}

/** What a look found of one life. */
interface Found {
  readonly at: Instant;
  readonly isFree: boolean;
}

export class AtRest {
  readonly #deps: AtRestDeps;
  #found: ReadonlyMap<string, Found> = new Map();
  #isLooking = false;

  constructor(deps: AtRestDeps) {
    this.#deps = deps;
  }

  /** Whether it was free a moment ago. */
  isFree(uuid: string): boolean {
    const { clock, policy } = this.#deps;
    const found = this.#found.get(uuid);
    return found?.isFree === true && clock.now() - found.at < policy.restFreshMs;
  }

  /** Whether it is free now. Never rejects: what is unknown is a no. */
  readonly isFreeNow = (life: Incarnation): Promise<boolean> => this.#isFree(life).catch(() => false);

  /** Looks at these lives one by one, each where it is time for that, and forgets all others. Never rejects. */
  async look(lives: readonly Incarnation[]): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { clock, policy } = this.#deps;
      const uuids = new Set(lives.map(({ uuid }) => uuid));
      this.#found = new Map([...this.#found].filter(([uuid]) => uuids.has(uuid)));
      for (const life of lives) {
        const { at } = this.#found.get(life.uuid) ?? {};
        if (at !== undefined && clock.now() - at < policy.restLookMs) continue;
        const isFree = await this.isFreeNow(life);
        this.#found = new Map(this.#found).set(life.uuid, { at: clock.now(), isFree });
      }
    } finally {
      this.#isLooking = false;
    }
  }

  async #isFree(life: Incarnation): Promise<boolean> {
    const { asking, processes, personIn, tmux } = this.#deps;
    const { word = null, hasTool } = asking.heard.get(life.uuid) ?? {};
    // A program that says nothing leaves it to the screen.
    if (word?.state === 'working' || word?.state === 'asks' || hasTool === true) return false;
    if (!(await asking.isEmptyNow(life))) return false;
    if ((await processes.groupsBelow(life.agent)).length > 0) return false;
    const panes = await tmux.query(['list-panes', '-a', '-F', '#{pane_id} #{session_id}']);
    const shownBy = panes.flatMap((row) => (row.startsWith(`${life.paneId} `) ? (row.split(' ')[1] ?? []) : []));
    if (shownBy.length === 0 || (await personIn(shownBy)) !== null) return false;
    return this.#goesOn(life);
  }

  async #goesOn({ session, agent, uuid }: Incarnation): Promise<boolean> {
    const { processes, packs, recordOf } = this.#deps;
    const record = await recordOf(session);
    if (record?.incarnation?.uuid !== uuid || record.conversation === undefined) return false;
    const variableOf = (name: string): string | null => processes.variableOf(agent, name);
    return goesOn(packs, { spec: record.spec, uuid, id: record.conversation.id }, variableOf);
  }
}
