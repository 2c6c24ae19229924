/** Runs of plugins, as real processes: what hangs, floods, leaves children behind or fails takes nothing along and is on record. */
import { chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { readPlugin } from '../../../src/plugins/definition.ts';
import { lastOf, noteBegun } from '../../../src/plugins/record.ts';
import { runPlugin, type RunReport } from '../../../src/plugins/run.ts';
import { pluginStep } from '../../../src/plugins/step.ts';
import { createProcesses } from '../../../src/proc/processes.ts';
import { COOLDOWN, Place } from '../place.ts';

const LIMIT = { timeout: 60_000 };

let place: Place;
beforeEach(() => (place = new Place()));

const run = async (name: string, processes = createProcesses()): Promise<RunReport> => {
  const { disk, root } = place;
  const plugin = await readPlugin(disk, root, name);
  const rest = {
    disk,
    root,
    processes,
    now: Date.now,
    cancelled: new AbortController().signal,
  };
  return runPlugin(rest, plugin!);
};
/** What stands for a person, as the Deacon's round says it. */
const told = async (): Promise<string[]> => Object.values((await pluginStep(place, Date.now())).stands);
const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

test('it runs in its folder, knows the town, and its words are on record', LIMIT, async () => {
  const folder = place.plugin('a', `command = "pwd; echo $TOWN_PLUGIN $TOWN_ROOT"\n${COOLDOWN}`);
  expect(await run('a')).toMatchObject({ came: 'done', output: `${folder}\na ${place.root}\n` });
  expect(await lastOf(place.disk, 'a')).toMatchObject({ kind: 'done' });
});

// Rules: P-7.
test('the example of the documentation works as it is, and fails where its limit is not met', LIMIT, async () => {
  const folder = join(place.root, 'plugins/disk-space');
  cpSync(join(import.meta.dirname, '../../../examples/plugins/disk-space'), folder, { recursive: true });
  chmodSync(join(folder, 'plugin.toml'), 0o644);
  expect(await run('disk-space')).toMatchObject({ came: 'done', output: expect.stringContaining('kB left') as string });
  const toml = readFileSync(join(folder, 'plugin.toml'), 'utf8');
  place.plugin('disk-space', toml.replace('1000000', '1000000000000000'));
  expect(await run('disk-space')).toMatchObject({ came: 'failed' });
  expect(await told()).toEqual([expect.stringContaining('The plugin disk-space does not work: ')]);
});

// Rules: P-7.
test('what hangs is ended with all that it started, and told until it works again', LIMIT, async () => {
  const folder = place.plugin(
    'a',
    `command = "setsid sleep 100001 & echo $! > pid; trap '' TERM; sleep 100002"\ntimeout = "500ms"\n${COOLDOWN}`,
  );
  expect(await run('a')).toMatchObject({ came: 'late' });
  expect(lives(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
  expect(await told()).toEqual([expect.stringContaining('The plugin a does not work: ')]);
  place.plugin('a', `command = ["true"]\n${COOLDOWN}`);
  expect(await run('a')).toMatchObject({ came: 'done' });
  expect(await told()).toEqual([]);
});

const APART = 'setsid env -i sleep 100003 & echo $! > pid';

test('a child without the mark, in a session of its own, ends with the run that hangs', LIMIT, async () => {
  const command = `"${APART}; trap '' TERM; sleep 100004"`;
  const folder = place.plugin('a', `command = ${command}\ntimeout = "500ms"\n${COOLDOWN}`);
  expect(await run('a')).toMatchObject({ came: 'late' });
  expect(lives(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(false);
});

test('one that was seen below it ends with the run that ends by itself too', LIMIT, async () => {
  const folder = place.plugin('a', `command = "${APART}; until test -f seen; do sleep 0.1; done"\n${COOLDOWN}`);
  const processes = createProcesses();
  const apart = (): number => Number(existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8'));
  const seen: typeof processes = {
    ...processes,
    treeOf: async (...words) => {
      const tree = await processes.treeOf(...words);
      if (tree.some(({ pid }) => pid === apart())) writeFileSync(join(folder, 'seen'), '');
      return tree;
    },
  };
  expect(await run('a', seen)).toMatchObject({ came: 'done' });
  expect(lives(apart())).toBe(false);
});

// Rules: P-7.
test('what floods its output ends, and the last of it is kept', LIMIT, async () => {
  place.plugin('a', `command = "yes flood | head -c 50000000; echo last"\n${COOLDOWN}`);
  const { came, output } = await run('a');
  expect(came).toBe('done');
  expect(output.length).toBeLessThanOrEqual(16_384);
  expect(output.endsWith('last\n')).toBe(true);
});

test.each([
  ['fails', 'command = "echo why; exit 3"'],
  ['is not there', 'command = ["no-such-program"]'],
])('what %s is told', LIMIT, async (_, command) => {
  place.plugin('a', `${command}\n${COOLDOWN}`);
  expect(await run('a')).toMatchObject({ came: 'failed' });
  expect(await told()).toHaveLength(1);
});

test('what failed is told until it did its work, and not until its condition said no', LIMIT, async () => {
  const gate = (check: string): string => `[gate]\ntype = "condition"\ncheck = "${check}"\n`;
  place.plugin('a', `command = "false"\n${gate('true')}`);
  expect(await run('a')).toMatchObject({ came: 'failed' });
  place.plugin('a', `command = "true"\n${gate('false')}`);
  expect(await run('a')).toMatchObject({ came: 'unmet' });
  expect(await told()).toHaveLength(1);
  place.plugin('a', `command = "true"\n${gate('true')}`);
  expect(await run('a')).toMatchObject({ came: 'done' });
  expect(await told()).toEqual([]);
});

test('a condition that says no, or hangs, runs nothing', LIMIT, async () => {
  const gate = '[gate]\ntype = "condition"\ncheck = "test -f ready"\n';
  const folder = place.plugin('a', `command = "touch ran"\n${gate}`);
  expect(await run('a')).toMatchObject({ came: 'unmet' });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
  place.plugin('a', `command = "touch ran"\n${gate.replace('test -f ready', 'true')}`);
  expect(await run('a')).toMatchObject({ came: 'done' });
  expect(existsSync(join(folder, 'ran'))).toBe(true);
});

// Rules: P-7.
test('two at once are one, and what a killed run left behind ends first', LIMIT, async () => {
  const folder = place.plugin('slow', `command = "touch began; until test -f go; do sleep 0.1; done"\n${COOLDOWN}`);
  place.plugin('b', `command = ["true"]\n${COOLDOWN}`);
  const slow = run('slow');
  await expect.poll(() => existsSync(join(folder, 'began')), { timeout: 30_000 }).toBe(true);
  expect(await run('b')).toMatchObject({ came: 'busy' });
  writeFileSync(join(folder, 'go'), '');
  expect(await slow).toMatchObject({ came: 'done' });
  await noteBegun(place.disk, 'slow', { id: 'lost', text: '', deadlineAt: 0 }, Date.now() + 1);
  expect(await run('b')).toMatchObject({ came: 'done' });
  expect(await lastOf(place.disk, 'slow')).toMatchObject({ kind: 'cut off', id: 'lost' });
});
