/**
 * One script of commands, run by the `bd` on PATH and by `town bd`: exit codes, answers and complaints are compared field by field. Where
 * there is no `bd`, that is said, and the script is held against itself in another root; its recorded answers are in bd.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestTown, type Ran } from '../../cli/town.ts';
import { idIn, leveled } from '../bd-answers.ts';
import { freshFolder } from '../../world/over.ts';

const NUX = 'shop/polecats/nux';
/** `A`, `B` … are the ids of what the lines that begin with them made. */
const SCRIPT: readonly (readonly string[])[] = [
  ['A', 'create', 'First', '-t', 'bug', '-p', '1', '-d', 'two\nlines', '--labels', 'y,x', '--json'],
  ['B', 'create', 'Second', '--deps', '{A}', '--json'],
  // As an argument bd refuses such a title, behind `--` too.
  ['C', 'create', '--json', '--assignee', NUX, '--title=--starts like a flag'],
  ['D', 'create', 'Fourth', '--silent'],
  ['W', 'create', 'A wisp', '--ephemeral', '--wisp-type', 'patrol', '--labels', 'gt:message', '--json'],
  ['', 'list', '--json', '--flat', '--limit=0'],
  ['', 'list', '--json', '--flat', '--limit=0', '--label', 'x,y'],
  ['', 'list', '--json', '--flat', '--limit=0', `--assignee=${NUX}`],
  ['', 'ready', '--json', '--limit=0'],
  ['', 'ready', '--json', '--unassigned'],
  ['', 'blocked', '--json'],
  ['', 'show', '{A}', '{B}', '--json'],
  ['', 'update', '{A}', '--claim', '--json'],
  ['', 'update', '{A}', '--claim', '--actor', 'other', '--json'],
  ['', 'update', '{B}', '--add-label', 'l', '--json'],
  ['', 'update', '{B}', '--remove-label', 'l', '--set-metadata', 'k=v', '--json'],
  ['', 'update', '{D}', '--status=hooked', `--assignee=${NUX}`, '--json'],
  ['', 'list', '--json', '--status=hooked', `--assignee=${NUX}`, '--limit=0', '--flat'],
  ['', 'update', '{D}', '--status=open', '--assignee=', '--json'],
  ['', 'update', '{C}', '--title', 'Other', '--priority', '0', '--description', '', '--json'],
  ['', 'dep', 'add', '{D}', '{C}', '--json'],
  ['', 'dep', 'add', '{C}', '{D}', '--json'],
  ['', 'show', '{D}', '--json'],
  ['', 'dep', 'remove', '{D}', '{C}', '--json'],
  ['', 'comments', 'add', '{A}', 'heard', '--json'],
  ['', 'comments', '{A}', '--json'],
  ['', 'label', 'add', '{A}', 'seen', '--json'],
  ['', 'close', '{B}', '--json'],
  ['', 'close', '{A}', '--reason', 'merged', '--json'],
  ['', 'close', '{A}', '--json'],
  ['', 'close', '{B}', '--json'],
  ['', 'reopen', '{A}', '--json'],
  ['', 'mol', 'wisp', 'list', '--json'],
  ['', 'close', '{W}', '--json'],
  ['', 'list', '--json', '--flat', '--all', '--limit=0'],
  ['', 'show', 'tt-nobody', '--json'],
  ['', 'update', 'tt-nobody', '--claim', '--json'],
];

interface Side {
  readonly run: (words: readonly string[]) => Ran | Promise<Ran>;
  readonly ids: Map<string, string>;
}
const ENV = { BEADS_ACTOR: 'fake', BD_JSON_ENVELOPE: '1' } as const;

function ours(): Side {
  const town = new TestTown();
  const run = (words: readonly string[]) => town.bare(['bd', ...words, '--root', town.root], { env: ENV });
  return { run, ids: new Map() };
}

/** null = there is none. */
function theirs(): Side | null {
  const home = freshFolder();
  const cwd = join(home, 'work');
  mkdirSync(cwd);
  // bd commits, and git takes no name from a bare HOME.
  const identity = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'fake'],
    [`GIT_${who}_EMAIL`, 'fake@example.invalid'],
  ]);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ...Object.fromEntries<string>(identity as [string, string][]),
    ...ENV,
  };
  const call = (program: string, ...words: string[]): Ran | null => {
    const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
    return error === undefined ? { code: status, stdout, stderr } : null;
  };
  if (call('bd', 'version') === null) return null;
  call('git', 'init', '-q');
  expect(call('bd', 'init', '--prefix', 'tt', '--quiet')).toMatchObject({ code: 0 });
  return { run: (words) => call('bd', ...words) ?? { code: null, stdout: '', stderr: 'bd is gone' }, ids: new Map() };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // Only an id, or nothing.
  }
};

/** What a line comes to on one side: its exit code, its answer, and of a refusal its words. */
async function answerOf({ run, ids }: Side, [name = '', ...words]: readonly string[]): Promise<unknown> {
  const named = (text: string): string => [...ids].reduce((said, [one, id]) => said.replaceAll(id, `{${one}}`), text);
  const argv = words.map((word) => word.replace(/\{(\w)\}/g, (_, one: string) => ids.get(one) ?? one));
  const { code, stdout, stderr } = await run(argv);
  const answer = parsed(stdout);
  const id = name === '' ? undefined : idIn(answer);
  if (id !== undefined) ids.set(name, id);
  return [code, leveled(answer, named), code === 0 ? '' : named(stderr)];
}

test('bd and town bd answer the same, line by line', { timeout: 600_000 }, async () => {
  const real = theirs();
  if (real === null)
    process.stdout.write('no bd on PATH: town bd is held against itself here, and against recorded answers\n');
  const [mine, other] = [ours(), real ?? ours()];
  const codes: unknown[] = [];
  for (const line of SCRIPT) {
    const answers = await Promise.all([answerOf(mine, line), answerOf(other, line)]);
    expect([line, answers[0]]).toEqual([line, answers[1]]);
    codes.push((answers[0] as unknown[])[0]);
  }
  // What is refused: a claim of another's, a circle, a close of what waits, and what is not there.
  expect(codes.filter((code) => code === 1)).toHaveLength(5);
  expect(codes.filter((code) => code === 0)).toHaveLength(SCRIPT.length - 5);
});
