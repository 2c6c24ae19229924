/** The entry of the command under a Node that is too old: it is told so by a preload, which a child does not inherit. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { TOWN } from '../../src/package.ts';

const home = mkdtempSync(join(tmpdir(), 'town-entry-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

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

/** A package as it is installed; `own` = what lies where the Node of the package goes. */
function installed(name: string, own: 'none' | 'broken' | 'real'): string {
  const dist = join(home, name, 'dist');
  mkdirSync(dist, { recursive: true });
  copyFileSync(TOWN, join(dist, 'town.cjs'));
  writeFileSync(join(dist, 'main.cjs'), MAIN);
  if (own === 'none') return join(dist, 'town.cjs');
  const bin = join(home, name, 'node_modules', OWN, 'bin');
  mkdirSync(bin, { recursive: true });
  if (own === 'real') symlinkSync(process.execPath, join(bin, 'node'));
  else writeFileSync(join(bin, 'node'), '#!/nowhere/loader\n');
  chmodSync(join(bin, 'node'), 0o755);
  return join(dist, 'town.cjs');
}

/** Runs an entry below a Node that says it is of this version; null = of its own. */
function run(entry: string, version: string | null, ...words: string[]) {
  const old = join(home, `old-${String(version)}.cjs`);
  writeFileSync(old, `Object.defineProperty(process.versions, 'node', { value: '${String(version)}' });`);
  const preload = version === null ? [] : ['--require', old];
  const child = spawn(process.execPath, [...preload, entry, ...words], {
    ...{ cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] },
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
      ...{ stdout: 'main new exit 3 -- a b\n', stderr: '', end: 3 },
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

test.each([
  ['none' as const, 'none came with the package'],
  ['broken' as const, 'the one that came with the package does not start'],
])('where the Node of the package is %s, one sentence says what to do', async (own, why) => {
  const { stdout, stderr, end } = await said(installed(own, own), '20.20.2', 'status', '--json');
  expect([stdout, end]).toEqual(['', 1]);
  expect(stderr).toMatch(
    new RegExp(`^town: Node ${NEEDED} or newer is needed, \\S+ is v\\S+, and ${why}.*; install .*\\n$`),
  );
});
