/**
 * Runs everything CI runs: `npm run verify`. What only computes, pure tests too, runs beside the live tests and the real agents,
 * at a lower priority. Mutants of live tests follow alone. A step is quiet unless it fails; the end names what failed, with what to
 * type. Exits 1 if anything failed.
 * `--reports FOLDER`: the JSON reports of the tests go there, live.json and pure.json, and the few tests that failed are played once
 * more, alone.
 */
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type Subprocess } from 'execa';
import { allProcesses, signalBelow } from './below.ts';
import { scrubbed } from './environment.ts';
import { wordsGiven } from './usage.ts';

interface Step {
  readonly name: string;
  /** A line for a shell of npm, so that it can be typed again as it stands: `npm exec -c '<line>'`. */
  readonly line: string;
  /** Plays what failed of it once more, once nothing else runs: passes if it was unsteady alone. */
  readonly again?: string;
  /** Files of the project without which there is nothing to run yet. */
  readonly needs?: string;
}

/** Steps at once: two that wait, and one that computes. */
const LANES = 3;
/** A step that hangs ends after this many milliseconds: the tests take half of it on two busy cores. */
const STEP_MS = 55 * 60_000;

const root = join(import.meta.dirname, '..');

const USAGE = `npm run verify -- [--reports FOLDER]

Runs every test and every other check. Exit 1 if one fails.`;
const { reports } = wordsGiven(USAGE, { reports: { type: 'string' } }).values;

/** Every test of a project. */
function testsOf(project: 'live' | 'pure', ...options: readonly string[]): Step {
  const name = `${project} tests`;
  const line = ['node scripts/all-tests.ts --project', project, ...options].join(' ');
  if (reports === undefined) return { name, line };
  const file = `'${join(reports, project)}.json'`;
  const reporters = ['default', './scripts/stuck.ts', 'json'].map((one) => `--reporter=${one}`).join(' ');
  const again = `node scripts/again.ts ${file}`;
  return { name, line: `${line} ${reporters} --outputFile.json=${file}`, again };
}

const LIVE = testsOf('live');

const TESTS: readonly Step[] = [
  { ...LIVE, line: `node scripts/need-tmux.ts && ${LIVE.line}` },
  { name: 'real agents', line: 'node test/agents/main.ts --subset', needs: 'test/agents/main.ts' },
];

/**
 * The histories are always the same ones, so that a red run is the change's doing; `npm run sim` draws new ones, as many as
 * wanted. No step builds the package, since the tests of the installed one do (test/cli/packed.ts).
 */
const CHECKS: readonly Step[] = [
  // They only compute, so that more at once would wait for two cores.
  testsOf('pure', '--maxWorkers=2'),
  { name: 'lint', line: 'eslint . --max-warnings 0' },
  { name: 'mutants of pure tests', line: 'node scripts/mutants.ts --project pure', needs: 'scripts/mutants.ts' },
  { name: 'simulation', line: 'node test/sim/main.ts --runs 2000 --seed 20261101', needs: 'test/sim/main.ts' },
  { name: 'types', line: 'tsc -p .' },
  { name: 'dead code', line: 'knip --no-progress --no-config-hints' },
  { name: 'rules', line: 'node scripts/rules.ts', needs: 'scripts/rules.ts' },
  {
    name: "every machine on XState's development build",
    line: 'vitest run --mode development --project pure test/kernel/wiring.test.ts',
  },
  { name: 'format', line: 'oxfmt --check -c .prettierrc.json' },
];

/** A mutant that a slow test leaves alive counts as one that no test holds: where tests wait, they have the cores to themselves. */
const MUTANTS: readonly Step[] = [
  { name: 'mutants of live tests', line: 'node scripts/mutants.ts --project live', needs: 'scripts/mutants.ts' },
];

/** Ends a step that hangs with all that it started; the processes of that moment are added to what it printed. */
async function endHung(step: Pick<Subprocess, 'kill' | 'pid'>, output: string): Promise<void> {
  appendFileSync(output, `\nIt was ended after ${STEP_MS / 60_000} minutes. These processes ran:\n${allProcesses()}`);
  if (step.pid !== undefined) await signalBelow(step.pid, 'SIGTERM');
  step.kill();
}

/** Runs one step; true when it passed. A check gets only the time that no test wants. */
async function passes(step: Step): Promise<boolean> {
  const began = performance.now();
  const line = CHECKS.includes(step) ? `nice -n 10 ${step.line}` : step.line;
  const output = join(outputs, step.name);
  // A file and no pipe: a program that outlives its step would keep the pipe open, and the step would never end.
  const running = execa(`{ ${line}; } >>"$OUTPUT" 2>&1`, {
    cwd: root,
    shell: true,
    stdio: 'ignore',
    reject: false,
    preferLocal: true,
    localDir: root,
    extendEnv: false,
    env: { ...scrubbed(process.env), OUTPUT: output },
  });
  const clock = setTimeout(() => void endHung(running, output), STEP_MS);
  const { failed } = await running;
  clearTimeout(clock);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`${failed ? 'FAILED' : 'ok    '}  ${step.name} (${seconds} s)\n`);
  const said = readFileSync(output, 'utf8');
  if (failed) process.stdout.write(said);
  // Also of a run that passed in the end: an unsteady test is to be mended.
  else process.stdout.write(/^unsteady, passed alone: [1-9].*(?:\n {2}.*)*\n?/m.exec(said)?.[0] ?? '');
  return !failed;
}

/** Runs steps, as many at once as there are lanes, and returns those that failed. */
async function failures(steps: readonly Step[]): Promise<Step[]> {
  const queue = steps.filter(({ needs }) => needs === undefined || existsSync(join(root, needs)));
  const failed: Step[] = [];
  const lane = async (): Promise<void> => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) {
      if (!(await passes(step))) failed.push(step);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return failed;
}

const outputs = mkdtempSync(join(tmpdir(), 'verify-'));
process.once('exit', () => rmSync(outputs, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => void signalBelow(process.pid, 'SIGTERM').finally(() => process.exit(1)));
const failed: Step[] = [];
for (const step of await failures([...TESTS, ...CHECKS])) {
  const { name, again } = step;
  if (again === undefined || !(await passes({ name: `${name} that failed, alone`, line: again }))) failed.push(step);
}
failed.push(...(await failures(MUTANTS)));
if (failed.length > 0) {
  const lines = failed.map(({ name, line }) => `  ${name}: npm exec -c '${line}'`);
  process.stderr.write(`verify: what failed, and how to run it alone:\n${lines.join('\n')}\n`);
  process.exit(1);
}
process.stdout.write('verify: everything passed.\n');
