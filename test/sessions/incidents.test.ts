/** M-13: many sessions that die of one cause. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { Drive, incarnation } from '../world/drive.ts';
import { Machine, type End } from '../world/machine.ts';
import { running, specOf } from './one.ts';

const MINUTE = 60_000;
const OUTAGE: End = { exit: { kind: 'code', code: 1 }, lastWords: 'builder-7: API Error: 529 (request 4711)' };
const KILLED: End = { exit: { kind: 'signal', signal: 'KILL' } };
const OF_DEATHS = /^(many-died|crash-loop)\//;

/** Sessions of which each start lives a second and ends so, until the test mends one. */
function town(ends: Readonly<Record<string, End>>) {
  const machine = new Machine();
  const names = Object.keys(ends);
  for (const name of names) machine.fates.set(name, { ...ends[name]!, ms: 1_000 });
  const sessions = names.map((name) =>
    running({ spec: specOf(name), incarnation: incarnation(name, { session: name }) }),
  );
  const drive = new Drive(machine.hands, { sessions });
  const crash = (name: string): void => {
    const life = sessions.find(({ spec }) => spec.name === name)!.incarnation!;
    machine.end(life, drive.now, ends[name]!);
  };
  const told = () => ({
    alerts: drive.alerts.filter((one) => OF_DEATHS.test(one)),
    ends: drive.ends.filter((one) => OF_DEATHS.test(one) && drive.alerts.includes(one)),
  });
  const texts = () => drive.given('alert').flatMap(({ alert }) => (OF_DEATHS.test(alert.episode) ? [alert.text] : []));
  return { drive, machine, names, crash, told, texts };
}

const five = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, OUTAGE]));

test('five that die of one cause are one incident, also as crash loops, with one recovery', () => {
  const it = town(five);
  for (const name of it.names) it.crash(name);
  it.drive.run(30 * MINUTE);
  expect(new Set(it.told().alerts)).toEqual(
    new Set([expect.stringMatching(/^many-died\/with-exit-code-1-last-words/)]),
  );
  expect(it.texts()[0]).toContain('5 sessions died of one cause (with exit code 1, last words: ');
  expect(it.texts().at(-1)).toContain('5 sessions died of one cause');
  expect(it.texts().at(-1)).toContain('a, b, c, d, e. Each is started again. 5 of them again and again');
  expect(it.told().ends).toEqual([]);
  it.machine.fates.clear();
  it.drive.run(3 * POLICY.sessions.stableMs);
  expect(it.told().ends).toHaveLength(1);
});

test('causes that begin alike, or are written in no Latin letters, are incidents of their own', () => {
  const saying = (lastWords: string): End => ({ ...OUTAGE, lastWords });
  const long = 'the model service of the provider refused the request because';
  const ends = [`${long} of its size`, `${long} of its age`, '网络错误', '磁盘已满'].map(saying);
  const it = town(Object.fromEntries(ends.flatMap((end, n) => ['x', 'y', 'z'].map((name) => [`${name}${n}`, end]))));
  for (const name of it.names) it.crash(name);
  it.drive.run(30 * MINUTE);
  expect(new Set(it.told().alerts).size).toBe(ends.length);
  expect(it.told().ends).toEqual([]);
});

test('two of one cause and two of another are no incident: each crash loop has its own alert', () => {
  const it = town({ a: OUTAGE, b: OUTAGE, c: KILLED, d: KILLED });
  for (const name of it.names) it.crash(name);
  it.drive.run(30 * MINUTE);
  expect([...new Set(it.told().alerts)].toSorted()).toEqual([
    'crash-loop/a',
    'crash-loop/b',
    'crash-loop/c',
    'crash-loop/d',
  ]);
});

test('an incident that one of three leaves is over, and the others are not named as they recover', () => {
  const it = town({ a: OUTAGE, b: OUTAGE, c: OUTAGE });
  for (const name of it.names) it.crash(name);
  it.drive.run(30 * MINUTE);
  it.machine.fates.clear();
  it.drive.run(3 * POLICY.sessions.stableMs);
  expect(it.told().ends).toHaveLength(1);
  expect(it.told().alerts.filter((episode) => episode.startsWith('crash-loop/'))).toEqual([]);
});

// Rules: M-13, law 8.
test('the incident is over once few go on dying, and each of those has its own alert', () => {
  const it = town({ a: OUTAGE, b: OUTAGE, c: OUTAGE });
  for (const name of it.names) it.crash(name);
  it.drive.run(30 * MINUTE);
  for (const name of ['b', 'c']) it.machine.fates.delete(name);
  it.drive.run(30 * MINUTE);
  expect(it.told().ends).toEqual([expect.stringMatching(/^many-died\//)]);
  expect(it.told().alerts.at(-1)).toBe('crash-loop/a');
});
