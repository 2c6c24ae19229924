/**
 * What the command line reads of the records: it looks only, moves nothing to quarantine and believes only what decodes.
 * A file that cannot be read is named, never guessed at.
 */
import { shownVerdict } from '../../machines/hearings/dance.ts';
import type { Dance, Incarnation, SessionRecord, Via, Warrant } from '../../machines/protocol.ts';
import { STATE } from '../../state/files/policy.ts';
import { DANCE, decodeDance } from '../../state/hearings/dances.ts';
import { NotReadable, wordsOf, type Disk } from '../../state/files/disk.ts';
import type { RecordFile } from '../../state/files/record-folder.ts';
import type { RecordKind } from '../../state/files/record-kind.ts';
import { FOLDERS, isRecordName, paths } from '../../state/files/layout.ts';
import { WARRANT, type WarrantFile } from '../../state/hearings/schemas.ts';
import { NUDGES, type Nudged } from '../../state/sessions/nudges.ts';
import { SESSIONS } from '../../state/sessions/records.ts';
import { decodeWarrant } from '../../state/hearings/warrants.ts';

export type StoredRecord<T> = Pick<RecordFile<T>, 'name' | 'value' | 'stat'>;

export interface Folder<T> {
  readonly found: readonly StoredRecord<T>[];
  /** One sentence per file that does not count. */
  readonly unreadable: readonly string[];
}

/** The content of an unreadable folder is unknown, never nothing (law 1): null then, and `say` gets the reason. */
export async function orUnknown<T>(reading: Promise<T>, what: string, say: (why: string) => void): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    say(`${what} cannot be read: ${error.message}`);
    return null;
  }
}

type Kind<T> = Pick<RecordKind<T>, 'decode' | 'maxBytes'>;

async function readOne<T>(
  disk: Disk,
  path: string,
  { decode, maxBytes }: Kind<T>,
): Promise<StoredRecord<T> | string | null> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    const stat = await disk.stat(path);
    const text = stat && (await disk.read(path, maxBytes));
    // It moved on between the listing and the reading.
    if (stat === null || text === null) return null;
    const decoded = decode(text, name);
    return decoded.ok ? { name, value: decoded.value, stat } : `${path} is left out: ${decoded.why}`;
  } catch (error) {
    return `${path} is left out: ${wordsOf(error)}`;
  }
}

async function readFolder<T>(disk: Disk, folder: string, kind: Kind<T>): Promise<Folder<T>> {
  const names = (await disk.list(folder)).filter(isRecordName).slice(0, STATE.maxFiles);
  const found: StoredRecord<T>[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    const one = await readOne(disk, `${folder}/${name}`, kind);
    if (typeof one === 'string') unreadable.push(one);
    else if (one !== null) found.push(one);
  }
  return { found, unreadable };
}

export const readSessions = (disk: Disk): Promise<Folder<SessionRecord>> =>
  readFolder(disk, FOLDERS.sessions, SESSIONS);

/** null = the town knows none of this name. Throws when its record cannot be read. */
export async function readSession(disk: Disk, name: string): Promise<SessionRecord | null> {
  const one = await readOne(disk, paths.session(name), SESSIONS);
  if (typeof one === 'string') throw new Error(one);
  return one?.value ?? null;
}

/** Of the sessions on record; none is opened. */
export const sessionNames = async (disk: Disk): Promise<string[]> =>
  (await disk.list(FOLDERS.sessions)).filter(isRecordName).map((file) => file.slice(0, -'.json'.length));

export const readPending = (disk: Disk): Promise<Folder<WarrantFile>> =>
  readFolder(disk, FOLDERS.warrants, { ...WARRANT, decode: (text) => decodeWarrant(text, STATE) });

const readActive = (disk: Disk): Promise<Folder<Dance>> =>
  readFolder(disk, FOLDERS.active, { ...DANCE, decode: (text, name) => decodeDance(text, name, false) });

/** Dances under way. One that is in completed/ too is over. */
export async function readOpenDances(disk: Disk): Promise<Folder<Dance>> {
  const active = await readActive(disk);
  const over = active.found.length === 0 ? null : new Set(await disk.list(FOLDERS.completed));
  return { ...active, found: active.found.filter(({ name }) => over?.has(name) !== true) };
}

/** What the town typed to a life, as it is on record. */
export interface TypedWords {
  readonly questions: readonly (readonly string[])[];
  readonly sentTexts: readonly string[];
}

/** Of any life: the questions of its open hearings, and what else was typed to it. What cannot be read was not typed. */
/** What the town typed last to this session; null = nothing, or that cannot be read. */
export async function readNudged(disk: Disk, session: string): Promise<Nudged | null> {
  const nudged = await readOne(disk, NUDGES.place(session), NUDGES);
  return nudged === null || typeof nudged === 'string' ? null : nudged.value;
}

export async function readTyped(disk: Disk): Promise<(life: Incarnation) => Promise<TypedWords>> {
  const { found } = await readOpenDances(disk);
  return async ({ session, uuid }) => {
    const nudged = await readNudged(disk, session);
    return {
      questions: found
        .filter(({ value }) => value.target.uuid === uuid)
        .flatMap(({ value }) => value.attempts.map(({ question }) => question)),
      sentTexts: nudged?.uuid === uuid ? nudged.texts : [],
    };
  };
}

/** Every dance: `open` from active/, `closed` from completed/; one found in both is closed. */
export async function readDances(disk: Disk): Promise<{
  readonly open: readonly StoredRecord<Dance>[];
  readonly closed: readonly StoredRecord<Dance>[];
  readonly unreadable: readonly string[];
}> {
  // In the order in which things move, so that none is missed.
  const active = await readActive(disk);
  const completed = await readFolder(disk, FOLDERS.completed, {
    ...DANCE,
    decode: (text, name) => decodeDance(text, name, true),
  });
  const over = new Set(completed.found.map(({ value }) => value.id));
  return {
    open: active.found.filter(({ value }) => !over.has(value.id)),
    closed: completed.found,
    unreadable: [...active.unreadable, ...completed.unreadable],
  };
}

/** One warrant, wherever it is now. */
export type WarrantView = {
  readonly id: string;
  readonly target: string;
  /** Why it was filed. */
  readonly charge: string;
  /** Why it ended as it did; until there is a verdict, the warrant's reason. */
  readonly reason: string;
  readonly requester: string;
  /** ISO; null = the file does not say. */
  readonly filed_at: string | null;
  readonly force: boolean;
  /** Who filed it, regardless of the author name it gives (law 11); null = not known. */
  readonly via: Via | null;
  /** `queued` until a question could be typed. */
  readonly state: 'queued' | 'dancing' | 'closed';
  readonly verdict: string | null;
  /** Id of the dance that hears it. */
  readonly dance: string | null;
};

/**
 * The target could not be asked yet: without tmux, and while it is silent, a warrant waits in its dance as well as in
 * the queue (C-7). A warrant that waits for a person or a busy pane has reached its target.
 */
function isUnasked({ stage, attempts, undeliveredMs, personMs }: Dance): boolean {
  const isAsking = stage === 'interrogating.asking' || stage === 'interrogating.retrying';
  return isAsking && undeliveredMs === 0 && personMs === 0 && attempts.every(({ askedAt }) => askedAt === null);
}

function stateOf(dance: Dance, closed: boolean): WarrantView['state'] {
  if (closed) return 'closed';
  return isUnasked(dance) ? 'queued' : 'dancing';
}

function inDance(warrant: Warrant, dance: Dance, closed: boolean): WarrantView {
  const { id, target, reason, requester, filedAt, force, via = null } = warrant;
  const verdict = shownVerdict(dance);
  return {
    id,
    target: target.session,
    charge: reason,
    reason: verdict === null ? reason : dance.reason,
    requester,
    filed_at: new Date(filedAt).toISOString(),
    force,
    via,
    state: stateOf(dance, closed),
    verdict,
    dance: dance.id,
  };
}

function pending({ value, name }: StoredRecord<WarrantFile>): WarrantView {
  const { id = name.slice(0, -'.json'.length), target, reason, requester, filed_at = null, force = false } = value;
  return {
    id,
    target,
    charge: reason,
    reason,
    requester,
    filed_at,
    force,
    via: value.via ?? null,
    state: 'queued',
    verdict: null,
    dance: null,
  };
}

/** Warrants against one life that have no verdict yet. */
export async function openAgainst(disk: Disk, uuid: string): Promise<readonly WarrantView[]> {
  const queue = (await readPending(disk)).found.filter(({ value }) => value.incarnation?.uuid === uuid);
  const { open } = await readDances(disk);
  const hearing = open.flatMap(({ value }) => (value.target.uuid === uuid && value.verdict === null ? [value] : []));
  return [
    ...queue.map(pending),
    ...hearing.flatMap((dance) => dance.warrants.map((one) => inDance(one, dance, false))),
  ];
}

/** Every warrant that is on file, oldest first. */
export async function readWarrants(disk: Disk): Promise<{
  readonly warrants: readonly WarrantView[];
  readonly unreadable: readonly string[];
}> {
  const queue = await readPending(disk);
  const dances = await readDances(disk);
  const all = new Map<string, WarrantView>();
  for (const found of queue.found) all.set(pending(found).id, pending(found));
  for (const { value } of dances.open) for (const w of value.warrants) all.set(w.id, inDance(w, value, false));
  for (const { value } of dances.closed) for (const w of value.warrants) all.set(w.id, inDance(w, value, true));
  const warrants = [...all.values()].sort((a, b) => (a.filed_at ?? '').localeCompare(b.filed_at ?? ''));
  return { warrants, unreadable: [...queue.unreadable, ...dances.unreadable] };
}
