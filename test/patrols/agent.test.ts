/** A patrol that an agent does: when the town only looks after the agent, and when it does a cycle in the agent's place. */
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { watchAgent, type Watched } from '../../src/patrols/agent/watch.ts';
import type { Reply, Request } from '../../machines/protocol.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import type { Disk } from '../../state/files/disk.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { keepNote, noteOf } from '../../state/patrols/notes.ts';
import { life as ONE, running } from '../sessions/one.ts';
import { SimDisk } from '../world/disk.ts';
import { MINUTE } from './seen.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
/** One look of the town at a Deacon that lives in a session. */
function look(disk: Disk, now: number, lastAt: number | null): Promise<Watched> {
  const refuse = () => Promise.reject(new Error('no town is asked'));
  return watchAgent({
    of: 'deacon',
    disk,
    now,
    standing: 'lives',
    lastAt,
    spec: { name: 'hq-deacon', command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null },
    client: { ask: refuse, askIfUp: refuse, overview: refuse, unrecorded: 'unknown' },
    policy: { ...POLICY.rounds, idleMs: 5 * MINUTE },
  });
}

test('while its agent asks for cycles, the town only looks after it', async () => {
  const disk = new SimDisk().mount();
  await keepNote(disk, 'deacon', 'cycle', { kind: 'cycle', text: 'u 1', at: NOW });
  const { found, standsIn } = await look(disk, NOW + MINUTE, NOW);
  expect(standsIn).toBe(false);
  expect(found).toMatchObject({ isWatch: true, observed: { stands_in: 0 }, deeds: [] });
});

// Rules: W-8, C-13.
test.each<[what: string, of: string, by: object, acts: string[]]>([
  ['the witness that the town ended', 'shop', { townAt: 1 }, ['start']],
  ['the witness that the operator ended', 'shop', { operatorAt: 1 }, []],
  ['the witness that ended as it asked', 'shop', {}, []],
  ['the Deacon that the town ended: Boot starts it', 'deacon', { townAt: 1 }, []],
])('%s', async (_, of, by, acts) => {
  const disk = new SimDisk().mount();
  await disk.mkdir(FOLDERS.sessions);
  const asked = { uuid: ONE.uuid, then: 'end', ...by } as const;
  const name = of === 'deacon' ? 'hq-deacon' : 'gt-shop-witness';
  const spec = { name, command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null } as const;
  const text = sessionText({ ...running({ state: 'ended', spec, asked }) });
  await writeFiles(disk, [{ path: paths.session(name), text }]);
  const starts: Request[] = [];
  const refuse = () => Promise.reject(new Error('no town is asked'));
  const ask = (request: Request): Promise<Reply> => {
    starts.push(request);
    return Promise.resolve({ ok: true, value: {} });
  };
  const { found } = await watchAgent({
    of,
    disk,
    now: NOW + MINUTE,
    standing: 'ended',
    lastAt: NOW,
    spec,
    client: { ask, askIfUp: refuse, overview: refuse, unrecorded: 'unknown' },
    policy: { ...POLICY.rounds, idleMs: 5 * MINUTE },
  });
  expect([found.deeds.map(({ act }) => act), starts.map(({ verb }) => verb)]).toEqual([
    acts,
    acts.map(() => 'startSession'),
  ]);
});

test('where no cycle came for long, the town does one in its place, and says so until the agent does one again', async () => {
  const disk = new SimDisk().mount();
  await keepNote(disk, 'deacon', 'start', { kind: 'start', text: 'u', at: NOW });
  const late = NOW + POLICY.rounds.standInMs + MINUTE;
  const first = await look(disk, late, NOW);
  expect(first.standsIn).toBe(true);
  expect(first.found).toMatchObject({ observed: { stands_in: 1 }, deeds: [{ act: 'stand_in', done: true }] });
  expect(await look(disk, late + 1, late)).toMatchObject({ standsIn: false, found: { observed: { stands_in: 1 } } });
  await keepNote(disk, 'deacon', 'cycle', { kind: 'cycle', text: 'u 1', at: late + 2 });
  expect(await look(disk, late + 3, late + 2)).toMatchObject({ found: { observed: { stands_in: 0 } } });
});

// Rules: law 1.
test('where its notes do not count the town does each cycle in its place, and the deed names the file', async () => {
  const disk = new SimDisk().mount();
  const path = 'patrols/notes/deacon.json';
  await disk.mkdir('patrols/notes');
  await disk.write(path, '{"schema":');
  expect(await look(disk, NOW, NOW)).toMatchObject({
    standsIn: true,
    found: { deeds: [{ done: false, text: expect.stringContaining(path) as string }] },
  });
});

// Rules: W-8.
test('a start is noted before it is ordered, and one that fails stays noted since its first try, so that the town stands in', async () => {
  const disk = new SimDisk().mount();
  const noted: unknown[] = [];
  const refuse = () => Promise.reject(new Error('no town is asked'));
  const ask = async (): Promise<Reply> => {
    noted.push((await noteOf(disk, 'shop/witness', 'start'))?.at);
    throw new Error('the town ended');
  };
  const lookAt = (now: number): Promise<Watched> =>
    watchAgent({
      of: 'shop',
      disk,
      now,
      standing: 'none',
      lastAt: null,
      spec: { name: 'gt-shop-witness', command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null },
      client: { ask, askIfUp: refuse, overview: refuse, unrecorded: 'unknown' },
      policy: { ...POLICY.rounds, idleMs: 5 * MINUTE },
    });
  expect(await lookAt(NOW)).toMatchObject({ standsIn: false, found: { deeds: [{ act: 'start', done: false }] } });
  const late = await lookAt(NOW + POLICY.rounds.standInMs);
  expect(late).toMatchObject({
    standsIn: true,
    found: { deeds: [{ act: 'start', done: false }, { act: 'stand_in' }] },
  });
  expect(noted).toEqual([NOW, NOW]);
});
