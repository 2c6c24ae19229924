/**
 * Writes the configuration of a town under test. A test may name constants beside keys, since it cannot wait for the times of
 * life: they go into the file that `$TOWN_NUMBERS` names, as a developer writes it.
 */
import { writeFileSync } from 'node:fs';
import { parse, stringify } from 'smol-toml';
import { partsOf } from '../../src/config/constants.ts';
import { NUMBERS } from '../../src/config/numbers.ts';

/** Constants by section. */
type Numbers = Readonly<Record<string, Readonly<Record<string, string>>>>;
/** A machine at work on much else takes its time to bring a town up; what never comes is ended by the test's own limit. */
const PATIENT: Numbers = { process: { ready: '2m' } };
/**
 * In life the town waits with an alert until a person who is there could have answered. No person sits before a town under test,
 * and its test waits for the alert. A login is known well before a dialog counts, as with the numbers of a user.
 */
export const ALERTS_SOON: Numbers = {
  ...PATIENT,
  hands: { asking_look: '1s', asking_read: '4s', asks_after: '4s', logged_out_after: '1s' },
};

/** The text of town.toml, and the constants in it as a text of their own; null = it is no TOML, and stays as it is. */
function partsOfText(text: string, usual: Numbers): { readonly toml: string; readonly numbers: string } | null {
  try {
    const { keys, numbers } = partsOf(parse(text));
    const toml = Object.keys(numbers).length === 0 ? text : stringify(keys);
    const all = Object.entries(usual).map(([section, values]) => [
      section,
      { ...values, ...(Object(numbers[section]) as object) },
    ]);
    return { toml, numbers: stringify({ ...numbers, ...Object.fromEntries(all) }) };
  } catch {
    return null; // A test of a broken file.
  }
}

/**
 * Writes both files; the variable that names the second. Of a broken text the numbers that were written before stay.
 * `usual`: constants that the text does not name.
 */
export function writeConfig(
  file: string,
  text: string,
  numbersFile: string,
  usual = PATIENT,
): Readonly<Record<string, string>> {
  const parts = partsOfText(text, usual);
  writeFileSync(file, parts?.toml ?? text);
  if (parts !== null) writeFileSync(numbersFile, parts.numbers);
  return { [NUMBERS]: numbersFile };
}
