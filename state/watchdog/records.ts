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
import { decode, type Decoded } from '../files/decode.ts';
import { FILES, folderOf } from '../files/layout.ts';
import { proc } from '../files/shapes.ts';
import { seal } from '../files/checksum.ts';
import { readRecord, type RecordFolderOptions } from '../files/record-folder.ts';

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
    schema: z.literal('heartbeat/1').optional(),
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
      ...{ schema: 'heartbeat/1' as const, timestamp: beat.at, cycle: beat.cycle, last_action: beat.lastAction },
      ...{ healthy_agents: beat.healthy, unhealthy_agents: beat.unhealthy },
      ...{ next_beat_due: beat.nextDueAt, incarnation: beat.incarnation },
    }),
  },
);

const bootRunning = z.codec(
  z.strictObject({ schema: z.literal('boot-running/1'), timestamp: time }),
  z.custom<Notes['bootRunning']>(),
  {
    decode: ({ timestamp }) => ({ at: timestamp }),
    encode: ({ at }) => ({ schema: 'boot-running/1' as const, timestamp: at }),
  },
);

const bootStatus = z.codec(
  z.strictObject({
    schema: z.literal('boot-status/1'),
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
    decode: ({ timestamp, heartbeat_age_ms, schema: _, ...rest }) => ({
      ...rest,
      ...{ at: timestamp, heartbeatAgeMs: heartbeat_age_ms },
    }),
    encode: ({ at, heartbeatAgeMs, memory, ...rest }) => ({
      ...{ ...rest, schema: 'boot-status/1' as const, timestamp: at, heartbeat_age_ms: heartbeatAgeMs },
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
  z.strictObject({ schema: z.literal('health-checks/1'), agents: z.record(z.string(), healthCheck) }),
  z.custom<Notes['healthChecks']>(),
  {
    decode: ({ agents }) => agents,
    encode: (agents) => ({ schema: 'health-checks/1' as const, agents: { ...agents } }),
  },
);

const serverDeaths = z.codec(
  z.strictObject({
    schema: z.literal('server-deaths/1'),
    server: proc,
    streak: count,
    looping: z.boolean(),
    ages_ms: z.array(z.number().min(0)),
  }),
  z.custom<ServerDeaths>(),
  {
    decode: ({ server, streak, ages_ms: agesMs, looping }) => ({ server, streak, agesMs, looping }),
    encode: ({ agesMs, ...rest }) => ({ ...rest, schema: 'server-deaths/1' as const, ages_ms: [...agesMs] }),
  },
);

/** Each note: what its schema is called, how its file becomes a value and back, and whether any program may write it. */
const NOTES: {
  readonly [K in keyof Notes]: {
    readonly kind: string;
    readonly codec: z.ZodCodec<z.ZodType, z.ZodCustom<Notes[K]>>;
    readonly foreign?: true;
  };
} = {
  heartbeat: { kind: 'heartbeat', codec: heartbeat, foreign: true },
  bootRunning: { kind: 'boot-running', codec: bootRunning },
  bootStatus: { kind: 'boot-status', codec: bootStatus },
  healthChecks: { kind: 'health-checks', codec: healthChecks },
  serverDeaths: { kind: 'server-deaths', codec: serverDeaths },
};

/** A pause of the Deacon (C-4): while the file is there, and does not say that it is none, nobody judges it. */
export interface Pause {
  /** ISO. */
  readonly since: string;
  readonly by: string;
  readonly reason: string;
}
const pauseFile = z.object({
  schema: z.literal('paused/1').optional(),
  paused: z.boolean().default(true),
  since: z.string().default(''),
  by: z.string().default('somebody'),
  reason: z.string().default(''),
});

/** The text of a note's file. */
export const noteText = <K extends keyof Notes>(id: K, value: Notes[K]): string =>
  seal(z.encode(NOTES[id].codec, value) as object);

export function pauseText(pause: Pause): string {
  return seal({ schema: 'paused/1', ...pause });
}

/** Where a note stands and what is in it; null = it is removed. */
export const noteSheet = ({ id, value }: NoteRecord): { readonly path: string; readonly text: string | null } => ({
  path: FILES[id],
  text: value === null ? null : noteText(id, value),
});

export interface NoteOptions extends RecordFolderOptions {
  readonly maxBytes: number;
}

async function read<T>(options: NoteOptions, path: string, decoder: (text: string) => Decoded<T>): Promise<T | null> {
  const folder = folderOf(path);
  const leaf = await readRecord({ ...options, folder, decode: decoder }, path.slice(folder.length + 1));
  return leaf?.value ?? null;
}

/** A note as it stands on disk; null = there is none that counts. Rejects when the disk cannot tell. */
export function readNote<K extends keyof Notes>(options: NoteOptions, id: K): Promise<Notes[K] | null> {
  const { kind, codec, foreign = false } = NOTES[id];
  return read<Notes[K]>(options, FILES[id], (text) => decode<Notes[K]>(text, kind, codec, foreign));
}

/**
 * Why the Deacon is paused; null = it is not. A pause that cannot be read is one all the same, and stays where it is: judging
 * is what it forbids.
 */
export async function readPause({ disk, maxBytes }: NoteOptions): Promise<Pause | null> {
  const stat = await disk.stat(FILES.paused);
  if (stat === null) return null;
  const text = stat.kind === 'file' && stat.bytes <= maxBytes ? await disk.read(FILES.paused, maxBytes) : null;
  const decoded = text === null ? null : decode(text, 'paused', pauseFile, true);
  if (decoded?.ok !== true)
    return { since: new Date(stat.changedAt).toISOString(), by: 'somebody', reason: 'its file cannot be read' };
  const { since, by, reason, paused } = decoded.value;
  return paused ? { since, by, reason } : null;
}
