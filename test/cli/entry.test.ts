/** The entry of the command under a Node that is too old: it is told so by a preload, which a child does not inherit. */
import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { TOWN } from '../../src/package.ts';
import { ROOT } from '../rules/planted.ts';
import { tempFolder } from '../world/over.ts';

const home = tempFolder('town-entry');

const { engines } = JSON.parse(readFileSync(join(dirname(TOWN), '../package.json'), 'utf8')) as {
  engines: { node: string };
};
const NEEDED = Number(/^>=(\d+)$/.exec(engines.node)?.[1]);
const OWN = `node-${process.platform}-${process.arch}`;

/** Says what it is, then does as its first word tells. */
const MAIN = [
  'const [word, value] = process.argv.slice(2);',
  "console.log(`main ${process.versions.node === process.env.REAL ? 'new' : 'old'} ${process.argv.slice(2).join(' ')}`);",
  "if (word === 'exit') process.exitCode = Number(value);",
  "if (word === 'end') process.kill(process.pid, value);",
  "if (word === 'wait') {",
  '  setTimeout(() => undefined, 2 ** 30);',
  '  process.on(value, () => process.exit(7));',
  "  console.log('ready');",
  '}',
].join('\n');

/** What does not run here: no loader, no library, another machine's, a library that is too old. */
const NODES = {
  broken: '#!/nowhere/loader\n',
  unlinked: '#!/bin/sh\necho "node: error while loading shared libraries: libatomic.so.1" >&2\nexit 127\n',
  foreign: Buffer.from('7f454c4602010100', 'hex'),
  outdated: '#!/bin/sh\necho "node: /lib/libc.so.6: version GLIBC_2.99 not found" >&2\nexit 1\n',
  killed: '#!/bin/sh\nkill -ILL $$\n',
};

/** A package as it is installed; `own` = what lies where the Node of the package goes. */
function installed(name: string, own: keyof typeof NODES | 'none' | 'real'): string {
  const dist = join(home, name, 'dist');
  mkdirSync(dist, { recursive: true });
  copyFileSync(TOWN, join(dist, 'town.cjs'));
  writeFileSync(join(dist, 'main.cjs'), MAIN);
  if (own === 'none') return join(dist, 'town.cjs');
  const bin = join(home, name, 'node_modules', OWN, 'bin');
  mkdirSync(bin, { recursive: true });
  if (own === 'real') symlinkSync(process.execPath, join(bin, 'node'));
  else writeFileSync(join(bin, 'node'), NODES[own]);
  chmodSync(join(bin, 'node'), 0o755);
  return join(dist, 'town.cjs');
}

/** In the name of a folder that another user may have made. */
const HOSTILE = '\u001b]0;title\u0007\u009b31m\u202e\r\ntown: all is well';

/** Runs an entry below a Node that says it is of this version; null = of its own. */
function run(entry: string, version: string | null, ...words: string[]) {
  const old = join(home, `old-${String(version)}.cjs`);
  const where = JSON.stringify(`${process.execPath}${HOSTILE}`);
  writeFileSync(
    old,
    `Object.defineProperty(process.versions, 'node', { value: '${String(version)}' }); process.execPath = ${where};`,
  );
  const preload = version === null ? [] : ['--require', old];
  const child = spawn(process.execPath, [...preload, entry, ...words], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], REAL: process.versions.node },
  });
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
  return { child, ended };
}

async function said(entry: string, version: string | null, ...words: string[]) {
  const { child, ended } = run(entry, version, ...words);
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, end };
}

test('the Node that package.json asks for runs the town itself', async () => {
  const entry = installed('new', 'none');
  expect(await said(entry, `${NEEDED}.0.0`, 'exit', '3')).toEqual({ stdout: 'main old exit 3\n', stderr: '', end: 3 });
  expect(await said(entry, null, 'exit', '0')).toMatchObject({ stdout: 'main new exit 0\n', end: 0 });
});

test.each(['12.22.12', '20.20.2', `${NEEDED - 1}.99.0`])(
  'Node %s hands over to the one of the package',
  async (old) => {
    const entry = installed(`own-${old}`, 'real');
    expect(await said(entry, old, 'exit', '3', '--', 'a b')).toEqual({
      stdout: 'main new exit 3 -- a b\n',
      stderr: '',
      end: 3,
    });
    expect(await said(entry, old, 'end', 'SIGTERM')).toMatchObject({
      stdout: 'main new end SIGTERM\n',
      end: 'SIGTERM',
    });
  },
);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s reaches the town, whose end is the end', async (signal) => {
  const { child, ended } = run(installed(`signal-${signal}`, 'real'), '20.20.2', 'wait', signal);
  for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') child.kill(signal);
  expect(await ended).toBe(7);
});

test.each<[own: keyof typeof NODES | 'none', why: string]>([
  ['none', 'none came with the package; install Node \\d+, or on Linux .*'],
  ...(Object.keys(NODES) as (keyof typeof NODES)[]).map((own): [typeof own, string] => {
    const why = `the one that came with the package does not run here \\(/\\S+${OWN}/bin/node: .+\\); install Node \\d+ and put it first on PATH`;
    return [own, why];
  }),
])('where the Node of the package is %s, one sentence says what to do', async (own, why) => {
  const entry = installed(own, own);
  const { stdout, stderr, end } = await said(entry, '20.20.2', 'status', '--json');
  expect([stdout, end]).toEqual(['', 1]);
  const own_words = stderr.slice(stderr.indexOf('town: '));
  expect(own_words).toMatch(new RegExp(`^town: Node ${NEEDED} or newer is needed, .+ is v\\S+, and ${why}\\n$`));
  // Where the path of a Node steers a terminal, the sentence does not.
  expect(own_words.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(await said(entry, null, 'exit', '0')).toMatchObject({ stdout: 'main new exit 0\n', end: 0 });
});

test('an end that the town has itself is not taken for a Node that does not run', async () => {
  expect(await said(installed('ends', 'real'), '20.20.2', 'exit', '127')).toMatchObject({ stderr: '', end: 127 });
});

test.each([
  ['no main', {}, 'Cannot find module'],
  ['no file of those that main begins with', { 'main.cjs': "require('./front-AAAA.cjs');" }, "Cannot find module './front-AAAA.cjs'"], // prettier-ignore
  ['half of a file', { 'main.cjs': 'const a = {' }, 'Unexpected end of input'],
])('of a package that has %s, one sentence says what is missing and how to mend it', async (_, files, what) => {
  const entry = installed(`part-${what.length}`, 'none');
  rmSync(join(dirname(entry), 'main.cjs'));
  for (const [name, body] of Object.entries<string>(files)) writeFileSync(join(dirname(entry), name), body);
  const { stdout, stderr, end } = await said(entry, null, 'status');
  expect([stdout, end]).toEqual(['', 1]);
  expect(stderr).toMatch(
    /^town: the package in \/\S+ is not whole, .*\(.*\); try again, or install it again: npm install -g townwatch\n$/,
  );
  expect(stderr).toContain(what);
});

test('a part that is loaded when it is needed, and is not there, is named with what to do', async () => {
  const folder = join(home, 'chunks');
  const dist = join(folder, 'dist');
  const chunks = await bundle(ROOT, dist);
  copyFileSync(TOWN, join(dist, 'town.cjs'));
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const begins = new Set(['main.cjs']);
  for (const one of begins)
    for (const file of chunks.find(({ fileName }) => fileName === one)?.imports ?? []) begins.add(file);
  for (const { fileName } of chunks) if (!begins.has(fileName)) rmSync(join(dist, fileName));
  const town = (...words: string[]) => said(join(dist, 'town.cjs'), null, '--root', folder, ...words);
  for (const words of [['warrant', 'list'], ['up'], ['--help'], ['daemon', 'run']]) {
    const { stdout, stderr, end } = await town(...words);
    expect([words, stdout, end]).toEqual([words, '', 1]);
    expect(stderr).toMatch(
      /^town: the package is not whole, .*\(Cannot find module '\S+\.cjs'\); try again, or install it again: .*\n$/,
    );
  }
  expect(JSON.parse((await town('--json', 'warrant', 'list')).stderr)).toMatchObject({
    error: { code: 'not_whole', exit: 1 },
  });
});
