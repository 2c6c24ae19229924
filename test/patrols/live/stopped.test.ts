/** What a person did to a refinery outranks its rig's patrol (C-13, law 6): their stop, and their keys in its pane. On real tmux. */
import { beforeEach, expect, test } from 'vitest';
import { withServer } from '../../tmux/server.ts';
import { untilOver } from '../../world/over.ts';
import { until } from '../../cli/town.ts';
import { BY_HAND, Shop } from '../shop.ts';

const NAME = 'gt-shop-refinery';

let town: Shop;

beforeEach(async () => {
  town = new Shop(`${BY_HAND}[rig.shop]\n`);
  await town.open();
});

/** A merge request waits. */
const request = (): Promise<unknown> =>
  town.run('mail', 'send', 'shop/refinery', '-s', 'MERGE_READY nux', '-m', 'Branch: polecat/nux');
const runs = () => town.viewed(NAME, ({ state }) => state === 'running');
const state = async (): Promise<string | undefined> => (await town.view(NAME))?.state;
const questions = async (): Promise<string> => (await town.run('status')).stdout;

// Rules: C-13, W-3.
test('a refinery that the operator stopped stays down over patrols and a new town, status says why merges wait, and its start by hand ends that', async () => {
  town.set('rig.shop', 'refinery = "cat"');
  town.witness('refinery_start = "1ms"\n');
  await request();
  await until(
    () => town.acts(),
    (acts) => acts.includes('start done: shop/refinery'),
  );
  await runs();
  expect((await town.run('session', 'stop', NAME)).code).toBe(0);
  await request();
  const WAITS = /2 merge requests wait in shop, and nothing merges: you stopped its refinery/;
  for (let cycle = 0; cycle < 3; cycle += 1) {
    const { stands, steps } = await town.cycle();
    expect(stands.map(({ text }) => text)).toEqual([expect.stringMatching(WAITS)]);
    expect(steps.flatMap(({ acts }) => acts).filter(({ act }) => act === 'start' || act === 'triage')).toEqual([]);
  }
  const removal = await town.run('session', 'remove', NAME);
  expect([removal.code, removal.stderr]).toEqual([5, expect.stringContaining('take refinery out of [rig.shop]')]);
  await until(questions, (text) => WAITS.test(text));
  expect(await questions()).toContain(`town session start ${NAME}`);
  await town.data('down');
  await town.data('up');
  await town.cycle();
  expect([await state(), town.record(NAME)?.note]).toEqual(['ended', 'stopped by the operator']);
  expect((await town.run('session', 'start', NAME)).code).toBe(0);
  await runs();
  expect(await town.stands()).toEqual([]);
  await until(questions, (text) => !WAITS.test(text));
});

// Rules: law 6.
test('a patrol takes no dead pane from a person who types there; the operator’s own start does', async () => {
  town.set('rig.shop', `refinery = ["sh", "-c", "read line; exit 3"]`);
  await request();
  await until(
    () => town.acts(),
    (acts) => acts.includes('start done: shop/refinery'),
  );
  const { uuid } = await runs();
  const terminal = untilOver(await withServer());
  const attach = ['env', '-u', 'TMUX', 'tmux', '-S', town.socket, 'attach', '-t', `=${NAME}`];
  await terminal.tmux('new-session', '-d', '-s', 'person', ...attach);
  const clients = (): string => town.tmux('list-clients', '-t', `=${NAME}`, '-F', '#{client_name}').trim();
  await until(clients, (found) => found !== '');
  await terminal.tmux('send-keys', '-t', '=person:', 'go', 'Enter');
  await town.viewed(NAME, (view) => view.state === 'backing_off' && view.note.includes('a person pressed a key there'));
  const [client, pane] = [
    clients(),
    (): string => town.tmux('list-panes', '-t', `=${NAME}`, '-F', '#{pane_id}').trim(),
  ];
  const before = pane();
  expect(await town.acts()).toEqual([]);
  expect([clients(), pane(), await state()]).toEqual([client, before, 'backing_off']);
  expect((await town.run('session', 'start', NAME)).code).toBe(0);
  await town.viewed(NAME, (view) => view.state === 'running' && view.uuid !== uuid);
});
