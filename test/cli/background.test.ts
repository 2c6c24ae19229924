/** An agent of `claude --bg` has no pane: the town finds it by its process, watches it once adopted, and ends it by no means of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder, whenOver } from '../world/over.ts';
import { TestTown, until } from './town.ts';

const ID = '1a2b3c4d';
const CONVERSATION = `${ID}-2e57-458e-912f-25304f75f9d8`;
const EPISODE = 'needs-input/fixer';

interface View {
  readonly state: string;
  readonly note: string;
  readonly asks: string | null;
  readonly screen: { readonly state: string; readonly source: string | null } | null;
  readonly conversation: { readonly id: string } | null;
}

/** A process that stands for one of Claude Code's background, which writes of itself as 2.1.330 does. */
async function inBackground(id: string) {
  const home = tempFolder('town-background');
  mkdirSync(join(home, '.claude', 'sessions'), { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: home };
  const child = spawn('sleep', ['300'], { argv0: 'claude', env, cwd: home, stdio: 'ignore' });
  whenOver(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const procStart = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return {
    home,
    says: (status: string, more: object = {}) =>
      writeFileSync(
        join(home, '.claude', 'sessions', `${pid}.json`),
        JSON.stringify({
          pid,
          sessionId: CONVERSATION,
          cwd: home,
          procStart,
          version: '2.1.330',
          kind: 'bg',
          jobId: id,
          name: 'fix the\u001b[31m parser',
          status,
          statusUpdatedAt: Date.now(),
          ...more,
        }),
      ),
    ends: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

// Rules: M-2, C-7.
test('an agent without a pane is found, adopted, heard by its program, and ended by its program alone', async () => {
  const agent = await inBackground(ID);
  agent.says('busy');
  const town = await new TestTown().up();
  const view = () => town.data<View>('session', 'status', 'fixer');
  const seen = await town.run('watch', '--once');
  expect(seen.stdout.replaceAll(/\s+/g, ' ')).toContain(`in ${agent.home}, working.`);
  expect(seen.stdout).toContain(`claude:${ID} --as NAME`);
  expect(seen.stdout).not.toContain('\u001b[31m');

  expect((await town.run('session', 'adopt', `claude:${ID}`)).stderr).toContain(`town session adopt claude:${ID} --as`);
  const unknown = await town.run('session', 'adopt', 'claude:00000000', '--as', 'fixer');
  expect(unknown).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no agent claude:00000000 runs') as string,
  });
  expect(await town.run('session', 'adopt', `claude:${ID}`, '--as', 'fixer')).toMatchObject({ code: 0 });
  expect((await town.run('watch', '--once')).stdout).not.toContain(ID);
  await until(view, ({ screen }) => screen?.state === 'working');
  expect(await view()).toMatchObject({
    state: 'observed',
    conversation: { id: CONVERSATION },
    screen: { state: 'working', source: 'claude session file' },
  });
  const twice = await town.run('session', 'adopt', `claude:${ID}`, '--as', 'other');
  expect(twice).toMatchObject({ code: 5, stderr: expect.stringContaining('is session fixer already') as string });

  // It asks: after a while, an alert says how to get there.
  agent.says('waiting', { waitingFor: 'permission prompt', statusUpdatedAt: Date.now() - 60_000 });
  await until(
    () => town.episodes(),
    (episodes) => episodes.includes(EPISODE),
  );
  const [alert] = await town.data<{ text: string; type: string[] }[]>('alerts', 'list');
  expect(alert?.text).toBe(
    'fixer waits for a person. It asks: "permission prompt". Answer it: town session attach fixer.',
  );
  expect((await town.run('session', 'attach', 'fixer')).stdout.trim()).toBe(`claude attach ${ID}`);
  agent.says('busy');
  await until(
    () => town.episodes(),
    (episodes) => !episodes.includes(EPISODE),
  );

  for (const words of [
    ['session', 'stop', 'fixer'],
    ['session', 'kill', 'fixer'],
    ['session', 'kill', 'fixer', '--force'],
  ])
    expect((await town.run(...words)).stderr).toContain(`claude stop ${ID}`);
  expect(await view()).toMatchObject({ state: 'observed' });

  await agent.ends();
  await until(view, ({ state }) => state === 'ended');
  expect((await view()).note).toBe(`its program ended it, and keeps its conversation: claude respawn ${ID}`);
});
