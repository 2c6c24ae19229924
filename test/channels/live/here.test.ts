/** The channels of this machine, over a real tmux with people attached: bell, notifications, panes, letters and the command. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { command } from '../../../src/channels/local.ts';
import { osc9, writeToTerminals, type Terminals } from '../../../src/channels/terminals.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { exits, TestTown, until } from '../../cli/town.ts';
import { tempFolder, whenOver } from '../../world/over.ts';
import { message } from '../make.ts';

const WAIT = { timeout: 60_000, interval: 20 };

/** What is asked of the town's tmux by a process of its own. */
const tmuxOf = (town: TestTown): Terminals['tmux'] => ({
  query: (words) => {
    const said = town.tmux(...words);
    return Promise.resolve(said.trim().split('\n'));
  },
});

/** A person at a terminal of their own: what that terminal gets stands in a file. */
async function attached(town: TestTown, session: string, more: Record<string, string> = {}): Promise<() => string> {
  const shown = join(town.home, `terminal-${session}`);
  const words = `tmux -S ${town.socket} attach-session -t ${session}`;
  const env = { ...town.env(), TERM: 'xterm', ...more };
  const person = spawn('script', ['-qfec', words, shown], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  whenOver(() => person.kill('SIGKILL'));
  await until(
    () => town.tmux('list-clients', '-F', '#{session_name}'),
    (names) => names.split('\n').includes(session),
  );
  return () => (existsSync(shown) ? readFileSync(shown, 'latin1') : '');
}

const rung = (text: string): number => text.split('\u0007').length - 1;

test('a route to the bell rings each attached terminal; to the pane and mayor it types and writes', async () => {
  const town = new TestTown(`[[route]]\nto = ["bell", "pane", "mayor"]\n`);
  await town.up();
  await town.agent('lead', ['cat'], '--tag', 'orchestrator');
  // Not in the pane of the orchestrator: nothing is typed where a person is.
  await town.agent('desk', ['sleep', '100000']);
  const one = await attached(town, 'desk');
  const before = rung(one());
  const subject = 'which database? token ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  exits(await town.run('mail', 'send', 'overseer', '--subject', subject, '--urgent', '--needs-response'), 0, '');
  await vi.waitFor(() => expect(rung(one())).toBeGreaterThan(before), WAIT);
  const list = await until(
    () => town.data<{ channel: string; delivered: number; said: string }[]>('channel', 'list'),
    (all) => all.length === 3 && all.every(({ delivered }) => delivered === 1),
  );
  expect(list.map(({ channel, said }) => [channel, said])).toEqual([
    ['bell', 'rang in 1 terminal'],
    ['pane', 'typed to lead'],
    ['mayor', 'it lies in the mailbox of mayor'],
  ]);
  expect(town.tmux('capture-pane', '-p', '-J', '-t', 'lead')).toContain('town needs you (high). Read it with:');
  const [letter = ''] = town.names('mail/mayor/new');
  expect(town.read(`mail/mayor/new/${letter}`)).toContain('mail from overseer: which database?');
  expect(town.read(`mail/mayor/new/${letter}`)).not.toContain('ghp_');
  exits(await town.run('channel', 'test', 'bell'), 0, '');
  exits(await town.run('channel', 'test', 'mayor'), 0, '');
  exits(await town.run('channel', 'test', 'pane'), 1, 'the next may go in');
}, 120_000);

test('where notify-send cannot show it, a notification is in the attached terminals, and steers none', async () => {
  const town = new TestTown(`[desktop]\nenabled = true\n`);
  await town.up();
  await town.agent('lead', ['sleep', '100000']);
  exits(await town.run('channel', 'test', 'desktop'), 1, 'no terminal is attached');
  exits(await town.run('channel', 'test', 'bell'), 1, 'no terminal is attached');
  // Nothing else has the screen drawn anew.
  town.tmux('set-option', '-g', 'status-interval', '0');
  const shown = await attached(town, 'lead');
  const { code, stdout } = await town.run('channel', 'test', 'desktop');
  expect([code, stdout]).toEqual([0, expect.stringContaining('written into 1 terminal')]);
  await vi.waitFor(() => expect(shown()).toMatch(/\u001b\]9;town: a test: This channel works\.[^\u0007]*\u0007/), WAIT);
  const tmux = tmuxOf(town);
  const processes = createProcesses();
  const steering = osc9('a \u001b]0;evil\u0007 \u009c b\nc');
  await writeToTerminals({ tmux, processes }, steering, { isBySsh: false });
  await vi.waitFor(() => expect(shown()).toContain('b c\u0007'), WAIT);
  // tmux draws the whole screen after it: a sequence of its own may have been cut.
  await vi.waitFor(() => expect(shown().split('b c\u0007')[1]).toContain('[lead]'), WAIT);
  expect(steering.slice(1, -1)).not.toMatch(/\p{Cc}/u);
}, 120_000);

test("only terminals of people who came by ssh are written to where that is asked, and none but the client's own", async () => {
  const town = new TestTown();
  town.tmux('new-session', '-d', '-s', 'far', 'sleep', '100000');
  town.tmux('new-session', '-d', '-s', 'near', 'sleep', '100000');
  const far = await attached(town, 'far', { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' });
  const near = await attached(town, 'near');
  const tmux = tmuxOf(town);
  const processes = createProcesses();
  expect(await writeToTerminals({ tmux, processes }, osc9('x1'), { isBySsh: true })).toBe('1 terminal');
  await vi.waitFor(() => expect(far()).toContain(']9;x1'), WAIT);
  expect(await writeToTerminals({ tmux, processes }, osc9('x2'), { isBySsh: false })).toBe('2 terminals');
  await vi.waitFor(() => expect(near()).toContain(']9;x2'), WAIT);
  expect(near()).not.toContain('x1');
  // A client that lies about its terminal, names a file, or is gone.
  const [row = ''] = town.tmux('list-clients', '-F', '#{client_pid} #{client_tty}').split('\n');
  const [pid = '', tty = ''] = row.split(' ');
  const other = town.tmux('list-panes', '-t', 'near', '-F', '#{pane_tty}').trim();
  const lies = [`client 0 ${pid} ${other}`, `client 0 ${pid} /dev/null`, `client 0 999999999 ${tty}`];
  for (const lie of lies) {
    const lying = { query: () => Promise.resolve([lie]) };
    const writing = writeToTerminals({ tmux: lying, processes }, osc9('x3'), { isBySsh: false });
    await expect(writing).rejects.toThrow('is not the terminal of the client');
  }
  expect(town.tmux('capture-pane', '-p', '-t', 'near')).not.toContain('x3');
}, 120_000);

test('a routed command gets the message as a channel has it; one that hangs is ended, and is tried again', async () => {
  const file = join(tempFolder('here'), 'out');
  const given = message({ text: 'x', count: 3, type: ['town status'] });
  const made = command({ isRouted: true, run: ['sh', '-c', 'cat > "$0"', file], limitMs: 20_000 });
  expect(await made.send(given, AbortSignal.timeout(20_000))).toBe('it ended with 0');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    schema: 'notice/1',
    kind: 'alert',
    text: 'x',
    together: 3,
    type: ['town status'],
  });
  const hung = command({ isRouted: true, run: ['sleep', '1000'], limitMs: 100 });
  await expect(hung.send(given, AbortSignal.timeout(20_000))).rejects.toMatchObject({
    message: expect.stringContaining('it has 100 ms') as string,
    isFinal: false,
  });
});

test('a command that no route names gets each message at once, and is listed; one that a route names waits for the channels', async () => {
  const town = new TestTown();
  const heard = join(town.home, 'heard');
  const toml = (to: string): string =>
    `[notify]\ncommand = ${JSON.stringify(['sh', '-c', 'cat >> "$0"', heard])}\n[[route]]\nseverity = "critical"\nto = [${to}]\n`;
  town.configure(toml('"mayor"'));
  exits(await town.run('mail', 'send', 'overseer', '--subject', 'a', '--needs-response'), 0, '');
  expect(await town.data('channel', 'list')).toMatchObject([
    { channel: 'command', waiting: 0, delivered: 1, said: 'it ended with 0' },
    { channel: 'mayor' },
  ]);
  expect(await town.data('channel', 'deliver')).toEqual({ waiting: 0 });
  exits(await town.run('channel', 'test', 'command'), 0, '');
  expect(readFileSync(heard, 'utf8').trim().split('\n')).toHaveLength(2);
  town.configure(toml('"command"'));
  exits(await town.run('mail', 'send', 'overseer', '--subject', 'b', '--needs-response'), 0, '');
  expect(readFileSync(heard, 'utf8').trim().split('\n')).toHaveLength(2);
  expect(await town.data('channel', 'deliver')).toEqual({ waiting: 0 });
  expect(readFileSync(heard, 'utf8').trim().split('\n')).toHaveLength(3);
  expect(await town.data('channel', 'list')).toMatchObject([{ channel: 'command', delivered: 3 }]);
}, 120_000);
