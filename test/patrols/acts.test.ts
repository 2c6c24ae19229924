/** What comes of a witness's acts: each rests on what stands in the ledger then, and does to no other what it means for one. */
import { keepNote, noteOf, notesOf, type Noted } from '../../state/patrols/notes.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OrderedAct } from '../../machines/witness/acting.ts';
import { carryOut } from '../../src/patrols/witness/acts.ts';
import { askForEnd } from '../../src/patrols/witness/ends.ts';
import { NOT_EXEMPT, UNTYPED } from '../../src/patrols/memory/notes.ts';
import { wispsOf } from '../../src/patrols/witness/work.ts';
import { EXIT, Failure } from '../../src/terminal/failure.ts';
import { writeFiles } from '../../state/files/atomic-write.ts';
import { paths } from '../../state/files/layout.ts';
import { sessionText } from '../../state/sessions/records.ts';
import { life, running } from '../sessions/one.ts';
import { MINUTE, NUX } from './seen.ts';
import { actWorlds, NOW, hooked } from './act-world.ts';

const world = actWorlds();
const { boxOf, deps, put, shown } = world;

test('what an agent asks about its own life reaches the Deacon as it was written, once', async () => {
  const flags = { via: 'agent', urgent: false, needs_response: true, sentAt: NOW - 5, incarnation: 'u-1' } as const;
  await boxOf('shop/witness').send({
    id: 'm1',
    from: 'gt-shop-nux',
    subject: 'LIFECYCLE: restart',
    body: '',
    ...flags,
  });
  const act: OrderedAct = { act: 'forward', mail: 'm1', to: 'deacon' };
  for (let n = 0; n < 2; n += 1) expect((await carryOut(deps(), act))?.done).toBe(true);
  expect(await boxOf('deacon').inbox()).toMatchObject([
    { id: 'm1', from: 'gt-shop-nux', via: 'agent', incarnation: 'u-1', sent_at: new Date(NOW - 5).toISOString() },
  ]);
});

test('a refinery that is started again and again has one letter that waits', async () => {
  const start: OrderedAct = {
    act: 'start',
    agent: 'shop/refinery',
    why: '1 merge request waits in shop',
    endedSoon: true,
  };
  const subjects = async () => (await boxOf('shop/refinery').inbox()).map(({ subject }) => subject);
  await carryOut(deps(), { ...start, endedSoon: false });
  const kind = async () => (await notesOf(world.disk, 'shop/refinery')).start?.kind;
  expect(await kind()).toBe('start');
  await carryOut(deps({ now: NOW + 1 }), start);
  expect(await kind()).toBe('again');
  expect(await subjects()).toEqual(['PATROL: Wake up']);
  const [letter] = await boxOf('shop/refinery').inbox();
  await boxOf('shop/refinery').archive(letter!.id);
  await carryOut(deps({ now: NOW + 2 }), start);
  expect(await subjects()).toEqual(['PATROL: Wake up']);
});

test('a total of a swarm that is no number is none', async () => {
  await put('tw-3', { isWisp: true, labels: ['swarm', 'swarm_id:s', 'total:three', 'tracks:tw-9'] });
  const wisps = await wispsOf(world.ledger, 'shop', NOW);
  expect(wisps.flatMap(({ swarm }) => swarm ?? [])).toEqual([{ id: 's', total: 1, closed: 0 }]);
});

test('a swarm that a letter starts is one that a command starts: once, and never of beads that are not there', async () => {
  await put('tw-1', {});
  const act: OrderedAct = { act: 'follow', swarm: 's', beads: ['tw-1', 'tw-1'] };
  expect(await carryOut(deps(), act)).toMatchObject({ done: true, text: 'tw-swarm-s' });
  expect(await carryOut(deps({ now: NOW + 1 }), act)).toBe(null);
  expect(await wispsOf(world.ledger, 'shop', NOW)).toMatchObject([{ swarm: { id: 's', total: 1, closed: 0 } }]);
  expect(await carryOut(deps(), { act: 'follow', swarm: 't', beads: ['tw-1', 'tw-9'] })).toMatchObject({
    done: false,
    text: 'the ledger does not have tw-9',
  });
});

test('the end of an agent that is protected, or has no life, is not asked for', async () => {
  const needs = { disk: world.disk, ledger: world.ledger, rig: 'shop', now: NOW, patienceMs: 1 };
  const wanted = { agent: NUX, isVoluntary: true, why: 'done' };
  await expect(askForEnd({ ...needs, protects: ['gt-shop-*'] }, wanted)).rejects.toThrow('gt-shop-nux is protected');
  await expect(askForEnd({ ...needs, protects: [] }, wanted)).rejects.toThrow('has no life to end');
});

describe('the end of a life', () => {
  const LIFE = 'life-1';
  const SESSION = 'gt-shop-nux';
  const AGAIN = 'it is asked for already: why';
  const filed = async () =>
    (await world.disk.list('deacon/dogs/warrants')).map((name) => name.replace('.json', '')).sort();
  const asked = (isVoluntary: boolean, now = NOW) => {
    const needs = { disk: world.disk, rig: 'shop', protects: [], now, patienceMs: 15 * MINUTE };
    return askForEnd(needs, { agent: NUX, isVoluntary, why: 'why' });
  };
  const hears = (id: string) => world.disk.rename(paths.warrant(id), paths.held(id));
  beforeEach(async () => {
    for (const folder of ['sessions', 'deacon/dogs/held', 'deacon/dogs/warrants']) await world.disk.mkdir(folder);
    const spec = { name: SESSION, command: ['cat'], dir: '/', tags: [], restart: 'permanent', process: null } as const;
    const text = sessionText(running({ spec, incarnation: { ...life, session: SESSION, uuid: LIFE } }));
    await writeFiles(world.disk, [{ path: paths.session(SESSION), text }]);
  });

  test('its own wish comes on top of a hearing, open or over, and is asked for once', async () => {
    expect([await asked(false), await asked(false, NOW + 1)]).toEqual(['it is heard first: why', AGAIN]);
    expect([await asked(true, NOW + 2), await asked(true, NOW + 3), await asked(false, NOW + 3)]).toEqual([
      'why',
      AGAIN,
      AGAIN,
    ]);
    expect(await filed()).toEqual([`done-${LIFE}`, `over-${LIFE}`]);
    await expect(asked(true, NOW + 60 * MINUTE)).rejects.toThrow(
      'why; its end was asked for, and gt-shop-nux lives on',
    );
  });

  test('one that lives on after its hearing is known at once, and the wish of its own ends it', async () => {
    await asked(false);
    await hears(`over-${LIFE}`);
    expect(await asked(false, NOW + 1)).toBe(AGAIN);
    await world.disk.remove(paths.held(`over-${LIFE}`));
    await expect(asked(false, NOW + 2)).rejects.toThrow('why; its hearing is over, and gt-shop-nux lives on');
    expect([await asked(true, NOW + 3), await filed()]).toEqual(['why', [`done-${LIFE}`]]);
  });

  test('a note of an older town, which names no reason, keeps no wish back', async () => {
    await keepNote(world.disk, NUX, 'end', { kind: 'end', text: LIFE, at: NOW });
    expect([await asked(false, NOW + 1), await filed()]).toEqual([AGAIN, []]);
    expect([await asked(true, NOW + 1), await filed()]).toEqual(['why', [`done-${LIFE}`]]);
  });
});

describe('what stands so already is no act of a cycle', () => {
  const twice: readonly (readonly [string, OrderedAct])[] = [
    ['a close', { act: 'close', bead: 'tw-1', reason: 'merged' }],
    ['a label', { act: 'label', wisp: 'tw-1', add: 'told:recovery' }],
    ['a bead taken back', { act: 'reopen', bead: 'tw-1', from: NUX, why: 'dead', left: null }],
    ['a letter', { act: 'send', to: 'mayor', subject: 'HELP', body: '', of: 'm1' }],
    ['a case', { act: 'triage', type: 'stuck_agent', agent: NUX, context: 'it does not move' }],
    ['what a person is told', { act: 'tell', severity: 'high', about: 'help/nux', text: 'nux needs help' }],
  ];
  test.each(twice)('%s', async (_, act) => {
    await put('tw-1', hooked);
    expect(await carryOut(deps(), act)).toMatchObject({ act: act.act, done: true });
    expect(await carryOut(deps({ now: NOW + 1 }), act)).toBe(null);
  });
});

describe('a nudge that is refused', () => {
  const gentle: OrderedAct = { act: 'nudge', kind: 'gentle', agent: NUX, text: 'well?' };
  const refuses = (code: string) => deps({ nudge: () => Promise.reject(new Failure(EXIT.failed, code, code)) });
  const kept = async (what: Noted) => (await noteOf(world.disk, NUX, what))?.kind ?? null;
  // Rules: W-4.
  test.each<[code: string, counts: boolean]>([
    ['nudge_busy', true],
    ['nudge_paneless', true],
    ['nudge_protected', true],
    ['nudge_working', false],
    ['nudge_dialog', false],
    ['nudge_limited', false],
    ['nudge_person', false],
    ['nudge_recent', false],
    ['nudge_unknown', false],
  ])('%s counts as said: %s', async (code, counts) => {
    expect((await carryOut(refuses(code), gentle))?.done).toBe(false);
    expect(await kept('nudge')).toBe(counts ? 'gentle' : null);
    expect(await kept('hook-exempt')).toBe(code);
    await carryOut(deps({ now: NOW + 1 }), gentle);
    expect(await kept('hook-exempt')).toBe(NOT_EXEMPT);
  });

  // Rules: P-3, W-4.
  test.each(['red', 'empty', 'dirty'] as const)('is noted as not typed where it is %s', async (kind) => {
    const words: OrderedAct = { act: 'nudge', kind, agent: NUX, text: 'Not done yet' };
    await carryOut(refuses('nudge_paneless'), words);
    expect(await kept(kind)).toBe(UNTYPED);
    await carryOut(deps({ now: NOW + 1 }), words);
    expect(await kept(kind)).toBe(kind);
  });
});

// Rules: W-4.
test('a case about one that hangs shows the end of its screen, looked at once', async () => {
  let looks = 0;
  const tailOf = () => Promise.resolve(`? an unknown screen ${(looks += 1)}`);
  const stuck: OrderedAct = { act: 'triage', type: 'stuck_agent', agent: NUX, context: 'no progress' };
  const first = await carryOut(deps({ tailOf }), stuck);
  expect(await carryOut(deps({ tailOf }), stuck)).toBe(null);
  expect((await shown(first?.text ?? '')).description).toBe(
    'no progress\nThe end of its screen:\n? an unknown screen 1',
  );
  expect(looks).toBe(1);
});
