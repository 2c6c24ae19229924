/** A root with plugins, on a real disk, with a ledger in memory. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realDisk, type Disk } from '../../state/files/disk.ts';
import { MemoryLedger } from '../ledger/memory.ts';

export class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'town-plugins-'));
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

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const COOLDOWN = '[gate]\ntype = "cooldown"\nduration = "1h"\n';
