/** The alert about an agent that takes more memory than it may. */
import { expect, test } from 'vitest';
import { POLICY, type Policy } from '../../machines/policy.ts';
import type { OutcomeBody, SessionSpec } from '../../machines/protocol.ts';
import { Drive, townInput } from '../world/drive.ts';
import { running, spec } from './one.ts';

const GB = 1e9;

interface Limits {
  /** Of [sessions]. */
  readonly ofAll?: number;
  /** Of the entry in town.toml. */
  readonly own?: number;
}

/** A town with one session, of which each scan measures what `measured` has: undefined = it was not measured. */
function town({ ofAll = 0, own = 0 }: Limits) {
  const measured: { bytes: number | undefined; uuid: string | undefined } = { bytes: undefined, uuid: undefined };
  const policy: Policy = { ...POLICY, sessions: { ...POLICY.sessions, maxMemoryBytes: ofAll } };
  const agents: SessionSpec[] = own === 0 ? [] : [{ ...spec, maxMemoryBytes: own }];
  const scan = ({ known }: { readonly known: readonly { session: string; uuid: string }[] }): OutcomeBody => {
    const one = { exit: null, maybeSignalled: false, life: 'alive', memoryBytes: measured.bytes } as const;
    const seen = known.map(({ session: name, uuid }) => ({ name, uuid: measured.uuid ?? uuid, ...one }));
    return { type: 'SESSIONS_SEEN', server: 'up', seen };
  };
  const drive = new Drive({ scan }, { input: townInput(policy, { agents }), sessions: [running({ spec })] });
  const ofMemory = (episodes: readonly string[]): string[] => episodes.filter((one) => one.startsWith('memory/'));
  // Of an earlier town's process it is told as over once it is known not to stand.
  let before = 0;
  const after = (bytes: number | undefined): string[] => {
    measured.bytes = bytes;
    drive.run(5_000);
    const begun = ofMemory(drive.alerts);
    if (begun.length === 0) before = ofMemory(drive.ends).length;
    return [
      ...begun,
      ...ofMemory(drive.ends)
        .slice(before)
        .map(() => 'over'),
    ];
  };
  const texts = () =>
    drive.given('alert').flatMap(({ alert }) => (alert.episode.startsWith('memory/') ? [alert.text] : []));
  return { drive, after, measured, texts };
}

test('begins above the limit, and is over well below it: what swings about the limit is one alert', () => {
  const { after, texts } = town({ ofAll: 4 * GB });
  expect(after(3.9 * GB)).toEqual([]);
  expect(after(4.1 * GB)).toEqual(['memory/s1']);
  expect(after(3.9 * GB)).toEqual(['memory/s1']);
  expect(after(5 * GB)).toEqual(['memory/s1']);
  expect(after(3.5 * GB)).toEqual(['memory/s1', 'over']);
  expect(texts()).toEqual([
    's1 and what it runs took 4.1 GB of memory; its max_memory is 4.0 GB. Nothing is ended for that. To end it with its work saved: town session restart s1',
  ]);
});

test('an agent’s own limit outranks that of all, also above it', () => {
  expect(town({ ofAll: 4 * GB, own: 8 * GB }).after(6 * GB)).toEqual([]);
  expect(town({ ofAll: 4 * GB, own: 2 * GB }).after(3 * GB)).toEqual(['memory/s1']);
  expect(town({}).after(100 * GB)).toEqual([]);
});

test('what was not measured, or is another life’s, begins nothing and ends nothing', () => {
  const { after, measured } = town({ ofAll: 4 * GB });
  expect(after(undefined)).toEqual([]);
  expect(after(5 * GB)).toEqual(['memory/s1']);
  expect(after(undefined)).toEqual(['memory/s1']);
  measured.uuid = 'another life';
  expect(after(1 * GB)).toEqual(['memory/s1']);
});
