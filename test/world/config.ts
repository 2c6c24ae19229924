/**
 * Writes the configuration of a town under test. A test may name constants beside keys, since it cannot wait for the times of
 * life: they go into the file that `$TOWN_NUMBERS` names, as a developer writes it.
 */
import { writeFileSync } from 'node:fs';
import { parse, stringify } from 'smol-toml';
import { partsOf } from '../../src/config/constants.ts';
import { NUMBERS } from '../../src/config/numbers.ts';

/** A machine at work on much else takes its time to bring a town up; what never comes is ended by the test's own limit. */
const PATIENT = { ready: '2m' };

/** The text of town.toml, and the constants in it as a text of their own; null = it is no TOML, and stays as it is. */
function partsOfText(text: string): { readonly toml: string; readonly numbers: string } | null {
  try {
    const { keys, numbers } = partsOf(parse(text));
    const toml = Object.keys(numbers).length === 0 ? text : stringify(keys);
    const process = { ...PATIENT, ...(Object(numbers['process']) as object) };
    return { toml, numbers: stringify({ ...numbers, process }) };
  } catch {
    return null; // A test of a broken file.
  }
}

/** Writes both files; the variable that names the second. Of a broken text the numbers that were written before stay. */
export function writeConfig(file: string, text: string, numbersFile: string): Readonly<Record<string, string>> {
  const parts = partsOfText(text);
  writeFileSync(file, parts?.toml ?? text);
  if (parts !== null) writeFileSync(numbersFile, parts.numbers);
  return { [NUMBERS]: numbersFile };
}
