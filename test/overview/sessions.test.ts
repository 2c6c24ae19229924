/** C-14: whether an agent lives comes from its process and from tmux when asked; where a record says otherwise, both are shown. */
import { describe, expect, test } from 'vitest';
import type { Dance, SessionRecord } from '../../machines/protocol.ts';
import { verdictOf, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import { freshDance, noteAttempt, untypedNote } from '../../machines/hearings/dance.ts';
import { agentsNow, type AgentsDeps } from '../../src/overview/agents-now.ts';
import type { Scene } from '../../src/overview/scene.ts';
import { sessionViews, type Around } from '../../src/overview/sessions.ts';
import { incarnation } from '../world/drive.ts';
import { tools } from '../hearings/lone.ts';

const LIFE = incarnation(1, { session: 'builder' });
const record = (more: Partial<SessionRecord> = {}): SessionRecord => ({
  spec: { name: 'builder', command: ['agent'], dir: '/', tags: [], restart: 'transient', process: null },
  state: 'running',
  incarnation: LIFE,
  pending: null,
  tokenHash: null,
  restartAgesMs: [],
  streak: 0,
  restarts: 0,
  crashLoop: false,
  waitMs: 0,
  stableMs: 0,
  lastExit: null,
  note: 'running',
  startedAt: 1_000,
  ...more,
});
const scene = (more: Partial<Scene> = {}): Scene => ({
  socketPath: '/s',
  sessions: [
    { sessionId: '$1', name: 'builder', attached: 0, panes: [{ paneId: '%1', pid: LIFE.agent.pid, dead: false }] },
    { sessionId: '$2', name: 'mine', attached: 1, panes: [{ paneId: '%2', pid: 9, dead: false }] },
  ],
  fault: null,
  ...more,
});
const around = (seen: Scene, processes: Around['processes'], more: Partial<Around> = {}): Around => ({
  scene: seen,
  processes,
  dances: [],
  doubtful: [],
  loads: new Map(),
  rateOf: () => null,
  asksOf: () => null,
  tokensOf: () => null,
  agents: new Map(),
  wall: 11_000,
  ...more,
});
const unknown = (): never => {
  throw new Error('no more descriptors');
};

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

// Rules: M-2.
describe('how an agent is', () => {
  const SINCE = Date.UTC(2026, 10, 27, 12);
  const word = (more: Partial<Word> = {}): Word => ({
    by: 'program',
    source: 'claude session file',
    state: 'working',
    since: SINCE,
    at: SINCE,
    detail: null,
    rule: null,
    ...more,
  });
  const told = { state: 'working', source: 'claude session file', since: '2026-11-27T12:00:00.000Z' };
  const seen = word({
    by: 'screen',
    source: 'screen, by pack claude',
    state: 'idle',
    since: null,
    rule: 'claude/idle',
  });
  const both = { state: 'unknown', word: null, disagree: [word(), seen] } as const;
  test.each<[string, Verdict, object]>([
    ['one source tells', { state: 'working', word: word(), disagree: [] }, { screen: told, asks: null }],
    ['no source tells', verdictOf([]), { screen: { state: 'unknown', source: null, since: null }, asks: 'Proceed?' }],
    [
      'a pack tells by a rule',
      { state: 'idle', word: seen, disagree: [] },
      { screen: { state: 'idle', source: 'screen, by pack claude', since: null, rule: 'claude/idle' } },
    ],
    [
      'it asks, by its own word',
      verdictOf([word({ state: 'asks', detail: 'permission prompt' })]),
      { screen: { ...told, state: 'asks' }, asks: 'permission prompt' },
    ],
    [
      'two disagree',
      both,
      {
        screen: {
          state: 'unknown',
          source: null,
          since: null,
          disagree: [told, { state: 'idle', source: 'screen, by pack claude', since: null, rule: 'claude/idle' }],
        },
      },
    ],
  ])('%s', (_, verdict, shown) => {
    const agents = new Map([[LIFE.uuid, { verdict, unheard: null, conversation: 'c-1' }]]);
    const more = { agents, asksOf: () => 'Proceed?' };
    const [view] = sessionViews([record()], around(scene(), { alive: () => true }, more));
    expect(view).toMatchObject({ ...shown, conversation: { id: 'c-1' } });
  });

  test('is not told of one that does not live', () => {
    const agents = new Map([[LIFE.uuid, { verdict: verdictOf([word()]), unheard: null, conversation: 'c-1' }]]);
    const [view] = sessionViews([record()], around(scene(), { alive: () => false }, { agents }));
    expect(view).toMatchObject({ screen: null, conversation: null });
  });

  // Rules: M-13.
  test('names why no source tells it', () => {
    const agents = new Map([
      [LIFE.uuid, { verdict: verdictOf([]), unheard: 'no pack knows the program', conversation: null }],
    ]);
    const [view] = sessionViews([record()], around(scene(), { alive: () => true }, { agents }));
    expect(view?.screen).toMatchObject({ state: 'unknown', not_watched: 'no pack knows the program' });
  });

  // Rules: M-13.
  test.each([
    [['town', 'refinery'], false],
    [['/usr/bin/node', '/opt/dist/town.cjs', '--root', '/r', 'refinery'], false],
    [['my-agent', 'refinery'], true],
    [['town', 'status'], true],
    [['/opt/hometown', 'refinery'], true],
  ])('is not looked for in a program of the town: %s', (command, isNamed) => {
    const agents = new Map([
      [LIFE.uuid, { verdict: verdictOf([]), unheard: 'no pack knows the program', conversation: null }],
    ]);
    const one = record();
    const [view] = sessionViews(
      [{ ...one, spec: { ...one.spec, command } }],
      around(scene(), { alive: () => true }, { agents }),
    );
    expect(view?.screen?.not_watched !== undefined).toBe(isNamed);
  });
});

// Rules: M-13.
describe('a session is not watched', () => {
  const ours: Word = { by: 'program', source: 'p', state: 'working', since: null, at: 1, detail: null, rule: null };
  const seen: Word = { ...ours, by: 'screen' };
  const deaf = { word: null, unheard: 'no pack knows the program' };
  test.each<[string, Word | null, 'tmux' | 'detached', ReturnType<AgentsDeps['seen']>, string | null]>([
    ['where neither program nor screen tells', null, 'tmux', deaf, 'no pack knows the program'],
    ['where it has no pane', null, 'detached', undefined, 'it has no pane'],
    ['but where its program tells', ours, 'tmux', deaf, null],
    ['but where its program tells without a pane', ours, 'detached', undefined, null],
    ['but where its screen tells', null, 'tmux', { word: seen, unheard: null }, null],
    ['but before the first look', null, 'tmux', undefined, null],
  ])('%s', async (_, own, origin, screen, why) => {
    const life = { ...LIFE, origin: origin === 'detached' ? origin : LIFE.origin };
    const heard = own === null ? new Map() : new Map([[life.uuid, { word: own, conversation: null }]]);
    const now = await agentsNow({ sources: { of: () => Promise.resolve(heard) }, seen: () => screen, reported: null }, [
      life,
    ]);
    expect(now.get(life.uuid)?.unheard).toBe(why);
  });
});
