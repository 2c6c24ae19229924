/**
 * A life goes on with the conversation of the one before (M-11), on a real tmux with a program that keeps transcripts as Claude Code
 * does: named by the first start, resumed after a crash, begun anew where the program keeps it no more or it ends every life.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { FILES } from '../../../state/files/layout.ts';
import { killHard, TestTown, until } from '../../cli/town.ts';

const TOML = '[sessions]\nbackoff = "100ms"\nmax_backoff = "200ms"\nscan_every = "100ms"\n';
/** Notes its words, a line each, and keeps a transcript of a conversation that it begins. `die` in its folder ends it at once. */
const PROGRAM = `#!/bin/bash
# The town's hooks, which each start of a known version has.
hooks=none
[ "$1" = --settings ] && { hooks=$2; shift 2; }
echo "$hooks" >> "$HOME/hooks"
{ printf '%s|' "$@"; echo; } >> "$HOME/starts"
kept="$HOME/.claude/projects/$(pwd -P | tr -c 'A-Za-z0-9\\n' '-')"
mkdir -p "$kept"
[ "$1" = --session-id ] && echo '{}' > "$kept/$2.jsonl"
[ -e "$HOME/die" ] && exit 3
exec sleep 100000
`;

let town: TestTown;
let dir: string;
let program: string;

beforeEach(async () => {
  town = new TestTown(TOML);
  dir = join(town.home, 'shop');
  mkdirSync(dir);
  // As its installer has it: the file names the version.
  program = join(town.home, 'bin', 'claude');
  const file = join(town.home, 'share/claude/versions/2.1.332');
  for (const folder of [dirname(program), dirname(file)]) mkdirSync(folder, { recursive: true });
  writeFileSync(file, PROGRAM, { mode: 0o755 });
  symlinkSync(file, program);
  await town.data('up');
  await town.data(
    'session',
    'start',
    'max',
    '--dir',
    dir,
    '--',
    'env',
    'KEY=1',
    program,
    '--model',
    'opus',
    'do the first thing',
  );
});

const hooksOf = (): string[] => readFileSync(join(town.home, 'hooks'), 'utf8').trim().split('\n');
const starts = (): string[] => readFileSync(join(town.home, 'starts'), 'utf8').trim().split('\n');
interface Shown {
  readonly pid: number;
  readonly state: string;
  readonly note: string;
  readonly restarts: number;
}
const shown = (): Promise<Shown> => town.data<Shown>('session', 'status', 'max');
async function crashed(): Promise<Shown> {
  const { pid, restarts } = await shown();
  process.kill(pid, 'SIGKILL');
  return until(shown, (now) => now.restarts === restarts + 1 && now.state === 'running');
}
const FIRST =
  /^--session-id\|([0-9a-f-]{36})\|--model\|opus\|do the first thing( \(Townwatch: an earlier life[^|]*\))?\|$/;
const isToldAgain = (line: string | undefined): boolean => FIRST.exec(line ?? '')?.[2] !== undefined;
const idOf = (line: string | undefined): string | undefined => FIRST.exec(line ?? '')?.[1];

// Rules: M-11.
test('the next life resumes it, hears why, and is not given its first prompt again', async () => {
  const [first] = await until(starts, (all) => all.length === 1);
  expect(first).toMatch(FIRST);
  const now = await crashed();
  const [, again] = await until(starts, (all) => all.length === 2);
  expect(again).toBe(
    `--resume|${idOf(first)}|Townwatch started you again (ended by signal SIGKILL; starts again). Go on with what you were doing.|--model|opus|`,
  );
  expect(now.note).toBe('running; went on with its conversation');
  const hooks = join(town.root, FILES.claudeSettings);
  expect(hooksOf()).toEqual([hooks, hooks]);
  expect((await town.run('why', 'max')).stdout).toContain('went on with its conversation');
  const { pid } = JSON.parse(town.read(FILES.daemonPid)) as { pid: number };
  killHard(pid);
  await crashed();
  expect((await until(starts, (all) => all.length === 3))[2]).toBe(again);
});

// Rules: M-11.
test('another first prompt begins another conversation; without one the next life hears why its last one ended', async () => {
  const start = (...words: string[]) =>
    town.data('session', 'start', 'max', '--dir', dir, '--', 'env', 'KEY=1', program, ...words);
  const [first] = await until(starts, (all) => all.length === 1);
  await town.data('session', 'stop', 'max');
  await start('--model', 'opus', 'write the docs');
  const [, second] = await until(starts, (all) => all.length === 2);
  const id = /^--session-id\|([0-9a-f-]{36})\|--model\|opus\|write the docs\|$/.exec(second ?? '')?.[1];
  expect(id).toBeDefined();
  expect(id).not.toBe(idOf(first));
  const isAnew = ({ note }: Shown) =>
    note === 'running; began its conversation anew, because its first prompt is another one';
  await until(shown, isAnew);
  await town.data('session', 'stop', 'max');
  await start('--model', 'opus');
  expect((await until(starts, (all) => all.length === 3))[2]).toBe(
    `--resume|${id}|Townwatch started you again (stopped by the operator; starts again). Go on with what you were doing.|--model|opus|`,
  );
});

test('a start without the file of hooks has none', async () => {
  await until(starts, (all) => all.length === 1);
  rmSync(join(town.root, FILES.claudeSettings));
  await crashed();
  await until(starts, (all) => all.length === 2);
  expect(hooksOf()).toEqual([join(town.root, FILES.claudeSettings), 'none']);
});

test('one that its program keeps no more is begun anew, and the reason is said', async () => {
  const [first] = await until(starts, (all) => all.length === 1);
  rmSync(join(town.home, '.claude'), { recursive: true });
  const now = await crashed();
  const [, again] = await until(starts, (all) => all.length === 2);
  expect(again).toMatch(FIRST);
  // An earlier life may have done some of it.
  expect([isToldAgain(first), isToldAgain(again)]).toEqual([false, true]);
  expect(idOf(again)).not.toBe(idOf(first));
  expect(now.note).toBe(`running; began its conversation anew, because Claude Code keeps none called ${idOf(first)}`);
});

test('one with which three lives in a row ended is left, and its name is kept', async () => {
  const [first] = await until(starts, (all) => all.length === 1);
  writeFileSync(join(town.home, 'die'), '');
  process.kill((await shown()).pid, 'SIGKILL');
  const all = await until(starts, (lines) => lines.length >= 4);
  rmSync(join(town.home, 'die'));
  expect(all.slice(1, 3).every((line) => line.startsWith(`--resume|${idOf(first)}|`))).toBe(true);
  expect(idOf(all[3])).toBeDefined();
  // Its end may be seen before its start is recorded.
  const kept = (): string => town.read('sessions/max.json');
  await until(kept, (text) => text.includes(`3 lives in a row ended with ${idOf(first)}`));
});

test('a program whose version is not known, or was never tried, is started as it was, and its new conversation is told', async () => {
  const [first] = await until(starts, (all) => all.length === 1);
  expect(first).toMatch(FIRST);
  rmSync(program);
  writeFileSync(program, PROGRAM, { mode: 0o755 });
  const { note } = await crashed();
  expect((await until(starts, (all) => all.length === 2))[1]).toBe('--model|opus|do the first thing|');
  expect(hooksOf()[1]).toBe('none');
  expect(note).toBe(
    `running; began its conversation anew, because which version of Claude Code ${program} is not known`,
  );
  rmSync(program);
  const old = join(town.home, 'share/claude/versions/2.1.329');
  renameSync(join(town.home, 'share/claude/versions/2.1.332'), old);
  symlinkSync(old, program);
  expect((await crashed()).note).toContain('Claude Code 2.1.329 is older than 2.1.330, the first that was tried');
});

/** In town.toml, of an agent that is killed once it began. */
async function killedAsLine(line: string): Promise<{ readonly note: string; readonly all: string[] }> {
  await until(starts, (all) => all.length === 1);
  writeFileSync(join(town.home, 'task'), 'do the "second" thing');
  const agent = `[[agents]]\nname = "leo"\ncommand = ${JSON.stringify(line)}\ndir = ${JSON.stringify(dir)}\n`;
  town.configure(`${TOML}${agent}`);
  await town.data('restart');
  await until(starts, (all) => all.length === 2);
  const leo = (): Promise<Shown> => town.data<Shown>('session', 'status', 'leo');
  const { pid } = await until(leo, ({ state }) => state === 'running');
  process.kill(pid, 'SIGKILL');
  const { note } = await until(leo, ({ restarts, state }) => restarts === 1 && state === 'running');
  return { note, all: await until(starts, (lines) => lines.length === 3) };
}

test('an agent whose command is a line for a shell goes on too: with hooks, by its id, without its first prompt', async () => {
  const { note, all } = await killedAsLine(`A=1 ${program} "$(cat "$HOME/task")" --model opus`);
  const [, id] = /^--session-id\|([0-9a-f-]{36})\|do the "second" thing\|--model\|opus\|$/.exec(all[1] ?? '') ?? [];
  expect(id).toBeDefined();
  expect(all[2]).toMatch(new RegExp(`^--resume\\|${id}\\|Townwatch started you again [^|]*\\|--model\\|opus\\|$`));
  expect(note).toBe('running; went on with its conversation');
  expect(hooksOf()).toEqual(Array(3).fill(join(town.root, FILES.claudeSettings)));
});

test('a line that is not understood is started as it was, and its new conversation is told', async () => {
  const { note, all } = await killedAsLine(`cd "$HOME/shop" && exec ${program} "$(cat "$HOME/task")"`);
  expect(all.slice(1)).toEqual(['do the "second" thing|', 'do the "second" thing|']);
  expect(note).toBe(
    'running; began its conversation anew, because its command is a line for a shell that runs cd before it',
  );
});
