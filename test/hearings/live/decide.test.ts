/** A person decides on a hearing that was left to one, on a real town: its agent is heard again, or ended by a durable warrant. */
import { expect, test, vi } from 'vitest';
import { episodeIn, type Dance } from '../../../machines/protocol.ts';
import { ALERTS } from '../../../state/alerts/episodes.ts';
import { nameOf } from '../../../state/files/layout.ts';
import { TestTown } from '../../cli/town.ts';

const WAIT = { timeout: 60_000, interval: 50 };

const danceIn = (text: string): Dance => (JSON.parse(text) as { readonly context: Dance }).context;

/** The agent lives on while the town is down; then its last hearing stands there as one that needs a person. */
async function leftToPerson() {
  const town = await new TestTown().up();
  await town.agent('builder', ['sleep', '1000']);
  await town.run('down');
  const target = town.life('builder')!;
  const { warrants } = town.dance('d-7', 'builder', {
    stage: 'closed',
    verdict: 'escalated',
    reason: 'unclear',
    closedAt: Date.now(),
    target,
  });
  const about = { severity: 'high', session: 'builder', text: 'The hearing of builder needs a person' } as const;
  const times = { since: Date.now(), told_at: Date.now(), count: 1, ended_at: null, recovery: null };
  const record = {
    episode: episodeIn('dance-escalated/builder'),
    question: 'request:d-7',
    life: target.uuid,
    ...about,
    ...times,
  };
  town.write(`alerts/${nameOf(record.episode)}.json`, ALERTS.text(record));
  await town.up();
  const all = await town.data<{ number: string; text: string; options: { word: string }[] }[]>('questions');
  const question = all.find(({ text }) => text.includes('needs a person'));
  expect(question?.options.map(({ word }) => word)).toEqual(['pardon', 'hear', 'execute']);
  return { town, target, number: question?.number ?? '', charge: warrants[0]?.reason ?? '' };
}

// Rules: law 2, law 4, A-2.
test('execute: exactly this life ends by force, its work is looked at first, and the question is over', async () => {
  const { town, target, number } = await leftToPerson();
  expect((await town.run('answer', number, 'execute')).stdout).toContain('builder is being ended');
  const executed = await vi.waitFor(() => {
    const dances = town.names('deacon/dogs/completed').filter((name) => !name.startsWith('d-7'));
    expect(dances).toHaveLength(1);
    return danceIn(town.read(`deacon/dogs/completed/${dances[0] ?? ''}`));
  }, WAIT);
  expect(executed).toMatchObject({ verdict: 'executed', target: { uuid: target.uuid } });
  expect(executed.rescue).not.toBeNull();
  expect(await town.data('questions')).toEqual([]);
  await vi.waitFor(async () => {
    expect((await town.run('why', 'builder')).stdout).toContain('the operator chose "execute" in the alert');
  }, WAIT);
}, 120_000);

// Rules: law 2, A-2.
test('hear: the same charge is heard again, with three questions before anything else', async () => {
  const { town, target, number, charge } = await leftToPerson();
  expect((await town.run('answer', number, 'hear')).stdout).toContain('builder is heard again');
  const heard = await vi.waitFor(() => {
    const [name = ''] = town.names('deacon/dogs/active');
    return danceIn(town.read(`deacon/dogs/active/${name}`));
  }, WAIT);
  expect(heard).toMatchObject({ target: { uuid: target.uuid }, warrants: [{ reason: charge }] });
  expect(heard.verdict).toBeNull();
}, 120_000);
