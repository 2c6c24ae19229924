/** D-6: what the town itself typed is no dialog, and hides none; on real panes and on rows as they may come. */
import { describe, expect, test } from 'vitest';
import { readPast, rowsPast, type Typed } from '../../../src/hearings/sent-text-filter.ts';
import { Packs } from '../../../src/screen/packs.ts';
import { UNKNOWN_PICTURE } from '../../../src/screen/picture.ts';
import { agent, question } from './questions.ts';
import { courtWith } from './courts.ts';

const PACKS = { claude: new Packs().named('claude'), generic: new Packs().named('generic') };
const shown = (rows: readonly string[]) => ({ ...UNKNOWN_PICTURE, rows });

const DIALOG = 'Do you want to proceed? [y/N]';
const HANGS = `it hangs at: ${DIALOG}`;
const PROGRESS = "How's progress? Need help?";
const SILENT = new Set(['silent']);
const boxed = [process.execPath, agent('boxed')];

describe('D-6: our own words are no dialog', () => {
  // Rules: D-6.
  test.each([40, 80, 200])('a deaf agent with tty echo at %i columns', async (width) => {
    const { court, target } = await courtWith(['sleep', '100000'], { width, policy: { nudgeEveryMs: 0 } });
    expect(await court.nudge(target, HANGS)).toEqual({ type: 'NUDGED' });
    expect(await court.isSure(target)).toBe(true);
    expect(await court.nudge(target, 'please?\nPassword:')).toEqual({ type: 'NUDGED' });
    expect(await court.nudge(target, DIALOG)).toEqual({ type: 'NUDGED' });
    await court.until(async () => (await court.text(target)).trimEnd().endsWith('[y/N]'), 'the echo');
    expect(await court.look(target, [])).toEqual({ kind: 'silent' });
    expect(await court.dialogs().asks(target)).toBe(false);
    court.forget();
    const attempts = [await court.asked(target, 'K73F', question('K73F', HANGS))];
    expect(await court.watch(target, attempts, 'evidence', 6)).toEqual(SILENT);
    expect(await court.nudge(target, DIALOG)).toEqual({ type: 'NUDGED' });
    expect(await court.watch(target, attempts, 'answer', 2)).toEqual(SILENT);
  });

  // Rules: D-6.
  test.each([40, 80, 200])(
    'a nudge that ends with a question mark keeps no later one away at %i columns',
    async (width) => {
      const { court, target } = await courtWith(['sleep', '100000'], { width, policy: { nudgeEveryMs: 0 } });
      for (const text of [PROGRESS, 'No progress is seen.', PROGRESS])
        expect(await court.nudge(target, text), text).toEqual({ type: 'NUDGED' });
      court.forget();
      expect(await court.nudge(target, 'once more')).toEqual({ type: 'NUDGED' });
    },
  );

  test.each([40, 80, 200])('a deaf composer that draws a box at %i columns', async (width) => {
    const { court, target } = await courtWith(boxed, { width, ready: '╯' });
    expect(await court.nudge(target, `${HANGS}\n1. Yes\n2. No`)).toEqual({ type: 'NUDGED' });
    const attempts = [await court.asked(target, 'K73F', question('K73F', `${HANGS} ❯ 1. Yes 2. No`))];
    expect(await court.watch(target, attempts, 'answer', 4)).toEqual(SILENT);
  });

  // Rules: D-6, law 1.
  test('a terminal that takes no more echoes the beginning of our text: no dialog, and no more is typed', async () => {
    const { court, target } = await courtWith(['sleep', '100000'], { width: 80, policy: { nudgeEveryMs: 0 } });
    const text = 'Is it done? '.repeat(30).trim();
    const told = async (left: number): Promise<unknown> => {
      const outcome = await court.nudge(target, text);
      return outcome.type === 'NUDGED' && left > 0 ? told(left - 1) : outcome.type;
    };
    // The kernel keeps 4,096 bytes of a line-mode terminal whose program reads nothing.
    expect(await told(40)).toBe('NOT_NUDGED');
    expect(await court.nudge(target, text)).toMatchObject({ type: 'NOT_NUDGED' });
    expect(await court.dialogs().asks(target)).toBe(false);
  });

  // Rules: D-6.
  test('a dialog below our text is one, also in the words of our reason or of a nudge', async () => {
    const { court, target } = await courtWith([
      'bash',
      '-c',
      'read -r _; read -r _; printf "%s " "$1"; read -r _',
      '-',
      DIALOG,
    ]);
    expect(await court.nudge(target, DIALOG)).toEqual({ type: 'NUDGED' });
    const attempts = [await court.asked(target, 'K73F', question('K73F', HANGS))];
    expect(await court.sees(target, attempts, 'dialog')).toEqual({ kind: 'dialog', what: DIALOG });
    court.forget();
    expect(await court.look(target, attempts)).toEqual({ kind: 'dialog', what: DIALOG });
    expect(await court.dialogs().asks(target)).toBe(true);
  });

  test('a dialog before our text on its row is one: no Enter', async () => {
    const { court, target } = await courtWith([agent('waiting')], { ready: 'y/N' });
    await court.type(target, question('K73F').join(' · '));
    await court.until(async () => (await court.text(target)).includes('dash'), 'the text');
    const what = 'Overwrite build/? [y/N]';
    expect(await court.ask(target)).toEqual({ type: 'NOT_ASKED', obstacle: { kind: 'dialog', what } });
    expect(await court.text(target)).not.toContain('answered');
  });
});

describe('where text may go', () => {
  const mayType = (rows: string[], ...typed: Typed[]): boolean => {
    const cursor = { x: 0, y: rows.length };
    return readPast(PACKS.generic, { ...shown([...rows, '']), cursor, lineMode: true }, typed).mayType;
  };
  const once: Typed = { lines: [PROGRESS], times: 1 };
  test.each<[string, boolean, string[]]>([
    ['our own question', true, [PROGRESS]],
    ['our own question, quoted', true, [`> ${PROGRESS}`]],
    ['our own question, wrapped', true, ["How's progress?", 'Need help?']],
    ['its question above ours', false, ['Overwrite build/?', PROGRESS]],
    ['its question below ours', false, [PROGRESS, 'Overwrite build/?']],
    ['our words in a question of its own', false, [`They ask: ${PROGRESS}`]],
    ['our words more often than they were typed', false, [PROGRESS, PROGRESS]],
    ['a part of our words', false, ['Need help?']],
    ['a list below our words', false, [PROGRESS, '> one', '  two']],
  ])('%s: %s', (_, may, rows) => {
    expect(mayType(rows)).toBe(false);
    expect(mayType(rows, once)).toBe(may);
  });

  test.each([
    ['the beginning of our words', ['Nudge:'], 'unknown'],
    ['the same over two rows', ['Nudge: check', 'your'], 'unknown'],
    ['other words', ['Password:'], 'login'],
  ])('before the cursor, below a whole text of ours: %s', (_, rows, state) => {
    const all = ['Nudge: check your mail', ...rows];
    const picture = { ...shown(all), cursor: { x: all.at(-1)?.length ?? 0, y: all.length - 1 } };
    const typed = [{ lines: ['Nudge: check your mail'], times: 2 }];
    expect(readPast(PACKS.generic, picture, typed)).toMatchObject({ state, mayType: false });
    expect(rowsPast(picture, typed).rows.join('')).toBe(state === 'unknown' ? '' : rows.join(''));
  });

  test('a dialog in the words with which a text of ours begins is one', () => {
    const picture = { ...shown([DIALOG]), cursor: { x: DIALOG.length, y: 0 } };
    expect(readPast(PACKS.generic, picture, [{ lines: [`${DIALOG} comes up: answer y`], times: 1 }]).state).toBe(
      'blocked',
    );
  });

  test('rows of the program are told from those of a flood of ours, the rest of one at the top among them', () => {
    const typed = [{ lines: ['Nudge: check your mail'], times: 9 }];
    const flood = ['your mail', 'Nudge: check', 'your mail', 'Nudge: check your mail', ''];
    expect(rowsPast(shown(flood), typed)).toEqual({ rows: ['', '', '', '', ''], ours: 4 });
    expect(rowsPast(shown(['done', ...flood.slice(1)]), typed).rows[0]).toBe('done');
  });

  test('a usage limit that only our words name is none', () => {
    const limit = "● You've hit your 5-hour limit · resets 10:20pm (UTC)";
    const rows = ['❯ hello', '', limit, '', '─'.repeat(60), '❯\u00a0', '─'.repeat(60), '  ? for shortcuts'];
    const picture = { ...shown(rows), cursor: { x: 2, y: 5 } };
    expect(readPast(PACKS.claude, picture, []).state).toBe('limited');
    expect(readPast(PACKS.claude, picture, [{ lines: [limit], times: 1 }]).state).toBe('idle');
  });
});

describe('rows', () => {
  const once = (...lines: string[]): Typed => ({ lines, times: 1 });
  const state = (rows: string[], ...typed: Typed[]) => readPast(PACKS.generic, shown(rows), typed).state;

  test.each([
    ['quoted', [`> ${HANGS}`]],
    ['wrapped', ['it hangs at: Do', 'you want to', 'proceed? [y/N]']],
    ['wrapped and quoted', ['> it hangs at: Do', '> you want to', '> proceed? [y/N]']],
    ['boxed', ['│ it hangs at: Do │', '│ you want to    │', '│ proceed? [y/N]']],
    ['in colour', ['\u001b[1mit hangs at:\u001b[0m Do you want to', 'proceed? \u001b[2m[y/N]\u001b[0m']],
    ['with its beginning scrolled out', ['to', 'proceed? [y/N]']],
  ])('%s they are ours', (_name, rows) => {
    expect(state(rows)).toBe('blocked');
    expect(state(rows, once(HANGS))).not.toBe('blocked');
  });

  test.each([
    ['a part of them', ['', DIALOG]],
    ['a part of them at the top', [DIALOG, '', '']],
    ['once more than they were typed', [HANGS, HANGS]],
    ['in other signs', ['it hangs at: Do you want to proceed? (y/N)']],
    ['behind others', [`Retry: ${HANGS}`]],
    ['with a dialog behind them', [`${HANGS} Overwrite? [y/N]`]],
    ['with a dialog below them', [HANGS, 'Overwrite? [y/N]']],
    ['with a dialog before them', [`Overwrite? [y/N] ${HANGS}`]],
    ['with a menu around them', ['Proceed?', `❯ 1. Yes ${HANGS}`, '  2. No']],
  ])('%s they may be a dialog', (_name, rows) => {
    expect(state(rows, once(HANGS))).toBe('blocked');
  });

  test('a plain remark on the row of a dialog hides nothing, and a composer keeps its draft', () => {
    expect(state(['Overwrite? [y/N] check your inbox'])).not.toBe('blocked');
    expect(state(['Overwrite? [y/N] check your inbox'], once('check your inbox'))).toBe('blocked');
    const rows = ['❯ 1. Yes', '─'.repeat(20), '❯\u00a0check your inbox', '─'.repeat(20)];
    const { state: idle, composer } = readPast(PACKS.claude, shown(rows), [once('check your inbox')]);
    expect([idle, composer?.draft]).toEqual(['draft', 'check your inbox']);
  });

  test.each(['1', '2', '1.', '2. No', 'No'])('a nudge %s of earlier is no part of a menu', (words) => {
    const menu = ['Do you want to create notes.txt?', '❯ 1. Yes', '  2. No, tell it what to do', 'Esc to cancel'];
    expect(readPast(PACKS.claude, shown(menu), [once(words)]).state).toBe('blocked');
  });

  test.each([
    ['press enter', 'press enter to continue'],
    ['Press', 'Press any key to go on'],
    ['Run', 'Run this command?'],
  ])('a nudge %s of earlier is no part of: %s', (words, row) => {
    expect(readPast(PACKS.generic, shown([row]), [once(words)]).state).toBe('blocked');
  });
});
