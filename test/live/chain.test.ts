/**
 * The watchdog chain on a real tmux (C-1, C-5, C-8, C-10, C-11, C-15): the Deacon as a session, each link alone, its stuck
 * self, its own word about its life. Times are scaled; nothing here depends on how fast the machine is.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { MAIN, TestTown, until } from '../cli/town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

/** The pid of what runs as the Deacon; null = nothing does. */
const deaconPid = (): number | null => {
  const [pid, dead] = town.tmux('list-panes', '-t', '=hq-deacon', '-F', '#{pane_pid} #{pane_dead}').trim().split(' ');
  return pid === undefined || pid === '' || dead === '1' ? null : Number(pid);
};

const ticking = (every = '1s'): string => `[daemon]\nheartbeat = "${every}"\n`;
function configure({
  command = ['sleep', '100000'],
  tick,
  daemon = '',
  boot = '',
  more = '',
}: Partial<Record<'tick' | 'daemon' | 'boot' | 'more', string>> & { readonly command?: readonly string[] } = {}): void {
  const deacon = `[deacon]\nmode = "session"\ncommand = ${JSON.stringify(command)}`;
  town.configure(`${ticking(tick)}${daemon}\n[boot]\nstart_grace = "100ms"\n${boot}\n${deacon}\n${more}\n`);
}
async function up(options?: Parameters<typeof configure>[0]): Promise<void> {
  configure(options);
  await town.up();
}
const alerts = () => town.episodes();

describe('the Deacon is back (C-8)', () => {
  // Rules: law 7, C-8.
  test.each([
    ['by Boot, without check and discovery', { daemon: 'deacon_check = false\ndiscovery = false' }],
    ['by the daemon’s own check, without Boot and discovery', { boot: 'enabled = false', daemon: 'discovery = false' }],
    ['by discovery in tmux, without Boot and check', { boot: 'enabled = false', daemon: 'deacon_check = false' }],
  ] as const)('%s, with its session, its records and the pid files gone', async (_, links) => {
    // Two ticks are longer than any start.
    await up({ tick: '10s' });
    const first = await until(deaconPid);
    await town.run('down');
    expect(deaconPid()).toBe(first); // agents outlive the town
    town.tmux('kill-session', '-t', '=hq-deacon');
    for (const path of ['sessions', 'daemon/daemon.pid', 'daemon/guard.json', 'deacon/dogs/boot'])
      rmSync(join(town.root, path), { recursive: true, force: true });
    await up({ ...links, tick: '10s' });
    const second = await until(deaconPid);
    expect(second).not.toBe(first);
    // Back before a person would be told, which is after two ticks without it.
    expect((await alerts()).filter((episode) => episode.startsWith('deacon-'))).toEqual([]);
  });

  // Rules: law 7, C-8.
  test('or a person is told, and nothing is started, when every link is off', async () => {
    await up({ boot: 'enabled = false', daemon: 'deacon_check = false\ndiscovery = false' });
    await until(async () => (await alerts()).includes('deacon-down/hq-deacon'));
    expect(deaconPid()).toBeNull();
  });

  test('a Deacon that lives though its record is gone is found again, not started twice', async () => {
    await up();
    const pid = await until(deaconPid);
    await until(() => town.read('sessions/hq-deacon.json').includes('"running"'));
    await town.run('down');
    rmSync(join(town.root, 'sessions'), { recursive: true });
    await town.up();
    const text = await town.written('sessions/hq-deacon.json', /"running"/);
    expect(JSON.parse(text)).toMatchObject({ incarnation: { agent: { pid } } });
    expect(deaconPid()).toBe(pid);
  });
});

// Rules: C-5.
test('stuck: woken twice in its pane, then a warrant like anyone’s (C-5)', async () => {
  const boot = 'stale = "200ms"\nvery_stale = "400ms"';
  await up({ command: ['cat'], boot, more: '[nudge]\nevery = "1s"' });
  await until(async () =>
    (await town.data<{ requester: string; target: string }[]>('warrant', 'list', '--all')).some(
      ({ requester, target }) => requester === 'gt-boot' && target === 'hq-deacon',
    ),
  );
  const journal = (await town.run('why', 'hq-deacon', '--all')).stdout;
  expect(journal).not.toBe('');
  expect(town.tmux('capture-pane', '-p', '-S', '-', '-t', '=hq-deacon:')).toContain('Boot wake: check your inbox');
  expect(deaconPid()).not.toBeNull(); // a warrant is a hearing, no kill
});

// Rules: C-4.
test('a paused Deacon is neither asked nor ended by a warrant that anybody files; resumed it is heard (C-4)', async () => {
  await up({
    more: '[dance]\nwindows = ["200ms", "200ms", "200ms"]\nretry = "100ms"\nlook_every = "50ms"\nterm_grace = "1s"',
  });
  const pid = await until(deaconPid);
  const status = () => town.data<{ running: boolean; unread: number | null }>('deacon', 'status');
  await until(async () => (await status()).running);
  expect((await town.run('deacon', 'pause', '--reason', 'a look inside')).code).toBe(0);
  expect((await town.run('warrant', 'file', 'hq-deacon', '--reason', 'it hangs')).code).toBe(0);
  const ticks = new Set<string | undefined>();
  await until(
    async () => {
      const { last } = await town.data<{ last: { timestamp: string; reason: string } | null }>('boot', 'status');
      if (last?.reason.startsWith('paused') === true) ticks.add(last.timestamp);
      return ticks.size;
    },
    (count) => count >= 6, // a second each: several times as long as such a hearing
  );
  expect(deaconPid()).toBe(pid);
  // Boot may have woken it before the pause.
  expect(town.tmux('capture-pane', '-p', '-S', '-', '-t', '=hq-deacon:')).not.toContain('HEALTH CHECK');
  expect(await town.data('warrant', 'list')).toMatchObject([{ target: 'hq-deacon', verdict: null }]);
  expect((await town.run('deacon', 'resume')).code).toBe(0);
  await until(
    () => town.data<{ verdict: string | null }[]>('warrant', 'list', '--all'),
    ([one]) => one?.verdict === 'executed',
  );
  rmSync(join(town.root, 'mail/deacon'), { recursive: true, force: true });
  town.write('mail/deacon', 'no folder');
  expect(await status()).toMatchObject({ unread: null });
  expect((await town.run('deacon', 'status')).stdout).toContain('whether mail waits is unknown');
  await town.run('down');
  town.tmux('kill-server');
  expect(await status()).toMatchObject({ running: false });
});

/** An agent that obeys a file: each new line of `todo` is run by its shell. */
const OBEDIENT = ['sh', '-c', 'touch todo; tail -n +1 -f todo | while read -r line; do eval "$line"; done'];
const command = (...words: string[]): string => [process.execPath, MAIN, ...words].join(' ');

// Rules: C-11.
test('it beats in its own name, hands off, and its next life starts with what it left (C-4, C-11)', async () => {
  const next = `${command('mail', 'check', '--inject')} > injected.tmp 2>&1; mv injected.tmp injected-$TOWN_INCARNATION`;
  await up({ command: ['sh', '-c', `${next}; rm -f todo; ${OBEDIENT[2] ?? ''}`] });
  const first = await until(deaconPid);
  const injected = (): string[] => town.names('deacon').filter((name) => name.startsWith('injected-'));
  await until(() => injected().length === 1);
  expect(town.read(`deacon/${injected()[0] ?? ''}`)).toBe('');
  await until(() => town.names('deacon').includes('todo'));
  town.write('deacon/todo', `${command('deacon', 'heartbeat', '--action', 'health-scan', '--next', '5m')}\n`);
  const beat = await town.written('deacon/heartbeat.json');
  const { incarnation } = JSON.parse(town.read('sessions/hq-deacon.json')) as { incarnation: { uuid: string } };
  expect(JSON.parse(beat)).toMatchObject({ cycle: 1, last_action: 'health-scan', incarnation: incarnation.uuid });

  town.write('deacon/todo', `\n${command('handoff', '-s', 'Routine', '-m', 'remember-the-milk')}\n`);
  const second = await until(deaconPid, (pid) => pid !== null && pid !== first);
  expect(second).not.toBe(first);
  await until(() => injected().length === 2);
  const texts = injected().map((name) => town.read(`deacon/${name}`));
  expect(texts.join('')).toContain('HANDOFF: Routine');
  expect(texts.join('')).toContain('remember-the-milk');
  expect(await town.data<unknown[]>('mail', 'inbox', '--for', 'channel/digests')).toHaveLength(1);
});

const tells = (name: string): string =>
  `printf %s "$TOWN_TOKEN" > ${name}.tmp; mv ${name}.tmp ${name}.token; while :; do sleep 1; done`;

// Rules: C-10.
test('an agent that asks for its shutdown ends without a hearing, and only itself (C-10)', async () => {
  town.configure(ticking());
  await town.up();
  for (const name of ['asking', 'rival']) await town.agent(name, ['sh', '-c', tells(name)], '--restart', 'permanent');
  const token = await town.written('../asking.token');
  const forged = await town.as(token, 'mail', 'send', 'deacon', '--from', 'rival', '--subject', 'LIFECYCLE: shutdown');
  expect(forged.code).toBe(5);
  const other = 'mail send deacon --subject LIFECYCLE: --body {"action":"shutdown","session":"rival"}'.split(' ');
  expect((await town.as(token, ...other)).code).toBe(0);
  await town.as(token, 'mail', 'send', 'deacon', '--subject', 'LIFECYCLE: shutdown');
  await until(async () =>
    (await town.data<{ subject: string }[]>('mail', 'inbox', '--for', 'asking')).some(
      ({ subject }) => subject === 'REFUSED: a lifecycle request of asking',
    ),
  );
  await until(() => town.read('sessions/asking.json').includes('"ended"'));
  const sessions = await town.data<{ name: string; state: string; alive: boolean }[]>('session', 'list');
  expect(sessions).toContainEqual(expect.objectContaining({ name: 'asking', state: 'ended', alive: false }));
  expect(sessions).toContainEqual(expect.objectContaining({ name: 'rival', state: 'running', alive: true }));
});

// Rules: C-15.
test('a health check: answered by the command it names, silent counts, no agent is killed (C-15)', async () => {
  await up({
    command: ['sh', '-c', 'while read -r line; do :; done'],
    more: 'health_wait = "2s"\nhealth_failures = 2\n[nudge]\nevery = "100ms"',
  });
  await until(() => town.read('sessions/hq-deacon.json').includes('"running"'));
  const check = () => town.run('deacon', 'health-check', 'hq-deacon', '--json');
  const silent = await check();
  expect(silent.code).toBe(1);
  expect(JSON.parse(silent.stdout)).toMatchObject({ data: [{ consecutive_failures: 1, recommends_warrant: false }] });
  expect(JSON.parse((await check()).stdout)).toMatchObject({
    data: [{ consecutive_failures: 2, recommends_warrant: true }],
  });
  await until(async () => (await alerts()).includes('health/hq-deacon'));
  expect(await town.data<unknown[]>('warrant', 'list', '--all')).toEqual([]);
  expect(deaconPid()).not.toBeNull();

  town.write('town.toml', town.read('town.toml').replace('"2s"', '"60s"'));
  await town.run('restart');
  const asking = check();
  const [, code] = await until(
    () => /"code":"(\w+)"/.exec(town.read('deacon/health-check-state.json')) ?? [],
    ([, found]) => found !== undefined,
  );
  await until(() => !town.read('deacon/health-check-state.json').includes('"last_ping":null'));
  expect((await town.run('alive', code ?? '')).code).toBe(0);
  const answered = await asking;
  expect(answered.code).toBe(0);
  expect(JSON.parse(answered.stdout)).toMatchObject({
    data: [{ consecutive_failures: 0, result: 'answered: town alive' }],
  });
  const why = await until(
    async () => (await town.run('why', 'hq-deacon', '--all')).stdout,
    (text) => text.match(/a health check was typed into its pane/g)?.length === 3, // it may be answered sooner
  );
  expect(why).toContain('the health check stayed unanswered: 2 in a row');
  expect(why).toContain('the health check was answered: town alive');
  expect((await town.run('report')).stdout).toContain('asked no question');
});

// Rules: C-3.
test('as an actor it beats from the start, and Boot finds it well (C-2, C-3)', async () => {
  town.configure(`${ticking()}[deacon]\nbeat = "1s"\n`);
  await town.up();
  await until(() => town.read('deacon/heartbeat.json') !== '');
  const { last } = await until(
    () => town.data<{ last: { action: string; session: string } | null }>('boot', 'status'),
    (status) => status.last !== null,
  );
  expect(last).toMatchObject({ action: 'NOTHING', session: 'actor' });
  expect(await town.data('deacon', 'status')).toMatchObject({ mode: 'actor', running: true, unread: 0 });
  expect((await town.run('deacon', 'heartbeat')).code).toBe(5);
  expect(JSON.parse((await town.run('boot', 'triage', '--json')).stdout)).toMatchObject({
    data: { action: 'NOTHING' },
  });
  expect((await town.run('deacon', 'pause', '--reason', 'lunch')).code).toBe(0);
  const paused = await town.data<{ reason: string }>('boot', 'triage');
  expect(paused.reason).toContain('paused');
});

test('without tmux the Deacon runs apart from the town, and no person is told that it is down (C-7)', async () => {
  configure();
  const env = { PATH: town.programs('sh', 'env', 'ps', 'sleep') };
  const run = (...words: string[]) => town.bare(['--root', town.root, ...words], { env });
  expect((await run('up')).code).toBe(0);
  const text = await town.written('sessions/hq-deacon.json', /"running"/);
  const { pid } = (JSON.parse(text) as { incarnation: { agent: { pid: number } } }).incarnation.agent;
  try {
    const ticks = () =>
      (JSON.parse(town.read('deacon/dogs/boot/.boot-status.json') || '{"timestamp":""}') as { timestamp: string })
        .timestamp;
    const seen = new Set<string>();
    await until(() => seen.add(ticks()).size > 4);
    expect((await alerts()).filter((episode) => episode.startsWith('deacon-'))).toEqual([]);
    expect(() => process.kill(pid, 0)).not.toThrow();
  } finally {
    process.kill(pid);
  }
});
