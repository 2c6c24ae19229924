/** [state]: the store, the journal, the alerts and the loop that saves, on a disk in memory. */
import { writeFiles } from '../../../state/files/atomic-write.ts';
import type { Disk } from '../../../state/files/disk.ts';
import { Journal } from '../../../state/journal.ts';
import { FILES, FOLDERS, paths } from '../../../state/files/layout.ts';
import { readGoodConfig } from '../../../state/process/good-config.ts';
import { Quarantine } from '../../../state/files/quarantine.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { SimDisk } from '../../world/disk.ts';
import { closed, loose, NOW, open, saved, sessionSheet } from '../../state/make.ts';
import { Drive, townInput, warrant } from '../../world/drive.ts';
import { loopUnder } from './loop.ts';
import { HOUR, SECOND, probe, section, type Probes } from './probe.ts';

const DAY = 24 * HOUR;

/** What is taken in of these warrants, and what is refused. */
async function taken({ state }: Settings, warrants: readonly string[]): Promise<unknown> {
  const sim = new SimDisk({ wall: () => NOW });
  sim.put(...sessionSheet());
  for (const [n, text] of warrants.entries()) sim.put(paths.warrant(`w-${n}`), text);
  const { store, refused } = await open(sim.mount(), state);
  await store.readRecords();
  return { taken: (await store.readWarrants()).length, refused: refused.length };
}

const quarantineOn = (disk: Disk): Quarantine => new Quarantine({ disk, wall: () => NOW, onRefused: () => undefined });

/** Parts of the journal after lines of this length on each of five days. */
async function parts({ state }: Settings, length: number): Promise<string[]> {
  const sim = new SimDisk({ wall: () => NOW });
  const disk = sim.mount();
  const quarantine = quarantineOn(disk);
  for (let day = 0; day < 5; day++)
    await new Journal({ disk, quarantine, policy: state }).append([
      { at: NOW + day * DAY, kind: 'test', text: 'x'.repeat(length) },
    ]);
  return disk.list(FOLDERS.journal);
}

/** A town that has something to tell, for so long. */
function telling({ policy }: Settings, ms: number): Drive {
  const drive = new Drive({}, { input: townInput(policy) });
  drive.tell({ type: 'CONDITION_FOUND', what: 'disk', why: 'a test' });
  drive.run(ms);
  return drive;
}

export const state: Probes = section('state', {
  slow_save: probe('1s', (settings) =>
    loopUnder(settings, async (town) => {
      town.disk = () => new Promise(() => undefined);
      await town.news({ type: 'WARRANT_FILED', warrant: warrant('w1') });
      await town.clock.pass(2 * SECOND);
      return town.degraded;
    }),
  ),
  retry_save: probe('5s', (settings) =>
    loopUnder(settings, async (town) => {
      let tries = 0;
      town.disk = () => Promise.reject(new Error(`refused ${(tries += 1)}`));
      await town.news({ type: 'WARRANT_FILED', warrant: warrant('w1') });
      await town.clock.pass(10 * SECOND);
      return tries;
    }),
  ),
  max_record_bytes: probe('1024', async ({ state: { maxRecordBytes } }) => {
    const disk = new SimDisk().mount();
    await writeFiles(disk, [{ path: FILES.goodConfig, text: '#'.repeat(2_000) }]);
    return readGoodConfig(disk, maxRecordBytes);
  }),
  max_files: probe('1', (settings) => taken(settings, [loose('w-0'), loose('w-1')])),
  journal_days: probe('2', (settings) => parts(settings, 10)),
  journal_bytes: probe('20000', (settings) => parts(settings, 8_000)),
  completed: probe('30d', async ({ state: policy }) => {
    const { store } = await open(new SimDisk().mount(), policy);
    await store.commit([saved(closed('dog-1', { closedAt: NOW - 10 * DAY }))]);
    return store.compact();
  }),
  remind_every: probe('5m', (settings) => telling(settings, HOUR).given('checkAlerts').length),
  realert: probe('1h', (settings) => telling(settings, 2 * HOUR).given('notify').length),
});
