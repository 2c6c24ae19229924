import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Screen } from '../../src/screen/screen.ts';

const packs = new Packs();

const FIXTURES = join(import.meta.dirname, 'fixtures');
const rowsOf = (name: string): string[] => readFileSync(join(FIXTURES, `${name}.txt`), 'utf8').split('\n');
const judge = (name: string, rows: readonly string[]): Screen =>
  readScreen(packs.named(name.startsWith('claude') ? 'claude' : 'generic'), { ...UNKNOWN_PICTURE, rows });
const read = (name: string): Screen => judge(name, rowsOf(name));

type Expected = [name: string, state: Screen['state'], what: string | RegExp, timer?: number];
const TABLE: Expected[] = [
  ['claude-idle', 'idle', 'idle'],
  ['claude-idle-placeholder', 'idle', 'idle'],
  ['claude-idle-suggestion', 'idle', 'idle'],
  ['claude-idle-quoted-dialog', 'idle', 'idle'],
  ['claude-idle-quoted-busy', 'idle', 'idle'],
  ['claude-draft', 'draft', 'draft'],
  ['claude-busy', 'busy', /^✽ Pondering…/, 72],
  ['claude-busy-footer', 'busy', /^esc to interrupt/],
  ['claude-busy-waiting', 'busy', /^✻ Waiting for 3/],
  ['claude-busy-box', 'busy', /^✶ Herding…/, 7],
  ['claude-dialog-permission', 'blocked', 'Do you want to proceed?'],
  ['claude-dialog-question', 'blocked', 'Which store do you want to use?'],
  ['claude-dialog-plan', 'blocked', 'Would you like to proceed?'],
  ['claude-dialog-trust', 'blocked', /^Quick safety check/],
  ['claude-limit', 'limited', /^⏺ You've hit your session limit/],
  ['claude-limit-menu', 'blocked', 'What do you want to do?'],
  ['claude-limit-old', 'idle', 'idle'],
  ['claude-viewer', 'picker', /^Showing detailed transcript/],
  ['claude-picker', 'unknown', 'unknown'],
  ['generic-bash', 'idle', 'boss@town:~/rig$'],
  ['generic-reader', 'idle', '>'],
  ['generic-output', 'unknown', 'unknown'],
  ['generic-busy-codex', 'busy', /^• Working/, 12],
  ['generic-busy-gemini', 'busy', /Thinking/, 72],
  ['generic-dialog-codex', 'blocked', 'Would you like to run the following command?'],
  ['generic-dialog-aider', 'blocked', /^Add file/],
  ['generic-dialog-password', 'login', '[sudo] password for boss:'],
  ['generic-dialog-ssh', 'blocked', /^Are you sure/],
  ['generic-dialog-pager', 'picker', '(END)'],
  ['generic-quoted-dialog', 'unknown', 'unknown'],
  ['generic-empty', 'unknown', 'unknown'],
];

// Rules: M-2.
test.each(TABLE)('%s is %s', (name, state, what, timer) => {
  const screen = read(name);
  expect(screen.state).toBe(state);
  if (typeof what === 'string') expect(screen.what).toBe(what);
  else expect(screen.what).toMatch(what);
  expect(screen.timer).toBe(timer ?? null);
});

test('every fixture stands in the table', () => {
  expect(readdirSync(FIXTURES).sort()).toEqual(TABLE.map(([name]) => `${name}.txt`).sort());
});

describe('drafts', () => {
  test.each([
    ['claude-idle', ''],
    ['claude-idle-placeholder', ''],
    ['claude-idle-suggestion', ''],
    ['claude-busy-box', ''],
    ['claude-draft', 'please rename the\nfunction first'],
  ])('%s holds %j', (name, draft) => {
    expect(read(name).composer?.draft).toBe(draft);
  });

  test('what replaces a composer is none, and a program without a pack has none', () => {
    expect(read('claude-dialog-permission').composer).toBeNull();
    expect(read('generic-reader').composer).toBeNull();
  });
});

test('blank rows below change nothing', () => {
  for (const [name, state] of TABLE) {
    expect(judge(name, [...rowsOf(name), '', '', '']).state, name).toBe(state);
  }
});

// Rules: M-8.
test.each([
  [{ comm: 'claude', argv: ['claude', '--resume'] }, 'claude'],
  [{ comm: 'node', argv: ['node', '/usr/lib/node_modules/.bin/claude'] }, 'claude'],
  [{ comm: '2.1.234', argv: ['claude'] }, 'claude'],
  [{ comm: 'node', argv: ['node', 'server.js', '/home/claude'] }, 'generic'],
  [{ comm: 'vim', argv: ['vim', 'notes', 'claude'] }, 'generic'],
  [{ comm: 'bash', argv: ['bash', 'agent.sh'] }, 'generic'],
])('%j has the pack %s', (program, name) => {
  expect(packs.named(packs.kindOf(program) ?? 'generic').name).toBe(name);
});

const RULE = '─'.repeat(50);
const SPINNER = ['', '✶ Percolating… (20s · ↓ 1.2k tokens)', ''];
const talk = (...rows: string[]): string =>
  readScreen(packs.named('claude'), {
    ...UNKNOWN_PICTURE,
    rows: ['❯ test the page', '', ...rows, '', RULE, '❯\u00a0', RULE, '  ? for shortcuts'],
  }).state;
const LOGIN = 'Invalid API key · Please run /login';
const LIMIT = "You've hit your 5-hour limit · resets in 2 hours";
const CALL = '● Bash(./ci/smoke-test.sh)';

// Rules: law 11, M-9.
test.each([
  ['a login that an API call refused', 'login', [`  ⎿  ${LOGIN}`]],
  ['the same below a tool that ran before it', 'login', [CALL, '  ⎿  ok', `  ⎿  ${LOGIN}`]],
  ['the same as an answer', 'login', [`● ${LOGIN}`]],
  ['a limit', 'limited', [`  ⎿  ${LIMIT}`]],
  ['a limit of a model', 'limited', ['  ⎿  Opus weekly limit reached ∙ resets 3pm']],
  ['a limit of another model', 'limited', ['  ⎿  Opus 4 limit reached ∙ resets 3pm']],
  ['an expired session', 'login', ['● Session expired · Please run /login']],
  ['a limit below a tool that ran before it', 'limited', [CALL, '  ⎿  ok', '     all green', `  ⎿  ${LIMIT}`]],
  ['a tool that printed a login', 'idle', [CALL, `  ⎿  ${LOGIN}`, '', '● It fails.']],
  ['its last rows', 'idle', [CALL, `  ⎿  ok`, `     ⎿ ${LOGIN}`]],
  ['its last rows, after an empty one', 'idle', [CALL, `  ⎿  ok`, '', `     ${LIMIT}`]],
  ['a paragraph of its prose', 'idle', ['● The log says:', '', `  ${LIMIT}`]],
  ['a tool with a long call', 'idle', ['● Bash(curl -s \\', '      http://localhost)', `  ⎿  ${LOGIN}`]],
  ['a tool of a server', 'idle', ['● shop - get (MCP)(page: "/")', `  ⎿  ${LIMIT}`]],
  ['a command of the person', 'idle', ['! curl -s localhost', `  ⎿  ${LIMIT}`]],
  ['a tool that printed a limit', 'idle', [CALL, `  ⎿  ${LIMIT}`]],
  ['a tool that printed an error', 'idle', [CALL, `  ⎿  API Error: 500`]],
  ['its prose', 'idle', [`● The page says ${LOGIN}`]],
  ['its prose of a limit', 'idle', ['● The log says limit reached · it resets at 3am']],
  [
    'a limit before a person interrupted',
    'idle',
    [`  ⎿  ${LIMIT}`, '  ⎿  Interrupted · What should Claude do instead?'],
  ],
  ['a login while a turn runs', 'busy', [`  ⎿  ${LOGIN}`, ...SPINNER]],
])('Claude shows %s: %s', (_name, state, rows) => {
  expect(talk(...rows)).toBe(state);
});

// Rules: C-6, law 11.
test.each([
  ['task done. note: Claude AI usage limit reached yesterday', null],
  ['● The log says usage limit reached', null],
  ['## Usage limit reached', null],
  ['- Usage limit reached dialog: added', null],
  ['the shop ran out of credits', null],
  ["You've hit your usage limit. Try again at 3pm.", "You've hit your usage limit. Try again at 3pm."],
  ['  Error: usage limit reached', 'Error: usage limit reached'],
])('what a program that ended left on its screen, %s: limit %s', (row, limit) => {
  expect(packs.limitOn(['$ agent', row, ''])).toBe(limit);
});
