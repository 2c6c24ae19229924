import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture, Screen } from '../../src/screen/screen.ts';

const packs = new Packs();
const read = (agent: string, text: string, more: Partial<Picture> = {}): Screen =>
  readScreen(packs.named(agent), { ...UNKNOWN_PICTURE, rows: text.split('\n'), ...more });

/** What a screen shows. None of these is typed into but one that waits or works. */
type Row = readonly [name: string, text: string, state: Screen['state']];
function shows(agent: string, rows: readonly Row[]): void {
  test.each(rows)('%s', (_, text, state) => {
    const screen = read(agent, text);
    expect([screen.state, screen.mayType]).toEqual([state, state === 'idle' || state === 'busy']);
  });
}

const RULE = '─'.repeat(60);
const DIALOG = ' Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend';
const CLAUDE = `${RULE}\n❯ \n${RULE}\n  ? for shortcuts`;

describe('claude', () => {
  shows('claude', [
    ['an empty composer', `● Done.\n\n${CLAUDE}`, 'idle'],
    ['a dialog quoted above it', `● It asks:\n${DIALOG}\n\n${CLAUDE}`, 'idle'],
    ['a composer quoted above a dialog', `${CLAUDE}\n${RULE}\n Bash command\n\n   make\n\n${DIALOG}`, 'blocked'],
    ['a menu below an empty composer', `${CLAUDE}\n\n${DIALOG}`, 'blocked'],
    ['a shell command not begun', `${RULE}\n! \n${RULE}\n  ! for shell mode`, 'draft'],
    ['a dialog without a footer', `${RULE}\n  Make it the default?\n\n  ❯ Yes, make it so\n    No, keep it`, 'blocked'],
    ['retrying with a draft', `✻ API error · retrying in 3s · attempt 2/10\n\n${RULE}\n❯ no\n${RULE}`, 'busy_draft'],
    [
      'work beside the talk',
      `✻ Baked for 3s · done 9:00 PM\n\n${RULE}\n❯ \n${RULE}\n  ⏸ manual mode on · 1 shell`,
      'busy',
    ],
    ['an error before the last turn', `● API Error: no\n\n❯ again\n\n● Done.\n\n${CLAUDE}`, 'idle'],
    [
      'a limit before the last turn',
      `  ⎿  You've hit your 5-hour limit · resets 1pm\n\n❯ again\n\n● Done.\n\n${CLAUDE}`,
      'idle',
    ],
    ['its key is refused', `❯ go\n\n● API Error: Request rejected (429) · wait\n\n${CLAUDE}`, 'limited'],
    ['a shell below its last screen', `${CLAUDE}\n\nResume this session with:\nclaude --resume 1\nme@box:~$ `, 'gone'],
  ]);

  test('the cursor stands in a composer', () => {
    const at = (x: number, y: number): string => read('claude', CLAUDE, { cursor: { x, y } }).state;
    expect([at(2, 1), at(0, 4), at(5, 3)]).toEqual(['idle', 'unknown', 'unknown']);
  });

  test.each(['\u001b[7m', '\u001b[7m \u001b[27m', '\u001b[7mT\u001b[0;2mry "fix it"\u001b[0m'])(
    'or parked below all, where the program draws its own: %j',
    (drawn) => {
      const at = (x: number, y: number): string =>
        read('claude', `${RULE}\n❯ ${drawn}\n\u001b[0m${RULE}`, { cursor: { x, y } }).state;
      expect([at(0, 3), at(5, 3), at(0, 2)]).toEqual(['idle', 'unknown', 'unknown']);
    },
  );

  test('a suggestion has the cursor before it', () => {
    const text = `${RULE}\n❯ Try "fix the build"\n${RULE}`;
    expect(read('claude', text, { cursor: { x: 2, y: 1 } }).state).toBe('idle');
    expect(read('claude', text, { cursor: { x: 21, y: 1 } }).state).toBe('draft');
  });
});

const FOOTER = '  gpt-mock default · ~/shop\n  ← for agents · ? for shortcuts';

describe('codex', () => {
  shows('codex', [
    ['an empty composer', `• Done.\n\n› Ask Codex to do anything\n\n${FOOTER}`, 'idle'],
    ['it starts', '› Ask Codex to do anything\n\n  ? for shortcuts', 'unknown'],
    [
      'a numbered answer',
      'Would you like to run it?\n\n› 1. Yes (y)\n  2. No (esc)\n\n  Press enter to confirm',
      'blocked',
    ],
    ['a shell command not begun', `!\n\n${FOOTER}`, 'draft'],
    ['its talk is browsed', '› \n\n  gpt-mock default · ~/shop\n  Browsing · ↑↓/jk scroll · esc back', 'picker'],
    ['it has ended', '• Done.\n\nTo reconnect, run:\n  codex resume 1\nToken usage so far: total=60', 'gone'],
    ['a queue without a status row', `› go\n\n• Queued follow-up inputs\n  ↳ then this\n\n› \n\n${FOOTER}`, 'busy'],
    [
      'a free answer',
      '  Question 1/1\n\n  › Type your answer (optional)\n\n  enter to submit answer | esc to interrupt',
      'blocked',
    ],
    ['an older error', `■ stream ended\n\n› again\n\n• Done.\n\n› \n\n${FOOTER}`, 'idle'],
  ]);

  test('a draft reaches to the cursor, over any rows that it leaves blank', () => {
    const text = `• Done.\n\n› \n\n  the second line\n\n${FOOTER}`;
    const screen = read('codex', text, { cursor: { x: 17, y: 4 } });
    expect([screen.state, screen.composer?.draft]).toEqual(['draft', 'the second line']);
  });

  test('an empty composer suggests something: without that it holds blanks', () => {
    const at = (ghost: string): string =>
      read('codex', `• Done.\n\n› ${ghost}\n\n${FOOTER}`, { cursor: { x: 2, y: 2 } }).state;
    expect([at('Ask Codex to do anything'), at('')]).toEqual(['idle', 'draft']);
  });

  test('its title tells of a question and of work', () => {
    const text = `• Done.\n\n› \n\n${FOOTER}`;
    expect(read('codex', text, { title: '[ ! ] Action Required | shop' }).state).toBe('blocked');
    expect(read('codex', text, { title: '⠏ shop' })).toMatchObject({ state: 'busy', mayType: true });
  });
});

const BAR = `  ╹${'▀'.repeat(40)}`;

describe('opencode', () => {
  shows('opencode', [
    ['an empty composer', `  ┃\n  ┃\n  ┃\n  ┃  Build · Mock\n${BAR}`, 'idle'],
    ['a shell', `  ┃\n  ┃\n  ┃\n  ┃  Shell\n${BAR}\n   ~/shop   esc exit shell mode`, 'picker'],
    [
      'a box over the talk',
      `  ┃ go      Commands            esc\n\n  ┃\n  ┃\n  ┃\n  ┃  Build · Mock\n${BAR}`,
      'picker',
    ],
    ['a composer with a row missing', `  ┃\n  ┃\n  ┃  Build · Mock\n${BAR}`, 'unknown'],
    [
      'a limit',
      `  ┃\n  ┃\n  ┃\n  ┃  Build · Mock\n${BAR}\n   ⬝⬝⬝⬝⬝⬝⬝⬝ Quota exceeded [retrying in 9s attempt #2]`,
      'limited',
    ],
  ]);

  test('a box over the talk has the cursor', () => {
    const text = `  ┃\n  ┃\n  ┃\n  ┃  Build · Mock\n${BAR}`;
    expect(read('opencode', text, { cursor: { x: 5, y: 1 } }).mayType).toBe(true);
    expect(read('opencode', text, { cursor: { x: 80, y: 23 } }).mayType).toBe(false);
  });
});

describe('a composer that the cursor is not in is a quotation', () => {
  test.each([
    ['gemini', `╭${RULE}╮\n│ >  │\n╰${RULE}╯`],
    ['copilot', `╭${RULE}╮\n│ >  │\n╰${RULE}╯`],
    ['cursor-agent', '  → Add a follow-up\n\n  and then you type.'],
  ])('%s', (agent, text) => {
    const rows = text.split('\n');
    const y = rows.findIndex((row) => /[>→]/.test(row));
    expect(read(agent, text, { cursor: { x: 4, y } }).mayType).toBe(true);
    expect(read(agent, text, { cursor: { x: 0, y: rows.length } }).mayType).toBe(false);
  });
});

test.each([
  ['gemini', 3, `▄▄▄▄▄▄▄▄\n >   Type your message or\n   @path/to/file\n▀▀▀▀▀▀▀▀`],
  ['gemini', 3, `▄▄▄▄▄▄▄▄\n >   Type your message or @pat…\n▀▀▀▀▀▀▀▀`],
  ['qwen', 2, `${RULE}\n>   Type your message or\n  @path/to/file\n${RULE}`],
  ['cursor-agent', 4, '\n  → Plan, search, build\n    anything\n  Composer 2.5'],
])('the suggestion of %s is one in a narrow terminal too', (agent, x, text) => {
  expect(read(agent, text, { cursor: { x, y: 1 } }).mayType).toBe(true);
  expect(read(agent, text, { cursor: { x: x + 9, y: 1 } }).mayType).toBe(false);
});

describe('aider', () => {
  test.each<[prompt: string, above: string, mayType: boolean]>([
    ['>', 'README.md', true],
    ['ask>', 'README.md', true],
    ['editor-diff>', 'README.md', true],
    ['mysql>', 'Welcome to the MySQL monitor.', false],
    ['>', 'ask> /run node', false],
  ])('%s below %j', (prompt, above, mayType) => {
    const cursor = { x: prompt.length + 1, y: 2 };
    expect(read('aider', `${RULE}\n${above}\n${prompt} `, { cursor }).mayType).toBe(mayType);
  });
});

test('the footer of Copilot tells that blanks are typed', () => {
  const screen = (hints: string): Screen =>
    read('copilot', `${RULE}\n❯\n${RULE}\n Interactive · ${hints}`, { cursor: { x: 2, y: 1 } });
  expect([screen('/ commands').state, screen('@ files · # issues').state]).toEqual(['idle', 'draft']);
});

const ASKS = ' Run this command?\n Not in allowlist: echo\n  → Run (once) (y)\n    Skip (esc or n)';
const BOX = (rows: string, edge = ''): string => `╭─smart${RULE}╮\n${rows}\n╰${edge}${RULE}╯`;
describe('cursor-agent', () => {
  shows('cursor-agent', [
    ['an empty composer', '  OK\n\n  → Add a follow-up\n\n  Composer 2.5', 'idle'],
    ['a draft', '  OK\n\n  → do not\n\n  Composer 2.5', 'draft'],
    ['work', '  ⠠⠛ Composing  3 tokens\n\n  → Add a follow-up      ctrl+c to stop', 'busy'],
    ['an approval', `  $ echo hi\n${RULE}\n${ASKS}`, 'blocked'],
    ['an approval above a composer', `${ASKS}\n\n  → Add a follow-up\n\n  Composer 2.5`, 'blocked'],
    ['a correction', '  → Tell the agent what to do instead (Enter to send, Esc to cancel)', 'blocked'],
    ['trust', '╭────╮\n│  ▶ [a] Trust this workspace │\n│    [q] Quit │\n╰────╯', 'blocked'],
  ]);
});

describe('amp', () => {
  shows('amp', [
    ['a field that says what Enter does', BOX('│   │\n│   │', ' Enter to submit '), 'blocked'],
    ['a box that asks above', `  ╭────╮\n  │ Delete it? │\n  ╰────╯\n${BOX('│   │\n│   │')}`, 'picker'],
    ['an empty composer', BOX('│   │\n│   │'), 'idle'],
    ['a draft', BOX('│ do not │\n│   │'), 'draft'],
    ['work', BOX('│   │\n│   │', ' ≋ Streaming ─── Esc to cancel '), 'busy'],
    ['an approval', BOX('│ Run this command? │\n│ ▸ Approve │\n│   Deny with feedback │'), 'blocked'],
  ]);
});

test.each([
  ['claude', ['/x/@anthropic-ai/claude-code/bin/claude.exe'], 'claude'],
  ['2.1.330', ['/home/me/.local/share/claude/versions/2.1.330'], 'claude'],
  ['codex', ['/x/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex'], 'codex'],
  ['codex', ['/x/releases/0.169.0/bin/codex', 'app-server', '--listen', 'unix://'], null],
  ['codex', ['codex-linux-sandbox', '--sandbox-policy-cwd', '/x'], null],
  ['opencode.exe', ['/x/opencode-ai/bin/opencode.exe'], 'opencode'],
  ['amp', ['amp'], 'amp'],
])('%s %j is %s', (comm, argv, kind) => {
  expect(packs.kindOf({ comm, argv })).toBe(kind);
});

describe('in a narrow terminal what a program says is broken over rows', () => {
  const COMPOSER = `${'─'.repeat(30)}\n❯ \n${'─'.repeat(30)}`;
  test.each([
    ['words', 'Please use /login\nto sign in to use Copilot'],
    ['letters', 'Please use /login to sig\nn in to use Copilot'],
  ])('%s', (_, said) => {
    const text = `${said}\n ~/shop\n${COMPOSER}\n Interactive`;
    expect(read('copilot', text, { width: 30 })).toMatchObject({ state: 'login', mayType: false });
    expect(read('copilot', text, { width: 100 })).toMatchObject({ state: 'idle', mayType: true });
  });

  test('rows with another one between them are no sentence', () => {
    const text = `Please use /login\nor not\nto sign in\n ~/shop\n${COMPOSER}\n Interactive`;
    expect(read('copilot', text, { width: 30 }).mayType).toBe(true);
  });
});
