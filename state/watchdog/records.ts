/**
 * The small files of the watchdog chain, at fixed places: the heartbeat, Boot's mark and status, health checks, the pause,
 * deaths of the tmux server.
 * 1. Times are ISO in a file and wall ms in the town. What the town writes is sealed; a heartbeat or a pause may come from any
 *    program, and then counts if its shape does.
 * 2. A note that cannot be read is none: nothing is judged by it, and it goes to quarantine.
 */
import { z } from 'zod';
import {
  BOOT_ACTIONS,
  type Beat,
  type BootStatus,
  type HealthCheck,
  type NoteRecord,
  type Notes,
  type ServerDeaths,
} from '../../machines/protocol/watchdog.ts';
import { FILES } from '../files/layout.ts';
import { proc } from '../files/shapes.ts';
import { readAt, type RecordFolderOptions } from '../files/record-folder.ts';
import { recordKind, type RecordKind } from '../files/record-kind.ts';

const iso = (wall: number): string => new Date(wall).toISOString();
/** ISO in a file, wall ms in the town. */
const time = z.codec(
  z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time like 2026-01-31T12:00:00Z'),
  z.number(),
  { decode: (text) => Date.parse(text), encode: iso },
);
const count = z.int().min(0);

const heartbeat = z.codec(
  z.object({
    timestamp: time,
    cycle: count.default(0),
    last_action: z.string().default(''),
    healthy_agents: count.default(0),
    unhealthy_agents: count.default(0),
    next_beat_due: time.nullable().default(null),
    incarnation: z.string().nullable().default(null),
  }),
  z.custom<Beat>(),
  {
    decode: (file) => ({
      ...{ at: file.timestamp, cycle: file.cycle, lastAction: file.last_action },
      ...{ healthy: file.healthy_agents, unhealthy: file.unhealthy_agents },
      ...{ nextDueAt: file.next_beat_due, incarnation: file.incarnation },
    }),
    encode: (beat) => ({
      ...{ timestamp: beat.at, cycle: beat.cycle, last_action: beat.lastAction },
      ...{ healthy_agents: beat.healthy, unhealthy_agents: beat.unhealthy },
      ...{ next_beat_due: beat.nextDueAt, incarnation: beat.incarnation },
    }),
  },
);

const bootRunning = z.codec(z.strictObject({ timestamp: time }), z.custom<Notes['bootRunning']>(), {
  decode: ({ timestamp }) => ({ at: timestamp }),
  encode: ({ at }) => ({ timestamp: at }),
});

const bootStatus = z.codec(
  z.strictObject({
    timestamp: time,
    action: z.enum(BOOT_ACTIONS),
    reason: z.string(),
    heartbeat_age_ms: z.number().nullable(),
    session: z.string(),
    result: z.string(),
    memory: z.strictObject({
      uuid: z.string().nullable(),
      wakes: count,
      spared: z.boolean(),
      undelivered: count,
      told: z.array(z.string()),
    }),
  }),
  z.custom<BootStatus>(),
  {
    decode: ({ timestamp, heartbeat_age_ms, ...rest }) => ({
      ...rest,
      ...{ at: timestamp, heartbeatAgeMs: heartbeat_age_ms },
    }),
    encode: ({ at, heartbeatAgeMs, memory, ...rest }) => ({
      ...{ ...rest, timestamp: at, heartbeat_age_ms: heartbeatAgeMs },
      memory: { ...memory, told: [...memory.told] },
    }),
  },
);

const healthCheck = z.codec(
  z.strictObject({
    uuid: z.string(),
    last_ping: time.nullable(),
    last_answer: time.nullable(),
    consecutive_failures: count,
    code: z.string().nullable(),
    result: z.string(),
  }),
  z.custom<HealthCheck>(),
  {
    decode: ({ uuid, last_ping, last_answer, consecutive_failures, code, result }) => ({
      ...{ uuid, lastPingAt: last_ping, lastAnswerAt: last_answer, failures: consecutive_failures, code, result },
    }),
    encode: ({ uuid, lastPingAt, lastAnswerAt, failures, code, result }) => ({
      ...{ uuid, last_ping: lastPingAt, last_answer: lastAnswerAt, consecutive_failures: failures, code, result },
    }),
  },
);
const healthChecks = z.codec(
  z.strictObject({ agents: z.record(z.string(), healthCheck) }),
  z.custom<Notes['healthChecks']>(),
  {
    decode: ({ agents }) => agents,
    encode: (agents) => ({ agents: { ...agents } }),
  },
);

const serverDeaths = z.codec(
  z.strictObject({
    server: proc,
    streak: count,
    looping: z.boolean(),
    ages_ms: z.array(z.number().min(0)),
  }),
  z.custom<ServerDeaths>(),
  {
    decode: ({ server, streak, ages_ms: agesMs, looping }) => ({ server, streak, agesMs, looping }),
    encode: ({ agesMs, ...rest }) => ({ ...rest, ages_ms: [...agesMs] }),
  },
);

const note = <T extends object>(
  kind: string,
  codec: z.ZodCodec<z.ZodType, z.ZodCustom<T>>,
  foreign = false,
): RecordKind<T> => recordKind<T>(kind, { shape: codec, write: (value) => z.encode(codec, value) as object, foreign });

const NOTES: { readonly [K in keyof Notes]: RecordKind<Notes[K]> } = {
  heartbeat: note('heartbeat', heartbeat, true),
  bootRunning: note('boot-running', bootRunning),
  bootStatus: note('boot-status', bootStatus),
  healthChecks: note('health-checks', healthChecks),
  serverDeaths: note('server-deaths', serverDeaths),
};

/** A pause of the Deacon (C-4): while the file is there, and does not say that it is none, nobody judges it. */
export interface Pause {
  /** ISO. */
  readonly since: string;
  readonly by: string;
  readonly reason: string;
}
const pauseFile = z.object({
  paused: z.boolean().default(true),
  since: z.string().default(''),
  by: z.string().default('somebody'),
  reason: z.string().default(''),
});

const PAUSED = recordKind<z.infer<typeof pauseFile>>('paused', {
  ...{ shape: pauseFile, foreign: true },
  write: ({ paused: _, ...pause }) => pause,
});
export const pauseText = (pause: Pause): string => PAUSED.text({ ...pause, paused: true });

/** The text of a note's file. */
export const noteText = <K extends keyof Notes>(id: K, value: Notes[K]): string => NOTES[id].text(value);

/** Where a note stands and what is in it; null = it is removed. */
export const noteSheet = ({ id, value }: NoteRecord): { readonly path: string; readonly text: string | null } => ({
  path: FILES[id],
  text: value === null ? null : noteText(id, value),
});

export interface NoteOptions extends RecordFolderOptions {
  readonly maxBytes: number;
}

/** A note as it stands on disk; null = there is none that counts. Rejects when the disk cannot tell. */
export const readNote = async <K extends keyof Notes>(options: NoteOptions, id: K): Promise<Notes[K] | null> =>
  (await readAt<Notes[K]>({ ...options, ...NOTES[id] }, FILES[id]))?.value ?? null;

/**
 * Why the Deacon is paused; null = it is not. A pause that cannot be read is one all the same, and stays where it is: judging
 * is what it forbids.
 */
export async function readPause({ disk, maxBytes }: NoteOptions): Promise<Pause | null> {
  const stat = await disk.stat(FILES.paused);
  if (stat === null) return null;
  const text = stat.kind === 'file' && stat.bytes <= maxBytes ? await disk.read(FILES.paused, maxBytes) : null;
  const decoded = text === null ? null : PAUSED.decode(text, '');
  if (decoded?.ok !== true)
    return { since: new Date(stat.changedAt).toISOString(), by: 'somebody', reason: 'its file cannot be read' };
  const { since, by, reason, paused } = decoded.value;
  return paused ? { since, by, reason } : null;
}
