/** How soon a death is noticed, and how soon its agent lives again (C-6: after a backoff of one second). */
import { realDisk } from '../../state/files/disk.ts';
import { readJournal } from '../../state/journal.ts';
import { figure, type Figure } from './figure.ts';
import { median, namesOf, pause, withTown } from './town.ts';

const DEATHS = 20;

export const measureDeaths = (): Promise<Figure[]> =>
  withTown('[sessions]\njitter = 0\n', async (town) => {
    town.town(['up']);
    const killedAt = new Map<string, number>();
    await town.start(namesOf('gt', DEATHS), {}, async (name, pid) => {
      await pause(300);
      killedAt.set(name, Date.now());
      process.kill(pid, 'SIGKILL');
    });
    await pause(6_000);
    const noticed: number[] = [];
    const restarted: number[] = [];
    const seen = new Set<string>();
    for await (const line of readJournal(realDisk(town.root, 0))) {
      const name = typeof line['session'] === 'string' ? line['session'] : '';
      const at = killedAt.get(name);
      if (at === undefined || Date.parse(line.at) < at) continue;
      if (line.kind === 'session.backing_off' && !seen.has(name)) noticed.push(Date.parse(line.at) - at);
      if (line.kind === 'session.backing_off') seen.add(name);
      if (line.kind === 'session.running' && seen.has(name)) restarted.push(Date.parse(line.at) - at);
    }
    if (noticed.length < DEATHS) throw new Error(`only ${noticed.length} of ${DEATHS} deaths were noticed`);
    return [
      figure(`a death is noticed, median of ${DEATHS}`, median(noticed), 100, 'ms'),
      figure('… the latest', Math.max(...noticed), 2_000, 'ms'),
      figure('… lives again, median (1 s backoff included)', median(restarted), 1_500, 'ms'),
    ];
  });
