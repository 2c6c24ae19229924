/**
 * The order `observeDeacon` (C-2): does the Deacon live, how old is its heartbeat, does mail wait, what shows its pane?
 * 1. Alive or gone comes from its process now, not from a record; with the record gone tmux itself is asked (C-8).
 * 2. A heartbeat is this life's if it says so, or, where it names no life, if it is younger than this life. Ages are
 *    measured, not read off clocks, so that a step of the clock makes no Deacon look silent.
 */
import type { Beat, DeaconSeen, Incarnation, Ms, Proc, SessionRecord } from '../../machines/protocol.ts';
import { isRetired } from '../../machines/sessions/state.ts';
import type { Pause } from '../../state/watchdog/records.ts';
import type { OrderOf, Perform, Processes } from '../ports/ports.ts';
import { orNull } from '../../state/files/or-null.ts';
import type { Ages } from './staleness.ts';
import type { Found } from './find.ts';
import type { PaneState } from './pane-state.ts';

export interface ObserveDeps {
  readonly processes: Pick<Processes, 'alive'>;
  readonly ages: Ages;
  readonly session: (name: string) => Promise<SessionRecord | null>;
  readonly find: (name: string) => Promise<Found>;
  readonly mood: (life: Incarnation) => Promise<PaneState>;
  readonly heartbeat: () => Promise<Beat | null>;
  readonly pause: () => Promise<Pause | null>;
  /** Unread messages of the Deacon; null = its mailbox cannot be read. */
  readonly unread: () => Promise<number | null>;
  /** Whether a hearing of this life is open. */
  readonly isHeard: (uuid: string) => Promise<boolean>;
  /** The actor's life: the name in its beats, and how long it has run. */
  readonly actor: () => Pick<Life, 'uuid' | 'startedMsAgo'>;
}

interface Life {
  readonly alive: DeaconSeen['alive'];
  readonly life: Incarnation | null;
  /** What its beats are named by. */
  readonly uuid: string | null;
  readonly startedMsAgo: Ms | null;
  readonly retired: boolean;
}
const NO_LIFE: Life = { alive: 'no', life: null, uuid: null, startedMsAgo: null, retired: false };

/** Rejects when the disk cannot tell; what tmux cannot tell is `unknown`. */
export function observeDeacon(deps: ObserveDeps): Perform<OrderOf<'observeDeacon'>> {
  return async ({ session }) => {
    const one = session === null ? { ...NO_LIFE, alive: 'yes' as const, ...deps.actor() } : await lifeOf(deps, session);
    const [beat, pause, mail] = await Promise.all([deps.heartbeat(), deps.pause(), deps.unread()]);
    const { pane, what } =
      one.life === null || one.alive !== 'yes' ? { pane: 'none' as const, what: '' } : await deps.mood(one.life);
    const { alive, life, startedMsAgo, retired } = one;
    const seen: DeaconSeen = {
      alive,
      life,
      retired,
      mail,
      pane,
      what,
      heartbeat: beat === null ? null : readDeaconMail(deps.ages, beat, one),
      paused: pause !== null,
      isHeard: life !== null && (await deps.isHeard(life.uuid)),
      startedMsAgo,
    };
    return { type: 'DEACON_OBSERVED', seen };
  };
}

/** A beat as this life hears it. */
export function readDeaconMail(
  ages: Ages,
  beat: Beat,
  { uuid, startedMsAgo }: Pick<Life, 'uuid' | 'startedMsAgo'>,
): NonNullable<DeaconSeen['heartbeat']> {
  const ageMs = ages.of('beat', beat.at);
  const mine = beat.incarnation === null ? startedMsAgo === null || ageMs <= startedMsAgo : beat.incarnation === uuid;
  // From the beat on, not from the clock: the announcement moves with the age.
  const dueInMs = beat.nextDueAt === null ? null : beat.nextDueAt - beat.at - ageMs;
  return { ageMs, mine, dueInMs };
}

async function lifeOf(deps: ObserveDeps, name: string): Promise<Life> {
  const record = await deps.session(name);
  const recorded = record?.incarnation ?? null;
  if (record !== null && recorded !== null && record.state !== 'ended') {
    const lives = orNull(() => deps.processes.alive(recorded.agent));
    const startedMsAgo = record.startedAt === null ? null : deps.ages.of('start', record.startedAt);
    const alive = lives === null ? 'unknown' : 'yes';
    if (lives !== false) return { ...NO_LIFE, alive, life: recorded, uuid: recorded.uuid, startedMsAgo };
  }
  const retired = record !== null && isRetired(record);
  const found = await deps.find(name);
  if (found.life === 'unknown') return { ...NO_LIFE, alive: 'unknown', retired };
  if (found.life !== 'alive') return { ...NO_LIFE, retired };
  return { ...NO_LIFE, alive: 'yes', life: found.incarnation, uuid: found.uuid };
}

/** The name of an actor Deacon's life: the process that it lives in. */
export const actorLife = ({ pid, started }: Proc): string => `town-${pid}-${started}`;
