/** Cells of adoptions: a foreign session is promoted, watched from then on, and never started by us. */
import { freshSession } from './lifecycle.ts';
import { refuses, type Anybody, type Events, type Next, type Scene, type States } from './session.ts';
import { order } from '../kernel/decision.ts';
import { idOf, isWatched as hasLife, NOT_LIVE, refusal, replies, viewOf } from './state.ts';
import type { SessionRecord } from '../protocol.ts';
import { placeOf } from './background.ts';
import { uuidFor } from './starts.ts';

type Asked = Events['ADOPTION_ASKED'];

export function adopts({ name }: Anybody, { rpc, process, tags, place }: Asked, at: Scene): Next {
  const known = place === undefined ? undefined : knownAt(at.book.records, place);
  if (known !== undefined) {
    const text = `${place} is session ${known} already, and stays it until its agent ends; see: town session status ${known}`;
    return refuses(rpc, 'already_known', text, 5);
  }
  const uuid = uuidFor(at, `${name}/${rpc}`);
  const where = place === undefined ? {} : { place };
  return {
    orders: [order(idOf('adopt', { life: uuid }), { type: 'adoptSession', name, process, tags, uuid, ...where })],
    call: { verb: 'adopt', rpc, name, process, tags },
    drawn: true,
  };
}

/** The session whose life stands in this place; two records of one life would contradict each other. */
const knownAt = (records: Scene['book']['records'], place: string): string | undefined =>
  Object.values(records).find(
    (r) =>
      hasLife(r) &&
      (r.incarnation?.sessionId === place ||
        r.incarnation?.paneId === place ||
        (r.spec.background !== undefined && placeOf(r.spec.background) === place)),
  )?.spec.name;

/**
 * A pane that is already watched keeps its life: another uuid would void its hearings, its token and its counters (law
 * 3).
 */
export function isWatched({ name, r, life }: States['running'], { rpc, process }: Asked): Next {
  const { process: known } = r.spec;
  if (process === null || process === known)
    return { orders: replies(rpc, { ok: true, value: { ...viewOf(r), already: true } }) };
  const as = `${known ?? 'the agent in its pane'} (pid ${life.agent.pid})`;
  const text = `session ${name} is ${r.state} already, with ${as} as its agent; adopt it with another --process once that one has ended`;
  return refuses(rpc, 'already_known', text, 5);
}
export const isStarted = ({ name, r }: States['starting'], { rpc }: Asked): Next =>
  refuses(rpc, 'already_known', `session ${name} is ${r.state} already. See: town session status ${name}`);

/** The pane is adopted under this name: a start that was due under it is dropped. */
export function isAdopted({ name, r }: Anybody, adopted: Events['ADOPTED'], { now }: Scene): Next {
  const { rpc, process, tags, dir, tokenHash, incarnation, program, background } = adopted;
  const plain = { name, command: [], dir, tags, restart: 'temporary', process } as const;
  const spec = background === undefined ? plain : { ...plain, background };
  const record: SessionRecord = {
    ...freshSession(spec, ''),
    state: 'observed',
    pending: null,
    incarnation,
    tokenHash,
    startedAt: now.wall,
    program,
    note: 'adopted',
    ...(r?.remains !== undefined && { remains: r.remains }),
  };
  return { record, live: NOT_LIVE, orders: replies(rpc, { ok: true, value: viewOf(record) }) };
}

/**
 * A life that stands in tmux without a record: its file was damaged or taken away while it ran. The town recognises it
 * as what it was, with a fresh budget of restarts, and answers callers that wait for a start under its name. A record
 * that never had a life is no other life's: its start met the one that was lost. One of a life that is over gives way to a later one.
 */
export function isKnownAgain({ name, r, live }: Anybody, lost: Events['UNRECORDED']): Next {
  const { spec, incarnation, tokenHash, startedAt, program, isLater } = lost;
  const isKnown = r !== undefined && ((r.incarnation !== null && isLater !== true) || r.pending === incarnation.uuid);
  if (isKnown) return {};
  const state = incarnation.origin === 'adopted' ? 'observed' : 'running';
  const record: SessionRecord = {
    ...freshSession(spec, ''),
    state,
    pending: null,
    incarnation,
    tokenHash,
    startedAt,
    program,
    note: `known again by its marks in tmux: its record was ${isLater === true ? 'of an earlier life' : 'lost'}`,
    ...(r?.configured === true && { configured: true }),
  };
  const text = `session ${name} runs already, and is known again. See: town session status ${name}`;
  return { record, live: NOT_LIVE, orders: replies(live.rpc, refusal('already_running', text)) };
}
