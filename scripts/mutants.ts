/**
 * Ways to break a law of the town, one at a time in a copy of the project, each by one exact replacement. The tests
 * named beside it must turn red; a mutant that survives them is a law that no test holds.
 * The very tests that turned red must be green in a copy without a mutant, or red says nothing.
 * `node scripts/mutants.ts [--project pure|live] [name]` prints a line each and ends `N killed, M survived`; exit 1 if any
 * survived, or if the text to replace is not there exactly once (then a change of the source has to be followed here).
 * Those of a project are the mutants whose tests belong to it.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { isLive } from '../vitest.config.ts';
import type { Report } from './again.ts';
import { scrubbed } from './environment.ts';
import { MUTANTS, type Mutant } from './mutant-list.ts';
import { temporaryFolder } from './temporary.ts';
import { BUILD, NO_BUILD } from './test-run.ts';
import { wordsGiven } from './usage.ts';

/** All mutants share two cores. */
const LANES = 2;
/** Tests wait long for what never comes; a longer wait proves nothing. */
const LIMIT_MS = 120_000;
/** What a copy does without, or gets as a link. */
const LEFT_OUT = new Set(['node_modules', '.git', 'dist', '.town']);

const root = join(import.meta.dirname, '..');
const temporary = temporaryFolder();
/** Each run has a temporary folder of its own; what Node compiled of the test runner serves the next one. */
const NODE_COMPILE_CACHE = process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache');

/** A copy of the project as it stands in the work tree: each lane has one, for one mutant after the other. */
function copied(): string {
  const copy = mkdtempSync(join(temporary, 'town-mutant-'));
  for (const entry of readdirSync(root))
    if (!LEFT_OUT.has(entry)) cpSync(join(root, entry), join(copy, entry), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The text of the mutant's file with the mutant in it. Throws when its place is not there exactly once. */
function mutated({ name, file, from, to }: Mutant): string {
  const text = readFileSync(join(root, file), 'utf8');
  const places = text.split(from).length - 1;
  if (places !== 1)
    throw new Error(
      `mutant "${name}": the text to replace is there ${places} times in ${file}, not once. ` +
        `Bring scripts/mutants.ts up to date:\n  ${from}`,
    );
  return text.replace(from, () => to);
}

/** What the tests said. `red` names a test that failed; `nothing` = no test ran to its end, so nothing is proved. */
type Said =
  | { readonly word: 'red'; readonly by: string }
  | { readonly word: 'green'; readonly passed: readonly string[] }
  | { readonly word: 'nothing'; readonly output: string };

interface Run {
  readonly tests: readonly string[];
  readonly limitMs: number;
  readonly startsTown: boolean;
}

async function played(copy: string, { tests, limitMs, startsTown }: Run): Promise<Said> {
  const temp = join(copy, 'tmp');
  mkdirSync(temp);
  try {
    const report = join(temp, 'report.json');
    const words = ['run', '--bail', '1', '--reporter', 'default', '--reporter', 'json', '--outputFile.json', report];
    const ran = await execa('vitest', [...words, ...tests], {
      cwd: copy,
      all: true,
      stdin: 'ignore',
      reject: false,
      timeout: limitMs,
      preferLocal: true,
      localDir: root,
      extendEnv: false,
      env: { ...scrubbed(process.env), TMPDIR: temp, NODE_COMPILE_CACHE, ...(!startsTown && { [BUILD]: NO_BUILD }) },
    });
    const said = ran.timedOut ? null : readReport(report);
    return said ?? { word: 'nothing', output: ran.all };
  } finally {
    endServers(temp);
    rmSync(temp, { recursive: true, force: true });
  }
}

/** A run that ends at its first red test leaves its tmux servers behind, with the agents in them. */
function endServers(temp: string): void {
  for (const entry of readdirSync(temp, { recursive: true, withFileTypes: true, encoding: 'utf8' }))
    if (entry.isSocket())
      spawnSync('tmux', ['-S', join(entry.parentPath, entry.name), 'kill-server'], { stdio: 'ignore' });
}

interface TestReport {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** As the runner's `-t` compares it. */
const nameOf = ({ ancestorTitles, title }: TestReport): string => [...ancestorTitles, title].join(' > ');

/** null = no report, or no test in it: a file that did not even load shows nothing about the mutant. */
function readReport(path: string): Said | null {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return null; // The runner ended before it wrote one.
  }
  const tests = report.testResults.flatMap(
    ({ assertionResults }) => assertionResults as unknown as readonly TestReport[],
  );
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { word: 'red', by: nameOf(failed) };
  const passed = tests.filter(({ status }) => status === 'passed').map(nameOf);
  return passed.length > 0 ? { word: 'green', passed } : null;
}

/** A mutant, and the full name of the test that turned red. */
interface Killed {
  readonly mutant: Mutant;
  readonly by: string;
}

/** null = it survived, or no test ran to its end. The copy is as it was afterwards. */
async function killedIn(copy: string, mutant: Mutant): Promise<Killed | null> {
  const began = performance.now();
  const file = join(copy, mutant.file);
  writeFileSync(file, mutated(mutant));
  const { tests, startsTown = false } = mutant;
  const said = await played(copy, { tests, limitMs: LIMIT_MS, startsTown });
  copyFileSync(join(root, mutant.file), file);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const word = { red: 'killed  ', green: 'SURVIVED', nothing: 'UNPROVED' }[said.word];
  const by = said.word === 'red' ? `by: ${said.by}` : `tried: ${mutant.tests.join(', ')}`;
  process.stdout.write(`${word}  ${mutant.name} (${seconds} s; ${by})\n`);
  if (said.word === 'nothing') process.stdout.write(`${said.output}\n`);
  return said.word === 'red' ? { mutant, by: said.by } : null;
}

/** What killed the mutants, in a copy without one; resolves with whether it is green there. */
async function isControlled(killed: readonly Killed[], copy: string): Promise<boolean> {
  if (killed.length === 0) return true;
  const files = new Set(killed.flatMap(({ mutant }) => mutant.tests.filter((word) => word.startsWith('test/'))));
  const names = killed.map(({ by }) => `^${by.replaceAll(/[^\w ]/g, String.raw`\$&`)}$`);
  const said = await played(copy, {
    tests: [...files, '-t', names.join('|')],
    limitMs: LIMIT_MS * killed.length,
    startsTown: killed.some(({ mutant }) => mutant.startsTown === true),
  });
  const passed = said.word === 'green' ? said.passed : [];
  const missing = killed.map(({ by }) => by).filter((name) => !passed.includes(name));
  const isGreen = missing.length === 0;
  const red = said.word === 'red' ? said.by : said.word === 'nothing' ? said.output : `not run: ${missing.join('; ')}`;
  process.stdout.write(isGreen ? 'green     without a mutant\n' : `NO MUTANT, and red: ${red}\n`);
  return isGreen;
}

const USAGE = `node scripts/mutants.ts [--project pure|live] [name]

Breaks one law at a time in a copy of the project: its tests must see it. Exit 1 if one does not.`;

/** The project whose tests see it. */
const projectOf = ({ tests }: Mutant): string => (tests.some(isLive) ? 'live' : 'pure');

async function main(): Promise<number> {
  const { values, positionals } = wordsGiven(USAGE, { project: { type: 'string' } });
  const { project } = values;
  const name = positionals.join(' ');
  const chosen = MUTANTS.filter(
    (mutant) => (name === '' || mutant.name === name) && (project === undefined || projectOf(mutant) === project),
  );
  if (chosen.length === 0) {
    process.stderr.write(`There is no such mutant: ${name}. There are: ${MUTANTS.map((one) => one.name).join(', ')}\n`);
    return 2;
  }
  const queue = [...chosen];
  const killed: Killed[] = [];
  const copies = Array.from({ length: Math.min(LANES, chosen.length) }, copied);
  const lane = async (copy: string): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const one = await killedIn(copy, mutant);
      if (one !== null) killed.push(one);
    }
  };
  try {
    await Promise.all(copies.map(lane));
    const isTrue = await isControlled(killed, copies[0] ?? '');
    const survived = chosen.length - killed.length;
    process.stdout.write(`${killed.length} killed, ${survived} survived\n`);
    return survived === 0 && isTrue ? 0 : 1;
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = await main();
