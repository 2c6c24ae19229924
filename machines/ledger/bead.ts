/**
 * A bead: a unit of work, or of waiting, that outlives its worker. Gates, convoys, swarms, agents, escalations and
 * triage requests are beads of their type; labels, metadata and `extra` hold what is special about them. Times stay the
 * text of their writer (RFC 3339), so that a foreign bead loses nothing.
 */

export const BEAD_STATUSES = ['open', 'in_progress', 'blocked', 'deferred', 'hooked', 'pinned', 'closed'] as const;
export type BeadStatus = (typeof BEAD_STATUSES)[number];

/** Statuses of work that an agent may hold: all but what waits for an agent, and what is over. */
export const HELD_STATUSES: readonly BeadStatus[] = BEAD_STATUSES.filter((one) => one !== 'open' && one !== 'closed');

/** Fields that we do not know, kept as they came: any JSON. */
export type Extra = Readonly<Record<string, unknown>>;

/** The bead that holds it waits for, belongs to or follows `on`. */
export interface Dependency {
  readonly on: string;
  /** `blocks`, `parent-child`, `tracks` …; types of other programs are kept. */
  readonly type: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly extra: Extra;
}

/** A caller as a door of the town saw it. No bead, letter or file makes one. */
export interface Signature {
  /** An agent as an assignee is written, `overseer`, `triage`, or a patrol. */
  readonly by: string;
  readonly via: 'town' | 'operator' | 'agent' | 'triage';
  /** Of an agent its incarnation, of triage its run; null = none. */
  readonly life: string | null;
  /** RFC 3339. */
  readonly at: string;
}

interface Resolved extends Signature {
  readonly choice: string;
  readonly note: string;
  /** The operator wants published what is refused else. */
  readonly all?: true | undefined;
  /** The mark of what a reasoner was shown of what it publishes. */
  readonly shown?: string | undefined;
}

/** `machines/triage/acts.ts` says which acts there are. */
interface Planned {
  readonly acts: readonly { readonly act: string }[];
  readonly said: readonly string[];
}

/**
 * What only doors write of a bead (law 11). The store keeps it beside the bead, and takes it from the condition of a write, never from the
 * bead that is written: no field, label or metadata of a bead becomes official.
 */
export interface Official {
  /** Who made the bead; null = unknown: it was imported, or an older town stored it. */
  readonly made: Signature | null;
  /** Of a triage request: the option that was chosen; null = none was. */
  readonly resolution: Resolved | null;
  /** … the acts that it led to, and what was said of each that is done; absent = none was decided yet. */
  readonly plan?: Planned | undefined;
  /** … and how the command of the person who chose fails, where that was refused; absent = it was not. */
  readonly refusal?: { readonly exit: number; readonly code: string; readonly text: string } | undefined;
  /** … what took its choice back, and left it to a person: a reasoner's ESCALATE, or that it was not done; absent = neither. */
  readonly left?: 'escalated' | 'refused' | undefined;
  /** The last change by an agent; absent = none changed it. */
  readonly touched?: Signature | undefined;
  /** The address of the agent that set it aside; absent = a person did, another ledger, or an older town; or it is not set aside. */
  readonly aside?: string | undefined;
  /** The agent that closed it by its own word. `at`: its `closedAt` then. Absent, or of another time: it was closed by another word. */
  readonly closed?: Signature | undefined;
  /** Of a cleanup: its polecat wished its own end, or the operator wished it; absent = neither did. `life`: the one that wished it. */
  readonly wish?: Signature | undefined;
  /** Of work that a witness closed because main has it: its `closedAt` then (RFC 3339). Closed again after it was opened, it has another. */
  readonly merged?: string | undefined;
  /**
   * Of work for a rig that an agent made: `asked` waits for the operator's yes, `given` has it, `budget` needs none. Absent = it is no
   * such work.
   */
  readonly consent?: 'asked' | 'budget' | 'given' | undefined;
}
export const NOT_OFFICIAL: Official = { made: null, resolution: null };

export interface Bead {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** `task`, `bug`, `gate`, `convoy` …; any word. */
  readonly type: string;
  readonly status: BeadStatus;
  /** 0, the most urgent, to 4. */
  readonly priority: number;
  /** The agent it is assigned to; empty = unassigned. */
  readonly assignee: string;
  readonly labels: readonly string[];
  /** A wisp: it is worth nothing once it is closed, and is squashed then. */
  readonly isWisp: boolean;
  /** `patrol`, `recovery`, `escalation` …; empty = none. */
  readonly wispType: string;
  readonly dependencies: readonly Dependency[];
  readonly metadata: Readonly<Record<string, string>>;
  /** Attempts since it was made, opened again after its end, or given out again by hand. */
  readonly attempts: number;
  /** The rig that its work lies in; empty = the town's own. */
  readonly rig: string;
  readonly owner: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When work on it first began; empty = never. */
  readonly startedAt: string;
  /** Empty = it is not closed. */
  readonly closedAt: string;
  readonly closeReason: string;
  readonly extra: Extra;
  /** The store's, as `version`: a write that gives none leaves it as it is. */
  readonly official: Official;
  /** The store's: it grows with every write. 0 = it is not stored yet. */
  readonly version: number;
}

/** What a new bead is made of; all else has a default. */
export type NewBead = Pick<Bead, 'id' | 'title' | 'createdBy' | 'createdAt'> & Partial<Bead>;

const DEFAULT_PRIORITY = 2;

export function newBead(given: NewBead): Bead {
  return {
    description: '',
    type: 'task',
    status: 'open',
    priority: DEFAULT_PRIORITY,
    assignee: '',
    labels: [],
    isWisp: false,
    wispType: '',
    dependencies: [],
    metadata: {},
    attempts: 0,
    rig: '',
    owner: '',
    startedAt: '',
    closedAt: '',
    closeReason: '',
    extra: {},
    official: NOT_OFFICIAL,
    version: 0,
    updatedAt: given.createdAt,
    ...given,
  };
}

/** Types of dependency that keep a bead from being worked on while the other one is not closed. */
const BLOCKING: ReadonlySet<string> = new Set(['blocks', 'conditional-blocks', 'waits-for']);

/** The bead that a link leads to. Gas Town links a bead of a rig as `external:<prefix>:<id>`; here one ledger holds all rigs. */
export const targetOf = ({ on }: Pick<Dependency, 'on'>): string => /^external:[^:]*:(.+)$/.exec(on)?.[1] ?? on;

/** Beads that this one waits for, closed ones too. */
export const blockersOf = (bead: Bead): string[] =>
  bead.dependencies.filter(({ type }) => BLOCKING.has(type)).map(targetOf);

export const isBlocking = (type: string): boolean => BLOCKING.has(type);

/** The bead that it is a part of; null = none. */
export const parentOf = (bead: Bead): string | null =>
  bead.dependencies.filter(({ type }) => type === 'parent-child').map(targetOf)[0] ?? null;

/** Beads that it follows: those of a convoy or a swarm. */
export const trackedBy = (bead: Bead): string[] =>
  bead.dependencies.filter(({ type }) => type === 'tracks').map(targetOf);
