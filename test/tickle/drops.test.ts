/** Files that programs drop into evidence/: whose record each is, what is put aside, and what a kill and a flood leave. */
import { beforeEach, expect, test } from 'vitest';
import { FOLDERS } from '../../state/files/layout.ts';
import { Quarantine, type Refused } from '../../state/files/quarantine.ts';
import type { Evidence } from '../../state/ledger/port.ts';
import { hashOf } from '../../state/sessions/tokens.ts';
import { asAgent } from '../../src/ledger/doors.ts';
import { evidenceOf } from '../../src/ledger/walk.ts';
import { Drops, type DropNeeds } from '../../src/tickle/drops.ts';
import { DROPS } from '../../src/tickle/policy.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { session } from '../state/make.ts';
import { FakeClock } from '../town/fake-clock.ts';
import { SimDisk, systemError } from '../world/disk.ts';

const TOKEN = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const SESSIONS = [
  session('builder', { tokenHash: hashOf(TOKEN) }),
  session('gone', { tokenHash: hashOf(OTHER), state: 'ended' }),
];
const file = (more: object = {}): string => JSON.stringify({ token: TOKEN, text: 'tests pass', ...more });

let clock: FakeClock;
let disk: SimDisk;
let ledger: MemoryLedger;
let refused: Refused[];
let logged: string[];
beforeEach(() => {
  [clock, ledger, refused, logged] = [new FakeClock(), new MemoryLedger(), [], []];
  disk = new SimDisk({ wall: clock.wall });
});

const outside = () => disk.mount(true);
/** As a program drops it. */
async function drop(name: string, text: string): Promise<void> {
  const hand = outside();
  await hand.write(`elsewhere/${name}`, text);
  await hand.rename(`elsewhere/${name}`, `${FOLDERS.evidence}/${name}`);
}
const left = (): Promise<string[]> => outside().list(FOLDERS.evidence);

/** A town that begins. */
function drops(more: Partial<DropNeeds> = {}): Drops {
  const mounted = disk.mount();
  const quarantine = new Quarantine({
    disk: mounted,
    wall: clock.wall,
    onRefused: (one) => void refused.push(one),
  });
  return new Drops({
    disk: mounted,
    quarantine,
    clock,
    sessions: () => Promise.resolve(SESSIONS),
    add: (as, evidence) => asAgent(ledger, () => Promise.resolve(as)).addEvidence(evidence),
    log: (text) => void logged.push(text),
    ...more,
  });
}
const kept = (): Promise<readonly Evidence[]> => Array.fromAsync(evidenceOf(ledger, 'builder'));

// Rules: T-1, law 11.
test('a file is a record of the agent whose token stands in it, and is gone then', async () => {
  await drop('status.json', file({ type: 'tests' }));
  await drop('more.json', JSON.stringify({ token: TOKEN, body: { passed: 12 } }));
  await drop('.hidden.json', file());
  expect(await drops().pass()).toBe(false);
  expect((await kept()).map(({ author, kind, text }) => [author, kind, text]).toSorted()).toEqual([
    ['builder', 'note', '{"passed":12}'],
    ['builder', 'tests', 'tests pass'],
  ]);
  expect([await left(), refused, logged]).toEqual([['.hidden.json'], [], []]);
});

// Rules: T-1, law 11, I-15.
test.each([
  ['no token, but a name', JSON.stringify({ author: 'builder', text: 'x' }), /token/],
  ['a token that is none', file({ token: 'builder' }), /no TOWN_TOKEN/],
  ['an author beside its token', file({ author: 'mayor' }), /author/],
  ['neither text nor body', JSON.stringify({ token: TOKEN }), /either a text or a body/],
  ['both', file({ body: 1 }), /either a text or a body/],
  ['a time that is not its to set', file({ at: '2099-01-01T00:00:00Z' }), /at/],
  ['too much', file({ text: 'x'.repeat(DROPS.maxBytes) }), /bytes/],
  ['too many levels', `{"token":"${TOKEN}","body":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, /levels deep/],
  ['no object', '[]', /not a JSON object/],
  ['a newer schema', file({ schema: 'evidence/2' }), /newer version/],
])('a file with %s is put aside with its reason, and the next one counts', async (_, text, why) => {
  await drop('a.json', text);
  await drop('b.json', file());
  await drops().pass();
  expect(refused).toMatchObject([{ why: expect.stringMatching(why) as string, movedTo: expect.any(String) as string }]);
  expect(await kept()).toHaveLength(1);
  expect(await left()).toEqual([]);
  expect(JSON.stringify(refused)).not.toContain(TOKEN);
});

test.each([
  ['of a life that ended', OTHER],
  ['that no life has', 'c'.repeat(64)],
])('a file with a token %s is put aside once a life that begins would be on record', async (_, token) => {
  await drop('a.json', file({ token }));
  const town = drops();
  await town.pass();
  expect(refused).toEqual([]);
  await clock.pass(DROPS.writtenMs);
  await town.pass();
  expect(refused).toMatchObject([{ why: expect.stringMatching(/no living agent/) as string }]);
  expect(await kept()).toEqual([]);
});

test('what a program still writes in place has a moment for it', async () => {
  await drop('slow.json', file().slice(0, 40));
  const town = drops();
  await town.pass();
  expect(refused).toEqual([]);
  await clock.pass(DROPS.writtenMs);
  await town.pass();
  expect(refused).toMatchObject([{ why: 'it is not JSON.' }]);
});

// Rules: T-6.
test('killed at each instant, a record is there once, and its file is gone', async () => {
  const town = (): Promise<boolean> => drops().pass();
  let count = 0;
  const counting = new SimDisk({ wall: clock.wall, burn: () => void (count += 1) });
  disk = counting;
  await drop('status.json', file());
  await town();
  for (let at = 1; at <= count; at += 1) {
    let left = at;
    const dies = (): void => {
      if ((left -= 1) === 0) throw new Error('killed');
    };
    [ledger, disk] = [new MemoryLedger(), new SimDisk({ wall: clock.wall, burn: dies })];
    await drop('status.json', file());
    await Promise.race([town(), clock.pass(1)]);
    await town();
    expect(await kept(), String(at)).toHaveLength(1);
    expect(await outside().list(FOLDERS.evidence), String(at)).toEqual([]);
  }
  expect(count).toBeGreaterThan(3);
});

// Rules: T-6.
test('a kill between the record and its file makes no second record, and a later file of the name is another one', async () => {
  const dies: SimDisk['burn'] = (operation) => {
    if (operation === 'remove') throw new Error('killed');
  };
  await drop('status.json', file());
  disk.burn = dies;
  await Promise.race([drops().pass(), clock.pass(1)]);
  disk.burn = undefined;
  expect([await kept(), await left()]).toMatchObject([[{ kind: 'note' }], [expect.stringMatching(/^taken-/)]]);
  await clock.pass(10);
  await drop('status.json', file());
  await drops().pass();
  expect([(await kept()).length, await left()]).toEqual([2, []]);
});

test('what a program drops under the same name while the first one is taken is not lost', async () => {
  await drop('status.json', file());
  const town = drops({
    add: async (as, evidence) => {
      if ((await kept()).length === 0 && !(await left()).includes('status.json'))
        await drop('status.json', file({ text: 'more' }));
      return asAgent(ledger, () => Promise.resolve(as)).addEvidence(evidence);
    },
  });
  await town.pass();
  await town.pass();
  expect((await kept()).map(({ text }) => text).toSorted()).toEqual(['more', 'tests pass']);
});

// Rules: T-3.
test('a ledger that refuses is said once, loses nothing, and holds up no file of others', async () => {
  await drop('a.json', file());
  let isLost = true;
  const stop = new AbortController();
  const running = drops({
    add: (as, evidence) =>
      isLost ? Promise.reject(systemError('ENOSPC')) : asAgent(ledger, () => Promise.resolve(as)).addEvidence(evidence),
  }).attend(stop.signal);
  await clock.pass(3 * DROPS.lookEveryMs);
  expect([logged.length, (await left()).length]).toEqual([1, 1]);
  isLost = false;
  await clock.pass(DROPS.lookEveryMs);
  expect([(await kept()).length, await left()]).toEqual([1, []]);
  stop.abort();
  await running;
});

test('a flood of one agent, and of bad files, is bounded, and told in a line each', async () => {
  for (let nth = 0; nth < 4 * DROPS.perMinute; nth += 1) await drop(`a${String(nth)}.json`, file({ text: `${nth}` }));
  for (let nth = 0; nth < 4 * DROPS.badPerMinute; nth += 1) await drop(`b${String(nth)}.json`, 'null');
  const stop = new AbortController();
  const running = drops().attend(stop.signal);
  await clock.pass(2 * DROPS.minuteMs);
  expect([await left(), (await kept()).length, refused.length]).toEqual([[], DROPS.perMinute, DROPS.badPerMinute]);
  expect(logged.toSorted()).toEqual([
    expect.stringContaining(`${String(3 * DROPS.perMinute)} were removed (builder)`),
    expect.stringContaining(`${String(3 * DROPS.badPerMinute)} were removed (files that prove no agent`),
  ]);
  stop.abort();
  await running;
});

test('what stays in the folder keeps no other file waiting', async () => {
  for (let nth = 0; nth < DROPS.perPass; nth += 1) await drop(`a${String(nth)}.json`, '{');
  await drop('z.json', file());
  const town = drops();
  // They get the town's names in the first pass, and are looked at once more before it.
  for (let nth = 0; nth < 3; nth += 1) await town.pass();
  expect(await kept()).toHaveLength(1);
});
