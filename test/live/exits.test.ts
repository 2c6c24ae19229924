/**
 * An agent that exits at once, again and again, under a real town on a real tmux (C-6): its sibling notices nothing, and nothing
 * of all the starts is left over. A thousand of them are played in virtual time; what a real one leaves shows after sixty.
 */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { PROCESS } from '../../machines/policy.ts';
import type { SessionRecord } from '../../machines/protocol.ts';
import { paths } from '../../state/layout.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { killHard, until, TestTown } from '../cli/town.ts';

const LIMIT = { timeout: 300_000 };
const processes = createProcesses();
const WARM = 10;
const RESTARTS = 60;
/** Files and processes that there may be at one moment and not at another: a query of tmux, a save. */
const SLACK = 8;
/** A restart is six lines of the journal. */
const BYTES_PER_RESTART = 3_000;

let town: TestTown;
afterEach(async () => {
  await town.run('down', '--purge');
  town.tmux('kill-server');
  town.remove();
});

const record = (name: string): SessionRecord | null => {
  const text = town.read(paths.session(name));
  return text === '' ? null : (JSON.parse(text) as SessionRecord);
};
const so = (isSo: () => boolean): Promise<boolean> => until(isSo, Boolean);
const bytesIn = (folder: string): number =>
  town.names(folder).reduce((sum, name) => sum + statSync(join(town.root, folder, name)).size, 0);

/** What of the town and of tmux could pile up. */
function held(): Record<string, number> {
  const pidOf = (file: string): number => (JSON.parse(town.read(file)) as { pid: number }).pid;
  const server = Number(town.tmux('display-message', '-p', '#{pid}'));
  const pids = { town: pidOf('daemon/daemon.pid'), guard: pidOf('daemon/guard.json'), server };
  const children = (pid: number): number =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
  const folders = ['journal', 'output', 'alerts', 'sessions', 'daemon', 'quarantine'];
  return Object.fromEntries([
    ...folders.map((name) => [`files in ${name}/`, town.names(name).length] as const),
    ...Object.entries(pids).flatMap(([name, pid]) => [
      [`files of the ${name}`, readdirSync(`/proc/${pid}/fd`).length] as const,
      [`children of the ${name}`, children(pid)] as const,
    ]),
  ]);
}
/** Settings and hooks of the server, and who is in it, the dead too. */
const scene = (): string[] =>
  [
    ['show-options', '-s'],
    ['show-options', '-g'],
    ['show-hooks', '-g'],
    ['list-panes', '-a', '-F', '#S #{pane_dead}'],
  ].map((words) => town.tmux(...words));

test('sixty exits at once leave no pane, hook, file or process behind, and the sibling untouched', LIMIT, async () => {
  const agent = (name: string, script: string): string =>
    `[[agents]]\nname = "${name}"\ncommand = ["sh", "-c", ${JSON.stringify(script)}]\nrestart = "transient"\n`;
  const pace = 'backoff = "1ms"\nmost_backoff = "1ms"\nleast_scan_gap = "0ms"\ncrash_loop_restarts = 3\n';
  const dies = '[ -e mended ] && exec sleep 1000; exit 3';
  town = new TestTown(`[sessions]\n${pace}\n${agent('sibling', 'exec sleep 1000')}${agent('one', dies)}`);
  const isRunning = (name: string): boolean => {
    const found = record(name);
    return found?.state === 'running' && found.incarnation !== null && processes.alive(found.incarnation.agent);
  };
  const mended = async (): Promise<void> => {
    town.write('mended', '');
    await so(() => isRunning('one') && isRunning('sibling') && !scene().join('').includes('one 1'));
  };
  expect((await town.run('up')).code).toBe(0);
  const restarts = (): number => record('one')?.restarts ?? 0;
  await so(() => restarts() >= WARM);
  await mended();
  const sibling = record('sibling')?.incarnation;
  const [before, scenery] = [held(), scene()];

  rmSync(join(town.root, 'mended'));
  killHard(record('one')?.incarnation?.agent.pid);
  await so(() => restarts() >= RESTARTS);
  await mended();

  expect(record('sibling')?.incarnation).toEqual(sibling);
  expect(record('one')?.crashLoop).toBe(true);
  expect(scene()).toEqual(scenery);
  for (const [what, count] of Object.entries(held()))
    expect(count, what).toBeLessThanOrEqual((before[what] ?? 0) + SLACK);
  expect(bytesIn('journal') / restarts()).toBeLessThanOrEqual(BYTES_PER_RESTART);
  expect(bytesIn('output')).toBeLessThanOrEqual(PROCESS.logBytes);
});
