/** Gates of plugins: which is begun, which is refused, and that nothing of a hostile one reaches the others. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { pluginToBegin, type Gate, type PluginSeen } from '../../machines/patrols/plugins.ts';
import { trustRoot } from '../../state/files/trusted-roots.ts';
import { ESCALATION } from '../../src/ledger/escalations.ts';
import { readPlugins } from '../../src/plugins/definition.ts';
import { lastOf, noteBegun, noteCame } from '../../src/plugins/record.ts';
import { pluginStep } from '../../src/plugins/step.ts';
import { COOLDOWN, Place } from './place.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const cooldown: Gate = { type: 'cooldown', everyMs: HOUR };
const condition: Gate = { type: 'condition', everyMs: 5 * MINUTE, check: ['true'] };
const cron: Gate = { type: 'cron', schedule: '0 3 * * *' };
const seen = (gate: Gate, lastMs: number | null, pastMs: number | null = null, name = 'a'): PluginSeen => ({
  name,
  gate,
  lastMs,
  pastMs,
});

describe('which is begun', () => {
  // Rules: P-7.
  test.each<[what: string, plugins: PluginSeen[], isOneRunning: boolean, name: string | null]>([
    ['none where there is none', [], false, null],
    ['a cooldown that never ran', [seen(cooldown, null)], false, 'a'],
    ['a cooldown before its time', [seen(cooldown, HOUR - 1)], false, null],
    ['a cooldown at its time', [seen(cooldown, HOUR)], false, 'a'],
    ['a condition that was never asked', [seen(condition, null)], false, 'a'],
    ['a condition that was asked a moment ago', [seen(condition, MINUTE)], false, null],
    ['a condition that was asked a while ago', [seen(condition, 5 * MINUTE)], false, 'a'],
    ['a schedule just seen', [seen(cron, null, null)], false, null],
    ['a schedule before its time', [seen(cron, HOUR, -1)], false, null],
    ['a schedule at its time', [seen(cron, HOUR, 0)], false, 'a'],
    ['nothing while one runs', [seen(cooldown, null)], true, null],
    ['the one that is due for longest', [seen(cooldown, 2 * HOUR), seen(cron, null, 2 * HOUR, 'b')], false, 'b'],
    ['of two alike the first by name', [seen(cooldown, null, null, 'b'), seen(cooldown, null)], false, 'a'],
  ])('%s', (_, plugins, isOneRunning, name) => {
    expect(pluginToBegin(plugins, isOneRunning)).toBe(name);
  });
});

let place: Place;
beforeEach(() => (place = new Place()));

describe('a plugin.toml', () => {
  // Rules: P-7.
  test.each<[what: string, toml: string, mode: number, why: RegExp]>([
    ['that is no TOML', 'command = [', 0o644, /./],
    ['without a command', COOLDOWN, 0o644, /^command is missing; write command = \["program", "word"\]/],
    [
      'without a gate',
      'command = ["true"]\n',
      0o644,
      /^gate is missing; write \[gate\] and below it type = "cooldown"/,
    ],
    [
      'of a gate that is none',
      'command = ["true"]\n[gate]\ntype = "magic"\n',
      0o644,
      /^gate\.type cannot be "magic"; write type = "cooldown", "cron" or "condition"$/,
    ],
    ['of a command that is none', `command = 5\n${COOLDOWN}`, 0o644, /^command cannot be 5; write command = /],
    ['of an empty command', `command = []\n${COOLDOWN}`, 0o644, /^command cannot be \[\]; write command = /],
    [
      'with a mistyped key',
      `comand = "true"\n${COOLDOWN}`,
      0o644,
      /command is missing; .*comand is no key here; did you mean command\?$/,
    ],
    [
      'with a mistyped key of its gate',
      'command = "true"\n[gate]\ntype = "cron"\nschedul = "0 3 * * *"\n',
      0o644,
      /gate\.schedule is missing; write schedule = "0 3 \* \* \*".*gate\.schedul is no key here; did you mean schedule\?$/,
    ],
    [
      'with a word for a text',
      `command = "true"\ndescription = 3\n${COOLDOWN}`,
      0o644,
      /^description cannot be 3; write/,
    ],
    [
      'with a key that is none',
      `color = "red"\ncommand = ["true"]\n${COOLDOWN}`,
      0o644,
      /^color is no key here; there are command, gate, timeout, description$/,
    ],
    [
      'with a time that is none',
      'command = "true"\n[gate]\ntype = "cooldown"\nduration = "soon"\n',
      0o644,
      /"soon" is no time/,
    ],
    [
      'with a schedule that is none',
      'command = "true"\n[gate]\ntype = "cron"\nschedule = "often"\n',
      0o644,
      /"often" is no schedule/,
    ],
    [
      'with a schedule that never comes',
      'command = "true"\n[gate]\ntype = "cron"\nschedule = "0 0 30 2 *"\n',
      0o644,
      /is no schedule/,
    ],
    [
      'that others may write',
      `command = ["true"]\n${COOLDOWN}`,
      0o666,
      /may be written by others.*`chmod go-w \S+` mends that/,
    ],
    ['that is too large', `command = ["true"]\n${COOLDOWN}# ${'x'.repeat(70_000)}\n`, 0o644, /./],
  ])('%s is refused, and the one beside it counts', async (_, toml, mode, why) => {
    place.plugin('bad', toml, mode);
    place.plugin('good', `command = ["true"]\n${COOLDOWN}`);
    const { plugins, refused } = await readPlugins(place.disk, place.root);
    expect(plugins.map(({ name }) => name)).toEqual(['good']);
    expect(refused).toMatchObject([{ name: 'bad', why: expect.stringMatching(why) as string }]);
  });

  test('of a root that is trusted counts, with any writers there', async () => {
    vi.stubEnv('XDG_CONFIG_HOME', place.root);
    place.plugin('open', `command = ["true"]\n${COOLDOWN}`, 0o666);
    expect((await readPlugins(place.disk, place.root)).refused).toHaveLength(1);
    trustRoot(place.root);
    expect((await readPlugins(place.disk, place.root)).plugins).toMatchObject([{ name: 'open' }]);
    vi.unstubAllEnvs();
  });

  test('of each gate is read', async () => {
    place.plugin('a', `command = "echo a | cat"\ntimeout = "2m"\ndescription = "says a"\n${COOLDOWN}`);
    place.plugin('b', 'command = ["true"]\n[gate]\ntype = "cron"\nschedule = "0 3 * * *"\n');
    place.plugin('c', 'command = ["true"]\n[gate]\ntype = "condition"\ncheck = "test -f x"\nevery = "1m"\n');
    const { plugins } = await readPlugins(place.disk, place.root);
    expect(plugins.map(({ gate }) => gate)).toEqual([
      cooldown,
      cron,
      { type: 'condition', check: ['sh', '-c', 'test -f x'], everyMs: MINUTE },
    ]);
    expect(plugins[0]).toMatchObject({ command: ['sh', '-c', 'echo a | cat'], timeoutMs: 2 * MINUTE });
  });

  test('in a folder that is none of a plugin, or a link in circles, holds no other up', async () => {
    place.plugin('good', `command = ["true"]\n${COOLDOWN}`);
    place.plugin('not a name', `command = ["true"]\n${COOLDOWN}`);
    symlinkSync('loop', join(place.root, 'plugins', 'loop'));
    const { plugins, refused } = await readPlugins(place.disk, place.root);
    expect(plugins).toHaveLength(1);
    expect(refused.map(({ name }) => name)).toContain('not a name');
  });
});

describe('a cycle', () => {
  const step = async (now: number) => {
    const { disk, root } = place;
    const { acts, wants, stands } = await pluginStep({ disk, root }, now);
    return { begun: wants.map(({ about }) => about), acts, stands };
  };

  // Rules: law 8.
  test('says as long as it stands that one is refused, and changes nothing in the ledger for it', async () => {
    place.plugin('bad', 'command = [');
    for (const at of [0, MINUTE])
      expect(await step(at)).toMatchObject({
        acts: [],
        stands: { bad: expect.stringContaining('The plugin bad is refused: ') as string },
      });
    expect((await place.ledger.list({ labels: [ESCALATION] }, { limit: 1 })).items).toEqual([]);
    place.plugin('bad', `command = ["true"]\n${COOLDOWN}`);
    expect((await step(2 * MINUTE)).stands).toEqual({});
  });

  // Rules: P-7.
  test('begins one at a time: not while one runs, nor while one that was killed may', async () => {
    place.plugin('a', `command = ["true"]\n${COOLDOWN}`);
    place.plugin('b', `command = ["true"]\n${COOLDOWN}`);
    expect((await step(0)).begun).toEqual(['a']);
    await noteBegun(place.disk, 'a', { id: 'r1', text: '', deadlineAt: 10 * MINUTE }, 1);
    expect((await step(MINUTE)).begun).toEqual([]);
    await noteCame(place.disk, 'a', 'done', { id: 'r1', text: '' }, MINUTE);
    expect((await step(2 * MINUTE)).begun).toEqual(['b']);
    await noteBegun(place.disk, 'b', { id: 'r2', text: '', deadlineAt: 3 * MINUTE }, 2 * MINUTE);
    expect((await step(4 * MINUTE)).begun).toEqual([]);
    // No record says how b came out; its time is over, and a is due again.
    expect((await step(HOUR + MINUTE)).begun).toEqual(['a']);
  });

  // Rules: P-7.
  test('counts a schedule from the first look, and what was missed meanwhile once', async () => {
    place.plugin('nightly', 'command = ["true"]\n[gate]\ntype = "cron"\nschedule = "0 3 * * *"\n');
    const noon = new Date(2026, 0, 5, 12).getTime();
    expect((await step(noon)).begun).toEqual([]);
    expect((await step(noon + HOUR)).begun).toEqual([]);
    const late = noon + 3 * 24 * HOUR;
    expect((await step(late)).begun).toEqual(['nightly']);
    await noteBegun(place.disk, 'nightly', { id: 'r1', text: '', deadlineAt: late + MINUTE }, late);
    await noteCame(place.disk, 'nightly', 'failed', { id: 'r1', text: 'no' }, late + 1);
    expect((await step(late + HOUR)).begun).toEqual([]);
    expect(await lastOf(place.disk, 'nightly')).toMatchObject({ kind: 'failed', text: 'no' });
    expect((await step(late + 16 * HOUR)).begun).toEqual(['nightly']);
  });
});
