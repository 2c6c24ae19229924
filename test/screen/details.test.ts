/** What packs tell besides the state: who asks what, with which keys, what is typed, how long it works. Recorded screens. */
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import type { Picture } from '../../src/screen/screen.ts';
import { plain } from '../../src/screen/text.ts';
import { read, recordedScreens } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();

// Rules: M-2.
test.each<[name: string, what: string | RegExp, options: readonly string[]]>([
  ['claude/permission-120x40', 'Do you want to proceed?', ['1', '2', '3', '4']],
  ['claude/ask-120x40', 'Which database should the new service use?', ['1', '2', '3', '4']],
  ['claude/trust-120x40', /^Quick safety check/, ['Enter', 'Down Enter']],
  ['claude/apikey-120x40', 'Do you want to use this API key?', ['Up Enter', 'Enter']],
  ['claude/login-120x40', 'Select login method:', ['1', '2', '3']],
  ['codex/permission-120x40', 'Would you like to run the following command?', ['y', 'p', 'Escape']],
  ['codex/trust-120x40', /^Trust this folder\?/, ['1', '2']],
  ['codex/login-120x40', /how you want to use Codex/, ['1', '2', '3']],
  ['opencode/permission-120x40', '△ Permission required', ['Enter', 'Right Enter', 'Right Right Enter']],
  ['opencode/ask-120x40', 'Which database should the new service use?', ['Enter', 'Down Enter', 'Down Down Enter']],
  ['gemini/permission-80x24', 'Allow execution of [Shell]?', ['1', '2', 'Escape']],
  ['gemini/edit-200x50', 'Apply this change?', ['1', '2', '3', 'Escape']],
  ['gemini/ask-120x40', 'Which database should the new service use?', ['1', '2', '3']],
  ['gemini/trust-120x40', 'Do you trust the files in this folder?', ['1', '2', '3']],
  ['gemini/limit-80x24', 'Usage limit reached for all Pro models.', ['1', '2']],
  ['qwen/permission-80x24', "Allow execution of: 'rm, make'?", ['1', '2', '3', 'Escape']],
  ['qwen/ask-120x40', 'Which database should the new service use?', ['1', '2', '3']],
  ['qwen/trust-80x24', 'Do you trust this folder?', ['1', '2', 'Escape']],
  ['qwen/login-120x40', 'Connect a Provider', []],
  ['copilot/permission-80x24', 'Do you want to run this command?', ['1', '2', '3']],
  ['copilot/trust-120x40', 'Do you trust the files in this folder?', ['1', '2', 'Escape']],
  ['copilot/trust-26x40', 'in this folder?', ['1', '2', 'Escape']],
  ['claude/mcp-broken-80x24', 'New MCP server found in this project: broken', ['Up Up Enter', 'Up Enter', 'Enter']],
  ['copilot/plan-120x40', 'Plan Ready for Review', ['1', '2', '3', '4']],
  ['claude/plan-80x24', 'Exit plan mode?', ['1', '2']],
  ['codex/plan-120x40', 'Implement this plan?', ['1', '2', '3']],
  ['claude/new-feature-80x24', 'Make auto mode your default permission mode?', ['Enter', 'Down Enter']],
  ['amp/splash-80x24', 'Space to continue', ['Space']],
  ['copilot/login-120x40', 'What account do you want to log into?', ['1', '2']],
  ['aider/question-80x24', 'draft', []],
  ['aider/add-file-120x40', /^Add file to the chat\?/, ['y Enter', 'n Enter', 'd Enter']],
  ['aider/login-120x40', /^Login to OpenRouter/, []],
])('%s asks %s', (name, what, options) => {
  const screen = read(name);
  if (typeof what === 'string') expect(screen.what).toBe(what);
  else expect(screen.what).toMatch(what);
  expect(screen.options.map(({ keys }) => keys.join(' '))).toEqual(options);
});

test('each question to a person tells what may be answered, in a narrow terminal too', () => {
  const untold = screens.filter(
    ({ name, state }) => state === 'blocked' && read(name.slice(0, -4)).options.length === 0,
  );
  expect(untold.map(({ name }) => name)).toEqual([]);
});

test('the option that Enter takes is told, in any drawing', () => {
  const chosen = (name: string): string[] => read(name).options.flatMap((one) => (one.chosen ? [one.label] : []));
  expect(chosen('gemini/permission-80x24')).toEqual(['Allow once']);
  expect(chosen('qwen/edit-120x40')).toEqual(['Yes, allow once']);
  expect(chosen('copilot/permission-120x40')).toEqual(['Yes']);
  expect(chosen('aider/add-output-120x40')).toEqual(['Yes']);
});

test.each([
  ['claude/thinking-120x40', 25],
  ['claude/retry-120x40', 5],
  ['codex/thinking-120x40', 22],
  ['codex/streaming-120x40', null],
  ['opencode/thinking-120x40', null],
  ['gemini/thinking-80x24', 5],
  ['gemini/tool-awaits-input-120x40', null],
  ['qwen/streaming-200x50', 8],
  ['copilot/thinking-80x24', null],
  ['aider/thinking-120x40', null],
])('the clock on %s shows %s', (name, timer) => {
  expect(read(name).timer).toBe(timer);
});

describe('drafts', () => {
  test.each([
    ['claude/suggestion-120x40', ''],
    ['claude/queued-120x40', ''],
    ['claude/streaming-draft-120x40', 'do not'],
    ['claude/shellmode-120x40', '!'],
    ['claude/paste-120x40', '[Pasted text #2 +30 lines]'],
    ['codex/fresh-120x40', ''],
    ['codex/draft-120x40', 'do not'],
    ['codex/shellmode-120x40', '!'],
    ['opencode/fresh-120x40', ''],
    ['opencode/draft-120x40', 'do not'],
    ['opencode/slash-120x40', /\n\/$/],
    ['opencode/question-120x40', '[Pasted ~5 lines]'],
    ['gemini/fresh-200x50', ''],
    ['gemini/fresh-plain-120x40', ''],
    ['gemini/shellmode-120x40', '!   Type your shell command'],
    ['gemini/vimnormal-120x40', ''],
    ['gemini/thinking-draft-120x40', 'and then'],
    ['qwen/fresh-200x50', ''],
    ['qwen/thinking-draft-120x40', 'and then'],
    ['copilot/fresh-200x50', ''],
    ['copilot/shellmode-120x40', '! Execute shell command'],
    ['copilot/streaming-draft-120x40', 'half typed'],
    ['aider/files-120x40', ''],
    ['aider/draft-80x24', 'do not delete the'],
  ])('%s holds %j', (name, draft) => {
    const typed = read(name).composer?.draft;
    if (typeof draft === 'string') expect(typed).toBe(draft);
    else expect(typed).toMatch(draft);
  });

  test.each(['gemini', 'qwen', 'copilot', 'aider'])('five pasted lines stand whole in the composer of %s', (agent) => {
    expect(read(`${agent}/draft-five-lines-120x40`).composer?.draft.split('\n')).toEqual(
      ['one', 'two', 'three', 'four', 'five'].map((word) => `${word} line${word === 'one' ? '' : 's'}`),
    );
  });

  test.each(['claude/question-120x40', 'codex/question-120x40'])('%s shows the question whole', (name) => {
    const draft = read(name).composer?.draft.replace(/\s+/g, ' ');
    expect(draft).toMatch(/^\[DOG\] HEALTH CHECK: Session c1.*Attempt: 1\/3.*\(with the code joined\)$/);
  });

  test.each(['gemini/question-80x24', 'qwen/question-120x40', 'copilot/question-120x40', 'aider/question-80x24'])(
    '%s shows the question whole, wrapped as it is',
    (name) => {
      const draft = read(name).composer?.draft.replace(/\s+/g, '');
      expect(draft).toMatch(/^\[DOG\]HEALTHCHECKK7-3F:.*nobodyelsehastoanswerit\.$/);
    },
  );
});

test('a suggestion that no colour tells is none behind a cursor: a person typed it', () => {
  const right = (picture: Picture): Picture => ({
    ...picture,
    cursor: picture.cursor && { ...picture.cursor, x: picture.cursor.x + 20 },
  });
  expect(read('gemini/fresh-200x50').state).toBe('idle');
  expect(read('gemini/fresh-200x50', right).state).toBe('draft');
  expect(read('qwen/fresh-200x50', right).mayType).toBe(false);
});

test('a composer counts only with the cursor in it: what was sent is drawn in the same frame', () => {
  const away = (picture: Picture): Picture => ({ ...picture, cursor: { x: 0, y: 0 } });
  for (const name of ['gemini/fresh-200x50', 'qwen/fresh-200x50', 'copilot/fresh-200x50', 'aider/fresh-200x50'])
    expect(read(name, away).mayType, name).toBe(false);
});

test.each(['gemini/permission-80x24', 'gemini/limit-80x24', 'gemini/login-120x40'])(
  '%s is told without a cursor, too',
  (name) => {
    const { state } = read(name);
    const screen = read(name, (picture) => ({ ...picture, cursor: null, rows: picture.rows.map(plain) }));
    expect(screen.state).toBe(state);
    expect(screen.mayType).toBe(false);
  },
);

test.each([
  ['qwen/interrupted-120x40', 119],
  ['copilot/streaming-200x50', 199],
  ['copilot/permission-80x24', 79],
  ['copilot/fresh-200x50', null],
  ['gemini/streaming-200x50', null],
])('the talk on %s has %s columns: a scroll bar is no part of it', (name, columns) => {
  expect(read(name).columns).toBe(columns);
});

test('the end of a row of Copilot’s is the time of day, and no word', () => {
  const [clock] = packs.named('copilot').tails;
  expect(' ❯ fix the tests                      22:15'.search(clock ?? /$^/)).toBe(16);
  expect(' ● The build took 22:15'.search(clock ?? /$^/)).toBe(-1);
});

test('Qwen that tries again behind a limit is limited, although it is at work; an error of the service is none', () => {
  const words = (text: string) => (picture: Picture) => ({
    ...picture,
    rows: picture.rows.map((row) => (plain(row).includes('> MODE:fault') ? text : row)),
  });
  const limit =
    '  ✕ [API Error: 429 You exceeded your current quota, please check your plan.] (Retrying in 53s… (attempt 1/10))';
  expect(read('qwen/retrying-80x24', words(limit))).toMatchObject({ state: 'limited', busy: true, mayType: false });
  expect(read('qwen/retrying-80x24').state).toBe('busy');
});
