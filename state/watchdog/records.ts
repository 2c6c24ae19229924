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
const isoOrNull = (wall: number | null): string | null => (wall === null ? null : iso(wall));
const time = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), 'expected a time like 2026-01-31T12:00:00Z')
  .transform((text) => Date.parse(text));
const count = z.int().min(0);

const heartbeatFile = z
  .object({
    schema: z.literal('heartbeat/1').optional(),
    timestamp: time,
    cycle: count.default(0),
    last_action: z.string().default(''),
    healthy_agents: count.default(0),
    unhealthy_agents: count.default(0),
    next_beat_due: time.nullable().default(null),
    incarnation: z.string().nullable().default(null),
  })
  .transform((file): Beat => ({
    at: file.timestamp,
    cycle: file.cycle,
    lastAction: file.last_action,
    healthy: file.healthy_agents,
    unhealthy: file.unhealthy_agents,
    nextDueAt: file.next_beat_due,
    incarnation: file.incarnation,
  }));

const memory = z.strictObject({
  uuid: z.string().nullable(),
  wakes: count,
  spared: z.boolean(),
  undelivered: count,
  told: z.array(z.string()),
});

const bootStatusFile = z
  .strictObject({
    schema: z.literal('boot-status/1'),
    timestamp: time,
    action: z.enum(BOOT_ACTIONS),
    reason: z.string(),
    heartbeat_age_ms: z.number().nullable(),
    session: z.string(),
    result: z.string(),
    memory,
  })
  .transform(({ timestamp, heartbeat_age_ms, schema: _, ...rest }): BootStatus => ({
    ...rest,
    at: timestamp,
    heartbeatAgeMs: heartbeat_age_ms,
  }));

const bootRunningFile = z
  .strictObject({ schema: z.literal('boot-running/1'), timestamp: time })
  .transform(({ timestamp }) => ({ at: timestamp }));

const agent = z
  .strictObject({
    uuid: z.string(),
    last_ping: time.nullable(),
    last_answer: time.nullable(),
    consecutive_failures: count,
    code: z.string().nullable(),
    result: z.string(),
  })
  .transform(({ uuid, code, result, ...file }): HealthCheck => ({
    uuid,
    lastPingAt: file.last_ping,
    lastAnswerAt: file.last_answer,
    failures: file.consecutive_failures,
    code,
    result,
  }));
const healthChecksFile = z
  .strictObject({ schema: z.literal('health-checks/1'), agents: z.record(z.string(), agent) })
  .transform(({ agents }) => agents);

const serverDeathsFile = z
  .strictObject({
    schema: z.literal('server-deaths/1'),
    server: proc,
    streak: count,
    ages_ms: z.array(z.number().min(0)),
    looping: z.boolean(),
  })
  .transform(({ server, streak, ages_ms: agesMs, looping }): ServerDeaths => ({ server, streak, agesMs, looping }));

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

const DECODERS: { readonly [K in keyof Notes]: (text: string) => Decoded<Notes[K]> } = {
  heartbeat: (text) => decode(text, 'heartbeat', heartbeatFile, true),
  bootRunning: (text) => decode(text, 'boot-running', bootRunningFile),
  bootStatus: (text) => decode(text, 'boot-status', bootStatusFile),
  healthChecks: (text) => decode(text, 'health-checks', healthChecksFile),
  serverDeaths: (text) => decode(text, 'server-deaths', serverDeathsFile),
};

export function beatText(beat: Beat): string {
  return seal({
    schema: 'heartbeat/1',
    timestamp: iso(beat.at),
    cycle: beat.cycle,
    last_action: beat.lastAction,
    healthy_agents: beat.healthy,
    unhealthy_agents: beat.unhealthy,
    next_beat_due: isoOrNull(beat.nextDueAt),
    incarnation: beat.incarnation,
  });
}

export function pauseText(pause: Pause): string {
  return seal({ schema: 'paused/1', ...pause });
}

function checksText(checks: Notes['healthChecks']): string {
  const agents = Object.entries(checks).map(([name, check]) => [
    name,
    {
      uuid: check.uuid,
      last_ping: isoOrNull(check.lastPingAt),
      last_answer: isoOrNull(check.lastAnswerAt),
      consecutive_failures: check.failures,
      code: check.code,
      result: check.result,
    },
  ]);
  return seal({ schema: 'health-checks/1', agents: Object.fromEntries(agents) as object });
}

function statusText({ at, action, reason, heartbeatAgeMs, session, result, memory: kept }: BootStatus): string {
  return seal({
    schema: 'boot-status/1',
    timestamp: iso(at),
    action,
    reason,
    heartbeat_age_ms: heartbeatAgeMs,
    session,
    result,
    memory: kept,
  });
}

/** Where a note stands and what is in it; null = it is removed. */
export function noteSheet(record: NoteRecord): { readonly path: string; readonly text: string | null } {
  const path = FILES[record.id];
  if (record.value === null) return { path, text: null };
  switch (record.id) {
    case 'heartbeat':
      return { path, text: beatText(record.value) };
    case 'bootRunning':
      return { path, text: seal({ schema: 'boot-running/1', timestamp: iso(record.value.at) }) };
    case 'bootStatus':
      return { path, text: statusText(record.value) };
    case 'healthChecks':
      return { path, text: checksText(record.value) };
    case 'serverDeaths': {
      const { agesMs: ages_ms, ...rest } = record.value;
      return { path, text: seal({ schema: 'server-deaths/1', ...rest, ages_ms }) };
    }
  }
}

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
  return read<Notes[K]>(options, FILES[id], DECODERS[id]);
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
