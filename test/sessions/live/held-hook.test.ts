/** The command of a hook that waits for an answer, once its agent is dead: it is none of what that life left (C-6). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { POLICY } from '../../../machines/policy.ts';
import { SOURCES } from '../../../src/sources/policy.ts';
import { FILES } from '../../../state/files/layout.ts';
import { TestTown } from '../../cli/town.ts';

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

test('a question of an agent that died is let go of before what it left is looked for', async () => {
  const town = new TestTown('[sessions]\nbackoff = "10m"\n');
  await town.data('up');
  await town.data('session', 'start', 'max', '--restart', 'permanent', '--dir', town.home, '--', 'sleep', '100000');
  const { pid } = await town.data<{ pid: number }>('session', 'status', 'max');
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const env = Object.fromEntries(
    variables.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  );
  const { hooks } = JSON.parse(town.read(FILES.claudeSettings)) as Settings;
  const command = hooks['PermissionRequest']?.[0]?.hooks[0]?.command ?? '';
  const hook = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  const asked = { hook_event_name: 'PermissionRequest', session_id: '83e007c0-2e57-458e-912f-25304f75f9d8' };
  hook.stdin.end(JSON.stringify({ ...asked, tool_name: 'Bash', tool_input: { command: 'ls' } }));
  process.kill(pid, 'SIGKILL');
  expect(await once(hook, 'exit')).toEqual([0, null]);
  expect(await town.data('session', 'status', 'max')).toMatchObject({ state: 'backing_off' });
  expect(SOURCES.heldLivesMs).toBeLessThan(POLICY.sessions.survivorsEveryMs);
});
