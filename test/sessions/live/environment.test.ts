/** `--env NAME` and `[[agents]] env`: a key that is exported later reaches new sessions, and its value stands nowhere else. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exits, killHard, TestTown, until as untilSo } from '../../cli/town.ts';
import { town as yardOver } from '../../tmux/over.ts';
import { HOSTILE_CONF, withServer } from '../../tmux/server.ts';
import { argvOf, environmentOf, until } from '../../tmux/yard.ts';

const VALUES = {
  PLAIN: 'sk-live-1234',
  ODD: ` a"b'c\\d $HOME #{pid} ; kill-server\nnext; %if 1\t~ {} é€ \u{1f511} `,
  EMPTY: '',
  LONG: 'x'.repeat(30_000),
};

test('every byte of a value reaches the program, and neither tmux nor its command line keeps one', async () => {
  const made = await yardOver({ values: { ...VALUES, OTHER: 'not named' } });
  const life = await made.begin({ env: Object.keys(VALUES) });
  // Until then the pane's process is tmux itself.
  await until(() => argvOf(life.agent.pid)[0] === 'sleep');
  expect(environmentOf(life.agent.pid)).toMatchObject(VALUES);
  expect(environmentOf(life.agent.pid)).not.toHaveProperty('OTHER');
  expect(await made.server.tmux('show-environment', '-t', life.sessionId)).not.toMatch(/PLAIN|ODD|LONG|EMPTY/);
  expect(await made.server.tmux('list-panes', '-a', '-F', '#{pane_start_command}')).not.toContain(VALUES.PLAIN);
});

/** A program `tmux` that notes its words, one call a line, and then does what tmux does. */
function notingTmux(folder: string): { readonly PATH: string; readonly calls: () => string } {
  const calls = join(folder, 'calls');
  const real = execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
  mkdirSync(join(folder, 'bin'));
  const script = `#!/bin/sh\n{ printf '%s ' "$@"; echo; } >> '${calls}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(folder, 'bin', 'tmux'), script, { mode: 0o700 });
  return { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, calls: () => readFileSync(calls, 'utf8') };
}

describe.each([
  ['a plain tmux.conf', {}],
  ['a hostile tmux.conf', { conf: HOSTILE_CONF }],
  ['hooks that fail', { conf: "set-hook -g after-set-environment 'kill-session -t =none'\n" }],
])('with %s', (_what, options) => {
  // Rules: law 11.
  test('neither a value nor the token of a life stands on a command line, and the session keeps none', async () => {
    const server = await withServer(options);
    const { PATH, calls } = notingTmux(server.dir);
    const made = await yardOver({ on: server, env: { PATH }, values: { KEY: VALUES.PLAIN } });
    const life = await made.begin({ env: ['KEY'] }, 'uuid-1');
    await made.start({ env: ['KEY'] }, 'uuid-1');
    await until(() => argvOf(life.agent.pid)[0] === 'sleep');
    expect(environmentOf(life.agent.pid)).toMatchObject({ TOWN_TOKEN: 'token of uuid-1', KEY: VALUES.PLAIN });
    expect(calls()).toContain('respawn-pane');
    expect(calls()).not.toContain('token of uuid-1');
    expect(calls()).not.toContain(VALUES.PLAIN);
    expect(await server.tmux('show-environment', '-t', life.sessionId)).not.toMatch(/TOWN_TOKEN|KEY/);
    expect(await server.tmux('list-panes', '-a', '-F', '#{pane_start_command}')).not.toContain('token of');
  });
});

test('a start that was interrupted leaves no secret with its session once it is repeated', async () => {
  const made = await yardOver({ values: { KEY: VALUES.PLAIN } });
  const life = await made.begin({ env: ['KEY'] }, 'uuid-1');
  await made.server.tmux('set-environment', '-t', life.sessionId, 'TOWN_TOKEN', 'left');
  await made.server.tmux('set-environment', '-t', life.sessionId, 'KEY', 'left');
  expect(await made.start({ env: ['KEY'] }, 'uuid-1')).toMatchObject({ type: 'SESSION_STARTED', incarnation: life });
  expect(await made.server.tmux('show-environment', '-t', life.sessionId)).not.toContain('left');
});

test('a start that misses a value waits for it, and says which', async () => {
  const values: Record<string, string> = {};
  const made = await yardOver({ values });
  const why = 'the variable KEY is not set for agent; export it, then: town session start agent';
  expect(await made.start({ env: ['KEY'] })).toMatchObject({ type: 'SESSION_NOT_STARTED', why, waits: true });
  const waiting = { spec: made.specOf({ env: ['KEY'] }), previous: null };
  expect(await made.free(waiting)).toEqual([]);
  values['KEY'] = 'v';
  expect(await made.free(waiting)).toEqual(['agent']);
});

describe('a town', () => {
  const SECRET = 'sk-live-5678';
  let town: TestTown;
  const run = (words: readonly string[], env: Record<string, string> = {}) =>
    town.bare(['--root', town.root, ...words], { env });
  const start = (name: string, ...words: string[]): string[] => [
    'session',
    'start',
    name,
    ...words,
    '--',
    'sleep',
    '1000',
  ];
  const keyOf = async (name: string, before?: string): Promise<string | undefined> => {
    const life = await untilSo(() => [town.life(name)].find((one) => one !== null && one.uuid !== before));
    return environmentOf(life?.agent.pid ?? 0)['KEY'];
  };
  /** Files of the root that hold this text, and how they may be read. */
  const holding = (text: string, folder = town.root): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return holding(text, path);
      if (!entry.isFile() || !readFileSync(path).includes(text)) return [];
      return [`${path.slice(town.root.length + 1)} ${(statSync(path).mode & 0o777).toString(8)}`];
    });

  beforeAll(async () => {
    town = new TestTown(
      '[sessions]\nbackoff = "100ms"\nscan_every = "200ms"\n[[agents]]\nname = "listed"\ncommand = ["sleep", "1000"]\nenv = ["KEY"]\n',
    );
    const { code, stderr } = await run(['up']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the variable KEY is not set for listed; export it')]);
  });

  test('`--env` takes a name alone, of a variable that is set', async () => {
    exits(await run(start('one', '--env', `KEY=${SECRET}`)), 2, 'town: --env KEY=… has a value: export KEY first');
    exits(await run(start('one', '--env', 'TOWN_TOKEN')), 2, 'is no name of a variable, or one of the town');
    exits(
      await run(start('one', '--env', 'KEY')),
      2,
      'the variable KEY is not set for one; export it, then type this again',
    );
    expect(town.record('one')).toBeNull();
  });

  test('a value reaches the first life, and a restart by the supervisor has it; one exported later is in the next', async () => {
    exits(await run(start('one', '--env', 'KEY', '--restart', 'permanent'), { KEY: SECRET }), 0, '');
    expect(await keyOf('one')).toBe(SECRET);
    const first = town.life('one');
    killHard(first?.agent.pid);
    expect(await keyOf('one', first?.uuid)).toBe(SECRET);
    const second = town.life('one');
    exits(await run(['session', 'restart', 'one'], { KEY: 'another' }), 0, '');
    expect(await keyOf('one', second?.uuid)).toBe('another');
  });

  test('an agent of town.toml that waited for its key starts with the next `up` that has it', async () => {
    expect(await untilSo(() => town.record('listed')?.startBlocked)).toBe(true);
    expect((await run(['up'], { KEY: SECRET })).code).toBe(0);
    expect(await keyOf('listed')).toBe(SECRET);
  });

  test('its values stand in files for their owner alone, and go with the session', async () => {
    const kept = (name: string): string => `daemon/environments/${name}.json 600`;
    expect(holding(SECRET)).toEqual([kept('listed')]);
    expect(holding('another')).toEqual([kept('one')]);
    exits(await run(['session', 'stop', 'one']), 0, '');
    exits(await run(['session', 'remove', 'one']), 0, '');
    expect(holding('another')).toEqual([]);
  });
});
