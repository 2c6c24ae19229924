/** Foreign words act in no shell, even where one reads what was typed (D-8, law 11). Real shells, and a real pane. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { healthQuestion } from '../../../machines/watchdog/health-rules.ts';
import { POLICY } from '../../../machines/policy.ts';
import type { Incarnation, Proc } from '../../../machines/protocol.ts';
import { question } from '../../../machines/hearings/question.ts';
import { plainWords } from '../../../machines/kernel/shell-safe-text.ts';
import { ownRows } from '../../../src/hearings/echo-filter.ts';
import { linesOf } from '../../../src/hearings/nudge.ts';
import { pasteOf } from '../../../src/hearings/typing.ts';
import { incarnation, warrant } from '../../world/drive.ts';
import { table } from './court.ts';
import { courtWith } from './courts.ts';
import { tempFolder } from '../../world/over.ts';

const COMMAND = { started: 'town alive', adopted: `/opt/town --root '/srv/my town' alive` };
const ADOPTED = incarnation(1, { origin: 'adopted' });

const questionWith = (reason: string, requester = 'boot'): readonly string[] => {
  const attempt = { number: 1, of: 3, windowMs: 60_000, code: 'K73F' };
  return question(ADOPTED, warrant('w1', ADOPTED, { reason, requester }), attempt, COMMAND);
};
const checkOf = (): readonly string[] =>
  healthQuestion(ADOPTED, 'K73F', { policy: POLICY.watchdog.deacon, command: COMMAND });

/** Pieces that a shell could take for more than a word, and that would leave a trace. */
const piece = fc.constantFrom(
  'touch ran',
  'ran=1',
  'export ran=1',
  'ran() { :; }',
  'alias ran=ls',
  'set -- a',
  'cd ..',
  'exit 3',
  'exec true',
  '; ',
  ' & ',
  ' && ',
  ' || ',
  ' | ',
  '\n',
  '\r\n',
  '\r',
  '\t',
  ' # ',
  '!!',
  '!x',
  '^a^b',
  '~',
  '~/x',
  '{a,b}',
  '> ran',
  '>> ran',
  '>| ran',
  '&> ran',
  '2>&1',
  '< /etc/passwd',
  '<<EOF',
  "<<< 'x'",
  '<(:>ran)',
  '>(:>ran)',
  '$(:>ran)',
  '`:>ran`',
  '${ran:=1}',
  '$((ran=1))',
  '$[ran=1]',
  "$'\\n:>ran\\n'",
  '(:>ran)',
  '[[ x',
  '*',
  '?',
  '[a-z]',
  "'",
  '"',
  '\\',
  '`',
  '$',
  '(',
  ')',
  '{',
  '}',
  ';;',
  'if',
  'then',
  'while :; do',
  'done',
  'fi',
  'function ran',
  '=ls',
  '%1',
  '\u0003',
  '\u0004',
  '\u001b[201~',
  '\u0085',
  '\u2028',
  '\u00a0',
  '\u3000',
  '\ufdd0',
  '\ue000',
  '\ud800',
  '；',
  '日本',
  'don’t',
);
const foreign = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 60 }),
);

/** How a shell lists what is defined, and what defines `ran` in it. */
const POSIX = { list: 'set', defines: 'ran=1' };
const FISH = { list: 'for name in (set --names) (functions --names); echo $name=; end', defines: 'set -g ran 1' };
/** Of its input fish runs nothing where any line of it is wrong; at a prompt it takes line by line, as here. */
const BY_LINE = ['-N', '-c', 'while read line; eval $line; end'];

/** At a prompt, as in a pane: a zsh that reads a script ends at the first word in brackets that is no file's name. */
const ZSH = ['zsh', '-f', '-i'] as const;

const SHELLS = (
  [['bash', '--norc'], ['bash', '--norc', '-i'], ['dash'], ['dash', '-i'], ZSH, ['fish', ...BY_LINE]] as const
)
  .map(([name, ...args]) => ({
    name,
    file: `/bin/${name}`,
    args,
    what: [name, ...args].join(' '),
    ...(name === 'fish' ? FISH : POSIX),
  }))
  .filter(({ file }) => existsSync(file));

const room = tempFolder('town-shells');

/** Names of variables and functions that a shell has, without those that change by themselves. */
const NAMES =
  /^(?!(?:_|LINENO|PIPESTATUS|BASH_\w+|RANDOM|SECONDS|EPOCH\w+|HIST\w+|FUNCNAME|OLDPWD)\b)(\w+)(?==| \(\))/gm;

/** Gives the lines to a shell as its input; what came of it. */
function readBy({ file, args, list }: (typeof SHELLS)[number], texts: readonly string[]) {
  const empty = mkdtempSync(join(room, 'empty-'));
  const path = join(room, 'path');
  mkdirSync(path, { recursive: true });
  const input = [
    'echo FROM',
    list,
    'echo TO',
    ...texts.flatMap((text) => [text, 'echo LIVES']),
    'echo FROM',
    list,
    'echo TO',
  ];
  // fish keeps its history and its settings there.
  const own = { XDG_CONFIG_HOME: mkdtempSync(join(room, 'own-')), XDG_DATA_HOME: mkdtempSync(join(room, 'own-')) };
  const env = { ...own, PATH: path, HOME: empty, LC_ALL: 'C.UTF-8', HISTFILE: '' };
  const { stdout, status } = spawnSync(file, args, {
    cwd: empty,
    env,
    input: `${input.join('\n')}\n`,
    encoding: 'utf8',
  });
  const settled = stdout
    .split(/^FROM$/m)
    .slice(1)
    .map((rest) => new Set(rest.split(/^TO$/m)[0]?.match(NAMES)));
  const [before, after] = settled;
  return {
    files: readdirSync(empty),
    defined: [...(after ?? [])].filter((one) => before?.has(one) !== true),
    lives: stdout.match(/^LIVES$/gm)?.length ?? 0,
    ended: after !== undefined && status !== null,
  };
}

describe.each(SHELLS)('$what', (shell) => {
  // Rules: law 11.
  test('property: runs nothing of a question or a nudge that it comes to read, and lives on', () => {
    fc.assert(
      fc.property(fc.array(foreign, { minLength: 1, maxLength: 8 }), (words) => {
        const texts = words.flatMap((text, at) => [
          pasteOf(questionWith(text, words[at + 1])),
          pasteOf(linesOf(ADOPTED, { text, raw: false })),
        ]);
        const nothing = { files: [], defined: [], lives: texts.length, ended: true };
        expect(readBy(shell, texts)).toEqual(nothing);
      }),
      { numRuns: 25 },
    );
  });

  test('nor of a health check; and this test would see it', () => {
    expect(readBy(shell, [pasteOf(checkOf())])).toEqual({ files: [], defined: [], lives: 1, ended: true });
    const seen = readBy(shell, [`Warrant reason: x; :> ran; ${shell.defines}`]);
    expect(seen).toMatchObject({ files: ['ran'], defined: ['ran'], lives: 1 });
  });
});

describe('plain words', () => {
  test.each([
    ['x; touch /tmp/a #', 'x； touch /tmp/a ＃'],
    [`don't say "no"`, 'don’t say ”no”'],
    ['`id` $(id) ${x} ~ ^ % = !! \\', '｀id｀ ＄（id） ＄｛x｝ ～ ＾ ％ ＝ ！！ ＼'],
    ['a|b&c<d>e*f?[g]', 'a｜b＆c＜d＞e＊f？［g］'],
    ['no output for 20 min, see gt-rig-1: a_b/c.d @ 1+1', 'no output for 20 min, see gt-rig-1: a_b/c.d @ 1+1'],
    ['日本 ñ … 🙂', '日本 ñ … 🙂'],
  ])('%s is typed as %s', (text, words) => {
    expect(plainWords(text)).toBe(words);
    expect(plainWords(words)).toBe(words);
  });

  test('only an adopted pane has a shell below: in a started one the signs of a nudge stay', () => {
    const text = ' a; b\r\nc ';
    expect(linesOf({ origin: 'started' }, { text, raw: false })).toEqual(['Nudge: a; b', 'Nudge: c']);
    expect(linesOf({ origin: 'adopted' }, { text, raw: false })).toEqual(['Nudge: a； b', 'Nudge: c']);
  });

  test('property: our own rows are still known for ours (D-3)', () => {
    fc.assert(
      fc.property(foreign, fc.integer({ min: 5, max: 120 }), (text, width) => {
        const lines = questionWith(`no evidence ${text}`);
        const shown = pasteOf(lines);
        const rows = Array.from({ length: Math.ceil(shown.length / width) }, (_, i) =>
          shown.slice(i * width, (i + 1) * width),
        );
        const own = ownRows(rows, [lines]);
        expect(rows.filter((row, at) => /[0-9A-Za-z]/.test(row) && !own.has(at))).toEqual([]);
      }),
    );
  });
});

// Rules: D-8.
test('a question and a nudge to a deaf agent in a person’s pane, which then ends by itself: the shell below runs nothing', async () => {
  const { court, target: pane } = await courtWith(['bash', '--norc', '--noprofile', '-i'], {
    ready: 'bash',
    policy: { nudgeEveryMs: 0 },
  });
  await court.type(pane, 'sleep 100000', 'Enter');
  const childOf = async (): Promise<Proc | null> => {
    const pid = (await table.children()).get(pane.agent.pid)?.[0];
    return pid !== undefined && table.commandOf(pid)?.comm === 'sleep' ? table.proc(pid) : null;
  };
  await court.until(async () => (await childOf()) !== null, 'the adopted agent');
  const target: Incarnation = { ...pane, agent: (await childOf()) ?? pane.agent, origin: 'adopted' };
  const [ran, sentinel] = [join(court.server.dir, 'ran'), join(court.server.dir, 'sentinel')];
  expect((await court.ask(target, 'K73F', questionWith(`x; touch ${ran} #`, `y; touch ${ran} #`))).type).toBe('ASKED');
  expect((await court.nudge(target, `touch ${ran}`)).type).toBe('NUDGED');
  table.signal(target.agent, 'KILL');
  await court.type(target, `:> ${sentinel}`, 'Enter');
  await court.until(() => Promise.resolve(existsSync(sentinel)), 'the shell to read all that was left');
  expect(await court.text(target)).toContain('Nudge:: command not found');
  expect(existsSync(ran)).toBe(false);
});
