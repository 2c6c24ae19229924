/** What stands faint at the cursor of an input box is a suggestion in every program, and what a pack says comes on top. */
import { describe, expect, test } from 'vitest';
import { Packs } from '../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../src/screen/picture.ts';
import { readScreen } from '../../src/screen/read.ts';
import type { Picture, Screen } from '../../src/screen/screen.ts';
import { recordedScreens } from './recorded.ts';

const packs = new Packs();
/** `‹ … ›` is faint, `[x]` the cursor that the program draws, `|` the terminal's own. */
function read(agent: string, text: string, more: Partial<Picture> = {}): Screen {
  const marked = text.split('\n').map((row) => row.replace(/\[(.)\]/u, '$1'));
  const y = marked.findIndex((row) => row.includes('|'));
  const x = marked[y]?.replace(/[‹›]/gu, '').indexOf('|') ?? 0;
  const rows = text
    .split('\n')
    .map((row) => row.replace('|', '').replace(/\[(.)\]/u, '\u001b[7m$1\u001b[27m'))
    .map((row) => row.replaceAll('‹', '\u001b[2m').replaceAll('›', '\u001b[22m'));
  const cursor = y < 0 ? null : { x, y };
  return readScreen(packs.named(agent), { ...UNKNOWN_PICTURE, alternate: false, width: 80, rows, cursor, ...more });
}

const RULE = '─'.repeat(40);
const qwen = (row: string): string => `${RULE}\n${row}\n${RULE}`;
const gemini = (row: string): string => `${'▄'.repeat(40)}\n ${row}\n${'▀'.repeat(40)}`;
const copilot = (row: string): string =>
  ` ~/dir\n${RULE}\n${row}\n${RULE}\n v1 available · / commands · ? help                GPT-5`;

describe('faint from the cursor on is no draft, with any words and any word of the pack on faint cells', () => {
  // Rules: D-6.
  test.each([
    ['qwen', qwen('> |‹Ask for a second opinion, or continue›'), ''],
    ['qwen', qwen('> |[A]‹sk for a second opinion›'), ''],
    ['gemini', gemini('> |‹A mode that no release had yet›'), ''],
    ['gemini', gemini('> |‹A hint that goes on\n   in the row below›'), ''],
    ['copilot', copilot('❯ |‹Describe a task›'), ''],
    ['aider', `${RULE}\n> |‹/add a file›`, ''],
    ['qwen', qwen('> fix the|‹ tests and the docs›'), 'fix the'],
    ['qwen', qwen('> |fix the tests'), 'fix the tests'],
    ['qwen', qwen('> |‹fix› the tests'), 'fix the tests'],
    ['qwen', qwen('> ‹fix the tests›|'), 'fix the tests'],
    ['qwen', qwen('‹> |fix the tests›'), 'fix the tests'],
  ])('%s: %s', (agent, text, draft) => {
    expect(read(agent, text).composer?.draft).toBe(draft);
  });
});

describe('a program that no pack knows', () => {
  test.each([
    ['> |‹Ask me anything›', true],
    ['❯ |[A]‹sk me anything›', true],
    ['> |Ask me anything', false],
    ['> fix the|‹ tests›', false],
    ['‹> |Ask me anything›', false],
    ['Project name > |‹my-app›', false],
    ['? Continue › |‹(y/N)›', false],
    ['> |‹(y/N)›', false],
    ['Allow?\n> |‹Yes›\n  No', false],
  ])('%s is typed into: %s', (text, mayType) => {
    expect(read('generic', text.replace(' › ', ' » ')).mayType).toBe(mayType);
  });
});

test('no recorded draft begins faint at its cursor', () => {
  const drafts = recordedScreens().filter(({ state }) => state === 'draft' || state === 'busy_draft');
  expect(drafts.length).toBeGreaterThan(100);
  const lost = drafts.filter(
    ({ agent, picture }) => (readScreen(packs.named(agent), picture).composer?.draft ?? '') === '',
  );
  expect(lost.map(({ name }) => name)).toEqual([]);
});
