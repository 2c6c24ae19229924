/**
 * What a person opens beside the talk, and drafts that are hard to see: one row for each screen, with the keys that lead to it
 * and those that leave it. A row's label is what was seen on the screen.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from './actor.ts';
import type { Variant } from './program.ts';
import type { Label } from './screen.ts';

/** Names of keys, as tmux takes them; anything else is typed. */
type Keys = readonly string[];

type View = readonly [scene: string, state: Label, open: Keys, leave: Keys];

export interface Take {
  readonly variant?: Variant;
  readonly agents?: readonly string[];
  readonly without?: readonly string[];
  readonly play: (actor: Actor, keep: Keep) => Promise<void>;
}

export type Keep = (scene: string, state: Label, words?: RegExp) => Promise<void>;

const SETTLED_MS = 6_000;
const KEY_MS = 400;
/** Until what was left is gone from the screen. */
const LEFT_MS = 700;

/** `first` leads to where the keys are pressed. */
export const showing =
  (viewsFor: (agent: string) => readonly View[], first?: (actor: Actor) => Promise<void>) =>
  async (actor: Actor, keep: Keep): Promise<void> => {
    await first?.(actor);
    for (const [scene, state, open, leave] of viewsFor(actor.stage.program.id)) {
      await press(actor, open);
      await actor.settles(SETTLED_MS);
      await keep(scene, state);
      await press(actor, leave);
      await pause(LEFT_MS);
    }
  };

async function press(actor: Actor, keys: Keys): Promise<void> {
  for (const key of keys) {
    if (key.startsWith('paste:')) actor.stage.paste(actor.target, key.slice('paste:'.length));
    else if (key.startsWith('size:')) {
      const [width = '80', height = '24'] = key.slice('size:'.length).split('x');
      actor.stage.tmux('resize-window', '-t', actor.target, '-x', width, '-y', height);
    } else if (key.startsWith('wait:')) await pause(Number(key.slice('wait:'.length)) * 1_000);
    else actor.stage.tmux('send-keys', '-t', actor.target, key);
    await pause(KEY_MS);
  }
}

const CLEAR: Keys = ['C-c', 'wait:2'];
const ups = (n: number): Keys => Array.from({ length: n }, () => 'Up');
const command = (name: string, state: Label, leave: Keys = []): View => [
  `command-${name}`,
  state,
  [`/${name}`, 'wait:1', 'Enter'],
  leave,
];
const LONG = Array.from({ length: 70 }, (_, at) => `row ${at + 1} of a long draft`);
const CHOICE = ['Do you want to proceed?', '❯ 1. Yes', '  2. No', 'Enter to confirm · Esc to cancel'];
const MENU = ['the prompt should say:', ...CHOICE];

/** Drafts: `newline` makes a row, `clear` empties the composer, `ghost` is what the program itself suggests. */
const drafts = (newline: Keys, ghost: string): readonly View[] => [
  ['draft-space', 'draft', ['Space'], CLEAR],
  ['draft-newline', 'draft', newline, CLEAR],
  ['draft-newlines', 'draft', [...newline, ...newline, ...newline], CLEAR],
  ['draft-newlines-up', 'draft', [...newline, ...newline, ...newline, ...ups(3)], CLEAR],
  ['draft-blank-first', 'draft', [...newline, ...newline, 'and then the tests'], CLEAR],
  ['draft-blank-first-up', 'draft', [...newline, ...newline, 'and then the tests', ...ups(2)], CLEAR],
  ['draft-ghost', 'draft', [ghost], CLEAR],
  ['draft-start', 'draft', ['please do not delete it', 'C-a'], CLEAR],
  ['draft-menu', 'draft', [`paste:${MENU.join('\n')}`], CLEAR],
];
/** Letter for letter what the program suggests; told from it where that is faint. */
const ghostFromStart = (ghost: string): View => ['draft-ghost-start', 'draft', [ghost, 'C-a'], CLEAR];
const long: View = ['draft-long', 'draft', LONG.flatMap((row) => [`paste:${row}`, 'C-j']), CLEAR];
const pasted: View = ['draft-pasted', 'draft', [`paste:${LONG.join('\n')}`], CLEAR];

const CLAUDE_GHOST = 'Try "edit cart.py to fix it"';
const CODEX_GHOST = 'Ask Codex to do anything';
const GEMINI_GHOST = 'Type your message or @path/to/file';

const DRAFTS: Readonly<Record<string, readonly View[]>> = {
  claude: [...drafts(['C-j'], CLAUDE_GHOST), ghostFromStart(CLAUDE_GHOST), pasted],
  codex: [...drafts(['C-j'], CODEX_GHOST), ghostFromStart(CODEX_GHOST), long],
  gemini: [...drafts(['C-j'], GEMINI_GHOST), pasted, long],
  qwen: [...drafts(['C-j'], GEMINI_GHOST), pasted, long],
  opencode: [...drafts(['C-j'], 'Ask anything...'), long],
  copilot: [...drafts(['C-j'], 'Enter @ to mention files or / for commands'), pasted, long],
  aider: drafts(['M-Enter'], 'Type your message'),
};
export const draftsOf = (agent: string): readonly View[] => DRAFTS[agent] ?? [];

/** Commands that open something, which Escape leaves, and those that only print. */
const pickers = (...names: readonly string[]): readonly View[] =>
  names.map((name) => command(name, 'picker', ['Escape']));
const prints = (...names: readonly string[]): readonly View[] => names.map((name) => command(name, 'idle'));

/** Of Gemini, and of Qwen, which was made from it. */
const GEMINI_KEYS: readonly View[] = [
  ['mention', 'draft', ['@'], ['BSpace']],
  ['mention-part', 'draft', ['look at @c'], CLEAR],
  ['shell-empty', 'draft', ['!'], ['Escape']],
  ['shell-text', 'draft', ['!', 'ls -la /tmp'], [...CLEAR, 'Escape']],
  ['history-search', 'draft', ['C-r'], ['Escape']],
  ['help-keys', 'idle', ['?'], ['BSpace']],
];

const VIEWS: Readonly<Record<string, readonly View[]>> = {
  claude: [
    ['mention', 'draft', ['@'], ['BSpace']],
    ['mention-part', 'draft', ['look at @c'], CLEAR],
    ['shell-empty', 'draft', ['!'], ['BSpace']],
    ['shell-text', 'draft', ['!', 'ls -la /tmp'], [...CLEAR, 'BSpace']],
    ['history-search', 'picker', ['C-r'], ['Escape']],
    ['transcript-keys', 'picker', ['C-o'], ['C-o']],
    ['help', 'idle', ['?'], ['BSpace']],
    ...pickers('help', 'resume', 'theme', 'permissions', 'status', 'usage', 'hooks', 'memory', 'export', 'tasks'),
    ...pickers('add-dir', 'effort', 'plugin', 'feedback', 'skills'),
    command('config', 'picker', ['Escape', 'wait:2', 'Escape']),
    ...prints('mcp', 'agents', 'output-style', 'color', 'context'),
    ['mode-next', 'idle', ['BTab'], []],
    ['mode-plan', 'idle', ['BTab'], ['BTab', 'BTab']],
    ['thinking-toggle', 'idle', ['M-t'], []],
    ['model-key', 'picker', ['M-p'], ['Escape']],
    ['stash', 'idle', ['please do not delete it', 'C-s'], ['C-s', 'wait:1', ...CLEAR]],
    ['rewind', 'picker', ['Escape', 'Escape'], ['Escape']],
    command('compact', 'idle'),
    ['unknown-command-draft', 'draft', ['/nothing', 'wait:1', 'Enter', 'wait:1', 'hello there you'], CLEAR],
    ['editor', 'picker', ['C-g'], [':q!', 'Enter']],
    ['suspended', 'gone', ['C-z'], ['fg', 'Enter']],
    ['exit-once', 'idle', ['C-c'], []],
  ],
  codex: [
    ['mention', 'draft', ['@'], CLEAR],
    ['mention-part', 'draft', ['look at @c'], CLEAR],
    ['shell-empty', 'draft', ['!'], CLEAR],
    ['shell-text', 'draft', ['!', 'ls -la /tmp'], CLEAR],
    ['history-search', 'picker', ['C-r'], ['Escape']],
    ['warnings', 'picker', ['F2'], ['Escape']],
    ['help', 'idle', ['?'], ['BSpace']],
    ...prints('status', 'mcp', 'ps'),
    command('usage', 'error'),
    command('diff', 'picker', ['q']),
    ...pickers('resume', 'theme', 'permissions', 'experimental', 'skills', 'review', 'feedback', 'statusline'),
    ...pickers('hooks', 'title', 'keymap'),
    ['mode-next', 'idle', ['BTab'], ['BTab']],
    ['transcript-keys', 'idle', ['C-t'], ['C-t']],
    command('compact', 'idle'),
    command('vim', 'idle'),
    ['vim-normal', 'picker', ['Escape', 'wait:5'], ['i']],
    ['vim-draft-normal', 'draft', ['hello there you', 'Escape'], ['i', ...CLEAR]],
    ['vim-left', 'idle', ['/vim', 'wait:1', 'Enter'], []],
    ['editor-missing', 'error', ['C-g'], []],
    ['agents-list', 'picker', ['Left'], ['Escape']],
    ['suspended', 'gone', ['C-z'], ['fg', 'Enter']],
    ['browsing', 'picker', ['Escape', 'Escape'], []],
    ['find', 'picker', ['/', 'mcp'], []],
  ],
  gemini: [
    ...GEMINI_KEYS,
    ...prints('help', 'stats', 'about', 'tools', 'mcp', 'skills'),
    command('memory', 'draft', CLEAR),
    ...pickers('theme', 'settings', 'resume', 'editor', 'hooks'),
    ['escape-once', 'idle', ['Escape'], []],
    ['rewind', 'picker', ['Escape', 'Escape'], ['Escape']],
    command('compress', 'idle'),
    command('vim', 'idle'),
    ['vim-normal', 'idle', ['Escape'], ['i']],
    ['vim-draft-normal', 'draft', ['hello there you', 'Escape'], ['i', ...CLEAR]],
  ],
  qwen: [
    ...GEMINI_KEYS,
    ...pickers('stats', 'help', 'theme', 'settings', 'resume', 'permissions', 'approval-mode', 'mcp', 'memory'),
    ...pickers('editor', 'hooks'),
    command('auth', 'login', ['Escape']),
    ['mode-next', 'idle', ['BTab'], []],
    ['mode-plan', 'idle', ['BTab'], []],
    ['verbose', 'idle', ['C-o'], ['C-o']],
    command('compress', 'idle'),
    command('vim', 'picker', ['i']),
    ['vim-draft-normal', 'picker', ['hello there you', 'Escape'], ['i', ...CLEAR]],
  ],
  opencode: [
    ['mention', 'draft', ['@'], ['BSpace']],
    ['mention-part', 'draft', ['look at @c'], CLEAR],
    ['shell-empty', 'picker', ['!'], ['Escape']],
    ['shell-text', 'picker', ['!', 'ls -la /tmp'], [...CLEAR, 'Escape']],
    ['palette', 'picker', ['C-p'], ['Escape']],
    ['leader', 'idle', ['C-x'], ['Escape']],
    ['sessions', 'picker', ['C-x', 'l'], ['Escape']],
    ['agents', 'picker', ['C-x', 'a'], ['Escape']],
    ['timeline', 'picker', ['C-x', 'g'], ['Escape']],
    ['status', 'picker', ['C-x', 's'], ['Escape']],
    ['sidebar-keys', 'idle', ['C-x', 'b'], ['C-x', 'b']],
    ...pickers('help', 'themes', 'mcps', 'rename', 'export', 'skills'),
    command('connect', 'login', ['Escape']),
    ['mode-next', 'idle', ['Tab'], ['Tab']],
  ],
  copilot: [
    ['mention', 'draft', ['@'], ['BSpace']],
    ['mention-part', 'draft', ['look at @c'], CLEAR],
    ['issue', 'draft', ['#'], ['BSpace']],
    ['shell-empty', 'draft', ['!'], ['Escape']],
    ['shell-text', 'draft', ['!', 'ls -la /tmp'], [...CLEAR, 'Escape']],
    ['history-search', 'draft', ['C-r'], ['Escape']],
    ['help-keys', 'picker', ['?'], ['Escape']],
    ...prints('usage', 'context', 'cwd', 'env', 'streamer-mode', 'experimental', 'memory'),
    command('lsp', 'error'),
    command('rename', 'error'),
    ...pickers('help', 'session', 'resume', 'theme', 'settings', 'permissions', 'mcp', 'agent', 'skills', 'plugin'),
    ...pickers('feedback', 'diff', 'statusline', 'share', 'rewind'),
    ['mode-next', 'idle', ['BTab'], []],
    ['mode-plan', 'idle', ['BTab'], ['BTab']],
    ['all', 'idle', ['C-o'], ['C-o']],
    ['reasoning', 'idle', ['C-t'], ['C-t']],
    command('compact', 'idle', ['wait:4']),
    ['editor', 'picker', ['C-g'], [':q!', 'Enter']],
    ['suspended', 'gone', ['C-z'], ['fg', 'Enter']],
    ['exit-once', 'idle', ['C-c'], []],
  ],
  aider: [
    ['completion', 'draft', ['/re'], CLEAR],
    ['completion-file', 'draft', ['/add ', 'Tab'], CLEAR],
    ['shell-text', 'draft', ['!ls -la /tmp'], CLEAR],
    ['history-search', 'picker', ['C-r'], ['C-g']],
    ['history-search-found', 'picker', ['C-r', 'MODE'], ['C-g', ...CLEAR]],
    ...prints(
      'help',
      'settings',
      'tokens',
      'map',
      'ls',
      'diff',
      'report',
      'read-only',
      'chat-mode',
      'ask',
      'architect',
    ),
    ...prints('code'),
    ['ran-shell', 'blocked', ['/run echo hello', 'wait:1', 'Enter'], ['n', 'Enter']],
    ['suspended', 'gone', ['C-z'], ['fg', 'Enter']],
    ['exit-once', 'idle', ['C-c'], []],
  ],
};
export const viewsOf = (agent: string): readonly View[] => VIEWS[agent] ?? [];

/** While it works, or waits for a person. */
export const RESIZED: readonly View[] = [
  ['resized-80', 'blocked', ['size:80x24'], []],
  ['resized-60', 'blocked', ['size:60x20'], []],
  ['resized-40', 'blocked', ['size:40x15'], []],
  ['resized-back', 'blocked', ['size:120x40'], []],
];
