/** What a configuration key decides, shown by driving the code that reads it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'smol-toml';
import { expect, test } from 'vitest';
import type { OutcomeBody } from '../../../machines/protocol.ts';
import { constants } from '../../../src/config/constants.ts';
import { fromText } from '../../../src/config/kinds.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { NUMBERS } from '../../../src/config/numbers.ts';
import { CONFIG_FILE } from '../../../src/config/root.ts';
import { setAt, type Settings } from '../../../src/config/settings.ts';
import { Drive, townInput } from '../../world/drive.ts';
import type { SimHands } from '../../world/hands.ts';
import { tempFolder } from '../../world/over.ts';

interface Probe {
  /** Another allowed value than the default, as one would write it; for a key of a named table two whole town.toml. */
  readonly other: string | (() => Promise<string>) | readonly [usual: object, other: object];
  /** Further `key=value` of both settings. */
  readonly beside: readonly string[];
  /** What is decided under these settings. Anything that `toEqual` compares; the same settings decide the same. */
  readonly decides: (settings: Settings) => unknown;
}
export type Probes = Readonly<Record<string, Probe>>;
export const probe = (other: Probe['other'], decides: Probe['decides'], beside: readonly string[] = []): Probe => ({
  other,
  decides,
  beside,
});

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** The settings under `key=value` of keys and constants. */
function settingsWith(given: readonly string[], root: string): Settings {
  const parted = given.map((entry) => ({ entry, name: entry.slice(0, entry.indexOf('=')) }));
  const set = parted.flatMap(({ entry, name }) => (constants().has(name) ? [] : [entry]));
  const numbers = {};
  for (const { entry, name } of parted) {
    const constant = constants().get(name);
    if (constant !== undefined) setAt(numbers, name, fromText(constant.kind, entry.slice(name.length + 1)));
  }
  const file = join(tempFolder('config'), 'numbers.toml');
  writeFileSync(file, stringify(numbers));
  return loadSettings({ root, set, env: { [NUMBERS]: file } });
}

/** The settings of both sides of a probe, loaded as a town loads them. */
async function sidesOf(key: string, { other, beside }: Probe): Promise<[usual: Settings, other: Settings]> {
  const load = (set: readonly string[], root = '/nonexistent/town') => settingsWith(set, root);
  if (typeof other === 'string') return [load(beside), load([...beside, `${key}=${other}`])];
  if (typeof other === 'function') return [load(beside), load([...beside, `${key}=${await other()}`])];
  const root = tempFolder('config');
  const configured = (tree: object): Settings => {
    writeFileSync(join(root, CONFIG_FILE), stringify(tree));
    return load(beside, root);
  };
  return [configured(other[0]), configured(other[1])];
}

/** Probes of one section: keys without its name. */
export const section = (name: string, probes: Probes): Probes =>
  Object.fromEntries(Object.entries(probes).map(([key, probe]) => [`${name}.${key}`, probe]));

/** The machines of a town with these settings, in virtual time. */
export const drive = ({ policy }: Pick<Settings, 'policy'>, hands: SimHands | readonly SimHands[]): Drive =>
  new Drive(hands, { input: townInput(policy) });

export const failed: OutcomeBody = { type: 'ORDER_FAILED', why: 'a test' };

/** A test for each probe: the same settings decide the same, and another value of the key decides something else. */
export function prove(probes: Probes): void {
  test.each(Object.entries(probes))('a decision changes with %s', async (key, probe) => {
    const [usual, other] = await sidesOf(key, probe);
    const decided = await probe.decides(usual);
    expect(await probe.decides(usual), 'the same settings decide the same').toEqual(decided);
    expect(await probe.decides(other), `${key} decides nothing here`).not.toEqual(decided);
  });
}
