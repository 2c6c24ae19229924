/**
 * The small files of the watchdog chain, at fixed places: the heartbeat, Boot's mark and status, health checks, the pause,
 * deaths of the tmux server.
 * 1. Times are ISO in a file and wall ms in the town. What the town writes is given a checksum; a heartbeat or a pause may come from any
 *    program, and then counts if its shape does.
 * 2. A damaged note is none: nothing is judged by it, and it goes to quarantine. One that is left alone is overwritten by no actor.
 */
import { z } from 'zod';
import { METHODS, PAGE_STEPS } from '../../machines/protocol/tickle.ts';
import { BOOT_ACTIONS, type NoteRead, type Notes } from '../../machines/protocol/watchdog.ts';
import { WORKER_ALERTS, type SentReports } from '../../machines/protocol/monitor.ts';
import type { BootStatus, HealthCheck, NoteRecord, TagMessage, Send, SendEnd, Timer } from '../../machines/protocol.ts';
import type { Entry, Page, PageTry, Stall } from '../../machines/protocol/tickle.ts';
import { FILES } from '../files/layout.ts';
import { noneIfLeft, readAt, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordKind, type RecordKind } from '../files/record-kind.ts';
import { count, duration, instant, proc } from '../files/shapes.ts';

/** ISO in a file, wall ms in the town. */
const time = z.codec(instant, z.number(), {
  decode: (text) => Date.parse(text),
  encode: (wall) => new Date(wall).toISOString(),
});

/** Each field of a value, with its name and shape in the file, in the order of the file. */
type Fields<T> = { readonly [Name in keyof T]-?: readonly [inFile: string, shape: z.ZodType<T[Name]>] };

type InFile = Readonly<Record<string, unknown>>;

/** `foreign`: any program may write it, and it may hold more. */
function named<T extends object>(
  fields: Fields<T>,
  foreign = false,
): z.ZodCodec<z.ZodType<InFile, InFile>, z.ZodCustom<T>> {
  const all = Object.entries<readonly [string, z.ZodType]>(fields);
  const shape = Object.fromEntries(all.map(([, [inFile, of]]) => [inFile, of]));
  const file: z.ZodType<InFile, InFile> = foreign ? z.object(shape) : z.strictObject(shape);
  return z.codec(file, z.custom<T>(), {
    decode: (read) => Object.fromEntries(all.map(([name, [inFile]]) => [name, read[inFile]])) as T,
    encode: (value) => Object.fromEntries(all.map(([name, [inFile]]) => [inFile, value[name as keyof T]])),
  });
}

function note<K extends keyof Notes>(kind: string, fields: Fields<Notes[K]>, foreign = false): RecordKind<Notes[K]> {
  const shape = named(fields, foreign);
  return recordKind<Notes[K]>(kind, { shape, write: (value) => z.encode(shape, value), foreign });
}

/** An older town remembered more. */
const memory = z.object({
  uuid: z.string().nullable(),
  wakes: count,
  spared: z.boolean(),
  undelivered: count,
}) satisfies z.ZodType<BootStatus['memory']>;

const healthCheck = named<HealthCheck>({
  uuid: ['uuid', z.string()],
  lastPingAt: ['last_ping', time.nullable()],
  lastAnswerAt: ['last_answer', time.nullable()],
  failures: ['consecutive_failures', count],
  code: ['code', z.string().nullable()],
  result: ['result', z.string()],
});

/** The agents stand in a field of their own. */
const healthChecks = z.codec(
  z.strictObject({ agents: z.record(z.string(), healthCheck) }),
  z.custom<Notes['healthChecks']>(),
  { decode: ({ agents }) => agents, encode: (agents) => ({ agents: { ...agents } }) },
);

const episode = named<Notes['monitor']['episodes'][string]>({
  session: ['session', z.string()],
  state: ['state', z.enum(WORKER_ALERTS)],
  key: ['key', z.string()],
  since: ['since', time],
});
const tagMessage = z.strictObject({
  id: z.string(),
  tag: z.string(),
  type: z.templateLiteral(['worker.', z.enum(WORKER_ALERTS)]),
  payload: z.record(z.string(), z.unknown()),
  suggested: z.strictObject({ action: z.string(), options: z.array(z.string()) }),
}) satisfies z.ZodType<TagMessage>;
const sentReport = named<SentReports>({
  key: ['key', z.string()],
  spentUntil: ['spent_until', time],
  leftOut: ['left_out', count],
  waiting: ['waiting', z.string().nullable()],
});
/** An older town wrote the key alone. */
const sentReports = z.codec(z.union([sentReport, z.string()]), z.custom<SentReports>(), {
  decode: (read) => (typeof read === 'string' ? { key: read, spentUntil: 0, leftOut: 0, waiting: null } : read),
  encode: (kept) => kept,
});
/** An older town wrote one time for all lives: each of them is told once more. */
const nudgedUpTo = z.codec(
  z.union([z.record(z.string(), instant), instant, z.null()]),
  z.custom<Notes['monitor']['nudgedUpTo']>(),
  {
    decode: (read) =>
      typeof read === 'string' || read === null
        ? {}
        : Object.fromEntries(Object.entries(read).map(([uuid, text]) => [uuid, Date.parse(text)])),
    encode: (kept) =>
      Object.fromEntries(Object.entries(kept).map(([uuid, wall]) => [uuid, new Date(wall).toISOString()])),
  },
);
const pageTry = named<PageTry>({
  method: ['method', z.enum(METHODS)],
  paged: ['paged', z.boolean()],
  error: ['error', z.string().nullable()],
  by: ['by', z.string().optional()],
  isUnsure: ['unsure', z.literal(true).optional()],
});
const page = named<Page>({
  number: ['number', count],
  uuid: ['uuid', z.string().nullable()],
  step: ['step', z.enum(PAGE_STEPS)],
  lastAt: ['last_active', time.nullable()],
  silentMs: ['silent_ms', duration.nullable()],
  forMs: ['for_ms', duration],
  leftMs: ['left_ms', duration],
  coolMs: ['cooldown_ms', duration],
  tried: ['tried', z.array(pageTry)],
  method: ['method', z.enum(METHODS)],
});
const stall = named<Stall>({
  name: ['agent', z.string()],
  lastAt: ['last_active', time.nullable()],
  silentMs: ['silent_ms', duration.nullable()],
  why: ['not_paged', z.string().nullable()],
});
const entry = named<Entry>({
  id: ['id', z.string()],
  tag: ['tag', z.enum(['scan', 'page', 'escalation', 'par', 'availability'])],
  at: ['timestamp', time],
  body: ['body', z.string()],
});

const NOTES: { readonly [K in keyof Notes]: RecordKind<Notes[K]> } = {
  heartbeat: note<'heartbeat'>(
    'heartbeat',
    {
      at: ['timestamp', time],
      cycle: ['cycle', count.default(0)],
      lastAction: ['last_action', z.string().default('')],
      healthy: ['healthy_agents', count.default(0)],
      unhealthy: ['unhealthy_agents', count.default(0)],
      nextDueAt: ['next_beat_due', time.nullable().default(null)],
      incarnation: ['incarnation', z.string().nullable().default(null)],
    },
    true,
  ),
  bootRunning: note<'bootRunning'>('boot-running', { at: ['timestamp', time] }),
  bootStatus: note<'bootStatus'>('boot-status', {
    at: ['timestamp', time],
    action: ['action', z.enum(BOOT_ACTIONS)],
    reason: ['reason', z.string()],
    heartbeatAgeMs: ['heartbeat_age_ms', z.number().nullable()],
    session: ['session', z.string()],
    result: ['result', z.string()],
    memory: ['memory', memory],
  }),
  healthChecks: recordKind('health-checks', { shape: healthChecks, write: (value) => z.encode(healthChecks, value) }),
  monitor: note<'monitor'>('monitor', {
    episodes: ['episodes', z.record(z.string(), episode)],
    reported: ['reported', z.record(z.string(), sentReports).default({})],
    unsent: ['unsent', z.array(tagMessage)],
    nudgedUpTo: ['nudged_up_to', nudgedUpTo],
  }),
  timers: note<'timers'>('timers', {
    timers: [
      'timers',
      z.array(
        named<Timer>({
          name: ['name', z.string()],
          session: ['session', z.string()],
          intervalSecs: ['interval_secs', z.int().min(1)],
          message: ['message', z.string()],
        }),
      ),
    ],
  }),
  sends: note<'sends'>('sends', {
    sends: [
      'sends',
      z.array(
        named<Send>({
          id: ['id', z.string()],
          session: ['session', z.string()],
          text: ['text', z.string()],
          from: ['from', z.string()],
          sentAt: ['sent_at', time],
          life: ['life', z.string().optional()],
          undone: ['undone', z.string().optional()],
        }),
      ),
    ],
    ended: [
      'ended',
      z
        .array(
          named<SendEnd>({
            id: ['id', z.string()],
            session: ['session', z.string()],
            begins: ['begins', z.string()],
            sum: ['sum', count.optional()],
            end: ['end', z.enum(['typed', 'started', 'given', 'begun', 'cancelled'])],
          }),
        )
        .default([]),
    ],
  }),
  serverDeaths: note<'serverDeaths'>('server-deaths', {
    server: ['server', proc],
    streak: ['streak', count],
    looping: ['looping', z.boolean()],
    agesMs: ['ages_ms', z.array(duration)],
  }),
  tickle: note<'tickle'>('tickle', {
    latch: ['latch', z.enum(['started', 'stopped']).nullable()],
    cycle: ['cycle', count],
    lastPage: ['last_page', count],
    scannedAt: ['scanned_at', time.nullable()],
    why: ['error', z.string().nullable()],
    failures: ['failures', count],
    registered: ['registered', count],
    stale: ['stale', z.array(stall)],
    pages: ['pages', z.record(z.string(), page)],
    unwritten: ['unwritten', z.array(entry)],
  }),
};

/** A pause of the Deacon (C-4): while the file exists and does not say `paused: false`, the Deacon is not judged. */
const pauseFile = z.object({
  paused: z.boolean().default(true),
  /** ISO. */
  since: z.string().default(''),
  by: z.string().default('an unknown caller'),
  reason: z.string().default(''),
});
export type Pause = Readonly<Omit<z.infer<typeof pauseFile>, 'paused'>>;

const PAUSED = recordKind<z.infer<typeof pauseFile>>('paused', {
  shape: pauseFile,
  foreign: true,
  write: ({ paused: _, ...pause }) => pause,
});
export const pauseText = (pause: Pause): string => PAUSED.text({ ...pause, paused: true });

export const noteText = <K extends keyof Notes>(id: K, value: Notes[K]): string => NOTES[id].text(value);

/** Where a note stands and what is in it; null = it is removed. */
export const noteFileOf = ({ id, value }: NoteRecord): { readonly path: string; readonly text: string | null } => ({
  path: FILES[id],
  text: value === null ? null : noteText(id, value),
});

export type NoteOptions = RecordFolderOptions;

const noteAt = async <K extends keyof Notes>(options: NoteOptions, id: K): Promise<Notes[K] | null> =>
  (await readAt<Notes[K]>({ ...options, ...NOTES[id] }, FILES[id]))?.value ?? null;

/** A note as it stands on disk; null = there is none that counts, or it is left alone. Rejects when the disk cannot tell. */
export const readNote = <K extends keyof Notes>(options: NoteOptions, id: K): Promise<Notes[K] | null> =>
  noneIfLeft(noteAt(options, id));

/** What an actor goes on from. Rejects where it is left alone too: the actor would overwrite it. */
export const noteRead = async (options: NoteOptions, note: keyof Notes): Promise<NoteRead> =>
  ({ type: 'NOTE_READ', note, value: await noteAt(options, note) }) as NoteRead;

/**
 * Why the Deacon is paused; null = it is not. A pause that cannot be read is one all the same, and stays where it is: judging
 * is what it forbids.
 */
export async function readPause({ disk }: Pick<NoteOptions, 'disk'>): Promise<Pause | null> {
  const stat = await disk.stat(FILES.paused);
  if (stat === null) return null;
  const { maxBytes } = PAUSED;
  const text = stat.kind === 'file' && stat.bytes <= maxBytes ? await disk.read(FILES.paused, maxBytes) : null;
  const decoded = text === null ? null : PAUSED.decode(text, '');
  if (decoded?.ok !== true)
    return {
      since: new Date(stat.changedAt).toISOString(),
      by: 'an unknown caller',
      reason: 'its file cannot be read',
    };
  const { since, by, reason, paused } = decoded.value;
  return paused ? { since, by, reason } : null;
}
