/** A town with one session, of which every scan shows what its test says. */
import { POLICY } from '../../machines/policy.ts';
import type { OutcomeBody, SeenSession, SessionRecord } from '../../machines/protocol.ts';
import { Drive } from '../world/drive.ts';
import type { SimHands } from '../world/hands.ts';
import { life } from './one.ts';

/** By then a name that is taken was tried again. */
export const RETRY = POLICY.sessions.takenRetryMs * (1 + POLICY.sessions.jitter);

/** What every scan shows of the session, and what comes of a start. */
export interface Say extends Partial<Omit<SeenSession, 'name' | 'uuid'>> {
  life: SeenSession['life'];
  asks?: string | null;
  server?: 'up' | 'gone' | 'unknown';
  start?: OutcomeBody;
}

/** A town that finds this record; what is seen and what comes of a start can be changed. */
export function town(record: SessionRecord, say: Say) {
  const said: SimHands = {
    scan: ({ known }) => {
      const { server = 'up', start: _, ...shows } = say;
      const seen = known.map(({ session: name, uuid }) => ({
        name,
        uuid,
        exit: null,
        maybeSignalled: false,
        ...shows,
      }));
      return { type: 'SESSIONS_SEEN', server, seen };
    },
    startSession: ({ uuid }) =>
      say.start?.type === 'SESSION_STARTED'
        ? { ...say.start, incarnation: { ...say.start.incarnation, uuid } }
        : (say.start ?? null),
    answerDialog: () => ({ type: 'DIALOG_ANSWERED', option: 'Yes', then: 'its screen is not known' }),
    adoptSession: ({ uuid }) => ({
      type: 'SESSION_ADOPTED',
      tokenHash: 'hash',
      dir: '/',
      incarnation: { ...life, uuid, origin: 'adopted' },
    }),
  };
  const drive = new Drive(said, { sessions: [record] });
  return {
    drive,
    now: (): SessionRecord => drive.session('s1'),
    told: (): string[] => drive.alerts,
    // Of what no scan has said yet an end is ordered in any case, for an earlier process may have told of it.
    over: (): string[] => drive.ends.filter((episode) => drive.alerts.includes(episode)),
  };
}
