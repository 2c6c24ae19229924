/** What conversations of lives took, look by look (M-12), and as `--json` has it. Real files. */
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { totalOf } from '../../src/cli/commands/costs.ts';
import { sumsText } from '../../src/cli/session-table.ts';
import { Costs, type Telling } from '../../src/costs/costs.ts';
import { COSTS } from '../../src/costs/policy.ts';
import { costRows, tokensView } from '../../src/costs/view.ts';
import type { Incarnation } from '../../machines/protocol.ts';
import { freshFolder } from '../world/over.ts';
import { AT, bash, claude, text } from './lines.ts';

const life = (uuid: string, session = 'builder'): Incarnation => ({ uuid, session }) as Incarnation;
const message = (id: string, input: number): string =>
  `${claude({ id, usage: [input, 0, 0, 1], part: text(`words of ${id}`) })}\n`;

function town() {
  const folder = freshFolder();
  let now = 0;
  const costs = new Costs({ now: () => now });
  const fileOf = (id: string): string => join(folder, `${id}.jsonl`);
  const books = (id: string) => ({ conversation: id, books: { program: 'claude', file: fileOf(id) } }) as const;
  const look = async (lives: readonly Incarnation[], telling: Telling) => {
    now += COSTS.restMs;
    await costs.look(lives, telling);
  };
  return { costs, fileOf, books, look, wait: (ms: number) => (now += ms) };
}

// Rules: M-12.
test('a life that goes on with a conversation reads on where the last one ended', async () => {
  const { costs, fileOf, books, look } = town();
  writeFileSync(fileOf('c1'), message('m1', 10));
  await look([life('u1')], new Map([['u1', books('c1')]]));
  appendFileSync(fileOf('c1'), message('m2', 5));
  await look([], new Map());
  expect(costs.of('u1')).toBeNull();
  await look([life('u2')], new Map([['u2', books('c1')]]));
  expect(costs.of('u2')?.sums.input).toBe(15);
  expect(costs.conversations).toHaveLength(1);
});

test('one that does not tell this time is what it was, and one that never told is unknown', async () => {
  const { costs, fileOf, books, look } = town();
  writeFileSync(fileOf('c1'), message('m1', 10));
  await look([life('u1'), life('u9', 'shell')], new Map([['u1', books('c1')]]));
  await look([life('u1'), life('u9', 'shell')], new Map());
  expect(costs.of('u1')?.sums.input).toBe(10);
  expect(costs.of('u9')).toBeNull();
  expect(costRows(costs.conversations, ['builder', 'shell'], null)).toEqual([
    {
      session: 'builder',
      program: 'claude',
      conversation: 'c1',
      tokens: { input: 10, cached: 0, output: 1, cost: null },
      since: new Date(AT).toISOString(),
    },
    { session: 'shell', program: null, conversation: null, tokens: null, since: null },
  ]);
});

test('a second conversation of a session is a row of its own, and the sum has both', async () => {
  const { costs, fileOf, books, look } = town();
  writeFileSync(fileOf('c1'), message('m1', 10));
  writeFileSync(fileOf('c2'), message('m1', 7));
  await look([life('u1')], new Map([['u1', books('c1')]]));
  await look([life('u1')], new Map([['u1', books('c2')]]));
  const rows = costRows(costs.conversations, ['builder', 'new'], null);
  expect(rows.map(({ conversation }) => conversation)).toEqual(['c1', 'c2', null]);
  expect(totalOf(rows)).toEqual({ sum: { input: 17, cached: 0, output: 2, cost: null }, unknown: 1 });
  expect(tokensView(costs.of('u1'))).toMatchObject({ input: 7 });
});

test('files are looked at no more often than they have to be, and soon once a person looks at the sums', async () => {
  const { costs, fileOf, books, look, wait } = town();
  writeFileSync(fileOf('c1'), message('m1', 10));
  const telling = new Map([['u1', books('c1')]]);
  await look([life('u1')], telling);
  appendFileSync(fileOf('c1'), message('m2', 5));
  wait(COSTS.restMs - 1);
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(10);
  costs.show();
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(15);
  appendFileSync(fileOf('c1'), message('m3', 1));
  wait(COSTS.everyMs - 1);
  costs.show();
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(15);
  wait(1);
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(16);
});

test('one that is not read yet is looked at as often as if a person waited for it', async () => {
  const { costs, fileOf, books, look, wait } = town();
  const telling = new Map([['u1', books('c1')]]);
  await look([life('u1')], telling);
  writeFileSync(fileOf('c1'), message('m1', 10));
  wait(COSTS.everyMs);
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(10);
});

// Rules: M-12.
test('a worker that lives shorter than the pause between two looks is counted whole, with agents that it called last', async () => {
  const { costs, fileOf, books, wait } = town();
  const lives = [life('u1')];
  const telling = new Map([
    ['u1', books('c1')],
    ['u2', books('c2')],
  ]);
  writeFileSync(fileOf('c1'), message('m1', 1));
  await costs.look(lives, telling);
  wait(COSTS.soonMs);
  writeFileSync(fileOf('c2'), message('m1', 2_000));
  await costs.look([...lives, life('u2', 'worker')], telling);
  expect(costs.of('u2')?.sums.input, 'one that is new').toBe(2_000);
  appendFileSync(fileOf('c2'), message('m2', 9_000));
  const folder = join(fileOf('c2').replace('.jsonl', ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'agent-1.jsonl'), message('m3', 500));
  appendFileSync(fileOf('c1'), message('m2', 1));
  for (let scan = 0; scan < 3; scan++) {
    wait(COSTS.soonMs);
    await costs.look(lives, telling);
  }
  const inputs = costs.conversations.map(({ session, counted }) => [session, counted?.sums.input]);
  expect(inputs, 'one that goes on is looked at at its own pace').toEqual([
    ['worker', 11_500],
    ['builder', 1],
  ]);
});

test('the last minute of a conversation counts, also of one that its agent left for another', async () => {
  const { costs, fileOf, books, wait } = town();
  writeFileSync(fileOf('c1'), message('m1', 10));
  writeFileSync(fileOf('c2'), message('m1', 1));
  await costs.look([life('u1')], new Map([['u1', books('c1')]]));
  appendFileSync(fileOf('c1'), message('m2', 5));
  wait(COSTS.soonMs);
  await costs.look([life('u1')], new Map([['u1', books('c2')]]));
  expect(costs.conversations.map(({ counted }) => counted?.sums.input)).toEqual([15, 1]);
});

test('one that ended is not read for ever where another session goes on with its conversation', async () => {
  const { costs, fileOf, books, wait } = town();
  writeFileSync(fileOf('c1'), message('m0', 1));
  await costs.look([life('u1')], new Map([['u1', books('c1')]]));
  for (let scan = 1; scan <= 9; scan++) {
    appendFileSync(fileOf('c1'), message(`m${scan}`, 1));
    wait(COSTS.soonMs);
    await costs.look([], new Map());
  }
  expect(costs.conversations[0]?.counted?.sums.input).toBe(1 + COSTS.partLooks + 1);
});

test('one that ended with more than a look can read is read on, and is unknown until then', async () => {
  const { costs, fileOf, books, wait } = town();
  const telling = new Map([['u1', books('c1')]]);
  await costs.look([life('u1')], telling);
  writeFileSync(fileOf('c1'), '');
  truncateSync(fileOf('c1'), COSTS.lookBytes + COSTS.sliceBytes);
  appendFileSync(fileOf('c1'), `\n${message('m1', 10)}`);
  const sums: unknown[] = [];
  for (let scan = 0; scan < 2; scan++) {
    wait(COSTS.soonMs);
    await costs.look([], new Map());
    sums.push(costs.conversations[0]?.counted?.sums.input);
  }
  expect(sums).toEqual([undefined, 10]);
});

test('what one look cannot read is read on soon, and is unknown until then', async () => {
  const { costs, fileOf, books, look, wait } = town();
  writeFileSync(fileOf('c1'), '');
  truncateSync(fileOf('c1'), COSTS.lookBytes + COSTS.sliceBytes);
  appendFileSync(fileOf('c1'), `\n${message('m1', 10)}`);
  const telling = new Map([['u1', books('c1')]]);
  await look([life('u1')], telling);
  expect(costs.of('u1')).toBeNull();
  wait(COSTS.soonMs);
  await costs.look([life('u1')], telling);
  expect(costs.of('u1')?.sums.input).toBe(10);
});

test('transcripts that are not there use up no budget and hide no other one', async () => {
  const { costs, fileOf, books, look, wait } = town();
  const lives = Array.from({ length: COSTS.lookBytes / COSTS.sliceBytes + 2 }, (_, at) => life(`u${at}`, `s${at}`));
  const last = lives.at(-1)?.uuid ?? '';
  const telling = new Map(lives.map(({ uuid }) => [uuid, books(uuid)]));
  writeFileSync(fileOf(last), message('m1', 10));
  await look(lives, telling);
  expect(costs.of(last)?.sums.input).toBe(10);
  appendFileSync(fileOf(last), message('m2', 5));
  wait(COSTS.soonMs);
  await costs.look(lives, telling);
  expect(costs.of(last)?.sums.input, 'the budget was enough').toBe(10);
});

test('a look begins with those that the last one had no time for', async () => {
  const { costs, fileOf, books, look, wait } = town();
  const lives = [life('u1'), life('u2', 'tester')];
  const telling = new Map(lives.map(({ uuid }) => [uuid, books(uuid)]));
  writeFileSync(fileOf('u1'), '');
  truncateSync(fileOf('u1'), 3 * COSTS.lookBytes);
  writeFileSync(fileOf('u2'), message('m1', 10));
  await look(lives, telling);
  expect(costs.of('u2')).toBeNull();
  wait(COSTS.soonMs);
  await costs.look(lives, telling);
  expect(costs.of('u2')?.sums.input).toBe(10);
  expect(costs.of('u1')).toBeNull();
});

test('a part that was cut off hides nothing of what the agent repeats now', async () => {
  const { costs, fileOf, books, look } = town();
  const folder = join(fileOf('c1').replace('.jsonl', ''), 'subagents');
  mkdirSync(folder, { recursive: true });
  const call = (id: string, at: number, command: string): string =>
    `${claude({ id, at: AT + at, part: bash(id, command) })}\n`;
  const ended = Array.from({ length: 9 }, (_, at) => call(`s${at}`, 0, 'ls'));
  writeFileSync(join(folder, 'agent-1.jsonl'), ended.join(''));
  const counts: unknown[] = [];
  for (const at of [1, 2, 3]) {
    appendFileSync(fileOf('c1'), call(`m${at}`, at, 'npm test'));
    await look([life('u1')], new Map([['u1', books('c1')]]));
    counts.push(costs.of('u1')?.repeated?.count);
  }
  expect(counts).toEqual([undefined, 2, 3]);
});

test('a look that took long is followed by a longer pause', async () => {
  const { fileOf, books } = town();
  const step = COSTS.lookMs / 4;
  let now = 0;
  // Reading takes time here: the clock goes on with each look at it.
  const costs = new Costs({ now: () => (now += step) });
  const lives = Array.from({ length: 20 }, (_, at) => life(`u${at}`, `s${at}`));
  const telling: Telling = new Map(lives.map(({ uuid }) => [uuid, books(uuid)]));
  for (const { uuid } of lives) writeFileSync(fileOf(uuid), message('m1', 10));
  const knownAt = async (at: number): Promise<number> => {
    now = at;
    await costs.look(lives, telling);
    return lives.filter(({ uuid }) => costs.of(uuid) !== null).length;
  };
  const first = await knownAt(0);
  expect(now * (1 / COSTS.maxShare)).toBeGreaterThan(COSTS.soonMs + 2 * step);
  expect(await knownAt(COSTS.soonMs + step)).toBe(first);
  expect(await knownAt(COSTS.everyMs + step)).toBeGreaterThan(first);
});

test('sums are read at a glance', () => {
  expect(sumsText({ input: 950, cached: 18_340_000, output: 12_345, cost: 1.2 })).toBe(
    '950 input, 18.3M from the cache, 12.3k output, $1.20',
  );
  expect(sumsText({ input: 0, cached: 0, output: 0, cost: null })).toBe('0 input, 0 from the cache, 0 output');
});
