/** `[[agents]]` of a real town on a real tmux (C-6, C-9): started at up, scrubbed, restarted, brought back with their server. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { exits, killHard, prints, TestTown, until } from '../../cli/town.ts';

/** The starter of the town, or of the tmux server before it. */
const STARTER = {
  npm_config_cache: '/nowhere',
  npm_lifecycle_event: 'start',
  INIT_CWD: '/nowhere',
  NODE: '/nowhere/node',
  NODE_OPTIONS: '--no-warnings',
  TOWN_SESSION: 'another',
};
const ADDED = '/nowhere/node_modules/.bin';

let town: TestTown;
type Agents = readonly (readonly [name: string, command: readonly string[], more?: string])[];
function townWith(agents: Agents, more = ''): void {
  town = new TestTown();
  configure(agents, more);
}
function configure(agents: Agents, more = ''): void {
  const entries = agents.map(
    ([name, command, rest = '']) => `[[agents]]\nname = "${name}"\ncommand = ${JSON.stringify(command)}\n${rest}\n`,
  );
  const head = '[sessions]\nbackoff = "100ms"\nscan_every = "100ms"\nstagger = "20ms"\n';
  town.configure(`${head}${more}\n${entries.join('')}`);
}

const record = (name: string) => town.record(name);
const life = (name: string) => town.life(name);
const up = (env: Readonly<Record<string, string>> = {}) => town.bare(['--root', town.root, 'up'], { env });
const episodes = () => town.episodes();

describe('the environment of an agent', () => {
  const file = '"$TOWN_ROOT/env.txt"';
  const print = ['bash', '-c', `env > ${file}.new; mv ${file}.new ${file}; exec sleep 1000`];
  const PATH = `${ADDED}:${process.env['PATH'] ?? ''}`;
  const polluted = () => ({ ...STARTER, PATH, TMUX: '/nowhere,1,0', TMUX_PANE: '%99' });

  // Rules: C-6.
  test.each([
    ['a town that was started below npm, inside tmux', false],
    ['a tmux server that an agent started below npm', true],
  ])('has nothing of %s', async (_, isServerPolluted) => {
    vi.stubEnv('NODE_COMPILE_CACHE', undefined); // what a person sets is theirs, and agents have it
    onTestFinished(() => void vi.unstubAllEnvs());
    townWith([['one', print]]);
    if (isServerPolluted) {
      const env = { ...town.env(), ...polluted(), TOWN_TOKEN: 'of another', TOWN_DANCE_POOL_SIZE: '3', TMUX: '' };
      const words = ['-f', '/dev/null', '-S', town.socket, 'new-session', '-d', '-s', 'mine', 'sleep 1000'];
      spawnSync('tmux', words, { env });
    }
    expect((await up(isServerPolluted ? {} : polluted())).code).toBe(0);
    const text = await town.written('env.txt');
    const own = await until(() => life('one')); // the agent writes before the town has its life on record
    const env: Record<string, string> = Object.fromEntries(
      text.split('\n').map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]),
    );
    const names = Object.keys(env);
    expect(names.filter((name) => /^npm_|^NODE|^INIT_CWD$/.test(name))).toEqual([]);
    const marks = 'TOWN_INCARNATION TOWN_ROOT TOWN_SESSION TOWN_TOKEN'.split(' ');
    expect(names.filter((name) => name.startsWith('TOWN_')).sort()).toEqual(marks);
    expect(env).toMatchObject({ TOWN_ROOT: town.root, TOWN_SESSION: 'one', TOWN_INCARNATION: own?.uuid });
    expect(env['TOWN_TOKEN']).not.toBe('of another');
    expect(env['TMUX']).toMatch(new RegExp(`^${town.socket},`));
    expect(env['TMUX_PANE']).toBe(own?.paneId);
    expect(env['PATH']?.split(':')).not.toContain(ADDED);
  });
});

describe('the agents of town.toml', () => {
  test('run after up, are left by a second up, end cleanly for good, come back when they crash', async () => {
    townWith([
      ['one', ['sleep', '1000'], 'tags = ["worker"]'],
      ['two', ['bash', '-c', 'exit 0']],
      ['three', ['sleep', '1000']],
    ]);
    expect((await up()).code).toBe(0);
    const one = await until(() => life('one'));
    const three = await until(() => life('three'));
    await until(() => record('two')?.state === 'ended');
    expect(record('one')?.spec).toMatchObject({ dir: town.root, tags: ['worker'], restart: 'transient' });
    expect((await town.run('down')).code).toBe(0);
    configure([
      ['one', ['sleep', '2000']],
      ['two', ['bash', '-c', 'exit 0']],
    ]);
    expect((await up()).code).toBe(0);
    await until(async () => (await episodes()).length === 2);
    expect((await episodes()).sort()).toEqual(['agent-changed/one', 'agent-removed/three']);
    expect([life('one'), life('three'), record('two')?.state]).toEqual([one, three, 'ended']);
    // Of what the file names, a start by hand takes the command of the file.
    for (const verb of ['stop', 'start']) expect((await town.run('session', verb, 'one')).code).toBe(0);
    expect(record('one')?.spec.command).toEqual(['sleep', '2000']);
    await until(async () => (await episodes()).join() === 'agent-removed/three');
    killHard(three?.agent.pid);
    await until(
      () => life('three'),
      (now) => now !== null && now.uuid !== three?.uuid,
    );
  });

  // Rules: M-10.
  test('the watchdog of [monitor] mode is started anew with its command of now by the line of its alert', async () => {
    const monitor = (model: string) =>
      `[monitor]\nmode = "session"\n[presets.watchdog]\nharness = "claude"\n[presets.watchdog.config]\nmodel = "${model}"\n`;
    townWith([], monitor('haiku'));
    const bin = town.programs('sh', 'sleep', 'tmux', 'git', 'node');
    writeFileSync(join(bin, 'claude'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    expect((await up(env)).code).toBe(0);
    await until(() => life('watchdog'));
    configure([], monitor('opus'));
    await town.run('down');
    expect((await up(env)).code).toBe(0);
    await until(async () => (await episodes()).includes('agent-changed/watchdog'));
    for (const verb of ['stop', 'start'])
      expect((await town.bare(['--root', town.root, 'session', verb, 'watchdog'], { env })).code).toBe(0);
    expect(record('watchdog')?.spec.command.slice(0, 3)).toEqual(['claude', '--model', 'opus']);
    await until(async () => !(await episodes()).includes('agent-changed/watchdog'));
  });

  test('one in a crash loop is reset by hand while it runs between two tries', async () => {
    townWith([['one', ['bash', '-c', '[ -e mended ] && exec sleep 1000; exit 3']]], 'crash_loop_restarts = 2\n');
    await up();
    await until(async () => (await episodes()).includes('crash-loop/one'));
    town.write('mended', '');
    const one = await until(() => life('one'));
    prints(await town.run('session', 'start', 'one'), 0, 'its crash loop is over');
    expect([life('one'), record('one')?.crashLoop, record('one')?.streak]).toEqual([one, false, 0]);
    await until(async () => (await episodes()).length === 0);
    expect((await town.run('session', 'start', 'one')).code).toBe(1);
  });

  // Rules: C-6.
  test('one that a usage limit stopped is waited for, not called a crash', async () => {
    const words = "You've hit your session limit · resets 3am (UTC)";
    townWith([['one', ['bash', '-c', `sleep 0.5; echo "${words}"; sleep 0.5; exit 1`]]], 'limit_retry = "1h"\n');
    await up();
    await until(() => record('one')?.state === 'backing_off');
    expect(record('one')).toMatchObject({ streak: 0, restartAgesMs: [], lastExit: { kind: 'code', code: 1 } });
    expect(record('one')?.note).toContain(words);
    expect(record('one')?.waitMs).toBeGreaterThan(40 * 60_000);
  });

  // Rules: law 8.
  test('one that waits for an answer is an alert until it has it, also where a restart lies between', async () => {
    const asks = 'read -r -p "Overwrite build/? [y/N] "; exec sleep 1000';
    townWith([['one', ['bash', '-c', asks]]], '[state]\nremind_every = "200ms"\n');
    await up();
    await until(() => life('one'));
    await town.run('warrant', 'file', 'one', '--reason', 'it is silent');
    await until(async () => (await episodes()).includes('needs-input/one'));
    await town.run('restart');
    expect(await episodes()).toEqual(['needs-input/one']);
    town.tmux('send-keys', '-t', '=one:', 'y', 'Enter');
    await until(async () => (await episodes()).length === 0);
    expect(life('one')).not.toBeNull();
    await until(async () => (await town.run('timeline')).stdout.includes('one shows no dialog any more.'));
  });

  test('a nudge from the command line arrives, is told when it cannot, and agents may nudge no other', async () => {
    townWith(
      [
        ['one', ['bash', '-c', 'while IFS= read -r line; do echo "got<$line>"; done']],
        ['kept', ['cat']],
      ],
      '[town]\nprotected = ["kept"]\n',
    );
    await up();
    await until(() => life('one'));
    await until(() => life('kept'));
    town.tmux('new-session', '-d', '-s', 'foreign', 'sleep 1000');
    const done = await town.run('nudge', 'one', 'check', 'your', 'inbox');
    expect([done.code, done.stdout]).toEqual([0, 'one was nudged\n']);
    await until(() => town.tmux('capture-pane', '-p', '-t', '=one:').includes('got<Nudge: check your inbox>'));
    exits(await town.run('nudge', 'one', 'once more'), 1, 'overseer nudged it');
    const codes = await Promise.all([
      town.run('nudge', 'kept', 'hello'),
      town.run('nudge', 'foreign', 'hello'),
      town.run('nudge', 'nobody', 'hello'),
      town.run('nudge', 'one', ''),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([5, 5, 2, 2]);
    const pid = life('kept')?.agent.pid ?? 0;
    const token = /TOWN_TOKEN=([0-9a-f]+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1] ?? '';
    expect((await town.as(token, 'nudge', 'one', 'hello')).code).toBe(5);
  });

  // Rules: C-9.
  test('C-9: the tmux server is killed with twenty of them: one incident, all back, none charged', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `agent-${n}`);
    townWith(names.map((name) => [name, ['sleep', '1000']]));
    await up();
    const before = await until(
      () => names.map(life),
      (all) => all.every((now) => now !== null),
    );
    killHard(before[0]?.server.pid);
    const after = await until(
      () => names.map(life),
      (all) => all.every((now, n) => now !== null && now.uuid !== before[n]?.uuid),
    );
    expect(new Set(after.map((now) => now?.server.pid)).size).toBe(1);
    for (const name of names) expect(record(name)).toMatchObject({ restartAgesMs: [], streak: 0, crashLoop: false });
    const [day = ''] = town.names('journal').slice(-1);
    const incidents = town
      .read(`journal/${day}`)
      .split('\n')
      .filter((line) => line.includes('"kind":"alert"') && line.includes('tmux-server-died'));
    expect(incidents).toHaveLength(1);
  });
});
