/** What the town read of town.toml when it began, beside what the file says now. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { STATE } from '../../../state/files/policy.ts';
import { readGoodConfig } from '../../../state/process/good-config.ts';
import { KEYS } from '../../config/keys.ts';
import { loadSettings } from '../../config/load.ts';
import { CONFIG_FILE } from '../../config/root.ts';
import { at, type Settings } from '../../config/settings.ts';
import type { Context } from '../context.ts';

/** The text that the town began with; null = unknown. */
export const readByTown = async (context: Context): Promise<string | null> =>
  readGoodConfig(await context.disk(), STATE.maxRecordBytes);

/** A file that is not there is an empty one. False also where either cannot be read: it is reported elsewhere. */
export async function isConfigChanged(context: Context): Promise<boolean> {
  const read = await readByTown(context);
  const now = textNow(context.root);
  return read !== null && now !== null && read !== now;
}

function textNow(root: string): string | null {
  try {
    return readFileSync(join(root, CONFIG_FILE), 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? '' : null;
  }
}

/** Names of keys and tables that differ, as one would look for them in the file; null = the earlier text says nothing. */
export function changesIn(settings: Settings, before: string | null): readonly string[] | null {
  if (before === null) return null;
  let old: Settings;
  try {
    old = loadSettings({ root: settings.root, toml: before, isOfEarlier: true });
  } catch {
    return null;
  }
  const keys = KEYS.filter(({ path }) => !path.includes('*'));
  const values = keys.filter(({ to }) => !isDeepStrictEqual(at(old, to), at(settings, to))).map(({ path }) => path);
  const byName = ({ agents }: Settings) => Object.fromEntries(agents.map((one) => [one.name, one]));
  return [
    ...values,
    ...tablesOf(settings)
      .filter(({ entries }, i) => !isDeepStrictEqual(tablesOf(old)[i]?.entries, entries))
      .map(({ heading }) => heading),
    ...differing(old.rigs, settings.rigs).map((name) => `[rig.${name}]`),
    ...differing(old.presets, settings.presets).map((name) => `[presets.${name}]`),
    ...differing(byName(old), byName(settings)).map((name) => `agent ${name}`),
  ];
}

interface OrderedTable {
  readonly heading: string;
  readonly section: string;
  readonly entries: readonly object[];
}

/** The tables of the file that have an order and no names. */
export const tablesOf = ({ routes, mayAnswer, askRules }: Settings): readonly OrderedTable[] => [
  { heading: '[[route]]', section: 'route', entries: routes },
  { heading: '[[may_answer]]', section: 'may_answer', entries: mayAnswer },
  { heading: '[[asks.rule]]', section: 'asks.rule', entries: askRules },
];

const differing = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): string[] =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => !isDeepStrictEqual(one[name], other[name]),
  );
