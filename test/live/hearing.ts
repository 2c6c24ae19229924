/** A town that is up, with short windows, and the agents of the demo in it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dance } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk } from '../../state/files/disk.ts';
import { readJournal, type WrittenLine } from '../../state/journal.ts';
import { exits, TestTown } from '../cli/town.ts';
import type { Session } from '../cli/views.ts';

const AGENTS = join(import.meta.dirname, '../../src/demo/agents');
export const processes = createProcesses();

export interface Hearing {
  readonly attempt: number;
  readonly window_ends_at: string | null;
}
/** A town that is up, with short windows, in which CPU is no sign of life (`town alive` needs some); it and all its agents are ended after the test. */
export async function liveTown(windows: readonly string[], dance = ['save_every = "100ms"']): Promise<TestTown> {
  const town = new TestTown(
    [
      `[dance]\nwindows = ${JSON.stringify(windows)}\nlook_every = "100ms"\nterm_grace = "300ms"`,
      ...dance,
      '[hands]\nevidence_after = "300ms"\ncpu_above = 100000\n[sessions]\nbackoff = "300ms"\n',
    ].join('\n'),
  );
  await town.up();
  return town;
}

function readJson(town: TestTown, path: string): unknown {
  return JSON.parse(readFileSync(join(town.root, path), 'utf8'));
}

export async function start(town: TestTown, name: string, program: string, ...words: string[]): Promise<Session> {
  const dir = join(town.home, name);
  mkdirSync(dir);
  exits(await town.run('session', 'start', name, '--dir', dir, '--', 'bash', join(AGENTS, program), ...words), 0, '');
  return town.data<Session>('session', 'status', name);
}

export const danceIn = (town: TestTown, folder: 'active' | 'completed', id: string): Dance =>
  (readJson(town, `deacon/dogs/${folder}/${id}.json`) as { context: Dance }).context;

export async function journal(town: TestTown): Promise<WrittenLine[]> {
  const lines: WrittenLine[] = [];
  for await (const line of readJournal(realDisk(town.root, 0))) lines.push(line);
  return lines;
}
