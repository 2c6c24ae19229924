/** Something else in the place of each file and folder of a root: every command says so in words and ends with an exit code. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { FILES, FOLDERS } from '../../state/files/layout.ts';
import { inside } from './inside.ts';
import { TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const COMMANDS = [
  '',
  'status',
  'session list',
  'session status builder',
  'session logs builder',
  'alerts list',
  'why builder',
  'mail inbox',
  'mail send overseer --subject x',
  'report',
  'timeline',
  'warrant list --all',
  'dog dances --all',
  'warrant file builder --reason x',
  'dog pool status',
  'boot status',
  'bead list',
  'bead create x',
  'rig list',
  'deacon status',
  'deacon pause --reason x',
  'deacon resume',
  'polecat list',
  'triage list',
  'plugin list',
  'evidence list',
  'daemon status',
  'daemon logs',
  'health',
  'doctor',
  'nudge builder hello',
  'config show',
];
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  folder: (path) => mkdirSync(join(path, 'inner'), { recursive: true }),
  pipe: (path) => expect(spawnSync('mkfifo', [path]).status).toBe(0),
  file: (path) => writeFileSync(path, 'a note'),
};
const PLACES = [
  FILES.paused,
  FILES.heartbeat,
  FILES.healthChecks,
  FILES.bootStatus,
  FILES.clock,
  FILES.daemonLog,
  FILES.ledger,
  FILES.triageRun,
  FILES.epoch,
  FILES.tmuxSocket,
  'sessions/builder.json',
  'alerts/disk.json',
  'town.toml',
  'mail/overseer/new/m-1.json',
  'deacon/dogs/warrants/w.json',
  'deacon/dogs/active/dog-1.json',
].flatMap((path) => ['folder', 'pipe'].map((kind) => [path, kind] as const));
const HOMES = [...Object.values(FOLDERS), 'mail/overseer', 'mail/overseer/new', 'packs'].map(
  (path) => [path, 'file'] as const,
);
/** The system's word alone, an error that was not caught, or where it was thrown. */
const RAW = /(?<!\(|, )\bE[A-Z]{4,}\b|\.ts:\d+|TypeError|undefined|SQLITE/;

test.each([...PLACES, ...HOMES])('%s is a %s', async (path, kind) => {
  town.session('builder');
  rmSync(join(town.root, path), { recursive: true, force: true });
  mkdirSync(dirname(join(town.root, path)), { recursive: true });
  KINDS[kind]?.(join(town.root, path));
  for (const command of COMMANDS) {
    const { code, stdout, stderr } = await inside(town.root, command);
    expect([0, 1, 2, 3, 4, 5]).toContain(code);
    expect({ command, raw: RAW.exec(stderr)?.[0] }).toEqual({ command, raw: undefined });
    if (code === 1 || code === 2) expect({ command, said: stdout + stderr }).not.toEqual({ command, said: '' });
    for (const line of stderr.trim().split('\n').filter(Boolean)) expect(line).toMatch(/^town: \S/);
  }
});

test('what is no pause is told by its path, with what to do', async () => {
  mkdirSync(join(town.root, FILES.paused, 'inner'), { recursive: true });
  for (const command of ['deacon resume', 'deacon pause --reason x'])
    expect(await inside(town.root, command)).toEqual({
      code: 1,
      stdout: '',
      stderr: `town: ${join(town.root, FILES.paused)}: a folder is where a file should be (EISDIR); move it away\n`,
    });
  town.write('mail', 'a note');
  expect(await inside(town.root, 'mail send mayor --subject x')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^town: \S+\/mail\S*: a file is where a folder should be \(ENOTDIR\); move it away\n$/,
    ) as string,
  });
});
