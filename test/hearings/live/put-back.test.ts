/** What a program puts back into its composer some time after it took it, as a hook does that refuses a prompt. Real tmux. */
import { expect, test } from 'vitest';
import type { Incarnation, OutcomeBody } from '../../../machines/protocol.ts';
import type { Court } from './court.ts';
import { claude, question } from './questions.ts';
import { courtWith } from './courts.ts';

const OFTEN = { askingLookMs: 100, askingReadMs: 100 };
const REMARK = 'check your inbox';

const box = async (court: Court, target: Incarnation): Promise<string> =>
  (await court.text(target))
    .split('\n')
    .findLast((row) => row.startsWith('❯'))
    ?.slice(2)
    .trim() ?? '';

const ask = (court: Court, target: Incarnation): Promise<OutcomeBody> =>
  court.ask(
    target,
    'K73F',
    question('K73F').map((line) => line.replace('Session max', `Session ${target.session}`)),
  );

/** An agent that took our text and put it back. */
async function refusing(type: (court: Court, target: Incarnation) => Promise<unknown>) {
  const { court, target } = await courtWith(claude('refuses'), { ready: 'shortcuts', policy: OFTEN });
  await type(court, target);
  await court.until(async () => (await box(court, target)) !== '', 'our text to come back');
  const asking = court.asking();
  return { court, target, look: () => asking.look([target]), held: () => box(court, target) };
}

// Rules: D-6.
test.each<[string, (court: Court, target: Incarnation) => Promise<unknown>]>([
  ['a nudge', (court, target) => court.nudge(target, REMARK)],
  ['a question', ask],
  ['a health check', (court, target) => court.check(target)],
])('%s is taken out by the look of the scan', async (_, type) => {
  const { court, look, held } = await refusing(type);
  await court.until(async () => {
    await look();
    return (await held()) === '';
  }, 'an empty composer');
});

test('with words of a person behind it, it stays', async () => {
  const { court, target, look, held } = await refusing((court, target) => court.nudge(target, REMARK));
  await court.type(target, ' and mine');
  for (let looks = 0; looks < 10; looks += 1) await look();
  // The one that takes words out had the pane alone meanwhile: a nudge waits for its turn, and finds these words.
  expect(await court.nudge(target, 'once more')).toMatchObject({ type: 'NOT_NUDGED' });
  expect(await held()).toBe(`Nudge: ${REMARK} and mine`);
});

test('a question that was put back unsent is typed again', async () => {
  const { court, target, look, held } = await refusing(ask);
  await court.until(async () => {
    await look();
    return (await held()) === '';
  }, 'an empty composer');
  expect(await ask(court, target)).toMatchObject({ type: 'ASKED' });
  await court.until(async () => (await held()).includes('HEALTH CHECK'), 'the question once more');
});

// Rules: D-4, D-6.
test('a question that comes back is no silence, in the box and once it was taken out: a person decides', async () => {
  const { court, target } = await courtWith(claude('refuses'), { ready: 'shortcuts', policy: OFTEN });
  const lines = question('K73F').map((line) => line.replace('Session max', `Session ${target.session}`));
  const attempts = [await court.asked(target, 'K73F', lines)];
  await court.until(async () => (await box(court, target)) !== '', 'our text to come back');
  const kinds = async () => [...(await court.watch(target, attempts, 'evidence', 3))];
  expect(await kinds()).toEqual([expect.stringContaining('came back into its box')]);
  const asking = court.asking();
  await court.until(async () => {
    await asking.look([target]);
    return (await box(court, target)) === '';
  }, 'an empty composer');
  expect(await kinds()).toEqual([expect.stringContaining('came back into its box')]);
});
