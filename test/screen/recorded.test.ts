import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Screen } from '../../src/screen/screen.ts';
import { recordedScreens } from './recorded.ts';

const packs = new Packs();
const screens = recordedScreens();
const MAY_TYPE = new Set<string>(['idle', 'busy', 'error']);

function read(name: string): Screen {
  const one = screens.find((screen) => screen.name === `${name}.txt`);
  if (one === undefined) throw new Error(`no recorded screen ${name}`);
  return readScreen(packs.named(one.agent), one.picture);
}

test.each(screens)('$name is $state, and is typed into accordingly', ({ agent, state, picture }) => {
  const screen = readScreen(packs.named(agent), picture);
  expect(screen.state).toBe(state);
  expect(screen.mayType).toBe(MAY_TYPE.has(state) && screen.composer !== null);
});

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
])('%s asks %s', (name, what, options) => {
  const screen = read(name);
  if (typeof what === 'string') expect(screen.what).toBe(what);
  else expect(screen.what).toMatch(what);
  expect(screen.options.map(({ keys }) => keys.join(' '))).toEqual(options);
});

test.each([
  ['claude/limit-plan-120x40', '12:46am'],
  ['claude/limit-cancelled-120x40', '12:47am (UTC)'],
  ['codex/limit-120x40', 'Nov 23rd, 2026 12:50 AM'],
  ['opencode/limit-120x40', '4s'],
])('the limit on %s ends %s', (name, resets) => {
  expect(read(name).resets).toBe(resets);
});

test.each([
  ['claude/thinking-120x40', 25],
  ['claude/retry-120x40', 5],
  ['codex/thinking-120x40', 22],
  ['codex/streaming-120x40', null],
  ['opencode/thinking-120x40', null],
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
  ])('%s holds %j', (name, draft) => {
    const typed = read(name).composer?.draft;
    if (typeof draft === 'string') expect(typed).toBe(draft);
    else expect(typed).toMatch(draft);
  });

  test.each(['claude/question-120x40', 'codex/question-120x40'])('%s shows the question whole', (name) => {
    const draft = read(name).composer?.draft.replace(/\s+/g, ' ');
    expect(draft).toMatch(/^\[DOG\] HEALTH CHECK: Session c1.*Attempt: 1\/3.*\(with the code joined\)$/);
  });
});

test('a sidebar is no part of the talk', () => {
  expect(read('opencode/resumed-200x50').columns).toBe(158);
  expect(read('opencode/small-80x24').columns).toBeNull();
});
