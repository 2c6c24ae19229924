/**
 * What the programs of many lives say of themselves. It finds the process of each life that serves something, asks it,
 * and is silent about all others.
 * 1. Only the topmost agent of a life counts: one that it runs itself speaks for itself alone.
 * 2. A place that hangs gives no verdict, and delays no other place: it is asked again once it has answered. Meanwhile only that of its
 *    earlier words counts which holds for a whole life.
 */
import type { Incarnation, Instant, Ms, Proc } from '../../machines/protocol.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Clock } from '../ports/ports.ts';
import { topmost, type Children } from '../proc/below.ts';
import type { ProcessTable } from '../proc/processes.ts';
import type { Packs } from '../screen/packs.ts';
import { claudePort } from './claude.ts';
import { codexPort } from './codex.ts';
import type { HeldQuestions } from './held-questions.ts';
import { opencodePort } from './opencode.ts';
import { SOURCES } from './policy.ts';
import type { Ear, Heard, ProgramPort } from './port.ts';

export interface SourcesDeps {
  readonly processes: Pick<
    ProcessTable,
    'alive' | 'cwdOf' | 'children' | 'commandOf' | 'describe' | 'proc' | 'ttyOf' | 'variableOf'
  >;
  readonly packs: Pick<Packs, 'kindOf'>;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  /** Questions that agents of this town hold open. */
  readonly held: HeldQuestions;
  /** Limit of one call (ms): an opencode may answer late; absent = the limit of all places. */
  readonly waitMs?: Ms | undefined;
}

const programPorts = ({
  processes,
  packs,
  clock,
  held,
  waitMs = SOURCES.answerMs,
}: SourcesDeps): readonly ProgramPort[] => [
  claudePort({ processes, held, wall: () => clock.wall() }),
  codexPort({ processes, packs, clock }),
  opencodePort({ processes, clock, waitMs }),
];

const keptAs = (uuid: string, { kept }: Ear): readonly (readonly [string, Heard])[] => {
  const held = kept?.() ?? null;
  return held === null ? [] : [[uuid, held]];
};

interface Place extends Pick<Ear, 'place'> {
  readonly waitMs?: Ms | undefined;
}

/** What is known of one life. */
interface Found {
  /** The process that is asked; null = none was found. */
  readonly at: { readonly proc: Proc; readonly ear: Ear } | null;
  readonly searches: number;
  /** When it is searched for again, where none was found. */
  readonly nextAt: Instant;
}

export class Sources {
  readonly #deps: SourcesDeps;
  readonly #ports: ReadonlyMap<string, ProgramPort>;
  readonly #found = new Map<string, Found>();
  readonly #hung = new Set<string>();

  constructor(deps: SourcesDeps, ports: readonly ProgramPort[] = programPorts(deps)) {
    this.#deps = deps;
    this.#ports = new Map(ports.map((port) => [port.kind, port]));
  }

  /** By the uuid of a life; of those that are missing no program says anything. Never rejects. */
  async of(lives: readonly Incarnation[]): Promise<ReadonlyMap<string, Heard>> {
    await this.#search(lives);
    const asked = lives.flatMap(({ uuid }) => {
      const at = this.#found.get(uuid)?.at ?? null;
      return at === null ? [] : [{ uuid, ear: at.ear }];
    });
    const heard = new Map(asked.flatMap(({ uuid, ear }) => keptAs(uuid, ear)));
    const places = Map.groupBy(asked, ({ ear }) => ear.place);
    await Promise.all(
      Array.from(places, ([place, group]) =>
        this.#within({ place, waitMs: group[0]?.ear.waitMs }, async () => {
          for (const { uuid, ear } of group) {
            const said = await ear.hear();
            if (said === null) heard.delete(uuid);
            else heard.set(uuid, said);
          }
        }),
      ),
    );
    // A place that answers too late adds nothing to what was returned.
    return new Map(heard);
  }

  /** What one process says, whose program is known. `life`: the uuid of the life that it is the agent of; null = of none. */
  async hear(kind: string, proc: Proc, life: string | null): Promise<Heard | null> {
    const ear = this.#earOf(kind, proc, life);
    const heard: (Heard | null)[] = [];
    if (ear !== null) await this.#within(ear, async () => void heard.push(await ear.hear()));
    return heard[0] ?? null;
  }

  /** Asks a place, and waits no longer than it may take. One that has not answered yet is not asked again meanwhile. */
  #within({ place, waitMs = SOURCES.answerMs }: Place, ask: () => Promise<void>): Promise<void> {
    if (this.#hung.has(place)) return Promise.resolve();
    return new Promise((resolve) => {
      const limit = setTimeout(() => {
        this.#hung.add(place);
        resolve();
      }, waitMs);
      limit.unref();
      void ask().finally(() => {
        clearTimeout(limit);
        this.#hung.delete(place);
        resolve();
      });
    });
  }

  #earOf(kind: string, proc: Proc, life: string | null): Ear | null {
    return orNull(() => this.#ports.get(kind)?.open(proc, life) ?? null);
  }

  /** One pass over all processes for those that are below a launcher. */
  async #search(lives: readonly Incarnation[]): Promise<void> {
    const { clock, processes } = this.#deps;
    const now = clock.now();
    if (this.#found.size > SOURCES.maxLives) this.#found.clear();
    const due = lives.filter((life) => this.#isDue(life, now));
    let children: Children | null = null;
    for (const life of due) {
      const { uuid, agent } = life;
      const kind = orNull(() => this.#kindAt(agent.pid));
      if (kind === null) children ??= await processes.children().catch(() => new Map<number, readonly number[]>());
      const at = kind === null ? this.#earBelow(life, children ?? new Map()) : this.#earAt(agent, kind, uuid);
      const searches = (this.#found.get(uuid)?.searches ?? 0) + 1;
      const waitMs = Math.min(SOURCES.searchEveryMs, SOURCES.firstSearchMs * 2 ** searches);
      this.#found.set(uuid, { at, searches: at === null ? searches : 0, nextAt: now + waitMs });
    }
  }

  /** A process that was found is asked until it ends: a launcher may start another one. */
  #isDue({ uuid }: Incarnation, now: Instant): boolean {
    const known = this.#found.get(uuid);
    if (known === undefined) return true;
    const { at } = known;
    return at === null ? now >= known.nextAt : orNull(() => this.#deps.processes.alive(at.proc)) === false;
  }

  #kindAt(pid: number): string | null {
    const command = this.#deps.processes.commandOf(pid);
    return command && this.#deps.packs.kindOf(command);
  }

  /** null = its program serves nothing. */
  #earAt(proc: Proc, kind: string, life: string): Found['at'] {
    const ear = this.#earOf(kind, proc, life);
    return ear && { proc, ear };
  }

  /** null = no agent that serves something runs below this one. */
  #earBelow({ agent, uuid }: Incarnation, children: Children): Found['at'] {
    const { processes, packs } = this.#deps;
    return orNull(() => {
      // The number of an agent that ended may be a stranger's by now.
      if (!processes.alive(agent)) return null;
      const proc = topmost(processes, children, agent.pid, (one) => packs.kindOf(one) !== null);
      const kind = proc === null ? null : this.#kindAt(proc.pid);
      return proc === null || kind === null ? null : this.#earAt(proc, kind, uuid);
    });
  }
}
