/** C-14: whether an agent lives comes from its process and from tmux when asked; where a record says otherwise, both are shown. */
import { expect, test } from 'vitest';
import type { Dance, SessionRecord } from '../../machines/protocol.ts';
import { freshDance, noteAttempt, untypedNote } from '../../machines/hearings/dance.ts';
import type { Scene } from '../../src/overview/scene.ts';
import { sessionViews, type Around } from '../../src/overview/sessions.ts';
import { tools } from '../hearings/lone.ts';
import { around, LIFE, record, scene, unknown } from './one-session.ts';

// Rules: C-14.
test.each<[what: string, state: SessionRecord['state'], alive: () => boolean, shown: object]>([
  ['it lives', 'running', () => true, { state: 'running', alive: true, note: '' }],
  [
    'it is gone',
    'running',
    () => false,
    { state: 'running', alive: false, note: 'its process is gone; the record has not caught up' },
  ],
  [
    'an adopted one is gone',
    'observed',
    () => false,
    { alive: false, note: expect.stringContaining('its process is gone') as string },
  ],
  [
    'it lives though it ended',
    'ended',
    () => true,
    { state: 'ended', alive: true, note: expect.stringContaining('its process lives, though the record says ended') as string }, // prettier-ignore
  ],
  ['it is starting', 'starting', () => true, { state: 'starting', alive: true, note: 'running' }],
  ['the system does not tell', 'running', unknown, { state: 'running', alive: null, note: '' }],
])('%s', (_what, state, alive, shown) => {
  const [view] = sessionViews([record({ state })], around(scene(), { alive }));
  expect(view).toMatchObject({ name: 'builder', in_tmux: true, ...shown });
});

test('one whose record cannot be read is no stranger, wherever it runs', () => {
  const views = sessionViews([record()], around(scene(), { alive: () => true }, { doubtful: ['mine', 'direct'] }));
  expect(views.slice(1)).toMatchObject([
    { name: 'direct', state: 'unknown', in_tmux: false, note: 'its record cannot be read' },
    { name: 'mine', state: 'unknown', in_tmux: true, pid: 9 },
  ]);
});

// Rules: C-14.
test.each<[what: string, more: Partial<SessionRecord>, seen: Partial<Scene>, in_tmux: boolean | null, isTold: boolean]>(
  [
    ['in its pane', {}, {}, true, false],
    ['without its pane', {}, { sessions: [] }, false, true],
    [
      'without its pane, in the name of another',
      {},
      { sessions: [{ sessionId: '$7', name: 'builder', attached: 0, panes: [{ paneId: '%7', pid: 9, dead: false }] }] },
      true,
      true,
    ],
    ['tmux does not answer', {}, { sessions: [], fault: 'tmux did not answer' }, null, false],
    [
      'detached: it never had one',
      { incarnation: { ...LIFE, origin: 'detached', paneId: '' } },
      { sessions: [] },
      false,
      false,
    ],
  ],
)('alive, %s', (_what, more, seen, in_tmux, isTold) => {
  const [view] = sessionViews([record(more)], around(scene(seen), { alive: () => true }));
  expect(view).toMatchObject({ alive: true, in_tmux });
  expect(view?.note.includes('its process lives, but its pane %1 is not in tmux')).toBe(isTold);
  const [gone] = sessionViews([record(more)], around(scene(seen), { alive: () => false }));
  expect(gone?.note).not.toContain('not in tmux');
});

// Rules: C-14.
test('alive, in a pane that a person moved: the note names the session that has it, by the process in that pane', () => {
  const note = (paneId: string, pid: number): string => {
    const other = { sessionId: '$7', name: 'mine', attached: 0, panes: [{ paneId, pid, dead: false }] };
    const [view] = sessionViews([record()], around(scene({ sessions: [other] }), { alive: () => true }));
    return view?.note ?? '';
  };
  const { pid } = LIFE.agent;
  expect(note('%1', pid)).toContain('its pane %1 was moved to the session mine of tmux');
  expect(note('%1', pid + 1)).toContain('its pane %1 is not in tmux');
});

// Rules: C-14.
test('a session without a record is foreign; what tmux does not tell is not known to be in it', () => {
  const alive = (): boolean => true;
  expect(sessionViews([record()], around(scene(), { alive }))[1]).toMatchObject({
    name: 'mine',
    state: 'foreign',
    alive: null,
  });
  const silent = scene({ sessions: [], fault: 'tmux did not answer' });
  expect(sessionViews([record()], around(silent, { alive }))).toMatchObject([
    { name: 'builder', in_tmux: null, alive: true },
  ]);
  expect(sessionViews([record()], around(scene({ sessions: [] }), { alive }))).toMatchObject([
    { in_tmux: false, alive: true },
  ]);
});

test('the session in which a start begins is part of that start, under whose name it is shown', () => {
  const uuid = '8ff30f26-3067-4cdf-b69c-04e1b0ab3e23';
  const seen = (start: string) =>
    scene({
      sessions: [
        { sessionId: '$3', name: `_town-${start}`, attached: 0, panes: [{ paneId: '%3', pid: 9, dead: false }] },
      ],
    });
  const starting = record({ state: 'starting', incarnation: null, pending: uuid });
  const states = (start: string) =>
    sessionViews([starting], around(seen(start), { alive: () => false })).map(({ name, state }) => [name, state]);
  expect(states(uuid)).toEqual([['builder', 'starting']]);
  expect(states('another')).toContainEqual(['_town-another', 'foreign']);
});

test('an agent in the name of a session that never lived is another one, and shown so', () => {
  const spec = { ...record().spec, name: 'mine' };
  const unborn = record({ spec, state: 'ended', incarnation: null, note: 'not started' });
  const states = (one: Scene) =>
    sessionViews([unborn], around(one, { alive: () => false })).map(({ name, state }) => [name, state]);
  expect(states(scene())).toContainEqual(['mine', 'foreign']);
  expect(states(scene())).not.toContainEqual(['mine', 'ended']);
  expect(states(scene({ sessions: [] }))).toEqual([['mine', 'ended']]);
});

test('names are ordered as people count, ours before those of others', () => {
  const named = (name: string) => record({ spec: { ...record().spec, name }, incarnation: null });
  const views = sessionViews(['a10', 'b', 'a2', 'a1'].map(named), around(scene(), { alive: () => true }));
  expect(views.map(({ name }) => name)).toEqual(['a1', 'a2', 'a10', 'b', 'builder', 'mine']);
});

test('what its tree takes: CPU of late where it was measured, else over its life; nothing of who does not live', () => {
  const loads = new Map([[LIFE.uuid, { cpuMs: 2_500, memoryBytes: 7 }]]);
  const cpu = (more: Partial<Around>, alive = true) =>
    sessionViews([record()], around(scene(), { alive: () => alive }, { loads, ...more }))[0];
  expect(cpu({})).toMatchObject({ memory_bytes: 7, cpu: 0.25 }); // of the ten seconds that it lives
  expect(cpu({ rateOf: () => 900 })).toMatchObject({ memory_bytes: 7, cpu: 0.9 });
  expect(cpu({ wall: 1_000 })).toMatchObject({ cpu: null });
  expect(cpu({ rateOf: () => 900 }, false)).toMatchObject({ memory_bytes: null, cpu: null });
});

test('the hearing of this life is told, that of an earlier one is not', () => {
  const warrant = { id: 'w', target: LIFE, reason: 'it loops', requester: 'mayor', filedAt: 1, force: false };
  const dance = freshDance('dog-1', 0, warrant, tools(), { wall: 1_500, escalate: false });
  const told = (target: Dance['target']) =>
    sessionViews([record()], around(scene(), { alive: () => true }, { dances: [{ ...dance, target }] }))[0]?.hearing;
  const hearing = { dance: 'dog-1', question: 1, questions: 3, charge: 'it loops', requester: 'mayor' };
  expect(told(LIFE)).toMatchObject({ ...hearing, window_ends_at: null });
  expect(told({ ...LIFE, uuid: 'another' })).toBeNull();
});

// Rules: D-14, law 7.
test('the hearing tells why its question is not typed', () => {
  const warrant = { id: 'w', target: LIFE, reason: 'it loops', requester: 'mayor', filedAt: 1, force: false };
  const dance = freshDance('dog-1', 0, warrant, tools(), { wall: 1_500, escalate: false });
  const noted = { ...dance, attempts: noteAttempt(dance, { seen: untypedNote('copy mode') }) };
  const told = (dances: readonly Dance[]) =>
    sessionViews([record()], around(scene(), { alive: () => true }, { dances }))[0]?.hearing?.not_typed;
  expect([told([dance]), told([noted])]).toEqual([null, 'not typed: copy mode']);
});

test.each<[what: string, asks: string | null | undefined, more: Partial<SessionRecord>, shown: object]>([
  ['seen, and asks nothing', null, {}, { asks: null }],
  ['seen, and asks', 'Do you want to proceed?', {}, { asks: 'Do you want to proceed?' }],
  ['not looked at since the start', undefined, {}, { asks: null, unlooked: true }],
  ['over by its record', undefined, { state: 'ended' }, { asks: null }],
])('a pane that was %s', (_, asks, more, shown) => {
  const [view] = sessionViews([record(more)], around(scene(), { alive: () => true }, { asksOf: () => asks }));
  expect({ asks: view?.asks, ...(view?.unlooked && { unlooked: true }) }).toEqual(shown);
});
