/** Answers of `bd`, made comparable: without ids, times, the machine's own name of a person, and durations. */

const LOOSE: Readonly<Record<string, string>> = { owner: 'who', build: 'build', branch: 'branch' };
const TO_THE_SECOND = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** Of a time only how exact it is stays. `named` puts the ids of one side for those of the other. */
export function leveled(value: unknown, named: (text: string) => string, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => leveled(one, named));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, leveled(one, named, name)]));
  if (typeof value === 'number' && key.endsWith('_ms')) return 'ms';
  if (typeof value !== 'string') return value;
  if (TO_THE_SECOND.test(value)) return 'to the second';
  if (TIME.test(value)) return 'in full';
  if (UUID.test(value)) return 'uuid';
  return LOOSE[key] ?? named(value);
}

/** The id of what was just made, in what its making answered. */
export function idIn(stdout: unknown): string | undefined {
  if (typeof stdout === 'string') return /^\S+(?=\n$)/.exec(stdout)?.[0];
  const given = stdout as { id?: string; data?: { id?: string } };
  return given.data?.id ?? given.id;
}
