/**
 * The configuration for those who must go on while town.toml is broken, or gives us no orders any more: a town that its guard or
 * a unit starts again, and commands that only read or file. They use the text that a town last came up with. Writes nothing.
 */
import { STATE } from '../../state/files/policy.ts';
import type { Disk } from '../../state/files/disk.ts';
import { readGoodConfig } from '../../state/process/good-config.ts';
import { FILES } from '../../state/files/layout.ts';
import { ConfigError } from './errors.ts';
import { loadSettings, type LoadOptions } from './load.ts';
import type { Settings } from './settings.ts';

export interface Lasting {
  readonly settings: Settings;
  /** What is wrong with town.toml, in one sentence, when the last good text was used; null = it is right. */
  readonly broken: string | null;
}

/** Throws ConfigError when town.toml is wrong and there is no last good text, or it is no help. */
export async function lastingSettings(options: LoadOptions, disk: Disk): Promise<Lasting> {
  try {
    return { settings: loadSettings(options), broken: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const settings = await lastGood(options, disk);
    if (settings === null) throw error;
    return { settings, broken: mistakeText(error, `the last good configuration is used (${FILES.goodConfig})`) };
  }
}

async function lastGood(options: LoadOptions, disk: Disk): Promise<Settings | null> {
  const toml = await readGoodConfig(disk, STATE.maxRecordBytes);
  if (toml === null) return null;
  try {
    return loadSettings({ ...options, toml, isOfEarlier: true });
  } catch (error) {
    // The mistake is in a flag or in the environment, or this version reads the old text otherwise: the first error tells.
    if (error instanceof ConfigError) return null;
    throw error;
  }
}

/** What is wrong with the town.toml that a running town would read now; null = nothing is. */
export function mistakeNow(root: string, meanwhile: string): string | null {
  try {
    loadSettings({ root });
    return null;
  } catch (error) {
    if (error instanceof ConfigError) return mistakeText(error, meanwhile);
    throw error;
  }
}

/** In one sentence: the first mistake, how many more there are, and what holds until they are mended. */
export function mistakeText({ lines }: ConfigError, meanwhile: string): string {
  const [first = 'town.toml is wrong', ...more] = lines;
  const rest =
    more.length === 0 ? '' : more.length === 1 ? ' (and 1 more mistake)' : ` (and ${more.length} more mistakes)`;
  return `${first}${rest}; until then ${meanwhile}`;
}
