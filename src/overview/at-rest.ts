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
import { sessionsOf, type PersonIn } from '../sessions/clear.ts';
import type { TmuxDoor } from '../tmux/client.ts';
import { readPanes } from '../tmux/panes.ts';
import type { Asking } from './asking.ts';

export interface AtRestDeps {
  readonly tmux: TmuxDoor;
  readonly clock: Pick<Clock, 'now'>;
  readonly processes: Pick<ProcessTable, 'groupsBelow' | 'variableOf'>;
  readonly packs: Pick<Packs, 'kindOf' | 'named'>;
  readonly asking: Pick<Asking, 'heard' | 'isEmptyNow'>;
  readonly personIn: PersonIn;
  readonly recordOf: (session: string) => Promise<SessionRecord | null>;
  readonly policy: Pick<HandsPolicy, 'restLookMs'>;
}

export class AtRest {
  readonly #deps: AtRestDeps;
  /** When each life is looked at next. */
  #nextAt: ReadonlyMap<string, Instant> = new Map();

  constructor(deps: AtRestDeps) {
    this.#deps = deps;
  }

  /** The uuids of those that are, of these lives. Each is looked at now and then only. Never rejects. */
  async of(lives: readonly Incarnation[]): Promise<ReadonlySet<string>> {
    const { clock, policy } = this.#deps;
    const now = clock.now();
    const next = new Map<string, Instant>();
    const free = new Set<string>();
    for (const life of lives) {
      const due = this.#nextAt.get(life.uuid) ?? now;
      next.set(life.uuid, due > now ? due : now + policy.restLookMs);
      if (due <= now && (await this.#isFree(life).catch(() => false))) free.add(life.uuid);
    }
    this.#nextAt = next;
    return free;
  }

  async #isFree(life: Incarnation): Promise<boolean> {
    const { asking, processes, personIn, tmux } = this.#deps;
    const { word = null, hasTool } = asking.heard.get(life.uuid) ?? {};
    if (word?.state === 'working' || word?.state === 'asks' || hasTool === true) return false;
    if (!(await asking.isEmptyNow(life))) return false;
    if ((await processes.groupsBelow(life.agent)).length > 0) return false;
    if ((await personIn(sessionsOf(await readPanes(tmux), life.paneId))) !== null) return false;
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
