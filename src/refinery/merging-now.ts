/**
 * What town.toml says of the merges of a rig, read before each request. A broken file changes nothing, and a refinery that has read none
 * without a mistake yet cannot know its test: requests then wait. The copy of the town's last start is no help: the test may be newer.
 */
import { ConfigError } from '../config/errors.ts';
import { mistakeText } from '../config/lasting.ts';
import type { Settings } from '../config/settings.ts';
import { choicesOf, type Merging } from '../rigs/choices.ts';

/** Why it is not known, in one sentence. */
export interface Unread {
  readonly unread: string;
}

/** Gives null where the file names no refinery of the rig and `needsRefinery` says that this one runs because it did. */
export function readsMerging(
  rig: string,
  needsRefinery: boolean,
  read: () => Promise<Pick<Settings, 'rigs'>>,
): () => Promise<Merging | Unread | null> {
  let last: Merging | null = null;
  return async () => {
    try {
      const { refinery, merging } = choicesOf(await read(), { name: rig, agent: null });
      if (refinery === null && needsRefinery) return null;
      last = merging;
      return merging;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return last ?? { unread: mistakeText(error, `the refinery of ${rig} merges nothing`) };
    }
  };
}
