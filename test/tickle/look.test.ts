/** A look at sessions: what counts as a sign beside evidence, who is spared, and who is registered. */
import { describe, expect, test } from 'vitest';
import type { Incarnation, SessionRecord, StatusReport } from '../../machines/protocol.ts';
import type { AgentSeen } from '../../machines/protocol/tickle.ts';
import type { SaidState, Word } from '../../machines/sessions/agent-state.ts';
import { withSteps } from '../../src/ports/age.ts';
import { lookAtAgents } from '../../src/tickle/look.ts';
import { Quarantine } from '../../state/files/quarantine.ts';
import { noteSteps } from '../../state/process/wall-steps.ts';
import { session } from '../state/make.ts';
import { SimDisk } from '../world/disk.ts';
import { incarnation } from '../world/drive.ts';
import { MINUTE, SECOND } from './town.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const LIFE = incarnation(1, { session: 'builder' });

const word = (by: Word['by'], state: SaidState, sinceMs: number | null, agoMs = 0): Word => ({
  by,
  source: by === 'program' ? 'claude session file' : 'screen, by pack claude',
  state,
  since: sinceMs === null ? null : NOW - sinceMs,
  at: NOW - agoMs,
  detail: null,
  rule: null,
});

interface World {
  readonly records?: readonly SessionRecord[];
  readonly program?: Word;
  readonly screen?: Word;
  /** How long ago it was seen at work. */
  readonly workedMs?: number;
  /** How long ago its program, at work, did something last. */
  readonly steppedMs?: number;
  /** When its newest evidence came. */
  readonly evidenceMs?: number | null;
  readonly clients?: readonly string[] | null;
  readonly named?: readonly string[];
  readonly deacon?: string;
  readonly report?: StatusReport;
}
const WATCHED = { workedSince: null, watchedSince: NOW - 60 * MINUTE };
const report = (status: StatusReport['status'], agoMs: number): StatusReport => {
  return { session: 'builder', uuid: LIFE.uuid, status, message: 'which database?', outcome: null, at: NOW - agoMs };
};

async function seen(world: World = {}): Promise<readonly AgentSeen[]> {
  const { program, screen, evidenceMs = 10 * MINUTE, clients = [], named = [], deacon = null } = world;
  const { records = [session('builder', { state: 'running', incarnation: LIFE, startedAt: NOW - 60 * MINUTE })] } =
    world;
  const outcome = await lookAtAgents(
    {
      sources: {
        of: () => Promise.resolve(new Map(program ? [[LIFE.uuid, { word: program, conversation: null }]] : [])),
      },
      seen: () => ({ word: screen ?? null, unheard: null }),
      reported: {
        of: () => Promise.resolve(new Map(world.report ? [['builder', world.report]] : [])),
        workOf: () => WATCHED,
        wall: () => NOW,
      },
      workedAt: () => (world.workedMs === undefined ? null : NOW - world.workedMs),
      steppedAt: () => (world.steppedMs === undefined ? null : NOW - world.steppedMs),
      clock: { wall: () => NOW },
      tmux: { query: () => (clients === null ? Promise.reject(new Error('silent')) : Promise.resolve([...clients])) },
      policy: { personWithinMs: 10 * MINUTE },
      sessions: () => Promise.resolve(records),
      evidence: ({ agents }) =>
        Promise.resolve(
          agents.map(([name, signMs]) => ({
            name,
            lastAt: evidenceMs === null ? null : NOW - evidenceMs,
            silentMs: evidenceMs,
            sign: evidenceMs === null ? null : 'note',
            hook: null,
            // As the ledger's part does: by the newest sign of any kind.
            signals: Math.min(signMs ?? Infinity, evidenceMs ?? Infinity) === 7 * MINUTE ? CONFIDENT : null,
          })),
        ),
      deacon,
    },
    { type: 'readEvidence', id: {}, named, signals: { fromMs: 0, toMs: 0 } },
  );
  if (outcome.type !== 'EVIDENCE_READ') throw new Error(outcome.type);
  return outcome.agents;
}
const CONFIDENT = { fatigue: null, confidence: 1 };
const one = async (world: World): Promise<AgentSeen | undefined> => (await seen(world))[0];

// Rules: T-1, M-2.
test.each<[string, World, number | null]>([
  ['its evidence, where its program says nothing', {}, 10 * MINUTE],
  ['nothing, where there is neither', { evidenceMs: null }, null],
  ['now, while its program says that it works', { program: word('program', 'working', 30 * MINUTE) }, 0],
  ['when its program came to rest', { program: word('program', 'idle', 3 * MINUTE) }, 3 * MINUTE],
  [
    'when it was seen at work, where its program does not tell since when it rests',
    { evidenceMs: null, program: { ...word('program', 'idle', 0), since: null }, workedMs: MINUTE },
    MINUTE,
  ],
  [
    'its last step, once its program says for an hour that it works and does nothing',
    { evidenceMs: null, program: word('program', 'working', 90 * MINUTE), workedMs: 0, steppedMs: 61 * MINUTE },
    61 * MINUTE,
  ],
  [
    'now, while its last step is less old',
    { evidenceMs: null, program: word('program', 'working', 90 * MINUTE), workedMs: 0, steppedMs: 59 * MINUTE },
    0,
  ],
  ['its evidence, where that is newer', { program: word('program', 'idle', 20 * MINUTE) }, 10 * MINUTE],
  ['its evidence, where the program does not tell since when', { program: word('program', 'idle', null) }, 10 * MINUTE],
  ['when its screen last showed work', { screen: word('screen', 'working', 5 * MINUTE, 20 * SECOND) }, 20 * SECOND],
  ['no screen at rest: a first look does not tell since when', { screen: word('screen', 'idle', 0) }, 10 * MINUTE],
])('its last sign is %s', async (_, world, silentMs) => {
  expect(await one(world)).toMatchObject({ silentMs, bornMs: 60 * MINUTE });
});

// Rules: T-5.
test.each<[string, World]>([
  ['its evidence', { evidenceMs: 7 * MINUTE }],
  ['its program at rest', { evidenceMs: 40 * MINUTE, program: word('program', 'idle', 7 * MINUTE) }],
  ['its work that was seen', { evidenceMs: null, workedMs: 7 * MINUTE }],
])('its signals are asked for by its newest sign: %s', async (_, world) => {
  expect(await one(world)).toMatchObject({ silentMs: 7 * MINUTE, signals: CONFIDENT });
});

// Rules: T-1, law 1, law 6.
describe('an agent is spared', () => {
  const pressed = (agoMs: number, id = LIFE.sessionId, isProgram = 0): string =>
    `client ${isProgram} ${(NOW - agoMs) / SECOND} ${id}`;
  test.each<[string, World, string | null]>([
    ['at nothing', {}, null],
    ['that asks, by its program', { program: word('program', 'asks', MINUTE) }, 'it asks a person'],
    ['that asks, by its screen', { screen: word('screen', 'asks', MINUTE) }, 'it asks a person'],
    ['at a limit', { screen: word('screen', 'limited', MINUTE) }, 'it stands at a usage limit'],
    ['logged out', { screen: word('screen', 'logged_out', MINUTE) }, 'it is logged out'],
    ['with a person at its keys', { clients: [pressed(MINUTE)] }, 'a person is at its keys'],
    ['not after ten minutes', { clients: [pressed(11 * MINUTE)] }, null],
    ['not for keys in another session', { clients: [pressed(MINUTE, '$9')] }, null],
    ['not for a program of the town', { clients: [pressed(MINUTE, LIFE.sessionId, 1)] }, null],
    ['while tmux is silent', { clients: null }, 'tmux does not report whether a person is at its keys'],
    ['not with an error', { screen: word('screen', 'error', MINUTE) }, null],
    ['that reported a question', { report: report('waiting_for_input', MINUTE) }, 'it asks a person'],
    ['that reported an error', { report: report('error', MINUTE) }, 'it reported that it needs a person'],
    [
      'that reported, before the town watched it, that it is blocked',
      { report: report('blocked', 90 * MINUTE), screen: word('screen', 'idle', null) },
      'it reported that it needs a person',
    ],
    [
      'that asks, though it reported an error since then',
      { program: word('program', 'asks', 2 * MINUTE), report: report('error', MINUTE) },
      'it asks a person',
    ],
    ['but not for another report', { report: report('complete', MINUTE) }, null],
  ])('%s', async (_, world, spared) => {
    expect(await one(world)).toMatchObject({ spared });
  });
});

const polecat = (name: string, tags: readonly string[], life: Incarnation = LIFE): SessionRecord => {
  const record = session(name, { state: 'running', incarnation: life });
  return { ...record, spec: { ...record.spec, tags } };
};

// Rules: T-1, law 5.
test.each<[string, World, Partial<AgentSeen>]>([
  [
    'a polecat',
    { records: [polecat('gt-shop-nux', ['polecat', 'rig:shop'])] },
    { name: 'shop/polecats/nux', owner: 'the patrol of shop' },
  ],
  [
    'a refinery',
    { records: [polecat('gt-shop-refinery', ['refinery', 'rig:shop'])] },
    { name: 'shop/refinery', owner: 'the patrol of shop' },
  ],
  ['the Deacon', { records: [polecat('hq-deacon', [])], deacon: 'hq-deacon' }, { name: 'hq-deacon', owner: 'Boot' }],
  ['any other', { records: [polecat('mine', [])] }, { name: 'mine', owner: null }],
])('%s is paged by its owner', async (_, world, is) => {
  expect(await one(world)).toMatchObject(is);
});

// Rules: T-1.
test('sessions that live are registered, and names of the configuration; one that ended is spared', async () => {
  const records = [
    session('ended', { state: 'ended' }),
    session('away', { state: 'backing_off' }),
    session('adopted', { state: 'observed', incarnation: LIFE }),
  ];
  expect((await seen({ records, named: ['remote', 'ended'] })).map(({ name, spared }) => [name, spared])).toEqual([
    ['adopted', null],
    ['remote', null],
    ['ended', 'its session is ended'],
  ]);
});

// Rules: T-1, law 1.
test.each([
  ['slept for two hours', 120 * MINUTE],
  ['was set back by an hour', -60 * MINUTE],
])('a machine that %s blames no agent: its silence and its age are what passed', async (_name, step) => {
  const disk = new SimDisk({ wall: () => NOW }).mount();
  const quarantine = new Quarantine({ disk, wall: () => NOW, onRefused: () => undefined });
  const options = { disk, quarantine, maxBytes: 100_000, note: () => undefined };
  const before = { at: 0, wall: NOW - step - 30 * SECOND };
  // Both signs came 10 s before the step.
  await noteSteps(options, before);
  const at = before.wall - 10 * SECOND;
  const record = session('builder', { state: 'running', incarnation: LIFE, startedAt: at });
  const look = () => one({ records: [record], evidenceMs: null, workedMs: NOW - at });
  await withSteps(options, before, look);
  expect(await withSteps(options, { at: 30 * SECOND, wall: NOW }, look)).toMatchObject({
    silentMs: 40 * SECOND,
    bornMs: 40 * SECOND,
  });
});
