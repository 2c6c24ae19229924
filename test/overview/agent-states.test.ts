/** How the agent of a session is: what its sources tell, why none does, and when it is not watched (M-2). */
import { describe, expect, test } from 'vitest';
import { verdictOf, type Verdict, type Word } from '../../machines/sessions/agent-state.ts';
import { agentsNow, type AgentsDeps } from '../../src/overview/agents-now.ts';
import { sessionViews } from '../../src/overview/sessions.ts';
import { around, LIFE, record, scene } from './one-session.ts';

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
