/**
 * Boot's judgement of the Deacon (C-2, C-4, C-5): pure, every cell written.
 * 1. What forbids judging comes first: a pause, an unknown, an open hearing, the grace after a start. Unknown is never dead (law 1).
 * 2. A heartbeat counts only if it is this life's (law 3); before its announced next beat a Deacon is never late.
 * 3. The destructive step has the guards of the gentle one: a warrant stands where a third wake-up would.
 */
import { quoteForeign } from '../kernel/visible-text.ts';
import type { BootPolicy, DeaconPolicy } from './policy.ts';
import type { Alert, SessionSpec, BootAction, BootMemory, DeaconSeen, PaneMood } from '../protocol.ts';

/** The Deacon in records where it is no session. */
export const ACTOR = 'actor';
export const who = ({ deacon }: { readonly deacon: SessionSpec | null }): string => deacon?.name ?? ACTOR;
export const WAKE_TEXT = 'Boot wake: check your inbox';
export const NUDGE_TEXT = 'Boot check-in: pending work';

export const BANDS = ['fresh', 'stale', 'very_stale'] as const;
export type Band = (typeof BANDS)[number];
export type Post = 'mail' | 'none' | 'unknown';
/** SPARE: one WAKE is skipped because it is busy; the next is not. ASK: a person is told that it waits for one. */
export type Cell = 'NOTHING' | 'NUDGE' | 'WAKE' | 'SPARE' | 'ASK';
type Row = Readonly<Record<PaneMood, Cell>>;

const ALL_WELL: Row = { blocked: 'NOTHING', busy: 'NOTHING', idle: 'NOTHING', unreadable: 'NOTHING', none: 'NOTHING' };
const WAKE: Row = { blocked: 'ASK', busy: 'SPARE', idle: 'WAKE', unreadable: 'WAKE', none: 'WAKE' };

/** C-2: how fresh the heartbeat is x whether mail waits x what the pane shows. */
const MATRIX: Readonly<Record<Band, Readonly<Record<Post, Row>>>> = {
  fresh: { mail: ALL_WELL, none: ALL_WELL, unknown: ALL_WELL },
  stale: {
    mail: { blocked: 'ASK', busy: 'NOTHING', idle: 'NUDGE', unreadable: 'NUDGE', none: 'NUDGE' },
    none: ALL_WELL,
    unknown: ALL_WELL, // unseen mail is no reason to type
  },
  very_stale: { mail: WAKE, none: WAKE, unknown: WAKE },
};

/** `< stale` fresh, `[stale, very stale]` stale, older very stale; one that never beat is as old as its life. */
export function bandOf({ heartbeat, startedMsAgo }: DeaconSeen, policy: BootPolicy): Band {
  const beat = heartbeat?.mine === true ? heartbeat : null;
  if (beat !== null && beat.dueInMs !== null && Math.min(beat.dueInMs, policy.maxAheadMs - beat.ageMs) > 0)
    return 'fresh';
  const ageMs = beat?.ageMs ?? startedMsAgo ?? Infinity;
  if (ageMs < policy.staleMs) return 'fresh';
  return ageMs <= policy.veryStaleMs ? 'stale' : 'very_stale';
}

/** Why it is not judged at all; null = it is. */
export function whyUnjudged(seen: DeaconSeen, policy: BootPolicy): string | null {
  if (seen.paused) return 'paused: it is not judged';
  if (seen.alive === 'unknown') return 'it is not known whether it lives';
  if (seen.retired) return 'its agent or the operator ended it; `town session start` brings it back';
  if (seen.alive === 'yes' && seen.isHeard) return 'it is being heard: nothing else is typed to it';
  if (seen.alive === 'yes' && seen.startedMsAgo !== null && seen.startedMsAgo < policy.startGraceMs)
    return 'it was started a moment ago';
  return null;
}

export const freshMemory = (uuid: string | null): BootMemory => ({
  uuid,
  wakes: 0,
  spared: false,
  undelivered: 0,
});

export interface Judgement {
  readonly action: BootAction;
  readonly reason: string;
  readonly memory: BootMemory;
  readonly alert: Told | null;
  /** It is not stuck any more, or never was: its alert is over. */
  readonly isWell: boolean;
}

const BAND_TEXT: Readonly<Record<Band, string>> = { fresh: 'fresh', stale: 'stale', very_stale: 'very stale' };

const postOf = ({ mail }: DeaconSeen): Post => (mail === null ? 'unknown' : mail > 0 ? 'mail' : 'none');
const POST_TEXT: Readonly<Record<Post, string>> = {
  mail: ', mail waits',
  none: '',
  unknown: ', and its mailbox cannot be read',
};

/** What Boot does about what it sees. `before`: its memory, possibly of another life. */
export function judge(
  seen: DeaconSeen,
  before: BootMemory,
  { boot, deacon }: { boot: BootPolicy; deacon: Pick<DeaconPolicy, 'wakes'> },
  who: string,
): Judgement {
  const uuid = seen.life?.uuid ?? null;
  const memory = before.uuid === uuid ? before : freshMemory(uuid);
  const nothing = { action: 'NOTHING', alert: null, isWell: false, memory } as const;
  const held = whyUnjudged(seen, boot);
  if (held !== null) return { ...nothing, reason: held };
  if (seen.alive === 'no')
    return { ...nothing, action: 'START', reason: 'it is not running', memory: freshMemory(null) };
  const band = bandOf(seen, boot);
  const post = postOf(seen);
  const what = seen.heartbeat?.mine === true ? 'its heartbeat is' : 'it has not beaten in this life, which is';
  const reason = `${what} ${BAND_TEXT[band]}${POST_TEXT[post]}`;
  const cell = MATRIX[band][post][seen.pane];
  switch (cell === 'SPARE' && memory.spared ? 'WAKE' : cell) {
    case 'NOTHING':
      return {
        ...nothing,
        reason: band === 'stale' && seen.pane === 'busy' ? `${reason}, and it is busy` : reason,
        memory: band === 'fresh' ? freshMemory(uuid) : memory,
        isWell: band === 'fresh',
      };
    case 'NUDGE':
      return { ...nothing, action: 'NUDGE', reason };
    case 'SPARE':
      return {
        ...nothing,
        reason: `${reason}, but it is busy: one wake-up is spared`,
        memory: { ...memory, spared: true },
      };
    case 'ASK':
      return { ...nothing, reason: `${reason}, and it waits for a person`, alert: blockedAlert(who, seen.what) };
    case 'WAKE':
      if (memory.wakes < deacon.wakes) return { ...nothing, action: 'WAKE', reason };
      return {
        ...nothing,
        action: seen.life === null ? 'RESTART' : 'WARRANT',
        reason: `${reason}, and ${memory.wakes} wake-ups had no effect`,
      };
  }
}

/** What Boot tells of the Deacon, by kind. */
export type Stuck = 'deacon-blocked' | 'deacon-unreachable' | 'deacon-no-command';
export type Told = Pick<Alert, 'severity' | 'session' | 'text'> & { readonly kind: Stuck };

const told = (kind: Stuck, severity: Told['severity'], who: string, text: string): Told => ({
  kind,
  severity,
  session: who === ACTOR ? null : who,
  text,
});

const blockedAlert = (who: string, what: string): Told => {
  const text = `The Deacon (${who}) waits for a person. Its screen asks: ${quoteForeign(what)}. Nothing is typed there; answer it.`;
  return told('deacon-blocked', 'medium', who, text);
};

export const unreachableAlert = (who: string, times: number, why: string): Told => {
  const text = `The Deacon (${who}) is silent and could not be woken ${times} times: ${why}. Look at it: town why ${who}`;
  return told('deacon-unreachable', 'high', who, text);
};

export const noCommandAlert = (who: string): Told => {
  const text = `The Deacon's session ${who} is down and [deacon] command says nothing to start. Write it into town.toml, then: town restart`;
  return told('deacon-no-command', 'high', who, text);
};
