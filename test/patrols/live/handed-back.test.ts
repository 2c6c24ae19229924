/** Handed work that comes back: the next attempt begins with what was there last, and what git refuses to merge blocks no start. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const IDLE = ['sleep', '100000'];

let town: Shop;
let id: string;
let dir: string;

beforeAll(async () => {
  town = new Shop(BY_HAND);
  await town.up();
});

let rigs = 0;
/** Each test has a rig of its own. */
beforeEach(async () => {
  rigs += 1;
  await town.moveTo(`shop${String(rigs)}`);
  id = await town.bead('mend the parser');
  dir = await town.polecat('nux', id, ...IDLE);
});

function commit(name: string): string {
  writeFileSync(join(dir, name), `${name}\n`);
  town.git(dir, 'add', '.');
  town.git(dir, 'commit', '-qm', `add ${name}`);
  return town.git(dir, 'rev-parse', 'HEAD');
}
const says = (subject: string, body = ''): Promise<unknown> =>
  town.run('mail', 'send', `${town.own}/witness`, '-s', subject, '-m', body);
const head = (of: string): string => town.git(of, 'rev-parse', 'HEAD');

/** A shell of a person stands in the worktree while nux's work is to be handed over: it comes back. */
async function refused(): Promise<string> {
  const tip = commit('parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await says('POLECAT_DONE nux');
  const shell = spawn('sleep', ['100000'], { cwd: dir, stdio: 'ignore' });
  const end = async (): Promise<void> => {
    if (shell.exitCode !== null || shell.signalCode !== null || !shell.kill()) return;
    await once(shell, 'exit');
  };
  onTestFinished(end);
  expect(await until(town.acts.bind(town), (acts) => acts.some((act) => act.startsWith('nuke')))).toContain(
    'nuke not done: nux',
  );
  expect(await town.shown(id)).toMatchObject({ status: 'hooked', assignee: `${town.own}/polecats/nux` });
  await end();
  return tip;
}

// Rules: law 4, P-13.
test('what a person saved after a refused hand-over is gone on with', async () => {
  await refused();
  writeFileSync(join(dir, 'left'), 'of a person\n');
  const cases = async () => {
    await town.cycle();
    return (await town.data<{ id: string; rig: string }[]>('triage', 'list')).filter(({ rig }) => rig === town.own);
  };
  const [one] = await until(cases, (all) => all.length > 0);
  expect(await town.run('triage', 'resolve', one?.id ?? '', 'COMMIT_AND_PUSH')).toMatchObject({ code: 0, stderr: '' });
  const saved = town.git(town.repo, 'rev-parse', 'polecat/nux');
  await town.run('bead', 'unhook', id);
  expect(head(await town.polecat('eve', id, ...IDLE))).toBe(saved);
  expect(town.read(`patrols/gt-${town.own}-eve.md`)).toContain(
    `Your branch goes on with it: it begins with its last commit ${saved.slice(0, 12)}.`,
  );
});

// Rules: law 4.
test('what a person committed after a refused hand-over is named beside what is gone on with', async () => {
  const tip = await refused();
  const more = commit('more');
  await town.run('bead', 'unhook', id);
  expect(head(await town.polecat('eve', id, ...IDLE))).toBe(tip);
  const prompt = town.read(`patrols/gt-${town.own}-eve.md`);
  expect(prompt).toContain(`Your branch goes on with what was handed over: it begins with ${tip.slice(0, 12)}.`);
  expect(prompt).toContain(`git log -p ${tip.slice(0, 12)}..${more.slice(0, 12)}`);
});

// Rules: P-8.
test('handed work without a commit in common with main blocks no start: its ref is named', async () => {
  town.git(dir, 'checkout', '-q', '--orphan', 'rewrite');
  const tip = commit('rewritten');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await says('POLECAT_DONE nux');
  expect(await until(town.acts.bind(town), (acts) => acts.includes('nuke done: nux'))).toBeTruthy();
  await says('MERGE_FAILED nux', `Issue: ${id}\nrefusing to merge unrelated histories`);
  expect(await town.acts()).toContain(`reopen done: ${id}`);
  expect(head(await town.polecat('eve', id, ...IDLE))).toBe(town.git(town.remote, 'rev-parse', 'main'));
  expect(town.read(`patrols/gt-${town.own}-eve.md`)).toMatch(
    new RegExp(
      `Its last commit is ${tip.slice(0, 12)}: .* with main instead, and refs/town/handed/\\S+ keeps that commit`,
    ),
  );
});

// Rules: P-8.
test('merged work that is opened again is not mixed up with a later branch of its name', async () => {
  const tip = commit('parser');
  town.git(dir, 'push', '-q', 'origin', 'HEAD');
  await town.ends('nux');
  await says('POLECAT_DONE nux');
  expect(await until(town.acts.bind(town), (acts) => acts.includes('nuke done: nux'))).toBeTruthy();
  const clone = join(town.repo, '../clone');
  town.git(town.home, 'clone', '-q', town.remote, clone);
  town.git(clone, 'merge', '-q', '--no-ff', 'origin/polecat/nux');
  town.git(clone, 'push', '-q', 'origin', 'HEAD:main');
  await says('MERGED nux', `Issue: ${id}`);
  expect(await until(town.acts.bind(town), (acts) => acts.includes(`close done: ${id}`))).toBeTruthy();
  dir = await town.polecat('nux', await town.bead('write the docs'), ...IDLE);
  commit('docs');
  await town.run('bead', 'reopen', id);
  await town.polecat('eve', id, ...IDLE);
  expect(town.read(`patrols/gt-${town.own}-eve.md`)).toContain(
    `main has its commits up to ${tip.slice(0, 12)} already`,
  );
});
