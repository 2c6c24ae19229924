/** `town config check` and `show`: what town.toml names and is not there, and every rig and agent of it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { prints, TestTown } from './town.ts';

let town: TestTown;
beforeEach(() => (town = new TestTown()));

const agent = (lines: string): string => `[[agents]]\nname = "builder"\n${lines}\n`;

test('folders, programs and rigs that are not there are named, each in a sentence', async () => {
  town.configure(
    `${agent('command = ["/no/such/agent"]')}[[agents]]\nname = "tester"\ncommand = ["sh"]\ndir = "~/nowhere"\n` +
      '[rig.shop]\nagent = "/no/such/claude --continue"\ntest = "cd x && npm test"\n',
  );
  const { code, stdout } = await town.run('config', 'check');
  const lines = stdout.trim().split('\n').slice(1);
  expect([code, lines]).toEqual([
    1,
    [
      `agent tester: dir ${join(town.home, 'nowhere')} is no folder; make it, or name another`,
      '[rig.shop]: there is no rig shop; add it: town rig add shop <path>',
      expect.stringMatching(/^agent builder: there is no program "\/no\/such\/agent"/) as string,
      expect.stringMatching(/^rig\.shop\.agent: there is no program "\/no\/such\/claude"/) as string,
      expect.stringContaining('$TOWN_NUMBERS') as string,
    ],
  ]);
});

test('a file whose things are there is right', async () => {
  mkdirSync(join(town.home, 'app'));
  town.configure(agent('command = ["sh", "-c", "exec sleep 1"]\ndir = "~/app"'));
  prints(await town.run('config', 'check'), 0, 'right');
});

test('a pack of a person that is wrong or torn is named with its mistake', async () => {
  town.configure('');
  town.write('packs/claude.toml', 'name = "claude"\n[[[');
  town.write('packs/mine.toml', 'nonsense = 1');
  const { code, stdout } = await town.run('config', 'check');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^a pack of yours does not count: \S+\/packs\/claude\.toml line 2, column \d+: .*; mend it/m);
  expect(stdout).toMatch(/^a pack of yours does not count: \S+\/packs\/mine\.toml: .*"nonsense" is no key here/m);
  const doctor = (await town.run('doctor')).stdout.replaceAll(/\n +/g, ' ');
  expect(doctor).toMatch(/^warn +packs: a pack of yours does not count: \S+\/packs\/claude\.toml line 2/m);
  town.write('packs/claude.toml', '');
  await town.up();
  const reloaded = (await town.run('reload')).stdout;
  expect(reloaded).toMatch(/^a pack of yours does not count: \S+\/packs\/claude\.toml: name: is missing$/m);
});

// Rules: F-4.
test('a channel that could deliver nothing is named with the key that it lacks', async () => {
  const linesOf = async (toml: string): Promise<string[]> => {
    town.configure(toml);
    const { code, stdout } = await town.run('config', 'check');
    const lines = stdout
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => !line.includes('$TOWN_NUMBERS'));
    expect(code).toBe(lines.length === 0 ? 0 : 1);
    return lines;
  };
  const so = 'not set, so nothing is delivered there; set';
  expect(
    await linesOf(
      '[ntfy]\nurl = "https://ntfy.sh"\n[telegram]\ntoken = { file = "/nope" }\n[irc]\nserver = "localhost"\n' +
        '[smtp]\nserver = "localhost"\nfrom = "bad"\n[desktop]\nenabled = false\n',
    ),
  ).toEqual([
    `[ntfy]: topic is ${so} ntfy.topic, or leave [ntfy] out`,
    `[telegram]: chat is ${so} telegram.chat, or leave [telegram] out`,
    `[irc]: channel is ${so} irc.channel, or leave [irc] out`,
    `[smtp]: to is ${so} smtp.to, or leave [smtp] out`,
    'smtp.from = "bad": is not one plain address; write one such as "town@example.org"',
    'telegram.token stands in /nope, which is no file that can be read; make it, or name another',
  ]);
  expect(await linesOf('[smtp]\nserver = "localhost"\n')).toEqual([
    `[smtp]: from and to are ${so} smtp.from and smtp.to, or leave [smtp] out`,
  ]);
  writeFileSync(join(town.home, 'token'), '123:abc\n');
  const token = JSON.stringify(join(town.home, 'token'));
  expect(await linesOf(`[telegram]\nchat = "1"\ntoken = { file = ${token} }\n[desktop]\nenabled = true\n`)).toEqual([]);
  writeFileSync(join(town.home, 'token'), '\n');
  expect(await linesOf(`[telegram]\nchat = "1"\ntoken = { file = ${token} }\n`)).toEqual([
    expect.stringMatching(/^telegram\.token stands in \S+, whose first line is empty/) as string,
  ]);
});

// Rules: M-11.
test('a line for a shell that is not understood is named with what to write, and is no mistake', async () => {
  mkdirSync(join(town.home, 'app'));
  const loop = 'command = "while true; do claude; done"\ndir = "~/app"';
  town.configure(
    `${agent(loop)}[[agents]]\nname = "tester"\ncommand = "claude 'fix it'"\n[triage]\ncommand = "claude -p <x"\n`,
  );
  const { code, stdout } = await town.run('config', 'check');
  expect([code, stdout.split('\n').filter((line) => line.includes('a line for a shell'))]).toEqual([
    0,
    [
      'agent builder: its command is a line for a shell with a loop, so each life begins a new conversation, without the hooks of the town; write one command that starts the agent (NAME=value may stand before it), and give its folder by dir',
    ],
  ]);
});

// Rules: A-3.
test('show prints every rig, agent, preset, route, and who may answer what', async () => {
  const routes =
    '[ntfy]\ntopic = "t"\nreply_topic = "r"\n[[route]]\nto = ["ntfy"]\ndigest = "2h"\n' +
    '[[may_answer]]\nfrom = "ntfy"\nkinds = ["question"]\noptions = ["seen"]\n' +
    '[[may_answer]]\nfrom = "ntfy"\nkinds = ["permission"]\noptions = ["yes", "no"]\n' +
    '[[asks.rule]]\nagent = "b*"\npattern = "npm test"\noption = "yes"\nper_day = 7\n';
  const presets = '[presets.quick]\nharness = "codex"\nconfig.model = "o4"\n';
  town.configure(`${agent('command = ["claude"]\ndir = "~/app"')}[rig.shop]\ntest = "npm test"\n${presets}${routes}`);
  const { stdout } = await town.run('config', 'show');
  const row = (...words: string[]): RegExp => new RegExp(words.join(' +').replaceAll(/[[\]]/g, '\\$&'));
  expect(stdout).toMatch(row('[rig.shop]', 'test', '["/bin/sh","-c","npm test"]'));
  expect(stdout).toMatch(row('[rig.shop]', 'test_limit', '"30m"'));
  expect(stdout).toMatch(row('agent builder', 'dir', `"${join(town.home, 'app')}"`));
  expect(stdout).toMatch(row('[presets.quick]', 'config.model', '"o4"'));
  expect(stdout).toMatch(row('[[route]] 1', 'digest', '"2h"'));
  expect(stdout).toMatch(row('[[may_answer]] 2', 'options', '["yes","no"]'));
  expect(stdout).toMatch(row('[[asks.rule]] 1', 'per_day', '7'));
});
