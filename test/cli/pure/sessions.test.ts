/** Sessions for people: one sentence, those that are heard or sick on top, and what is said of each. */
import { expect, test } from 'vitest';
import { agentsText, askedText } from '../../../src/cli/commands/home.ts';
import {
  accountLines,
  conditionOf,
  hearingText,
  notWatched,
  notWatchedLines,
  sessionLines,
  sessionsSentence,
  sessionTable,
} from '../../../src/cli/session-table.ts';
import type { AgentState } from '../../../machines/sessions/agent-state.ts';
import type { HearingView, SessionView } from '../../../src/overview/sessions.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const iso = (ms: number): string => new Date(NOW + ms).toISOString();
const MINUTE = 60_000;

const view = (name: string, more: Partial<SessionView> = {}): SessionView => ({
  name,
  state: 'running',
  alive: true,
  pid: 7,
  uuid: 'u',
  tags: [],
  restart: 'transient',
  restarts: 0,
  command: [],
  dir: '/',
  in_tmux: true,
  started_at: iso(-3 * 60 * MINUTE),
  crash_loop: false,
  next_start_at: null,
  memory_bytes: 1_440_000_000,
  cpu: 0.254,
  screen: null,
  conversation: null,
  asks: null,
  hearing: null,
  survivors: [],
  note: '',
  ...more,
});
const HEARING: HearingView = {
  dance: 'dog-1',
  stage: 'interrogating.listening',
  question: 3,
  questions: 3,
  charge: 'it loops',
  requester: 'mayor',
  window_ends_at: iso(2 * MINUTE),
  not_typed: null,
  waits: false,
};
const HEARD = view('c', { hearing: HEARING });
const AGAIN = view('b', {
  state: 'backing_off',
  alive: false,
  next_start_at: iso(21_000),
  memory_bytes: null,
  cpu: null,
  note: 'ended with exit code 3; starts again',
});
const ENDED = view('e', { state: 'ended', alive: false });
const FOREIGN = view('x', { state: 'foreign', alive: null, started_at: null, note: 'not ours, never touched' });

const by = (state: AgentState) => ({ state, source: 'claude session file', since: iso(-3 * MINUTE) });

test.each<[string, Partial<SessionView>]>([
  ['running', {}],
  ['observed', { state: 'observed' }],
  ['gone', { alive: false }],
  ['gone', { state: 'observed', alive: false }],
  ['unknown', { alive: null }],
  ['crash loop', { state: 'backing_off', alive: false, crash_loop: true }],
  ['crash loop', { crash_loop: true }],
  ['backing off', { state: 'backing_off', alive: false }],
  ['starting', { state: 'starting' }],
  ['ended', { state: 'ended', alive: false, crash_loop: true }],
  ['foreign', { state: 'foreign', alive: null }],
  ['heard', { hearing: HEARING, alive: false }],
  ['working', { screen: by('working') }],
  ['idle', { state: 'observed', screen: by('idle') }],
  ['logged out', { screen: by('logged_out') }],
  ['running', { screen: by('unknown') }],
  ['gone', { screen: by('working'), alive: false }],
  ['asks', { screen: by('working'), asks: 'Proceed?' }],
])('%s', (condition, more) => {
  expect(conditionOf(view('a', more))).toBe(condition);
});

test('one sentence counts each session once, what is well first', () => {
  const views = [...[1, 2, 3].map((n) => view(`a${n}`)), HEARD, AGAIN, FOREIGN];
  expect(sessionsSentence(views)).toBe('5 sessions: 3 run, 1 is heard, 1 starts again; 1 other in tmux is not ours');
  expect(sessionsSentence([view('a')])).toBe('1 session runs');
  expect(sessionsSentence([view('a'), view('b')])).toBe('2 sessions run');
  expect(sessionsSentence([HEARD, FOREIGN])).toBe('1 session is heard; 1 other in tmux is not ours');
  expect(sessionsSentence([FOREIGN, FOREIGN])).toBe('no sessions; 2 others in tmux are not ours');
  expect(sessionsSentence([])).toBe('no sessions');
});

test('the heard and the sick are on top, the others keep their order', () => {
  const gone = view('d', { alive: false });
  const odd = view('e', { note: 'still running: 7 node' });
  const lines = sessionTable([view('a1'), AGAIN, view('a2'), HEARD, gone, odd, FOREIGN], NOW).split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['NAME', 'c', 'd', 'b', 'e', 'a1', 'a2', 'x']);
  expect(lines[0]).toMatch(/^NAME +STATE +AGE +CPU +MEMORY +RESTARTS +PID +NOTE$/);
  expect(lines[1]).toMatch(/^c +heard +3 h +25 % +1\.4 GB +0 +7 +question 3 of 3, 2 min left$/);
  expect(lines[3]).toMatch(/^b +backing off +- +- +- +0 +- +ended with exit code 3; starts again in 21 s$/);
  expect(lines[7]).toMatch(/^x +foreign +- +.*not ours, never touched$/);
});

test('one that is adopted is called so once', () => {
  const note = 'adopted; its session is called mine in tmux';
  const row = (more: Partial<SessionView>) =>
    sessionTable([view('a', { state: 'observed', ...more })], NOW).split('\n')[1];
  expect(row({ note, screen: by('working') })).toMatch(/7 +its session is called mine in tmux; adopted$/);
  expect(row({ note })).toMatch(/^a +observed .*7 +its session is called mine in tmux$/);
  expect(row({ note: 'adopted', screen: by('working') })).toMatch(/7 +adopted$/);
});

// Rules: M-2.
test('where the sources of one disagree, each is shown', () => {
  const disagree = [by('working'), { ...by('idle'), source: 'screen, by pack claude' }];
  const odd = view('a', { screen: { state: 'unknown', source: null, since: null, disagree } });
  const words = 'its sources disagree: working by claude session file, idle by screen, by pack claude';
  expect(sessionTable([odd], NOW)).toContain(words);
  expect(sessionLines(odd, NOW)).toContain(`unknown, ${words}`);
  expect(sessionLines(view('b', { screen: by('working') }), NOW)).toContain(
    'working for 3 min, by claude session file',
  );
});

test.each<[Partial<HearingView>, string]>([
  [{}, 'question 3 of 3, 2 min left'],
  [{ window_ends_at: iso(-5) }, 'question 3 of 3, 0 s left'],
  [{ window_ends_at: null }, 'question 3 of 3'],
  [{ stage: 'interrogating.suspended' }, 'question 3 of 3 waits: a person is at the keys'],
  [
    { stage: 'interrogating.suspended', not_typed: 'not typed: a person moved its pane %1 to session $2' },
    'question 3 of 3 waits; not typed: a person moved its pane %1 to session $2',
  ],
  [{ stage: 'interrogating.retrying' }, 'question 3 of 3 is to be asked'],
  [
    { stage: 'interrogating.retrying', not_typed: 'not typed: copy mode' },
    'question 3 of 3 is to be asked; not typed: copy mode',
  ],
  [{ stage: 'evaluating' }, 'question 3 of 3 is judged'],
  [{ stage: 'executing.killing' }, 'its end is under way'],
  [{ stage: 'pardoned' }, 'its hearing ends'],
])('a hearing: %j', (more, told) => {
  expect(hearingText({ ...HEARING, ...more }, NOW)).toBe(told);
});

const UNLOOKED = view('u', { unlooked: true });
const ASKING = view('b', { asks: 'Do you want to proceed?' });

test.each<[views: SessionView[], open: number, isUp: boolean, asked: string]>([
  [[view('a')], 0, true, 'nothing asks you anything'],
  [[], 0, true, 'nothing asks you anything'],
  [[view('a'), UNLOOKED], 0, true, 'no question so far, but the town has not looked at 1 of 2 panes yet'],
  [[view('a'), UNLOOKED], 1, true, '1 question for you, the town has not looked at 1 of 2 panes yet'],
  [[view('a')], 2, true, '2 questions for you'],
  [[view('a')], 0, false, 'no question is open, and no town looks at its panes'],
  [[view('a'), ASKING], 0, false, 'no question is open, and no town looks at its panes, but b asks in its pane'],
])('what asks is claimed of panes that were seen alone: case %#', (views, open, isUp, asked) => {
  const glance = { town: isUp ? {} : null, overview: { sessions: views } } as unknown as Parameters<
    typeof askedText
  >[0];
  expect(askedText(glance, open)).toBe(asked);
});

// Rules: R-4.
test.each<[sessions: SessionView[], said: string]>([
  [[view('a'), AGAIN, ENDED, FOREIGN], '1 of 2 agents alive'],
  [[ENDED, FOREIGN], 'its agent has ended'],
  [[ENDED, ENDED], 'all 2 agents have ended'],
  [[FOREIGN], 'no agents yet'],
])('a bare `town` counts agents that are to live: %#', (sessions, said) => {
  const glance = { overview: { sessions } } as unknown as Parameters<typeof agentsText>[0];
  expect(agentsText(glance)).toBe(said);
});

test('the sentence of `status` says at how many panes the town has not looked', () => {
  expect(sessionsSentence([view('a'), UNLOOKED, FOREIGN])).toMatch(/; the town has not looked at 1 of 2 panes yet$/);
  expect(sessionsSentence([view('a')])).not.toContain('looked');
});

// Rules: M-13.
test('sessions without ears are named with the reason, a line for each, and all of them in data', () => {
  const deaf = (name: string, because: string) =>
    view(name, { screen: { state: 'unknown', source: null, since: null, not_watched: because } });
  const views = [view('heard'), deaf('make', 'no pack knows the program'), deaf('cron', 'it has no pane')];
  const many = Array.from({ length: 9 }, (_, at) => deaf(`w${at}`, 'no pack knows the program'));
  expect(notWatched(views)).toEqual([
    { session: 'make', because: 'no pack knows the program' },
    { session: 'cron', because: 'it has no pane' },
  ]);
  expect(notWatchedLines(notWatched([...views, ...many]))).toEqual([
    '10 not watched, because no pack knows the program: make, w0, w1, w2, w3, w4, w5, w6, … 2 more: `town status --json`',
    '1 not watched, because it has no pane: cron',
  ]);
  const own = { ...deaf('gt-shop-refinery', 'no pack knows the program'), tags: ['refinery', 'rig:shop'] };
  expect(notWatched([{ ...own, command: ['town', 'refinery'] }])).toEqual([]);
  expect(notWatched([{ ...own, command: ['my-agent'] }])).toHaveLength(1);
  expect([notWatched(null), notWatchedLines([])]).toEqual([[], []]);
  const said = { state: 'working', source: 'its program', since: null } as const;
  const torn = view('torn', { screen: { state: 'unknown', source: null, since: null, disagree: [said, said] } });
  expect(notWatchedLines(notWatched([torn]))).toEqual([
    '1 not watched, because two sources contradict each other: torn',
  ]);
});

test('a usage limit in `status`: when the first is back, that this was so, and how many were told to go on', () => {
  const at = Date.now();
  const limited = (name: string, ms: number, told?: string): SessionView => {
    const resets_at = new Date(at + ms).toISOString();
    const limit = { barred: 'limited', since: resets_at, resets: '1am', resets_at } as const;
    return view(name, { account: { id: 'a', label: '~/.claude', ...limit, ...(told !== undefined && { told }) } });
  };
  const hour = 60 * MINUTE;
  expect(accountLines([limited('a', hour), limited('b', hour)])[0]).toMatch(
    /^account ~\/\.claude: 2 of 2 sessions are at the usage limit, the first back at \S+$/,
  );
  expect(accountLines([limited('a', -hour, iso(0)), limited('b', hour)])[0]).toMatch(
    /limit, whose time was over at \S+; 1 told to go on$/,
  );
  expect(accountLines([limited('a', -hour, iso(0))])[0]).toMatch(/; told to go on$/);
});
