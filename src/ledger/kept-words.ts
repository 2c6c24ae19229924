/**
 * Words of beads that the town keeps for itself: types, labels, keys of metadata and fields by which patrols, triage, gates and escalations
 * decide. An agent neither writes nor removes them. A test compares these lists with what the code reads.
 */
import type { Bead } from '../../machines/ledger/bead.ts';

const TYPES: ReadonlySet<string> = new Set([
  'triage-request',
  'gate',
  'escalation',
  'agent',
  'role',
  'rig',
  'message',
  'merge-request',
  'event',
  'swarm',
  'slot',
  'queue',
  'warrant',
  'wisp',
  'patrol',
]);
/** A bead of any type with one of these belongs to the town. */
const MARKS = /^(?:gt:.*|triage:.*|cleanup|swarm|swarm_id:.*|polecat:.*|digest)$/i;
/** These say something of a bead that stays its owner's. */
const LABELS =
  /^(?:failed|acked|resolved|read|(?:agent|state|total|completed|start|tracks|told|about|severity|from|msg-type|thread|reply-to|cc|delivery|delivery-[a-z-]+):.*)$/i;

/** Of the metadata. `resolution` and its like decide nothing by themselves: a person would still read them as if they did. */
const KEYS: ReadonlySet<string> = new Set([
  'triage_type',
  'agent_bead_id',
  'snapshot_hook_bead_id',
  'context',
  'options',
  'tries',
  'outcome',
  'resolution',
  'resolved_by',
  'resolved_at',
  'resolution_note',
  'branch',
  'branch_commit',
  'last_attempt_at',
  'last_failure',
  'rest_until',
  'severity',
  'climbs',
  'climbed_at',
  'told_severity',
  'told_at',
  'acked_by',
  'acked_at',
  'ends_with',
  'related_bead',
]);
/** Of `extra`: those of a gate. */
const FIELDS: ReadonlySet<string> = new Set(['await_type', 'await_id', 'timeout', 'waiters']);

export const isKeptLabel = (label: string): boolean => MARKS.test(label) || LABELS.test(label);
export const isKeptKey = (key: string): boolean => KEYS.has(key) || key.startsWith('town.');
export const isKeptField = (field: string): boolean => FIELDS.has(field);

/** A thing of the town: a request for triage, a gate, a wisp of a patrol, a letter … */
export const isKept = ({ type, labels, isWisp, wispType }: Bead): boolean =>
  TYPES.has(type.toLowerCase().replaceAll('_', '-')) ||
  labels.some((label) => MARKS.test(label)) ||
  (isWisp && wispType !== '');
