/** A root with plugins, on a real disk, with a ledger in memory. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULTS } from '../../src/config/settings.ts';
import type { TownNeeds } from '../../src/patrols/deacon/needs.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { freshFolder } from '../world/over.ts';

export class Place {
  readonly root = freshFolder();
  readonly disk: Disk = realDisk(this.root, 0);
  readonly ledger = new MemoryLedger();

  /** Its folder. */
  plugin(name: string, toml: string, mode = 0o644): string {
    const folder = join(this.root, 'plugins', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plugin.toml'), toml);
    chmodSync(join(folder, 'plugin.toml'), mode);
    return folder;
  }

  /** Of an empty town. */
  townNeeds(): TownNeeds {
    const { ledger, disk, root } = this;
    const settings = { ...DEFAULTS, rigs: {} };
    return {
      ledger,
      disk,
      root,
      settings,
      processes: createProcesses(),
      note: () => undefined,
      sessions: () => Promise.resolve([]),
      client: { ask: () => Promise.reject(new Error('no town is asked')) },
      standings: () => Promise.resolve(() => 'unknown'),
      records: {
        rigs: () => Promise.resolve({ found: [], damaged: [] }),
        polecats: () => Promise.resolve([]),
      } as never,
    };
  }
}

export const COOLDOWN = '[gate]\ntype = "cooldown"\nduration = "1h"\n';
