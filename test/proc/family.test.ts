/**
 * Daemons that serve several agents, and whose tools run below them (D-10): a machine in rows, as two Codexes with one home
 * show themselves there. First TUI 100 (uuid `first`) started daemon 200 and its keeper; second TUI is 110 (uuid `second`).
 */
import { expect, test } from 'vitest';
import type { Proc } from '../../machines/protocol.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { ProcessUnknown, type Row, type Source } from '../../src/proc/source.ts';
import { Packs } from '../../src/screen/packs.ts';
import { lifeOf } from './yard.ts';

const SERVER = 10;
const TOWN = 30;
const FIRST = 100;
const SECOND = 110;
const DAEMON = 200;
const KEEPER = 201;
const HOME = { HOME: '/home/dev' };
const MARK = { TOWN_INCARNATION: 'first' };

interface One {
  readonly pid: number;
  readonly ppid: number;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** null = hidden. */
  readonly cwd?: string | null;
  readonly sid?: number;
  readonly tty?: string | null;
}

const tui = (pid: number, cwd: string | null, more: Partial<One> = {}): One => ({
  pid,
  ppid: SERVER,
  argv: ['/opt/codex'],
  cwd,
  tty: `pts/${pid}`,
  env: { ...HOME, TOWN_INCARNATION: pid === FIRST ? 'first' : 'second' },
  ...more,
});
const served = (ppid = FIRST): One[] => [
  { pid: DAEMON, ppid, argv: ['/h/bin/codex', 'app-server', '--listen', 'unix://', '--managed-daemon'], env: ENV },
  { pid: KEEPER, ppid, argv: ['/h/bin/codex', 'app-server', 'daemon', 'pid-update-loop'], env: ENV },
];
/** What the first TUI left everybody below its daemon. */
const ENV = { ...HOME, ...MARK };
/** A sandboxed tool of three processes: wrapper, shell, command. */
const tool = (pid: number, thread: string, dir: string, more: Partial<One> = {}): One[] => {
  const env = { ...ENV, CODEX_THREAD_ID: thread };
  const shell = { pid: pid + 1, ppid: pid, sid: pid, argv: ['bash', '-lc', 'make'], env, cwd: dir, ...more };
  return [
    { pid, ppid: DAEMON, argv: ['codex-linux-sandbox', '--sandbox-policy-cwd', dir], env, cwd: dir },
    shell,
    { ...shell, pid: pid + 2, ppid: pid + 1, argv: ['make'], env: {} },
  ].map((one) => ({ ...one, ...more, ppid: one.ppid, pid: one.pid }));
};
/** One outside of the sandbox: only a shell, in the folder that the command wanted. */
const bare = (pid: number, thread: string, cwd: string | null, more: Partial<One> = {}): One => ({
  pid,
  ppid: DAEMON,
  argv: ['bash', '-c', 'make'],
  cwd,
  env: { ...ENV, CODEX_THREAD_ID: thread },
  ...more,
});

const BASE: readonly One[] = [
  { pid: 1, ppid: 0, argv: ['init'] },
  { pid: SERVER, ppid: 1, argv: ['tmux'] },
  { pid: TOWN, ppid: 1, argv: ['town'] },
];

function sourceOf(some: readonly One[]): Source {
  const all = new Map([...BASE, ...some].map((one) => [one.pid, one]));
  const row = (pid: number): Row | null => {
    const one = all.get(pid);
    if (one === undefined) return null;
    const { ppid, sid = pid, tty = null } = one;
    const numbers = { start: `${pid}`, residentBytes: pid, cpuMs: pid };
    return { pid, ppid, pgid: sid, sid, tty, zombie: false, cannotRun: null, ...numbers };
  };
  const valueOf = ({ pid }: Row, name: string): string | null => all.get(pid)?.env?.[name] ?? null;
  return {
    row,
    rows: () => Promise.resolve([...all.keys()].map((pid) => row(pid)).filter((one) => one !== null)),
    proc: ({ pid, start }) => ({ pid, started: start }),
    same: ({ pid, start }, proc) => pid === proc.pid && start === proc.started,
    valueOf,
    marked: (one, entry) => entry === `TOWN_INCARNATION=${valueOf(one, 'TOWN_INCARNATION')}`,
    tmuxOf: () => null,
    isTmuxServer: ({ pid }) => pid === SERVER,
    terminal: (path) => path,
    terminalPath: (tty) => tty,
    command: (pid) => {
      const argv = all.get(pid)?.argv;
      return argv === undefined ? null : { comm: argv[0] ?? '', argv, exe: null };
    },
    cwd: (pid) => all.get(pid)?.cwd ?? null,
  };
}

const packs = new Packs();
const GROUND = { own: TOWN, services: () => packs.services() };
const procOf = (pid: number): Proc => ({ pid, started: `${pid}` });

async function ended(accused: number, some: readonly One[], listed: readonly Proc[] = []) {
  const processes = createProcesses({ source: sourceOf(some), ...GROUND });
  const uuid = accused === FIRST ? 'first' : 'second';
  const target = lifeOf(procOf(accused), { uuid, server: procOf(SERVER) });
  const { tree, excluded } = await processes.familyOf(target, `pts/${accused}`, listed);
  return { end: tree.map(({ pid }) => pid), left: excluded.map(({ pid, program }) => `${pid} ${program}`) };
}
const LEFT = `${DAEMON} codex app-server`;
const both = (first: string, second: string): One[] => [tui(FIRST, first), tui(SECOND, second), ...served()];

// Rules: D-10.
test('a daemon belongs to no tree: child of the accused, in a session of its own, with its mark, or orphaned since', async () => {
  for (const parent of [FIRST, 1]) {
    const crowd = [tui(FIRST, '/one'), tui(SECOND, '/two'), ...served(parent)];
    expect(await ended(FIRST, crowd)).toEqual({ end: [FIRST], left: [LEFT] });
    expect(await ended(SECOND, crowd)).toEqual({ end: [SECOND], left: [LEFT] });
  }
  // Alone it is spared as well: which agent it serves next is unknown.
  expect(await ended(FIRST, [tui(FIRST, '/one'), ...served()])).toEqual({ end: [FIRST], left: [LEFT] });
  // A record of an older version may name it.
  expect((await ended(FIRST, both('/one', '/two'), [procOf(DAEMON), procOf(KEEPER)])).end).toEqual([FIRST]);
});

test('what listens to no other is no daemon: a private server of one agent ends with it', async () => {
  const own = { pid: 300, ppid: FIRST, argv: ['/opt/codex', 'app-server'], env: ENV };
  expect((await ended(FIRST, [tui(FIRST, '/one'), own])).end).toEqual([FIRST, 300]);
});

test('tools of the accused are ended, those of a neighbour are not, with any starter of the daemon', async () => {
  const crowd = [...both('/one', '/two'), ...tool(300, 'a', '/one'), ...tool(400, 'b', '/two')];
  expect(await ended(FIRST, crowd)).toEqual({ end: [FIRST, 300, 301, 302], left: [LEFT] });
  expect(await ended(SECOND, crowd)).toEqual({ end: [SECOND, 400, 401, 402], left: [LEFT] });
});

const TWO = both('/one', '/two');
const TOOL = tool(300, 'a', '/one');
const TREE = [300, 301, 302];
const WRAPPER = '300 codex-linux-sandbox';
const UNMARKED = { ppid: 1, env: { CODEX_THREAD_ID: 'a' } };
// Rules: D-10.
test.each<[string, readonly One[], readonly number[], readonly string[]]>([
  ['two in one folder: it is left and named', [...both('/one', '/one'), ...TOOL], [], [WRAPPER]],
  ['a neighbour whose folder is hidden', [tui(FIRST, '/one'), tui(SECOND, null), ...served(), ...TOOL], [], [WRAPPER]],
  ['an accused whose folder is hidden', [tui(FIRST, null), tui(SECOND, '/two'), ...served(), ...TOOL], [], [WRAPPER]],
  ['a folder of no agent', [...TWO, ...tool(300, 'a', '/gone')], [], [WRAPPER]],
  [
    'a neighbour that the town does not know',
    [tui(FIRST, '/one'), tui(120, '/one', { env: HOME }), ...served(), ...TOOL],
    [],
    [WRAPPER],
  ],
  [
    'the accused was told its folder',
    [tui(FIRST, '/', { argv: ['codex', '-C', 'one'] }), tui(SECOND, '/two'), ...served(), ...TOOL],
    TREE,
    [],
  ],
  [
    'the neighbour was',
    [tui(FIRST, '/one'), tui(SECOND, '/', { argv: ['codex', '--cd=/one'] }), ...served(), ...TOOL],
    [],
    [WRAPPER],
  ],
  ['outside of the sandbox, in a folder below', [...TWO, bare(300, 'a', '/one/src')], [300], []],
  [
    'where the neighbour’s folder is below ours',
    [...both('/one', '/one/src'), bare(300, 'a', '/one/src')],
    [],
    ['300 bash'],
  ],
  ['outside of the sandbox, in the neighbour’s folder', [...TWO, bare(300, 'a', '/two')], [], []],
  ['a folder that only begins alike', [...TWO, bare(300, 'a', '/onerous')], [], ['300 bash']],
  ['a hidden folder', [...TWO, bare(300, 'a', null)], [], ['300 bash']],
  [
    'elsewhere, but of a thread that is told by its wrapper',
    [...TWO, ...TOOL, bare(310, 'a', '/tmp')],
    [300, 310, 301, 302],
    [],
  ],
  [
    'an orphan of such a thread, without a mark',
    [...TWO, ...TOOL, bare(310, 'a', '/tmp', UNMARKED)],
    [300, 310, 301, 302],
    [],
  ],
  [
    'an orphan with the accused’s mark, in the neighbour’s folder',
    [...TWO, bare(310, 'b', '/two', { ppid: 1 })],
    [],
    [],
  ],
  ['an orphan with the accused’s mark, in its folder', [...TWO, bare(310, 'a', '/one', { ppid: 1 })], [310], []],
  ['an orphan that has no mark', [...TWO, bare(310, 'a', '/one', UNMARKED)], [], []],
  ['a server of the daemon itself, of no thread', [...TWO, bare(300, 'a', '/one', { env: ENV })], [], []],
  [
    'the daemon of another home',
    [tui(FIRST, '/one', { env: { ...HOME, CODEX_HOME: '/other' } }), ...served(1), ...TOOL],
    [],
    [],
  ],
])('a tool below the daemon: %s', async (_, crowd, end, left) => {
  const found = await ended(FIRST, crowd);
  expect(found.end).toEqual([FIRST, ...end]);
  expect(found.left.filter((one) => one !== LEFT)).toEqual(left);
});

test('a thread that all inherited, because the town was started in a tool, makes none a tool', async () => {
  const stale = { ...ENV, CODEX_THREAD_ID: 'stale' };
  const orphan = { pid: 300, ppid: 1, argv: ['sleep'], env: stale, cwd: '/tmp' };
  const agent = tui(FIRST, '/one', { env: stale });
  expect((await ended(FIRST, [agent, orphan])).end).toEqual([FIRST, 300]);
  // Its neighbour is one all the same.
  const crowd = [agent, tui(SECOND, '/one', { env: stale }), ...served(), ...tool(400, 'a', '/one')];
  expect((await ended(FIRST, crowd)).left).toEqual([LEFT, '400 codex-linux-sandbox']);
});

test('another program in the same folder has nothing to do with it: neither as the accused nor as a neighbour', async () => {
  const other = tui(SECOND, '/one', { argv: ['claude'] });
  const crowd = [tui(FIRST, '/one'), other, ...served(), ...TOOL];
  expect(await ended(SECOND, crowd)).toEqual({ end: [SECOND], left: [] });
  expect((await ended(FIRST, crowd)).end).toEqual([FIRST, ...TREE]);
});

test('what was listed is ours after the agent’s end; a mark below a daemon is not', async () => {
  const crowd = [tui(SECOND, '/two'), ...served(1), ...TOOL, ...tool(400, 'b', '/two')];
  expect((await ended(FIRST, crowd, [procOf(301)])).end).toEqual([301, 302]);
  expect((await ended(FIRST, crowd)).end).toEqual([]);
});

test('a listed process that has become a daemon since is not signalled, and its work is no agent’s CPU', async () => {
  const processes = createProcesses({ source: sourceOf(TWO), ...GROUND });
  for (const pid of [DAEMON, KEEPER])
    expect(() => processes.signal(procOf(pid), 'KILL')).toThrow('it serves other agents too');
  const crowd = [...TWO, ...tool(400, 'b', '/two'), bare(300, 'a', '/one', { ppid: FIRST })];
  const [usage] = await createProcesses({ source: sourceOf(crowd), ...GROUND }).usageOf([procOf(FIRST)]);
  expect([...(usage?.cpu ?? [])].map(([name]) => name)).toEqual(['100 100', '300 300']);
});

test('what an agent runs for itself: its own groups, and of its daemon’s only those that are its own', async () => {
  const build = { pid: 320, ppid: FIRST, argv: ['make'], cwd: '/one', env: ENV };
  const crowd = [...TWO, build, ...TOOL, ...tool(400, 'b', '/two')];
  const groups = async (pid: number): Promise<string[]> => {
    const found = await createProcesses({ source: sourceOf(crowd), ...GROUND }).groupsBelow(procOf(pid));
    return found.map(({ argv }) => argv.join(' '));
  };
  const wrapper = (dir: string): string => `codex-linux-sandbox --sandbox-policy-cwd ${dir}`;
  expect(await groups(FIRST)).toEqual(['make', wrapper('/one')]);
  expect(await groups(SECOND)).toEqual([wrapper('/two')]);
  expect(await groups(999)).toEqual([]);
});

test('a daemon of which nothing tells whose its tools are: they are left with it, and named with its starter', async () => {
  const serve = { pid: 500, ppid: FIRST, argv: ['/opt/opencode', 'serve', '--port', '4096'], env: ENV };
  const work = { pid: 501, ppid: 500, argv: ['bash', '-c', 'make'], env: ENV, cwd: '/one' };
  const crowd = [tui(FIRST, '/one', { argv: ['opencode'] }), tui(SECOND, '/two', { argv: ['opencode'] }), serve, work];
  expect(await ended(FIRST, crowd)).toEqual({ end: [FIRST], left: ['500 opencode serve'] });
  expect(await ended(SECOND, crowd)).toEqual({ end: [SECOND], left: [] });
});

// Rules: C-6.
test('survivors of a dead life: its mark, or its tree as it was seen; no daemon, no tool below one, no tmux server, no neighbour’s', async () => {
  const marked = { pid: 600, ppid: 1, argv: ['/bin/sleep', '1000'], env: MARK };
  const child = { pid: 601, ppid: 600, argv: ['make'], env: {} };
  const bareOne = { pid: 610, ppid: 1, argv: ['node'], env: {} };
  const others = { pid: 620, ppid: 1, argv: ['sleep'], env: { TOWN_INCARNATION: 'second' } };
  const inServer = { pid: 630, ppid: SERVER, argv: ['bash'], env: MARK };
  const crowd = [...served(1), ...TOOL, tui(SECOND, '/two'), marked, child, bareOne, others, inServer];
  const life = lifeOf(procOf(FIRST), { uuid: 'first', server: procOf(SERVER) });
  let processes = createProcesses({ source: sourceOf(crowd), ...GROUND });
  const left = async (kin: readonly number[], survivors: readonly number[] = []): Promise<string[]> => {
    const before = survivors.map((pid) => ({ ...procOf(pid), program: 'x' }));
    const seen = new Set(kin.map((pid) => `${pid} ${pid}`));
    const found = await processes.survivorsOf([{ life, survivors: before }], (uuid) =>
      uuid === 'first' ? seen : new Set(),
    );
    return found.flatMap((one) => one.survivors.map(({ pid, program }) => `${pid} ${program}`));
  };
  expect(await left([])).toEqual(['600 sleep', '601 make']);
  expect(await left([610, SERVER, DAEMON, 999])).toEqual(['600 sleep', '610 node', '601 make']);
  expect(await left([], [610]), 'as an earlier look had it').toEqual(['600 sleep', '610 node', '601 make']);
  processes = createProcesses({ source: sourceOf([tui(FIRST, '/one'), ...crowd]), ...GROUND });
  expect(await left([610], [600]), 'a life whose agent lives left nothing').toEqual([]);
});

test('a program that cannot be looked at fails the listing', async () => {
  const source = sourceOf(TWO);
  const blind = (): never => {
    throw new ProcessUnknown('EMFILE');
  };
  const processes = createProcesses({ source: { ...source, command: blind }, ...GROUND });
  await expect(processes.familyOf(lifeOf(procOf(FIRST), { uuid: 'first' }), null)).rejects.toThrow('EMFILE');
  const dead = { life: lifeOf(procOf(999), { uuid: 'gone' }), survivors: [{ ...procOf(SECOND), program: 'x' }] };
  await expect(processes.survivorsOf([dead], () => new Set())).rejects.toThrow('EMFILE');
});
