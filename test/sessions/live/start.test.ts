/** Starting: every line of the facts, under a plain tmux.conf and a hostile one. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createProcesses } from '../../../src/proc/processes.ts';
import { town } from '../../tmux/over.ts';
import { HOSTILE_CONF } from '../../tmux/server.ts';
import { argvOf, environmentOf, shower, until, type YardOptions } from '../../tmux/yard.ts';

const notStarted = (why: string, taken = false) => ({
  type: 'SESSION_NOT_STARTED',
  taken,
  why: expect.stringContaining(why) as string,
});

describe.each([
  ['a plain tmux.conf', {}],
  ['a hostile tmux.conf', { conf: HOSTILE_CONF }],
  ['no server yet', { session: null }],
  ['no server yet and a hostile tmux.conf', { session: null, conf: HOSTILE_CONF }],
])('with %s', (_what, options: YardOptions) => {
  test('the pane’s pid is the command itself, with its marks, its size and no shell left', async () => {
    const { begin, server, root, scan, sessions } = await town(options);
    const life = await begin({ name: 'gt-max', command: ['sleep', '4242'], tags: ['a', 'b'] }, 'uuid-1');
    await until(() => argvOf(life.agent.pid).join(' ') === 'sleep 4242');
    expect(environmentOf(life.agent.pid)).toMatchObject({
      TOWN_ROOT: root,
      TOWN_SESSION: 'gt-max',
      TOWN_TOKEN: 'token of uuid-1',
      TOWN_INCARNATION: 'uuid-1',
      TMUX_PANE: life.paneId,
    });
    const shown = (format: string): Promise<string> => server.tmux('display-message', '-p', '-t', life.paneId, format);
    expect(await shown('#{pane_pid} #{pane_width}x#{pane_height}')).toBe(`${life.agent.pid} 200x50`);
    expect(await shown('#{session_name} #{@town_root} #{@town_incarnation} #{@town_tags}')).toBe(
      `gt-max ${root} uuid-1 a,b`,
    );
    expect(await shown('#{remain-on-exit} #{?#{m/r:^(0|off)$,#{destroy-unattached}},0,1}')).toBe('on 0');
    expect(await sessions()).toContain('gt-max');
    expect(await sessions()).not.toContain('_town-uuid-1');
    expect(life).toEqual({
      uuid: 'uuid-1',
      session: 'gt-max',
      origin: 'started',
      agent: createProcesses().proc(life.agent.pid),
      sessionId: await shown('#{session_id}'),
      paneId: expect.stringMatching(/^%\d+$/) as string,
      server: createProcesses().proc(Number(await shown('#{pid}'))),
    });
    expect((await scan(life)).seen).toMatchObject([{ life: 'alive', exit: null }]);
  });

  test('the same order twice finds the session; its token is the same', async () => {
    const { start, sessions } = await town(options);
    const first = await start({ name: 'once' }, 'uuid-2');
    const again = await start({ name: 'once' }, 'uuid-2');
    expect(again).toEqual(first);
    expect(first).toMatchObject({ program: { file: '/usr/bin/sleep' } });
    expect(first).toMatchObject({ tokenHash: createHash('sha256').update('token of uuid-2').digest('hex') });
    expect((await sessions()).filter((name) => name === 'once')).toHaveLength(1);
  });

  test('a command that ends at once is a started life that died with its status', async () => {
    const { begin, scan } = await town(options);
    const life = await begin({ command: ['sh', '-c', 'exit 7'] });
    await until(async () => (await scan(life)).seen[0]?.life === 'dead');
    expect((await scan(life)).seen).toMatchObject([{ life: 'dead', exit: { kind: 'code', code: 7 } }]);
  });

  test('a dead earlier life is cleared, and the name starts anew', async () => {
    const { begin, scan, sessions } = await town(options);
    const first = await begin({ command: ['true'] });
    await until(async () => (await scan(first)).seen[0]?.life === 'dead');
    const second = await begin({});
    expect(second.paneId).not.toBe(first.paneId);
    expect((await sessions()).filter((name) => name === 'agent')).toHaveLength(1);
    expect((await scan(first, second)).seen).toMatchObject([{ life: 'replaced' }, { life: 'alive' }]);
  });
});

test('words arrive as they are: semicolons, formats, programs, empty words, dashes, line breaks', async () => {
  const { begin, server } = await town();
  const dir = join(server.dir, 'a #{pid} ##x #[fg=red] %H ;');
  mkdirSync(dir);
  const said = join(server.dir, 'said');
  const words = [
    'x;',
    ';',
    'y\\;',
    '#{pid}',
    '#(id)',
    '$(id)',
    '',
    '-q',
    '--',
    'a\nb',
    "it's",
    '"',
    '\u00e9',
    '{',
    '%H',
  ];
  await begin({ dir, command: [shower(said), ...words] });
  await until(() => existsSync(said));
  expect(readFileSync(said, 'utf8')).toBe(`${dir}\n${words.map((word) => `<${word}>\n`).join('')}`);
});

test('one word alone is no shell line', async () => {
  const { begin, server, scan } = await town();
  const odd = join(server.dir, 'odd; touch x');
  writeFileSync(odd, '#!/bin/sh\nexec sleep 100000\n', { mode: 0o700 });
  const life = await begin({ command: [odd] });
  await until(() => argvOf(life.agent.pid).join(' ') === 'sleep 100000');
  expect((await scan(life)).seen[0]?.life).toBe('alive');
});

test('a program is looked for as its session would: by the PATH of the server, and from its folder on', async () => {
  const { start, server, sessions } = await town();
  const missing = { type: 'SESSION_NOT_STARTED', missing: true, taken: false } as const;
  expect(await start({ name: 'm', command: ['no-such-program'] })).toMatchObject(missing);
  writeFileSync(join(server.dir, 'mine'), '#!/bin/sh\nexec sleep 100000\n', { mode: 0o700 });
  writeFileSync(join(server.dir, 'data'), 'no program', { mode: 0o600 });
  for (const command of ['mine', './data', './no-such', join(server.dir, 'data')])
    expect(await start({ name: 'm', command: [command] })).toMatchObject(missing);
  expect(await sessions()).not.toContain('m');
  expect(await start({ name: 'm', command: ['./mine'], dir: server.dir })).toMatchObject({ type: 'SESSION_STARTED' });
  await server.tmux('set-environment', '-g', 'PATH', `${server.dir}:/bin:/usr/bin`);
  expect(await start({ name: 'n', command: ['mine'] })).toMatchObject({ type: 'SESSION_STARTED' });
});

test('nothing of npm, tmux, Node or another agent gets to an agent through a server that the town starts', async () => {
  const npm = { npm_config_x: '1', INIT_CWD: '/x', NODE: '/n', NODE_OPTIONS: '--no-warnings' };
  const env = { ...npm, TMUX: 'x,1,2', TMUX_PANE: '%9', TOWN_TOKEN: 'stolen', TOWN_INCARNATION: 'other', TOWN_X: 'y' };
  const PATH = `/p/node_modules/.bin:${process.env['PATH'] ?? ''}`;
  const { begin, tmux } = await town({ session: null, env: { ...env, PATH } });
  const life = await begin({}, 'mine');
  const split = await tmux.call(['split-window', '-d', '-P', '-F', '#{pane_pid}', '-t', life.paneId, 'sleep', '1000']);
  for (const [pid, marks] of [
    [life.agent.pid, ['TOWN_INCARNATION', 'TOWN_ROOT', 'TOWN_SESSION', 'TOWN_TOKEN']],
    [Number(split), []],
  ] as const) {
    await until(() => argvOf(pid)[0] === 'sleep');
    const inherited = environmentOf(pid);
    expect(Object.keys(npm).filter((name) => name in inherited)).toEqual([]);
    expect(
      Object.keys(inherited)
        .filter((name) => name.startsWith('TOWN_'))
        .sort(),
    ).toEqual(marks);
    expect(inherited['PATH']).not.toContain('/p/node_modules/.bin');
    expect(inherited['TMUX_PANE']).not.toBe('%9');
  }
});

test('a server that the town starts is no child of it and does not keep a folder busy', async () => {
  const { begin } = await town({ session: null });
  const { server } = await begin({});
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const [, parent, , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  expect(Number(parent)).not.toBe(process.pid);
  expect(Number(session)).toBe(server.pid);
});

test('a foreign session is in the name: reported, untouched, and no prefix of it is taken for it', async () => {
  const { start, begin, server, sessions } = await town();
  await server.tmux('new-session', '-d', '-s', 'gt-maxine', 'sleep', '1000');
  await begin({ name: 'gt-max' });
  expect(await start({ name: 'gt-maxine' })).toMatchObject({ type: 'SESSION_NOT_STARTED', taken: true });
  expect(await sessions()).toEqual(['base', 'gt-max', 'gt-maxine']);
});

// Rules: law 6.
test('a living agent of ours is in the name: reported; a person’s split in a dead one goes on under another name', async () => {
  const { start, begin, server, scan, sessions } = await town();
  const life = await begin({});
  expect(await start({}, undefined, life)).toMatchObject({ type: 'SESSION_NOT_STARTED', taken: true });
  const print = ['-d', '-P', '-F', '#{pane_id}'];
  const beside = await server.tmux('split-window', ...print, '-t', life.paneId, 'sleep', '1000');
  process.kill(life.agent.pid, 'SIGKILL');
  await until(async () => (await scan(life)).seen[0]?.life === 'dead');
  expect(await start({}, undefined, life)).toMatchObject({ type: 'SESSION_STARTED' });
  const kept = `agent_kept-${life.paneId.slice(1)}`;
  expect(await sessions()).toEqual(expect.arrayContaining(['agent', kept]));
  const panes = await server.tmux('list-panes', '-s', '-t', `=${kept}`, '-F', '#{pane_id} #{pane_dead}');
  expect(panes.split('\n')).toContain(`${beside} 0`);
});

// Rules: law 6.
test('the window of a dead life that another session shows too is not taken away from it, and the next life starts', async () => {
  const { start, begin, server, scan, sessions } = await town();
  const life = await begin({});
  await server.tmux('new-session', '-d', '-t', '=agent', '-s', 'viewer');
  process.kill(life.agent.pid, 'SIGKILL');
  await until(async () => (await scan(life)).seen[0]?.life === 'dead');
  expect(await start({})).toMatchObject({ type: 'SESSION_STARTED' });
  expect(await sessions()).toEqual(expect.arrayContaining(['agent', 'viewer', `agent_kept-${life.paneId.slice(1)}`]));
  const panes = await server.tmux('list-panes', '-s', '-t', '=viewer', '-F', '#{pane_id}');
  expect(panes.split('\n')).toContain(life.paneId);
});

test('the same order finds its life even where it could not be done any more: no folder, a rival, an earlier life', async () => {
  let refuses = false;
  const refused = { kind: 'refused', by: '/other', why: 'another town holds the server' } as const;
  const { start, begin, server, sessions } = await town({ refusing: () => (refuses ? refused : null) });
  const dir = join(server.dir, 'gone');
  mkdirSync(dir);
  const earlier = await begin({ name: 'earlier' });
  const spec = { name: 'once', dir };
  const first = await start(spec, 'uuid-2');
  rmdirSync(dir);
  refuses = true;
  expect(await start(spec, 'uuid-2', earlier)).toEqual(first);
  expect(await start(spec, 'uuid-3')).toMatchObject({ type: 'SESSION_NOT_STARTED', why: refused.why });
  refuses = false;
  expect(await start(spec, 'uuid-3')).toMatchObject({ type: 'SESSION_NOT_STARTED', taken: false });
  expect(await sessions()).toEqual(['base', 'earlier', 'once']);
});

test('an interrupted start is removed and done anew', async () => {
  const { begin, server, root, sessions } = await town();
  await server.tmux('new-session', '-d', '-s', '_town-uuid-9', 'sleep', '60');
  const { rootKey } = await import('../../../src/tmux/panes.ts');
  for (const [name, value] of Object.entries({
    '@town_key': rootKey(root),
    '@town_incarnation': 'uuid-9',
    '@town_started': '0',
  }))
    await server.tmux('set-option', '-t', '=_town-uuid-9:', name, value);
  await begin({}, 'uuid-9');
  await server.tmux('new-session', '-d', '-s', '_town-uuid-10', 'env', 'TOWN_START=uuid-10', 'sleep', '60');
  await begin({ name: 'next' }, 'uuid-10');
  expect((await sessions()).filter((name) => name.startsWith('_town'))).toEqual([]);
});

test('exit-unattached would end every agent with its last client: refused, with the line', async () => {
  const { start, sessions } = await town({ session: null, conf: 'set -s exit-unattached on' });
  expect(await start({})).toMatchObject(notStarted('set -s exit-unattached on'));
  expect(await sessions()).toEqual([]);
});

test.each([
  ['a name', { name: '$1' }, '"$1"'],
  ['another name', { name: 'a.b' }, '"a.b"'],
  ['a folder', { dir: '/nonexistent' }, '"/nonexistent"'],
  ['no command', { command: [] }, 'no command'],
  ['an assignment', { command: ['A=b'] }, '"A=b"'],
])('%s that cannot be is refused in a sentence', async (_what, spec, said) => {
  const { start, sessions } = await town();
  expect(await start(spec)).toMatchObject(notStarted(said));
  expect(await sessions()).toEqual(['base']);
});

test.each([
  ['is no folder', '/proc/version'],
  ['cannot be entered (ENOTDIR)', '/proc/version/x'],
  ['cannot be entered (ELOOP)', 'loop'],
])('a folder that %s is told, and is no unknown', async (said, path) => {
  const { start, server, sessions } = await town();
  symlinkSync('loop', join(server.dir, 'loop'));
  expect(await start({ dir: join(path.startsWith('/') ? '' : server.dir, path) })).toMatchObject(notStarted(said));
  expect(await sessions()).toEqual(['base']);
});

test('starting sets no option of the server or of everybody’s but @town_owner', async () => {
  const { begin, server, root } = await town();
  const shown = async (): Promise<string[]> =>
    Promise.all([server.tmux('show', '-g'), server.tmux('show', '-gw'), server.tmux('show-hooks', '-g')]);
  const [before, serverBefore] = [await shown(), await server.tmux('show', '-s')];
  await begin({});
  expect(await shown()).toEqual(before);
  const added = (await server.tmux('show', '-s'))
    .split('\n')
    .filter((line) => !serverBefore.split('\n').includes(line));
  expect(added).toEqual([expect.stringMatching(new RegExp(`^@town_owner "?[0-9a-f]{16}-1 ${root}"?$`))]);
});

test('a start that was given up does nothing more; the same order again makes one session of it', async () => {
  let giveUp = new AbortController();
  const { start, sessions, scan } = await town({ claiming: () => giveUp.abort(new Error('no outcome within a test')) });
  await expect(start({}, 'uuid-9', null, giveUp.signal)).rejects.toThrow('no outcome within a test');
  expect(await sessions()).not.toContain('agent');
  const { signal } = giveUp;
  giveUp = new AbortController();
  const outcome = await start({}, 'uuid-9');
  if (outcome.type !== 'SESSION_STARTED') throw new Error(JSON.stringify(outcome));
  expect((await scan(outcome.incarnation)).seen).toMatchObject([{ life: 'alive' }]);
  expect((await sessions()).filter((name) => name !== 'base')).toEqual(['agent']);
  await expect(start({ name: 'late' }, 'uuid-10', null, signal)).rejects.toThrow('no outcome within a test');
  expect(await sessions()).not.toContain('late');
});
