/** An agent that monitors workers in place of the town: what is started for it, and what the town leaves to it (M-10). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { POLICY } from '../../machines/policy.ts';
import { configuredSessions, watchdogSession } from '../../src/monitor/session.ts';
import { loadSettings } from '../../src/config/load.ts';
import { watchdogPrompt } from '../../src/monitor/prompt.ts';
import { Drive, townInput } from '../world/drive.ts';
import { MonitorTown, ORCHESTRATOR, SECOND } from './town.ts';

const NOWHERE = '/nonexistent/town';
const settings = (toml: string) => loadSettings({ root: NOWHERE, toml, env: {} });
const PRESET = '[presets.watchdog]\nharness = "claude"\n[presets.watchdog.config]\nmodel = "haiku"\n';

// Rules: M-10.
test('the agent of the preset runs with the prompt, in a session that is no worker and is started again', () => {
  const [agent, ...more] = watchdogSession(settings(`[monitor]\nmode = "session"\n${PRESET}`));
  expect(more).toEqual([]);
  expect(agent).toMatchObject({ name: 'watchdog', tags: ['watchdog'], restart: 'permanent' });
  expect(agent?.command.slice(0, 3)).toEqual(['claude', '--model', 'haiku']);
  expect(agent?.command.at(-1)).toContain('the tag "worker"');
  expect(watchdogSession(settings(PRESET))).toEqual([]);
  // Without the preset it is the usual program of a preset, so that workers stay watched.
  expect(watchdogSession(settings('[monitor]\nmode = "session"\n'))[0]?.command.slice(0, -1)).toEqual(['claude']);
});

// Rules: M-1, M-10.
test.each([
  [{ workerTags: ['a', 'b'] }, 'sessions with the tag "a" or "b";'],
  [{ workerPattern: '^w' }, 'sessions with the tag "worker", if their name matches the regular expression ^w;'],
  [{ workerTags: [] }, 'none: town.toml names no tag of workers;'],
])('the prompt names the workers of the configuration: %j', (more, words) => {
  expect(watchdogPrompt({ ...POLICY.monitor, ...more })).toContain(`Workers are ${words}`);
});

test('the sessions of the configuration are its agents, the watchdog and the Deacon, where it names them', () => {
  const names = (toml: string) => configuredSessions(settings(toml)).map(({ name }) => name);
  const agents = '[[agents]]\nname = "a"\ncommand = ["sh"]\n';
  expect(names(agents)).toEqual(['a']);
  expect(names(`[monitor]\nmode = "session"\n${agents}`)).toEqual(['a', 'watchdog']);
  expect(names(`[deacon]\nmode = "session"\ncommand = ["sh"]\n${agents}`)).toEqual(['a', 'hq-deacon']);
});

// Rules: M-10.
test('the documentation has the prompt, word for word', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/watchdog-prompt.md'), 'utf8');
  expect(page).toContain(`\`\`\`\n${watchdogPrompt(POLICY.monitor)}\`\`\``);
});

// Rules: M-10, F-4.
test.each([
  [`[[agents]]\nname = "watchdog"\ncommand = ["sh"]\n${PRESET}`, /starts a session watchdog: the agent of that name/],
])('it is refused with %j', (more, why) => {
  expect(() => settings(`[monitor]\nmode = "session"\n${more}`)).toThrow(why);
});

// Rules: M-10, M-5.
test('the town itself tells nothing of workers then, and passes on what waits for the orchestrators', () => {
  const town = new MonitorTown({ mode: 'session' });
  town.show(1);
  town.polls(5);
  town.report(1, 'error');
  town.polls(5);
  expect([town.types, town.drive.note('monitor')]).toEqual([[], null]);
  town.orchestrators = [ORCHESTRATOR];
  town.letters.push({
    id: `m-${town.drive.wall}-0`,
    to: 'tag/orchestrator',
    type: 'worker.stuck',
    payload: {},
    suggested: { action: '', options: [] },
  });
  town.polls(2);
  expect(town.nudges).toEqual(['An alert about a worker waits for you. Read it with: town mail check --inject']);
});

// Rules: M-10, M-6.
test('it is asked to check at each interval, by a timer that no record holds and another of its name replaces', () => {
  const policy = { ...POLICY, monitor: { ...POLICY.monitor, mode: 'session' as const } };
  const drive = new Drive([{ remind: { type: 'NUDGED' } }], { input: townInput(policy, { monitors: true }) });
  const typed = (): string[] => drive.given('remind').map(({ session, text }) => `${session}: ${text}`);
  drive.run(91 * SECOND);
  expect(typed()).toEqual(['watchdog: check', 'watchdog: check', 'watchdog: check']);
  expect(drive.note('timers')).toBe(null);
  drive.ask({ verb: 'startTimer', name: 'w1', timer: 'other', interval: 3_600, message: 'x' });
  expect(drive.note('timers')?.timers.map(({ name }) => name)).toEqual(['other']);
  drive.ask({ verb: 'stopTimer', timer: 'watchdog' });
  drive.run(91 * SECOND);
  expect(typed().length).toBe(3);
  drive.restart(SECOND);
  drive.run(31 * SECOND);
  expect(typed().length).toBe(4);
  drive.ask({ verb: 'startTimer', name: 'watchdog', timer: 'watchdog', interval: 10, message: 'look' });
  drive.restart(SECOND);
  drive.run(20 * SECOND);
  expect(typed().slice(4)).toEqual(['watchdog: look', 'watchdog: look']);
});
