/** What the journal says of a record when its place changed: where it stands now, and what led there. Pure. */
import { isStop } from '../../machines/hearings/dance.ts';
import type { Dance, News, SessionRecord, WallMs, Warrant } from '../../machines/protocol.ts';
import type { JournalLine } from '../../state/journal.ts';
import { sessionOf } from './correlation.ts';

/** `dance.<stage>`; a closed one with its verdict, every question, and what was saved and left alive. */
export function danceLine(d: Dance, at: WallMs): JournalLine {
  const { id, stage, attempt, verdict, reason } = d;
  const forced = d.warrants.some((w) => w.force) && { forced: true, ...(d.warrants.some(isStop) && { stopped: true }) };
  const about = { at, kind: `dance.${stage}`, session: d.target.session, dance: id, attempt, ...forced };
  const warrants = d.warrants.map((w) => w.id);
  if (stage !== 'closed')
    return { ...about, warrants, ...(verdict !== null && { verdict, reason }), ...(d.falls > 0 && { falls: d.falls }) };
  const { rescue, survivors, evidenceOnly } = d;
  const attempts = d.attempts.slice(0, attempt).map((a) => ({ asked: a.askedAt, windowMs: a.windowMs, seen: a.seen }));
  return {
    ...about,
    ...{ warrants, verdict, reason, evidenceOnly, rescue, survivors },
    ...{ attempts, uuid: d.target.uuid },
  };
}

/** `session.<state>`, with its last exit and the wait before its next start. */
export function sessionLine(r: SessionRecord, at: WallMs): JournalLine {
  const { state, note, lastExit, restarts, incarnation, waitMs, crashLoop } = r;
  return {
    ...{ at, kind: `session.${state}`, session: r.spec.name, uuid: incarnation?.uuid ?? null, note, restarts },
    ...(lastExit !== null && { exit: lastExit }),
    ...(state === 'backing_off' && { waitMs, crashLoop }),
  };
}

/** `by` and `via` stand where the words of the caller cannot reach: beside the request, not in it. */
export const requestedLine = (
  { rpc, request, by, via }: Extract<News, { type: 'REQUESTED' }>,
  at: WallMs,
): JournalLine => ({
  ...{ at, kind: 'requested', rpc, request, ...sessionOf(request) },
  ...(by !== undefined && { by }),
  ...(via !== undefined && { via }),
});

/** What a warrant accuses whom of, and who did. */
export function warrantLine(w: Warrant, at: WallMs): JournalLine {
  const { id, reason, requester, force, via, target } = w;
  const { session, uuid } = target;
  return {
    ...{ at, kind: 'warrant.filed', warrant: id, session, uuid, reason, requester, force },
    ...(via !== undefined && { via }),
  };
}
