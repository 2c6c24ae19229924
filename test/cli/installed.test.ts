/** The package as a stranger gets it, run by the Node that the system has. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { PACKAGE, Packed } from './packed.ts';

const ROOT = join(import.meta.dirname, '../..');
const packed = new Packed();
const { env } = packed;
const at = packed.at.bind(packed);
const run = (program: string, ...args: string[]) => execa(program, args, { env, extendEnv: false, cwd: at('home') });

beforeAll(() => packed.pack(), 600_000);

test('npm install -g: the command, its manual, and a town whose processes run in one Node that is new enough', async () => {
  await run('npm', 'install', '-g', packed.tarball);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect((await run('town', '--version')).stdout).toBe(version);
  const beside = readdirSync(at(PACKAGE, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(beside.filter((name) => !name.startsWith('node-'))).toEqual([]);
  expect(readFileSync(at('prefix/share/man/man1/town.1'), 'utf8')).toMatch(/^\.TH TOWN/m);
  const town = (...words: string[]) => run('town', '--root', at('root'), '--json', ...words);
  const up = await town('up', '--set', `tmux.socket=${at('tmux')}`);
  try {
    const { pid, guard_pid: guard } = (JSON.parse(up.stdout) as { data: { pid: number; guard_pid: number } }).data;
    const [node = '', of = ''] = [pid, guard].map((one) => readlinkSync(`/proc/${one}/exe`));
    expect(of).toBe(node);
    expect(parseInt((await run(node, '-p', 'process.versions.node')).stdout, 10)).toBeGreaterThanOrEqual(24);
  } finally {
    await town('down', '--purge');
  }
}, 600_000);

const typesAt = (folder: string, name: string): string =>
  join(folder, 'node_modules', name === 'node' ? '@types/node' : name);

/** A program that uses the library as docs/programs.md has it, and whose types are checked as strictly as they can be. */
const PROGRAM = `import { connect, Failure, type Ask, type TownEvent } from 'townwatch/client';
const town = await connect({ root: process.argv[2] ?? '' });
const { running, sessions } = await town.status();
const asks: readonly Ask[] = await town.asks();
const kinds: string[] = [];
for await (const { kind, cursor } of town.events({ after: 'start', signal: AbortSignal.timeout(1000) })) {
  const place: TownEvent['cursor'] = cursor;
  if (place !== '') kinds.push(kind);
}
const refused = await town.send('absent', 'x').catch((error: unknown) => (error instanceof Failure ? error.code : ''));
// @ts-expect-error: a status has no such field.
const absent: unknown = (await town.status()).nothing;
console.log(JSON.stringify({ running, sessions: sessions?.length, asks: asks.length, kinds, refused, absent }));
`;

/** The package in a program's own folder, from its tarball, beside what the program has itself; compiled as strictly as can be. */
async function compiled(name: string, program: string, options = ['--exactOptionalPropertyTypes']): Promise<string> {
  const folder = at(name);
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  await run('tar', '-xzf', packed.tarball, '-C', join(folder, 'node_modules'));
  renameSync(join(folder, 'node_modules/package'), join(folder, 'node_modules/townwatch'));
  // As a program has them that runs on Node.
  for (const one of ['node', 'undici-types', 'xstate'])
    symlinkSync(realpathSync(join(ROOT, 'node_modules', one === 'node' ? '@types/node' : one)), typesAt(folder, one));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), program);
  const strict = ['--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node', ...options];
  await execa('tsc', [...strict, 'program.ts'], { cwd: folder, preferLocal: true, localDir: ROOT });
  return join(folder, 'program.js');
}

test('a program of another package compiles against the library, and sees the town by it', async () => {
  const program = await compiled('program', PROGRAM);
  const town = (...words: string[]) => run('town', '--root', at('embedded'), '--json', ...words);
  await town('up', '--set', `tmux.socket=${at('tmux2')}`);
  try {
    const { stdout } = await run(process.execPath, program, at('embedded'));
    expect(JSON.parse(stdout)).toMatchObject({ running: true, sessions: 0, asks: 0, refused: 'unknown_session' });
    expect((JSON.parse(stdout) as { kinds: string[] }).kinds).toContain('town.started');
  } finally {
    await town('down', '--purge');
  }
}, 600_000);

/** Plays the hands of one hearing: every order has the outcome of an agent that stays silent and dies of TERM. */
const DANCE = `import { createActor } from 'xstate';
import { danceOf, dog, freshDance, POLICY, SESSION_TABLE, type Order, type OutcomeBody, type Warrant } from 'townwatch/machines';
const proc = { pid: 1001, started: '7@boot' };
const target = {
  uuid: 'u', session: 'builder', server: { pid: 500, started: '1@boot' }, sessionId: '$1', paneId: '%1', agent: proc,
  origin: 'started',
} as const;
const warrant: Warrant = { id: 'w', target, reason: 'silent', requester: 'me', filedAt: 0, force: false };
const command = { started: 'town alive', adopted: 'town alive' };
const tools = { policy: POLICY.dance, entropy: 'mine', command, wallAtZero: 0 };
const dance = freshDance('dance-1', 1, warrant, tools, { wall: 0, escalate: false });
const actor = createActor(dog, { input: { ...tools, dance } });
const orders: Order[] = [];
actor.on('*', (order) => orders.push(order));
actor.start();
const silent: OutcomeBody = { type: 'LOOKED', observation: { kind: 'silent' }, tail: '' };
const OUTCOMES: Partial<Record<Order['type'], OutcomeBody>> = {
  checkpoint: { type: 'SAVED' },
  ask: { type: 'ASKED', mark: { line: 1, width: 80, alternate: false, cpuRate: null }, tail: '' },
  look: silent,
  listTree: { type: 'TREE_LISTED', tree: [proc] },
  rescue: { type: 'RESCUED', rescue: { folder: 'rescue', ref: 'refs/town/rescue' } },
  signal: { type: 'SIGNALLED', alive: [], newcomers: [] },
  clear: { type: 'CLEARED', survivors: [] },
  sendVerdict: { type: 'VERDICT_SENT' },
};
let at = 1000;
const given: string[] = [];
for (let order = orders.shift(), steps = 0; steps < 5000; order = orders.shift(), steps += 1) {
  const stamp = { at, wall: at };
  const outcome = order === undefined ? undefined : OUTCOMES[order.type];
  if (order !== undefined && outcome !== undefined) {
    if (given.at(-1) !== order.type) given.push(order.type);
    actor.send({ ...outcome, re: order.id, ...stamp });
  } else if (actor.getSnapshot().status === 'done') break;
  else actor.send({ type: 'TICK', ...stamp });
  at += 1000;
}
const { verdict, stage } = danceOf(actor.getSnapshot());
console.log(JSON.stringify({ given, verdict, stage, states: Object.keys(SESSION_TABLE).length > 0 }));
`;

// Rules: D-1, D-10.
test('a program plays the shutdown dance by the charts alone: nothing is started, and no file is written', async () => {
  // XState's own types do not know exact optional properties.
  const program = await compiled('charts', DANCE, []);
  // Node refuses each write, child process, thread and connection.
  const { stdout } = await run(process.execPath, '--permission', '--allow-fs-read=*', program);
  expect(JSON.parse(stdout)).toEqual({
    given: [
      'checkpoint',
      'ask',
      'look',
      'ask',
      'look',
      'ask',
      'look',
      'listTree',
      'look',
      'rescue',
      'look',
      'signal',
      'clear',
      'sendVerdict',
    ],
    verdict: 'executed',
    stage: 'closed',
    states: true,
  });
}, 600_000);

/** In the package that the first test installed. */
test.each([
  ['guard/main.cjs', ['up']],
  ['screen/packs/claude.toml', ['rules', 'list']],
  ['screen/packs/generic.toml', ['rules', 'list']],
  ['screen/packs/names', ['watch', '--once']],
])('where %s is missing, one sentence says so and how to mend it', async (name, words) => {
  const file = at(PACKAGE, 'dist', name);
  renameSync(file, at('away'));
  const ran = await execa('town', ['--root', at('root'), ...words], { env, extendEnv: false, reject: false });
  renameSync(at('away'), file);
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^town: the package is not whole, .* is missing\); try again, or install it again: npm install -g townwatch$/,
    ),
  ]);
  expect(ran.stderr).toContain(file);
});

test('npx plays the demo, and leaves nothing but its own cache', async () => {
  const { stdout } = await run('npx', '--yes', `file:${packed.tarball}`, 'demo');
  expect(stdout).toContain('Every outcome is the expected one');
  expect(readdirSync(at('tmp')).filter((name) => name.startsWith('town-'))).toEqual([]);
}, 600_000);
