/**
 * Alerts of hearings that last as long as their cause (law 8). A dog alerts what its verdict leaves to a person, before
 * any requester reads it (law 7, verdict-alerts.ts); this file says when that is over.
 * 1. An escalation, a failure, survivors: over with the next hearing of that session that comes to a judgement.
 * 2. A hearing that is taken up again is another case than the one that could not go on.
 */
import { hearing, why } from '../alerts/asks.ts';
import type { Level } from '../alerts/levels.ts';
import { NEEDS_INPUT } from '../alerts/things.ts';
import { aboutOf, episodeOf, type Dance, type Declared, type EpisodeName, type PastHearing } from '../protocol.ts';
import { untypedNow, wasAsked } from './dance.ts';
import { leftOpen } from './history.ts';
import { FAILED, VERDICT_ALERTS, verdictAlertOf } from './verdict-alerts.ts';
import type { Pool } from './queue.ts';

/** The claims of a kennel. */
export interface HearingsSeen extends Pick<Pool, 'dogs' | 'waiting' | 'pastHearings'> {
  /** Sessions that are heard too often, with how often. */
  readonly often: Readonly<Record<string, number>>;
  /** Dances whose dog crashes even as it fails them: no dog gets them again, as with a poison message. */
  readonly poisoned: readonly Dance[];
}

const verdictText = ({ session, verdict, reason }: PastHearing): string =>
  `${session} was heard: ${verdict}, ${reason}.`;
const openIn = ({ dogs, waiting }: HearingsSeen): readonly Dance[] => [
  ...Object.values(dogs).map(({ dance }) => dance),
  ...waiting,
];

/** Alerts that dances judged or failed in an earlier process may have raised already. */
const leftBefore = (seen: HearingsSeen): readonly EpisodeName[] =>
  openIn(seen).flatMap((dance) => {
    const left = verdictAlertOf(dance);
    return [...(left === null ? [] : [left.episode]), ...(dance.retried ? [episodeOf(FAILED, dance.id)] : [])];
  });

/** How an alert of a hearing ended: by a later hearing of that session, or by the hearing's own second try. */
function heardAgain(episode: EpisodeName, name: string, { pastHearings: heard }: HearingsSeen): string {
  const own = heard.find(({ id }) => id === name);
  const last =
    own !== undefined && own.open !== episode
      ? own
      : heard.findLast(({ session }) => session === (own?.session ?? name));
  return last === undefined ? OVER : verdictText(last);
}
const OVER = 'It was over when the town started.';

const left = ({ kind, asks, answers, subject }: Declared): Level<HearingsSeen> => ({
  kind,
  asks,
  ...(answers !== undefined && { answers }),
  ...(subject !== undefined && { subject }),
  claim: (seen) => {
    const open = [...leftOpen(seen.pastHearings).keys(), ...leftBefore(seen)].map(aboutOf);
    return { stands: [], only: open.flatMap((one) => (one.kind === kind ? [one.name] : [])) };
  },
  ended: (name, seen) => (name === null ? OVER : heardAgain(episodeOf({ kind, asks }, name), name, seen)),
});

function lateWhy(dance: Dance): string {
  // A question that is typed begins this count anew.
  if (wasAsked(dance) && dance.undeliveredMs > 0)
    return 'one of its processes was stopped or waited for a disk, so that it could not be heard';
  const why = untypedNow(dance);
  return why === null
    ? 'the town cannot see it, cannot type the question, or may not judge it now'
    : `its question could not be typed: ${why}`;
}

export const HEARING_LEVELS: readonly Level<HearingsSeen>[] = [
  // The sessions see at every look whether an agent waits for a person, heard or not.
  ...VERDICT_ALERTS.filter(({ kind }) => kind !== NEEDS_INPUT.kind).map(left),
  {
    kind: 'dance-overdue',
    asks: hearing,
    claim: (seen) => {
      const late = Object.values(seen.dogs).flatMap(({ dance, isOverdue }) => (isOverdue ? [dance] : []));
      // The alerts of dances that an earlier process held are not known yet.
      const others = openIn(seen).filter((dance) => dance.lastedMs !== undefined && !late.includes(dance));
      return {
        stands: late.map((dance) => ({
          name: dance.id,
          severity: 'medium',
          session: dance.target.session,
          text: `The hearing of ${dance.target.session} takes longer than its windows: ${lateWhy(dance)}. See: town dog show ${dance.id}`,
        })),
        only: others.map(({ id }) => id),
      };
    },
    ended: (name, { pastHearings: heard }) => {
      const own = heard.find(({ id }) => id === name);
      return own === undefined ? OVER : verdictText(own);
    },
  },
  {
    kind: 'dance-hopeless',
    asks: (about) => [...hearing(about), 'town restart'],
    subject: 'record',
    claim: ({ poisoned }) => ({
      stands: poisoned.map(({ id, reason, target: { session } }) => ({
        name: id,
        severity: 'high',
        session,
        text: `Dance ${id} of ${session} cannot go on (${reason || 'its dog crashes at once'}); nothing was killed. Its record stays in deacon/dogs/active/.`,
      })),
      only: [],
    }),
    ended: () => 'That hearing is taken up again.',
  },
  {
    kind: 'heard-often',
    asks: why,
    claim: ({ often }) => ({
      stands: Object.entries(often).map(([session, count]) => ({
        name: session,
        severity: 'medium',
        session,
        text: `${session} was heard ${count} times lately. See who files warrants against it: town why ${session}`,
      })),
      only: [],
    }),
    ended: (name) => `${name ?? 'It'} is not heard so often any more.`,
  },
];
