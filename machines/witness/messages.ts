/** The messages by which polecats, witnesses, refinery and Deacon tell each other what happened, as they are once read. Types only. */

export const MESSAGE_TYPES = [
  ...(['POLECAT_STARTED', 'POLECAT_DONE', 'LIFECYCLE', 'MERGE_READY', 'MERGED', 'MERGE_FAILED', 'HELP'] as const),
  ...(['HANDOFF', 'SWARM_START', 'SWARM_COMPLETE', 'WITNESS_PING', 'RECOVERY_NEEDED', 'IDLE_DIRTY', 'ALERT'] as const),
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

/** A message whose subject says its type. Only the subject is required: readers look up each null. */
export interface ProtocolMessage {
  readonly type: MessageType;
  /** What stands behind the type in the subject. */
  readonly about: string;
  /** The name alone, without its rig. */
  readonly polecat: string | null;
  readonly rig: string | null;
  readonly branch: string | null;
  /** Id of the bead. */
  readonly issue: string | null;
  /** How its work ended, or what an agent asks for: `completed`, `shutdown`. */
  readonly action: string | null;
  readonly cleanup: string | null;
  readonly commit: string | null;
  readonly error: string | null;
  readonly swarm: {
    readonly id: string;
    readonly beads: readonly string[];
    /** How many there are to be; null = what stands there is no number. */
    readonly total: number | null;
  } | null;
}
