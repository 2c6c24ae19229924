/** Law 4 outside of hearings: what a dead pane shows is in output/<session>.log before the pane goes, or the pane stays. */
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Incarnation } from '../../../machines/protocol.ts';
import { standsDead } from '../../../src/sessions/aside.ts';
import { town } from '../../tmux/over.ts';
import { until, type Yard } from '../../tmux/yard.ts';

/** A program that prints more than a screen, then its word, and ends. */
const last = (word: string): string[] => ['sh', '-c', `seq -f "${word}-%g." 120; sleep 0.5; exit 3`]; // tmux 3.3a may lose what it prints as it ends

async function dies(made: Yard, word: string, name = 'agent'): Promise<Incarnation> {
  const life = await made.begin({ name, command: last(word) });
  await until(async () => (await made.scan(life)).seen[0]?.life === 'dead');
  return life;
}
const output = (made: Yard): string => readFileSync(join(made.root, 'output', 'agent.log'), 'utf8');

// Rules: law 4.
test('a restart saves the whole history of the dead pane before it takes the name', async () => {
  const made = await town();
  await dies(made, 'first');
  await dies(made, 'second');
  await made.begin({});
  const text = output(made);
  for (const word of ['first-1.', 'first-120.', 'second-1.', 'second-120.']) expect(text).toContain(word);
  expect(text.match(/^--- .* agent, pane %\d+, before it was cleared$/gm)).toHaveLength(2);
  expect((await made.sessions()).filter((name) => name.startsWith('agent'))).toEqual(['agent']);
});

test('a clear of an unsaved pane saves it first, once; a rescued one is not saved again', async () => {
  const made = await town();
  const rescued = await dies(made, 'rescued');
  expect(await made.clear(rescued)).toEqual({ type: 'CLEARED', survivors: [] });
  const life = await dies(made, 'clean');
  expect(await made.clear(life, true)).toEqual({ type: 'CLEARED', survivors: [] });
  expect(await made.clear(life, true)).toEqual({ type: 'CLEARED', survivors: [] });
  expect(output(made)).not.toContain('rescued-1.');
  expect(output(made).match(/^clean-1\.$/gm)).toHaveLength(1);
  expect(await made.sessions()).not.toContain('agent');
});

// Rules: law 4.
test('where it cannot be saved the dead stand aside, the youngest of them, and the agent runs again', async () => {
  const made = await town();
  const broken = join(made.root, 'output', 'agent.log');
  mkdirSync(broken);
  const first = await dies(made, 'one');
  expect(await made.clear(first, true)).toMatchObject({
    whyPaneStays: expect.stringContaining('could not be saved') as string,
  });
  const second = await dies(made, 'two');
  const third = await dies(made, 'three');
  const fourth = await made.begin({});
  const aside = [second, third].map(({ paneId }) => `agent_kept-${paneId.slice(1)}`);
  expect((await made.sessions()).filter((name) => name.startsWith('agent')).sort()).toEqual(['agent', ...aside].sort());
  expect(await made.tmux.call(['capture-pane', '-p', '-S', '-', '-t', second.paneId])).toContain('two-1.');
  expect((await made.scan(fourth)).seen).toMatchObject([{ life: 'alive' }]);
  expect(made.told.every((why) => why !== null)).toBe(true);
  rmdirSync(broken);
  expect(await made.clear(third, true)).toEqual({ type: 'CLEARED', survivors: [] });
  expect(output(made)).toContain('three-120.');
  expect(made.told.at(-1)).toBeNull();
});

// Rules: law 6.
test('who makes way among the dead is saved if that works by then; a pane that a person opened beside it lives on', async () => {
  let repair = (): void => undefined;
  const made = await town({ telling: (why) => why !== null && repair() });
  const broken = join(made.root, 'output', 'agent.log');
  mkdirSync(broken);
  const first = await dies(made, 'one');
  await dies(made, 'two');
  const beside = await made.server.tmux('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', first.paneId, 'sleep 77');
  await dies(made, 'three');
  repair = () => rmdirSync(broken);
  await made.begin({});
  expect(output(made)).toContain('one-1.');
  expect(output(made)).not.toContain('two-1.');
  const panes = (await made.server.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n');
  expect(panes).toContain(beside);
  expect(panes).not.toContain(first.paneId);

  const standing = (name: string): Promise<boolean> =>
    standsDead({ tmux: made.tmux, owner: { root: made.root, epoch: 1 } }, name);
  expect([await standing('agent'), await standing('age')]).toEqual([true, false]);
  for (const name of (await made.sessions()).filter((one) => one.startsWith('agent_kept-')))
    await made.server.tmux('kill-session', '-t', `=${name}`);
  expect(await standing('agent')).toBe(false);
  await dies(made, 'again', 'other');
  expect([await standing('agent'), await standing('other')]).toEqual([false, true]);
});

test.each([
  ['no history', '0'],
  ['a history', '2000'],
])('with %s all that a dead agent said is saved, also a single row at the top', async (_, limit) => {
  const made = await town({ conf: `set -g history-limit ${limit}` });
  const life = await made.begin({ command: ['sh', '-c', 'printf "no key is set"; sleep 0.5; exit 3'] });
  await until(async () => (await made.scan(life)).seen[0]?.life === 'dead');
  // tmux writes its own word a moment after the program has ended.
  const shows = (): Promise<string> => made.server.tmux('capture-pane', '-p', '-S', '-', '-t', life.paneId);
  await until(async () => (await shows()).includes('Pane is dead'));
  expect(await shows()).toContain('no key is set');
  // A window that a person opens there has the person's own limit, where tmux does not take that for the agent's too.
  const [, version = ''] = /(\d+\.\d+)/.exec(await made.server.tmux('-V')) ?? [];
  const isShared = Number(version) >= 3.7 && limit === '0';
  expect((await made.server.tmux('show-options', '-t', life.sessionId)).includes('history-limit')).toBe(isShared);
  await made.begin({});
  expect(output(made)).toContain('no key is set');
});
