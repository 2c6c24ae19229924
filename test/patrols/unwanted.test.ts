/** Which sessions of patrols end since the town wants them no more, and which never do: only what the town started for it. */
import { beforeEach, expect, test } from 'vitest';
import { STOP_AGAIN_MS } from '../../machines/patrols/policy.ts';
import type { RigRecord } from '../../machines/rigs/records.ts';
import type { Request } from '../../machines/protocol.ts';
import { unwantedRound, type UnwantedNeeds } from '../../src/patrols/deacon/unwanted.ts';
import { Failure } from '../../src/terminal/failure.ts';
import { DEFAULTS, type RigSettings } from '../../src/config/settings.ts';
import type { Standing } from '../../src/rigs/sessions.ts';
import type { Disk } from '../../state/files/disk.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { FOLDERS, paths } from '../../state/files/layout.ts';
import { keepNote } from '../../state/patrols/notes.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { life, running } from '../sessions/one.ts';
import { SimDisk } from '../world/disk.ts';

const LIFE = 'u-1';
const SHOP = { name: 'shop', repo: '/shop' } as RigRecord;
type View = Awaited<ReturnType<UnwantedNeeds['sessions']>>[number];
const MERGES = ['town', 'refinery'];
const view = (name: string, ...tags: string[]): View => ({
  name,
  state: 'running',
  tags,
  survivors: [],
  uuid: LIFE,
  command: MERGES,
});
const WITNESS = view('gt-shop-witness', 'witness', 'rig:shop');
const REFINERY = view('gt-shop-refinery', 'refinery', 'rig:shop');
const DEACON = view('hq-deacon', 'deacon');
const BY_AGENTS = {
  ...DEFAULTS,
  rigs: {},
  patrols: { ...DEFAULTS.patrols, witness: { ...DEFAULTS.patrols.witness, mode: 'session', command: ['cat'] } },
  policy: {
    ...DEFAULTS.policy,
    watchdog: { ...DEFAULTS.policy.watchdog, deacon: { ...DEFAULTS.policy.watchdog.deacon, mode: 'session' } },
  },
} as const;
const BY_TOWN = { ...DEFAULTS, rigs: {} };
const mergedBy = (...refinery: string[]) => ({ ...DEFAULTS, rigs: { shop: { refinery } as unknown as RigSettings } });

let disk: Disk;
let asked: Request[];
let standing: Standing;
beforeEach(async () => {
  disk = new SimDisk().mount();
  asked = [];
  standing = 'lives';
  for (const agent of ['shop/witness', 'shop/refinery', 'deacon'])
    await keepNote(disk, agent, 'start', { kind: 'start', text: '', at: 1 });
});

type More = Partial<UnwantedNeeds> & { rigs?: readonly RigRecord[] };
const needsOf = (sessions: readonly View[], { rigs = [], ...needs }: More): UnwantedNeeds => ({
  disk,
  settings: BY_AGENTS,
  sessions: () => Promise.resolve(sessions),
  standings: () => Promise.resolve(() => standing),
  doing: () => Promise.resolve(),
  records: { rigs: () => Promise.resolve({ found: [...rigs], unreadable: [] }) },
  client: {
    ask: (request) => {
      asked.push(request);
      return Promise.resolve({ ok: true, value: {} });
    },
  },
  ...needs,
});

async function round(session: View, { now = 1_000, ...more }: More & { now?: number } = {}) {
  const { acts } = await unwantedRound(needsOf([session], more), now);
  return acts.map(({ act, done }) => `${act} ${done ? 'done' : 'not done'}`);
}

// Rules: W-8.
test.each<readonly [string, View, Parameters<typeof round>[1], readonly string[]]>([
  ['the witness of a rig that agents patrol', WITNESS, { rigs: [SHOP] }, []],
  ['the witness of a rig that is gone', WITNESS, {}, ['stop done']],
  ['the witness of a rig that the town patrols', WITNESS, { rigs: [SHOP], settings: BY_TOWN }, ['stop done']],
  ['the witness of another rig', view('gt-shop-2-witness', 'witness', 'rig:shop-2'), { rigs: [SHOP] }, []],
  ['the refinery of a rig', REFINERY, { rigs: [SHOP], settings: mergedBy(...MERGES) }, []],
  ['the refinery of a rig that is gone', REFINERY, { settings: mergedBy(...MERGES) }, ['stop done']],
  ['a refinery that town.toml names no more', REFINERY, { rigs: [SHOP], settings: BY_TOWN }, ['stop done']],
  ['a refinery with another command', REFINERY, { rigs: [SHOP], settings: mergedBy('mine') }, ['stop done']],
  [
    'a refinery whose command is not known',
    { ...REFINERY, command: [] },
    { rigs: [SHOP], settings: mergedBy('mine') },
    [],
  ],
  ['the Deacon that is an agent', DEACON, {}, []],
  ['the Deacon that was one', DEACON, { settings: BY_TOWN }, ['stop done']],
  ['a foreign session', { ...WITNESS, state: 'foreign' }, {}, []],
  ['one whose start is under way', { ...WITNESS, uuid: null }, {}, []],
  ['a session without the marks of one', view('gt-shop-witness', 'rig:shop'), {}, []],
  [
    'the witness of a rig whose record cannot be read',
    WITNESS,
    { records: { rigs: () => Promise.resolve({ found: [], unreadable: ['rigs/shop.json: …'] }) } },
    [],
  ],
])('%s', async (_, session, more, acts) => {
  expect(await round(session, more)).toEqual(acts);
});

// Rules: W-8.
test('it is stopped once, as an operator stops one, and forgotten once it has ended', async () => {
  expect(await round(WITNESS)).toEqual(['stop done']);
  expect(await round(WITNESS)).toEqual([]);
  standing = 'unknown';
  expect(await round(WITNESS)).toEqual([]);
  standing = 'ended';
  expect(await round({ ...WITNESS, uuid: 'u-2' })).toEqual([]);
  expect(await round(WITNESS)).toEqual(['forget done']);
  expect(asked).toEqual([
    { verb: 'stopSession', name: 'gt-shop-witness', then: 'end', force: false },
    { verb: 'removeSession', name: 'gt-shop-witness' },
  ]);
});

// Rules: W-8.
test.each([
  ['the town', { townAt: 1 }, ['forget done']],
  ['the operator', { operatorAt: 1 }, []],
])('one whose end no note names is forgotten where its record says that %s ended it: %j', async (_, by, acts) => {
  const asked = { uuid: LIFE, then: 'end', ...by } as const;
  const spec = {
    name: WITNESS.name,
    command: ['cat'],
    dir: '/',
    tags: [],
    restart: 'permanent',
    process: null,
  } as const;
  const record = running({ state: 'ended', spec, asked, incarnation: { ...life, uuid: LIFE } });
  await disk.mkdir(FOLDERS.sessions);
  await writeFiles(disk, [{ path: paths.session(WITNESS.name), text: sessionText(record) }]);
  standing = 'ended';
  expect(await round(WITNESS)).toEqual(acts);
});

// Rules: W-8.
test('an end that a person suspended is ordered again after an hour, and again after the next', async () => {
  const later = (hours: number) => round(WITNESS, { now: 1_000 + hours * STOP_AGAIN_MS });
  expect(await later(0)).toEqual(['stop done']);
  expect(await later(0.9)).toEqual([]);
  expect(await later(1)).toEqual(['stop done']);
  expect(await later(1.9)).toEqual([]);
  expect(await later(2)).toEqual(['stop done']);
});

test('what is refused is wanted again in the next cycle, and says why', async () => {
  const client = { ask: () => Promise.reject(new Failure(5, 'protected_target', 'it is protected')) };
  expect(await round(WITNESS, { client })).toEqual(['stop not done']);
  expect(await round(WITNESS)).toEqual(['stop done']);
});

// Rules: law 1, W-8.
test('one whose notes do not count is left as it is, and says which file that is; others are ended', async () => {
  const path = 'patrols/notes/gt-shop-witness.json';
  await disk.remove(path);
  await disk.write(path, '{"schema":');
  const { acts } = await unwantedRound(needsOf([WITNESS, REFINERY], { settings: BY_TOWN }), 1_000);
  expect(acts).toEqual([
    { act: 'stop', about: WITNESS.name, done: false, text: expect.stringContaining(path) as string },
    expect.objectContaining({ act: 'stop', about: REFINERY.name, done: true }),
  ]);
  expect(asked).toMatchObject([{ verb: 'stopSession', name: REFINERY.name }]);
});
