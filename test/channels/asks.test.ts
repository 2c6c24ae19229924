/**
 * Answers from channels over a simulated disk: an answer that comes late, twice, out of order or after a kill reaches no other
 * question, another life, or one question twice.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANSWERS } from '../../machines/channels/policy.ts';
import { Refusals } from '../../src/channels/refusals.ts';
import { proofOf } from '../../src/channels/proof.ts';
import { systemError } from '../world/disk.ts';
import { ALERT, NAMES, OF_CASES, RULES, settled, World } from './asking.ts';

const name = fc.constantFrom(...NAMES);
const word = fc.constantFrom('yes', 'no', 'always', 'seen');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ is: fc.constant('ask' as const), name }) },
  { weight: 8, arbitrary: fc.record({ is: fc.constant('reply' as const), nth: fc.nat(9), word, id: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constantFrom('show', 'vanish', 'die', 'offer', 'end'), name }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('stranger' as const), nth: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('busy' as const), nth: fc.nat(9), word, id: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom('cut before', 'cut behind', 'restart') }) },
  {
    weight: 1,
    arbitrary: fc.record({ is: fc.constant('crash at' as const), operation: fc.integer({ min: 1, max: 12 }) }),
  },
);

// Rules.
test('no answer reaches another question, another life, or one question twice', async () => {
  let presses = 0;
  const kinds = new Set<string>();
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
    const world = new World();
    await world.start();
    const chosen = new Map<number, Set<string>>();
    for (const one of steps) {
      if (world.asks === null) await world.start();
      world.cut = null;
      world.isBusy = one.is === 'busy';
      if (one.is === 'show' || one.is === 'ask') world.show(one.name);
      else if (one.is === 'vanish') world.vanish(one.name);
      else if (one.is === 'die') world.die(one.name);
      else if (one.is === 'end') await Promise.race([world.asks?.end(one.name), settled()]);
      if (one.is === 'offer' || one.is === 'ask') {
        const offered = await Promise.race([world.offer(one.name), settled().then(() => null)]);
        if (offered) world.keep(offered);
      } else if (one.is === 'reply' || one.is === 'busy') {
        const { number } = world.messages[one.nth % Math.max(1, world.messages.length)] ?? {};
        if (number !== undefined) chosen.set(number, (chosen.get(number) ?? new Set()).add(one.word));
        await world.reply(one.nth, one.word, { id: `r${String(one.id)}` });
      } else if (one.is === 'stranger') await world.reply(one.nth, 'yes', { proof: 'a'.repeat(15) });
      else if (one.is === 'restart') await world.start();
      else if (one.is === 'crash at') {
        let left = one.operation;
        world.sim.burn = () => {
          left -= 1;
          if (left === 0) {
            world.asks = null;
            throw new Error('killed');
          }
        };
      } else if (one.is === 'cut before') world.cut = 'before';
      else if (one.is === 'cut behind') world.cut = 'behind';
      if (world.cut !== null) await world.reply(0, 'no', { id: 'cut' });
    }
    const dialogs = world.pressed.map(({ dialog }) => dialog);
    presses += dialogs.length;
    expect(new Set(dialogs).size).toBe(dialogs.length);
    // Each offer is answered at most once.
    for (const dialog of new Set(world.asked))
      expect(world.asked.filter((one) => one === dialog).length).toBeLessThanOrEqual(
        [...world.meant.values()].filter((one) => one === dialog).length,
      );
    for (const { dialog, name: session, option } of world.pressed) {
      expect(dialog.startsWith(`dialog-${session}-`)).toBe(true);
      kinds.add(session);
      const numbers = [...world.meant].flatMap(([number, meant]) => (meant === dialog ? [number] : []));
      const words = numbers.flatMap((number) => [...(chosen.get(number) ?? []), 'no']);
      expect(words).toContain(option.toLowerCase());
    }
  });
  await fc.assert(property, { numRuns: 300 });
  expect(presses).toBeGreaterThan(300);
  expect([...kinds].toSorted()).toEqual([...NAMES].toSorted());
});

async function asked(rules = RULES) {
  const world = new World();
  const asks = await world.start(rules);
  world.show('builder');
  const offered = await asks.offer('builder');
  if (offered !== null) world.keep(offered);
  return { world, asks, offered };
}

// Rules: A-3.
test('without a rule that fits nothing is offered', async () => {
  expect((await asked([])).offered).toBeNull();
  expect((await asked([{ ...RULES[0]!, kinds: ['question'] }])).offered).toBeNull();
  expect((await asked()).offered).toMatchObject({ kind: 'permission', options: [{ word: 'yes' }, { word: 'no' }] });
});

// Rules: A-3.
test('a question that is not shown whole takes a no alone, also from who may say yes', async () => {
  const world = new World();
  world.isWhole = false;
  const asks = await world.start();
  world.show('builder');
  const offered = await asks.offer('builder');
  expect(offered?.options.map(({ word }) => word)).toEqual(['no']);
  world.keep(offered!);
  await world.reply(0, 'yes');
  expect([world.pressed, world.said]).toEqual([[], [expect.stringContaining('there is no option "yes"; it has no')]]);
  await world.reply(0, 'no');
  expect(world.pressed).toMatchObject([{ option: 'No' }]);
});

// Rules: A-2.
test('the first answer is pressed and told with its proof; the next one is over, and the same one once more is silent', async () => {
  const { world } = await asked();
  await world.reply(0, 'yes', { id: 'a' });
  expect(world.pressed).toMatchObject([{ name: 'builder', option: 'Yes' }]);
  expect(world.said).toEqual([
    expect.stringMatching(/^Question q\d+ \(builder\): answered with "Yes", proved; it works$/),
  ]);
  await world.reply(0, 'yes', { id: 'a' });
  expect(world.said).toHaveLength(1);
  await world.reply(0, 'no', { id: 'b' });
  expect(world.said[1]).toContain('over: it was answered before, with yes');
  expect(world.pressed).toHaveLength(1);
});

// Rules: A-2.
test('an answer before which a person was in the pane says that nothing was pressed, and the same button counts again', async () => {
  const { world } = await asked();
  world.isBusy = true;
  await world.reply(0, 'yes', { id: 'a' });
  await world.reply(0, 'yes', { id: 'b' });
  const nothing: unknown = expect.stringMatching(
    /^Question q\d+ \(builder\): nothing was pressed: a person typed there; .* count again$/,
  );
  expect([world.pressed, world.said]).toEqual([[], [nothing, nothing]]);
  world.isBusy = false;
  // A channel may hear once more what it heard before.
  await world.reply(0, 'yes', { id: 'a' });
  expect([world.pressed, world.said.length]).toEqual([[], 2]);
  await world.start();
  await world.reply(0, 'yes', { id: 'c' });
  expect(world.pressed).toMatchObject([{ option: 'Yes' }]);
});

// Rules: A-2.
test('where another question stands it says so, and leaves that one to its own alert', async () => {
  const { world, asks } = await asked();
  world.show('builder');
  await world.reply(0, 'yes');
  expect(world.pressed).toEqual([]);
  expect(world.said).toEqual([expect.stringMatching(/another question stands there: $/)]);
  expect(world.messages).toHaveLength(1);
  world.keep((await asks.offer('builder'))!);
  await world.reply(1, 'no');
  expect(world.pressed).toMatchObject([{ option: 'No' }]);
});

// Rules: A-2.
test('where a question stands that its alert does not tell apart, the reply brings its buttons, once', async () => {
  const { world, asks } = await asked();
  world.redraw('builder');
  await world.reply(0, 'yes');
  expect([world.pressed, world.said]).toEqual([[], [expect.stringMatching(/another question stands there: \n/)]]);
  expect(world.messages).toHaveLength(2);
  await world.reply(1, 'no');
  expect(world.pressed).toMatchObject([{ option: 'No' }]);
  // One that a message offered meanwhile does not come again.
  world.show('tester');
  world.keep((await asks.offer('tester'))!);
  world.redraw('tester');
  world.keep((await asks.offer('tester'))!);
  await world.reply(2, 'yes');
  expect([world.said.at(-1), world.messages.length]).toEqual([expect.stringMatching(/another .* there: $/), 4]);
});

// Rules: A-2, law 8.
test('an alert offers no question but its own', async () => {
  const { asks } = await asked();
  const offered = await Promise.all(['screen:2', 'program:2', 'screen:1'].map((marks) => asks.offer('builder', marks)));
  expect(offered.map((one) => one?.kind)).toEqual([undefined, 'permission', 'permission']);
});

// Rules: A-2.
test('an answer that a kill cut off is not pressed again: its person is told, and offered what stands there', async () => {
  const { world } = await asked();
  world.cut = 'before';
  await world.reply(0, 'yes');
  world.cut = null;
  await world.start();
  expect(world.pressed).toEqual([]);
  expect(world.said).toEqual([expect.stringContaining('not proved: the town ended while it answered')]);
  expect(world.messages).toHaveLength(2);
  await world.start();
  expect(world.said).toHaveLength(1);
  // The old button says what came of it, since its dialog stands.
  await world.reply(0, 'yes', { id: 'old' });
  expect(world.said.at(-1)).toMatch(/over: it was answered before, with yes: not proved: .*; look at its pane$/);
  await world.reply(1, 'yes', { id: 'again' });
  expect(world.pressed).toHaveLength(1);
});

// Rules: law 8.
test('the same refusal goes to the same caller once a minute, and one that could not be told goes again', async () => {
  const { world, asks } = await asked();
  await asks.end('builder');
  for (let nth = 0; nth < 60; nth += 1) await world.reply(0, 'yes', { id: `replay-${String(nth)}` });
  expect(world.said).toHaveLength(1);
  world.wall += ANSWERS.minuteMs;
  for (let nth = 0; nth < 60; nth += 1) await world.reply(0, 'yes', { id: `later-${String(nth)}` });
  expect(world.said).toHaveLength(2);
  const refusals = new Refusals({ wall: () => 0 });
  await expect(refusals.tell('ntfy', 'over', () => Promise.reject(new Error('full')))).rejects.toThrow('full');
  const told: string[] = [];
  const caller = (name: string) => refusals.tell(name, 'over', async () => void told.push(name));
  for (const name of ['ntfy', 'ntfy', 'irc:ana']) await caller(name);
  expect(told).toEqual(['ntfy', 'irc:ana']);
});

test('a disk that takes no answer has nothing pressed, and the reply comes again', async () => {
  const { world, asks, offered } = await asked();
  const number = offered?.number ?? 0;
  const words = { id: 'a', from: 'ntfy', number, word: 'yes', text: '', proof: proofOf(world.key, 'ntfy', number) };
  world.sim.fault = (operation) => (operation === 'write' ? systemError('ENOSPC') : undefined);
  await expect(asks.take(words)).rejects.toThrow('ENOSPC');
  expect(world.pressed).toEqual([]);
  world.sim.fault = undefined;
  await asks.take(words);
  await settled();
  expect(world.pressed).toHaveLength(1);
});

test('the end of its alert ends a question', async () => {
  const { world, asks } = await asked();
  await asks.end('builder');
  await world.reply(0, 'yes');
  expect([world.pressed, world.said]).toEqual([[], [expect.stringContaining('over: no such question is open')]]);
});

// Rules.
test('what the town asks is answered by the same way: once, by its id, with a text where its option takes one', async () => {
  const world = new World();
  await world.start();
  world.show(OF_CASES);
  world.keep((await world.offer(OF_CASES))!);
  await world.reply(0, 'yes', { id: 'a', text: 'push what you have' });
  expect(world.pressed).toMatchObject([{ name: OF_CASES, option: 'Yes', text: 'push what you have' }]);
  expect(world.said).toEqual([expect.stringMatching(/^Question q\d+: answered with "Yes", on record; it works$/)]);
  await world.reply(0, 'no', { id: 'b' });
  expect([world.pressed.length, world.said[1]]).toEqual([1, expect.stringContaining('over: it was answered before')]);
  expect(await world.offer(OF_CASES)).toBeNull();
});

// Rules: A-2, I-9.
test('a late answer reaches no question whose id begins with that of the one it was given to', async () => {
  const world = new World();
  await world.start();
  world.show(OF_CASES);
  world.keep((await world.offer(OF_CASES))!);
  world.show(OF_CASES);
  await world.reply(0, 'yes');
  expect([world.pressed, world.said]).toEqual([[], [expect.stringMatching(/: over: $/)]]);
});

// Rules: A-2.
test('an alert that began anew is another question, though it has the same name', async () => {
  const world = new World();
  await world.start();
  world.show(ALERT);
  world.keep((await world.offer(ALERT))!);
  world.show(ALERT);
  await world.reply(0, 'seen');
  expect([world.pressed, world.said[0]]).toEqual([[], expect.stringMatching(/: over: $/)]);
  // Its own alert brings its buttons.
  expect(world.messages).toHaveLength(1);
  world.keep((await world.offer(ALERT))!);
  await world.reply(1, 'seen');
  expect(world.pressed).toMatchObject([{ name: ALERT, option: 'Seen' }]);
});

// Rules: A-2.
test('a question that stands longer than its buttons count gets others with the next message', async () => {
  const world = new World();
  await world.start();
  world.show(OF_CASES);
  const first = await world.offer(OF_CASES);
  expect((await world.offer(OF_CASES))?.number).toBe(first?.number);
  world.wall += ANSWERS.expiresMs + 1;
  world.keep(first!);
  world.keep((await world.offer(OF_CASES))!);
  await world.reply(0, 'yes');
  expect([world.pressed, world.said[0]]).toEqual([[], expect.stringContaining('over: no such question')]);
  await world.reply(1, 'yes');
  expect(world.pressed).toMatchObject([{ name: OF_CASES, option: 'Yes' }]);
});

// Rules: A-2.
test('an option without words takes no text, one that needs them takes none without, and neither uses up the question', async () => {
  const { world } = await asked();
  await world.reply(0, 'yes', { id: 'a', text: 'please' });
  expect([world.pressed, world.said]).toEqual([[], [expect.stringContaining('yes takes no text')]]);
  await world.reply(0, 'yes', { id: 'b' });
  expect(world.pressed).toHaveLength(1);
});

test('the end of an alert about a dialog ends no question of the town about the same session', async () => {
  const world = new World();
  const asks = await world.start();
  world.show(ALERT);
  world.keep((await world.offer(ALERT))!);
  await asks.end('builder');
  await world.reply(0, 'seen');
  expect(world.pressed).toMatchObject([{ name: ALERT, option: 'Seen' }]);
});
