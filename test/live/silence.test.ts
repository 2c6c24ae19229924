/**
 * Law 10: in all that it does by itself the town asks no model. Every known agent's program and every program that speaks to the
 * network is a trap in its PATH here, and no socket of its processes leads beyond the machine.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestTown, until } from '../cli/town.ts';

const MODELS = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'cursor-agent', 'copilot', 'llm', 'ollama'];
const NETWORK = ['curl', 'wget', 'ssh', 'nc', 'npm', 'npx'];

/** A folder of programs that only write down that they were called, and the file that they write into. */
function trapsIn(town: TestTown): { readonly path: string; readonly called: () => string } {
  const folder = join(town.home, 'traps');
  const log = join(town.root, 'called');
  mkdirSync(folder);
  for (const name of [...MODELS, ...NETWORK]) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> '${log}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { path: `${folder}:${process.env['PATH'] ?? ''}`, called: () => town.read('called') };
}

/** Sockets of a process that are no Unix sockets. */
function networkOf(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return []; // Closed meanwhile.
      }
    }),
  );
  expect(inodes.size).toBeGreaterThan(0); // its own control socket at the least
  return ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .filter((line) => inodes.has(line.trim().split(/\s+/)[9] ?? '')),
  );
}

// Rules: law 10.
test('a hearing, an execution, a crash loop and a wake-up of Boot start no model and open no connection', async () => {
  const dying = '[[agents]]\nname = "dying"\ncommand = ["sh", "-c", "exit 3"]\n';
  const deaf = '[[agents]]\nname = "deaf"\ncommand = ["sleep", "100000"]\n';
  const short = [
    '[dance]\nwindows = ["300ms", "300ms", "300ms"]\nlook_every = "100ms"\nterm_grace = "100ms"',
    '[hands]\nevidence_after = "200ms"\n[sessions]\nbackoff = "50ms"\nmax_backoff = "50ms"\ncrash_loop_restarts = 3',
    '[daemon]\nheartbeat = "1s"\n',
  ].join('\n');
  const town = new TestTown(`${short}\n${dying}\n${deaf}`);
  const { path, called } = trapsIn(town);
  // The trap works: a program that called one would be seen.
  expect(spawnSync('sh', ['-c', 'claude -p hello'], { env: town.env({ PATH: path }) }).status).toBe(0);
  expect(called()).toBe('claude -p hello\n');
  town.write('called', '');

  await town.bare(['--root', town.root, 'up'], { env: { PATH: path } });
  await until(() => town.record('deaf')?.state === 'running');
  expect(await town.closed(await town.accuse('deaf'))).toMatchObject({ verdict: 'executed' });
  const isLooping = (): boolean => town.record('dying')?.crashLoop === true;
  await until(isLooping);
  await until(() => town.read('deacon/dogs/boot/.boot-status.json'));

  const { pid, guard_pid: guard } = await town.status();
  expect([networkOf(pid), networkOf(guard!)]).toEqual([[], []]);
  expect(called()).toBe('');
});
