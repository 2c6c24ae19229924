/**
 * An agent that exits at once, again and again, beside one that lives, under a real town on a real tmux: what was there before,
 * and what is there after so many restarts. The test plays some, `npm run bench` a thousand.
 */
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionRecord } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { paths } from '../../state/files/layout.ts';
import { killHard, until } from '../cli/town.ts';

const agent = (name: string, script: string): string =>
  `[[agents]]\nname = "${name}"\ncommand = ["sh", "-c", ${JSON.stringify(script)}]\nrestart = "transient"\n`;
/** What the town's configuration must say. The agent lives on once there is a file `mended` in its folder. */
export const EXITING = [
  '[sessions]\nbackoff = "1ms"\nmax_backoff = "1ms"\nmin_scan_gap = "0ms"\ncrash_loop_restarts = 3\n',
  agent('sibling', 'exec sleep 1000000'),
  agent('one', '[ -e mended ] && exec sleep 1000000; exit 3'),
].join('');
/** Restarts after which everything is there that stays. */
const WARM = 10;
const FOLDERS = ['journal', 'output', 'alerts', 'sessions', 'daemon', 'quarantine'];

/** A town that is not up yet. */
export interface Stage {
  readonly root: string;
  tmux(...words: string[]): string;
  up(): unknown;
}

/** What of the town and of tmux could pile up: files, processes, open files, by name. */
type Held = Readonly<Record<string, number>>;

const processes = createProcesses();

/** Brings the town up and lets the agent exit until it was started again `restarts` times, then live. */
export async function exitAtOnce(stage: Stage, restarts: number) {
  const { root } = stage;
  const record = (name: string): SessionRecord | null => recordOf(root, name);
  const count = (): number => record('one')?.restarts ?? 0;
  const isRunning = (name: string): boolean => {
    const found = record(name);
    return found?.state === 'running' && found.incarnation !== null && processes.alive(found.incarnation.agent);
  };
  const mended = async (): Promise<void> => {
    writeFileSync(join(root, 'mended'), '');
    await until(() => isRunning('one') && isRunning('sibling') && !sceneOf(stage).join('').includes('one 1'));
  };
  const look = () => ({ sibling: record('sibling')?.incarnation ?? null, held: heldBy(stage), scene: sceneOf(stage) });
  await stage.up();
  await until(() => count() >= WARM);
  await mended();
  const before = look();
  rmSync(join(root, 'mended'));
  killHard(record('one')?.incarnation?.agent.pid);
  await until(() => count() >= restarts);
  await mended();
  const after = look();
  return {
    restarts: count(),
    crashLoop: record('one')?.crashLoop === true,
    sibling: { before: before.sibling, after: after.sibling },
    held: { before: before.held, after: after.held },
    /** Settings and hooks of the server, and who is in it, the dead too. */
    scene: { before: before.scene, after: after.scene },
    bytes: { journal: bytesIn(root, 'journal'), output: bytesIn(root, 'output') },
  };
}

function textOf(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return ''; // Not written yet.
  }
}

function recordOf(root: string, name: string): SessionRecord | null {
  const found = textOf(root, paths.session(name));
  return found === '' ? null : (JSON.parse(found) as SessionRecord);
}

const bytesIn = (root: string, folder: string): number =>
  readdirSync(join(root, folder)).reduce((sum, name) => sum + statSync(join(root, folder, name)).size, 0);

function heldBy({ root, tmux }: Stage): Held {
  const pidOf = (file: string): number => (JSON.parse(textOf(root, file)) as { pid: number }).pid;
  const server = Number(tmux('display-message', '-p', '#{pid}'));
  const pids = { town: pidOf('daemon/daemon.pid'), guard: pidOf('daemon/guard.json'), server };
  const children = (pid: number): number =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
  return Object.fromEntries([
    ...FOLDERS.map((name) => [`files in ${name}/`, namesIn(join(root, name)).length] as const),
    ...Object.entries(pids).flatMap(([name, pid]) => [
      [`files of the ${name}`, readdirSync(`/proc/${pid}/fd`).length] as const,
      [`children of the ${name}`, children(pid)] as const,
    ]),
  ]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing was written there.
  }
}

const sceneOf = ({ tmux }: Stage): string[] => [
  ...['show-options -s', 'show-options -g', 'show-hooks -g'].map((words) => tmux(...words.split(' '))),
  tmux('list-panes', '-a', '-F', '#S #{pane_dead}'),
];
