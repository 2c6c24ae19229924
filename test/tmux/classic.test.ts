/** Which agents may draw their classic screen because of the town's client, on a real tmux with programs by an agent's name. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { renderer } from '../../src/cli/doctor/renderer.ts';
import { defaultSettings } from '../../src/config/load.ts';
import { DEFAULTS } from '../../src/config/settings.ts';
import { seeAgents } from '../../src/overview/agents.ts';
import { createProcesses } from '../../src/proc/processes.ts';
import { Packs } from '../../src/screen/packs.ts';
import { ControlTmux } from '../../src/tmux/client.ts';
import { realDisk } from '../../state/files/disk.ts';
import { untilOver } from '../world/over.ts';
import { withServer, type TestServer } from './server.ts';
import { until } from './yard.ts';

const SLEEP = '/bin/sleep';
const BARE = ['env', '-u', 'TERM_PROGRAM'];

/** Whether it may draw its classic screen because of the town, as `town watch` has it. */
async function classicIn(server: TestServer): Promise<boolean | undefined> {
  const processes = createProcesses();
  const { hands, town } = DEFAULTS;
  const policy = { ...hands, tmuxAnswerMs: 5_000 };
  const { panes } = await seeAgents({
    tmux: new ControlTmux({ socketPath: server.socketPath, env: server.env, policy, processes }),
    processes,
    packs: new Packs(),
    sources: { hear: () => Promise.resolve(null) },
    settings: { root: server.dir, hands, town },
    records: [],
    wall: Date.now(),
    typedTo: () => Promise.resolve({ questions: [], sentTexts: [] }),
  });
  return panes.find(({ session }) => session === 'agent')?.classic;
}

/** A program of this name, in front in its pane when this resolves. */
async function agentIn(server: TestServer, program: string, before: readonly string[], screen: string): Promise<void> {
  const path = join(server.dir, program);
  symlinkSync(SLEEP, path);
  const run = `printf '${screen}'; exec ${before.join(' ')} ${path} 100000`;
  await server.tmux('new-session', '-d', '-s', 'agent', 'sh', '-c', run);
  const pid = Number(await server.tmux('display-message', '-p', '-t', '=agent:', '#{pane_pid}'));
  await until(() => createProcesses().commandOf(pid)?.argv[0] === path);
}

test.each<[what: string, program: string, before: readonly string[], screen: string, isOurs: boolean]>([
  ['Claude Code in a pane as tmux makes it', 'claude', ['env'], '', false],
  ['Claude Code without TERM_PROGRAM', 'claude', BARE, '', true],
  ['Claude Code with an empty TERM_PROGRAM', 'claude', ['env', 'TERM_PROGRAM='], '', true],
  ['one that a variable tells to draw fullscreen', 'claude', [...BARE, 'CLAUDE_CODE_NO_FLICKER=1'], '', false],
  ['one that draws fullscreen', 'claude', BARE, '\\033[?1049h', false],
  ['one that was born outside of tmux', 'claude', [...BARE, '-u', 'TMUX'], '', false],
  ['another agent without TERM_PROGRAM', 'codex', BARE, '', false],
])('%s', async (_what, program, before, screen, isOurs) => {
  const server = untilOver(await withServer());
  await agentIn(server, program, before, screen);
  expect(await classicIn(server)).toBe(isOurs);
});

test('the doctor names each of them, and what to do', async () => {
  const server = untilOver(await withServer());
  const settings = defaultSettings({ root: server.dir, from: '--root', configured: false });
  const place = { settings, socketPath: server.socketPath };
  const disk = realDisk(server.dir, 0);
  expect(await renderer(place, disk)).toMatchObject([{ check: 'fullscreen', health: 'ok', next: null }]);
  await agentIn(server, 'claude', BARE, '');
  expect(await renderer(place, disk)).toMatchObject([
    { health: 'warn', text: expect.stringMatching(/^agent \(%1\): /) as string, next: expect.stringContaining('TERM_PROGRAM=tmux') as string }, // prettier-ignore
  ]);
  await server.tmux('kill-server');
  // While the server ends it is not known.
  await vi.waitFor(async () => expect(await renderer(place, disk)).toMatchObject([{ health: 'ok' }]), 10_000);
});
