/** A wait for a condition ends with the condition (C-6), on real tmux: what keeps a start from being made is seen to pass. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionSpec } from '../../../machines/protocol.ts';
import { REFINERY } from '../../../machines/witness/refinery.ts';
import { realDisk } from '../../../state/files/disk.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import { goOn, noteRestored } from '../../../state/process/restored.ts';
import { TestTown, until as untilSo } from '../../cli/town.ts';
import { town } from '../../tmux/over.ts';
import { withServer } from '../../tmux/server.ts';
import { until, type Yard } from '../../tmux/yard.ts';
import { untilOver } from '../../world/over.ts';

interface Cause {
  /** Makes it so; the session that cannot be started then, and what takes the cause away. */
  readonly so: (made: Yard) => Promise<{ readonly spec: Partial<SessionSpec>; readonly pass: () => unknown }>;
}
const CAUSES: Readonly<Record<string, Cause>> = {
  'a name that a foreign session has': {
    so: async ({ server }) => {
      await server.tmux('new-session', '-d', '-s', 'agent', 'sleep', '1000');
      return { spec: {}, pass: () => server.tmux('kill-session', '-t', '=agent') };
    },
  },
  'a folder that is not there': {
    so: async ({ server }) => {
      const dir = join(server.dir, 'later');
      return { spec: { dir }, pass: () => mkdirSync(dir) };
    },
  },
  'a program that is not there': {
    so: async ({ server }) => {
      const program = join(server.dir, 'agent.sh');
      const pass = (): void => writeFileSync(program, '#!/bin/sh\nexec sleep 1000\n', { mode: 0o700 });
      return { spec: { command: [program] }, pass };
    },
  },
  'a program that no folder of the PATH has': {
    so: async ({ server }) => {
      const bin = join(server.dir, 'bin');
      mkdirSync(bin);
      await server.tmux('set-environment', '-g', 'PATH', `${bin}:${process.env['PATH'] ?? ''}`);
      const pass = (): void => writeFileSync(join(bin, 'later'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o700 });
      return { spec: { command: ['later'] }, pass };
    },
  },
  'less memory than is to be left': {
    so: async ({ policy }) => {
      policy.minFreeMemoryBytes = Number.MAX_SAFE_INTEGER;
      return { spec: {}, pass: () => (policy.minFreeMemoryBytes = 0) };
    },
  },
  'a root that came back from a copy, for a refinery': {
    so: async ({ root }) => {
      const disk = realDisk(root, 0);
      await disk.mkdir(FOLDERS.daemon);
      await noteRestored(disk);
      return { spec: { tags: [REFINERY] }, pass: () => goOn(disk) };
    },
  },
  'a person at the keys of its dead pane': {
    so: async (made) => {
      const life = await made.begin({ command: ['true'] });
      await until(async () => (await made.scan(life)).seen[0]?.life === 'dead');
      const terminal = untilOver(await withServer());
      const attach = ['env', '-u', 'TMUX', 'tmux', '-S', made.server.socketPath, 'attach', '-t', '=agent'];
      await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
      const clients = (): Promise<string> => made.server.tmux('list-clients', '-F', '#{client_control_mode}');
      await until(async () => (await clients()).includes('0'));
      return { spec: {}, pass: () => terminal.tmux('kill-server') };
    },
  },
};

// Rules: C-6.
test.each(Object.entries(CAUSES))('%s is seen while it lasts, and seen to pass', async (_, { so }) => {
  const made = await town();
  const { spec, pass } = await so(made);
  expect(await made.start(spec)).toMatchObject({ type: 'SESSION_NOT_STARTED', waits: true });
  const waiting = { spec: made.specOf(spec), previous: null };
  expect(await made.free(waiting)).toEqual([]);
  await pass();
  await until(async () => (await made.free(waiting)).length > 0);
  await until(async () => (await made.start(spec).catch(() => null))?.type === 'SESSION_STARTED');
});

test('ten that wait are all asked for, a few at each scan', async () => {
  const made = await town();
  const waits = Array.from({ length: 10 }, (_, n) => ({ spec: made.specOf({ name: `agent${n}` }), previous: null }));
  const all = [...(await made.free(...waits)), ...(await made.free(...waits))];
  expect(all.sort()).toEqual(waits.map(({ spec }) => spec.name).sort());
});

test('the program is looked for in the PATH that the start names', async () => {
  const server = untilOver(await withServer());
  const bin = join(server.dir, 'bin');
  mkdirSync(bin);
  const made = await town({ on: server, values: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } });
  const spec = { command: ['later'], env: ['PATH'] };
  expect(await made.start(spec)).toMatchObject({
    missing: true,
    waits: true,
    why: expect.stringContaining(bin) as string,
  });
  const waiting = { spec: made.specOf(spec), previous: null };
  expect(await made.free(waiting)).toEqual([]);
  writeFileSync(join(bin, 'later'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o700 });
  expect(await made.free(waiting)).toEqual(['agent']);
  expect(await made.start(spec)).toMatchObject({ type: 'SESSION_STARTED' });
});

describe('a town whose agent finds its name taken', () => {
  const CONF =
    '[sessions]\ntaken_retry = "20h"\nscan_every = "200ms"\n[[agents]]\nname = "builder"\ncommand = ["sleep", "1000"]\n';
  const taken = async (): Promise<TestTown> => {
    const made = new TestTown(CONF);
    made.tmux('new-session', '-d', '-s', 'builder', 'sh', '-c', 'sleep 1000; sleep 1000');
    await made.up();
    await untilSo(() => made.record('builder')?.nameTaken);
    return made;
  };
  test('starts it once the name is free', async () => {
    const made = await taken();
    made.tmux('kill-session', '-t', '=builder');
    expect(await untilSo(() => made.life('builder'))).toMatchObject({ origin: 'started' });
  });
  test('leaves what is there to a person who adopts it, as the alert says', async () => {
    const made = await taken();
    expect((await made.run('session', 'adopt', 'builder', '--process', 'sleep')).code).toBe(0);
    expect(made.record('builder')).toMatchObject({ state: 'observed' });
  });
});

// Rules: C-6.
test.each([
  ['with tmux', ['tmux']],
  ['without tmux', []],
])('a town %s starts an agent once its program is in its PATH', async (_, programs) => {
  const made = new TestTown(
    '[sessions]\nbackoff = "20h"\nmax_backoff = "20h"\nscan_every = "200ms"\n[[agents]]\nname = "builder"\ncommand = ["later"]\n',
  );
  const PATH = made.programs('bash', 'sleep', 'env', 'cat', 'sh', ...programs);
  await made.bare(['--root', made.root, 'up'], { env: { PATH } });
  await untilSo(() => made.record('builder')?.startBlocked);
  writeFileSync(join(PATH, 'later'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o700 });
  expect(await untilSo(() => made.life('builder'))).not.toBeNull();
});

test('a pane that a person opened beside a dead agent can be adopted', async () => {
  const made = await town();
  const life = await made.begin({ command: ['true'] });
  await until(async () => (await made.scan(life)).seen[0]?.life === 'dead');
  await made.server.tmux('split-window', '-t', life.paneId, 'sleep 1000');
  const adopted = await made.adopt('agent', 'sleep');
  expect(adopted).toMatchObject({ type: 'SESSION_ADOPTED' });
  // What a later start finds there is a session that the town did not start.
  expect(await made.start({})).toMatchObject({ taken: true, why: expect.stringContaining('did not start') as string });
});
