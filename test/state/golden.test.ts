/**
 * The bytes of every durable record, as they have always been: a town must read what an earlier one wrote, and people's scripts
 * read it too. `UPDATE_GOLDEN=1` writes the files anew, which is a change of what is on disk.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { episodeIn, type Episode, type SavedRecord } from '../../machines/protocol.ts';
import type { NoteRecord } from '../../machines/protocol/watchdog.ts';
import { ACK, ALERTS } from '../../state/alerts/episodes.ts';
import { decodeDance } from '../../state/hearings/dances.ts';
import { recordFile } from '../../state/records.ts';
import { decodeSession } from '../../state/sessions/records.ts';
import { readNote, type NoteOptions } from '../../state/watchdog/records.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { SimDisk } from '../world/disk.ts';
import { closed, dance, life, NOW, note, saved, savedSession, session } from './make.ts';

const FOLDER = join(import.meta.dirname, 'golden');
const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

const NOTES: Readonly<Record<string, NoteRecord>> = {
  heartbeat: note('heartbeat', {
    at: AT,
    cycle: 7,
    lastAction: 'health-scan',
    healthy: 3,
    unhealthy: 1,
    nextDueAt: AT + 60_000,
    incarnation: 'uuid-deacon',
  }),
  'heartbeat-bare': note('heartbeat', {
    at: AT,
    cycle: 0,
    lastAction: '',
    healthy: 0,
    unhealthy: 0,
    nextDueAt: null,
    incarnation: null,
  }),
  'boot-running': note('bootRunning', { at: AT }),
  'boot-status': note('bootStatus', {
    at: AT,
    action: 'NUDGE',
    reason: 'stale, mail waits',
    heartbeatAgeMs: 301_000,
    session: 'hq-deacon',
    result: 'typed',
    memory: { uuid: 'uuid-1', wakes: 1, spared: false, undelivered: 2 },
  }),
  'health-checks': note('healthChecks', {
    'gt-nux': { uuid: 'u', lastPingAt: AT, lastAnswerAt: null, failures: 2, code: 'K73F', result: 'no answer' },
  }),
  'server-deaths': note('serverDeaths', {
    server: { pid: 100, started: 'boot:1' },
    streak: 2,
    agesMs: [1_000, 2_000],
    looping: false,
  }),
  monitor: note('monitor', {
    episodes: { 'uuid-1': { session: 'w1', state: 'complete', key: 'report 7', since: AT } },
    reported: { 'uuid-1': { key: 'report 7', spentUntil: AT + 300_000, leftOut: 2, waiting: 'report 9' } },
    unsent: [],
    nudgedUpTo: { 'uuid-2': AT },
  }),
};

/** As an older town wrote it, by what it is read as. */
const OLDER: Readonly<Record<string, NoteRecord | undefined>> = {
  'boot-status-older': NOTES['boot-status'],
  // It had no budget of reports.
  'monitor-older': note('monitor', {
    episodes: {},
    reported: { 'uuid-1': { key: 'report 7', spentUntil: 0, leftOut: 0, waiting: null } },
    unsent: [],
    nudgedUpTo: {},
  }),
};

const alert = (value: Episode): SavedRecord => ({ kind: 'alert', id: value.episode, value });

const RECORDS: Readonly<Record<string, SavedRecord>> = {
  ...NOTES,
  'dance-open': saved(dance()),
  'dance-closed': saved(
    closed('dog-1767355200001', {
      tree: [{ pid: 4242, started: 'boot:99' }],
      survivors: [],
      lastedMs: 420_000,
      killing: true,
      rounds: 2,
      excluded: [{ pid: 9, started: 'boot:3', program: 'codex app-server' }],
      rescue: { folder: 'rescue/dog-1767355200001', ref: 'refs/town/rescue/dog-1767355200001', repos: 1, files: 3 },
      exit: { kind: 'signal', signal: 'SIGTERM' },
    }),
  ),
  'session-running': savedSession(session()),
  'alert-begun': alert({
    text: 'gt-nux waits for a person (Proceed?); answer it in its pane.',
    severity: 'medium',
    session: 'gt-nux',
    episode: episodeIn('needs-input/gt-nux'),
    life: 'uuid-1',
    since: AT,
    count: 1,
    told_at: null,
    ended_at: null,
    recovery: null,
  }),
  'alert-ended': alert({
    episode: episodeIn('disk'),
    severity: 'critical',
    session: null,
    text: 'The town is degraded',
    since: AT,
    count: 2,
    told_at: AT + 5,
    ended_at: AT + 9,
    recovery: 'The disk takes records again.',
  }),
  'session-ended': savedSession(
    session('gt-ended', {
      state: 'ended',
      crashLoop: true,
      configured: true,
      cleanAgesMs: [5],
      restless: true,
      asked: { uuid: 'uuid-1', then: 'end', operatorAt: NOW },
      remains: [{ life: life('gt-ended'), survivors: [{ pid: 77, started: 'boot:5', program: 'vite' }] }],
    }),
  ),
};

const fileOf = (name: string): string => join(FOLDER, `${name}.json`);

describe('what is on disk', () => {
  test.each(Object.entries(RECORDS))('%s', (name, record) => {
    const { text } = recordFile(record);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(fileOf(name), text ?? '');
    expect(text).toBe(readFileSync(fileOf(name), 'utf8'));
  });

  test('the note of who took note of an alert', () => {
    const value = { since: AT, by: 'operator', at: AT + 7 };
    const text = readFileSync(fileOf('alert-ack'), 'utf8');
    expect(ACK.text(value)).toBe(text);
    expect(ACK.decode(text, '')).toMatchObject({ ok: true, value });
  });

  test('every golden file belongs to a record', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(
      [...Object.keys(RECORDS), ...Object.keys(OLDER), 'alert-ack'].map((name) => `${name}.json`).sort(),
    );
  });
});

describe('what was written is read as it was', () => {
  const decodes: Partial<Record<SavedRecord['kind'], (text: string, name: string, path: string) => unknown>> = {
    dance: (text, name, path) => decodeDance(text, name, path.includes('completed')),
    session: decodeSession,
    alert: ALERTS.decode,
  };
  test.each(Object.entries(RECORDS).filter(([, { kind }]) => kind in decodes))('%s', (name, record) => {
    const { path } = recordFile(record);
    const text = readFileSync(fileOf(name), 'utf8');
    const decoded = decodes[record.kind]?.(text, path.slice(path.lastIndexOf('/') + 1), path);
    expect(decoded).toEqual({ ok: true, value: record.value, isChecksummed: true });
  });

  test.each(Object.entries({ ...NOTES, ...OLDER }))('%s', async (name, note) => {
    const { id, value } = note!;
    const sim = new SimDisk();
    sim.put(recordFile(note!).path, readFileSync(fileOf(name), 'utf8'));
    const disk = sim.mount();
    const quarantine = new Quarantine({ disk, wall: () => NOW, onRefused: ({ why }) => expect.fail(why) });
    const options: NoteOptions = { disk, quarantine };
    expect(await readNote(options, id)).toEqual(value);
  });
});
