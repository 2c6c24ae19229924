/** What an older town kept as evidence is on record after an upgrade, wherever that was cut off. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { takeOlder } from '../../src/patrols/memory/older.ts';
import { FOLDERS } from '../../state/files/layout.ts';
import type { Evidence } from '../../state/ledger/port.ts';
import { keepNote, noteOf, notesOf } from '../../state/patrols/notes.ts';
import { entriesOf } from '../../state/patrols/plugins.ts';
import { workOn } from '../../state/rigs/work.ts';
import { MemoryLedger } from '../ledger/memory.ts';
import { SimDisk } from '../world/disk.ts';
import { NUX } from './seen.ts';

/** As the last version wrote it that kept them there; ada is gone. */
const GOLDEN = readFileSync(join(import.meta.dirname, 'golden', 'older-memory.jsonl'), 'utf8');
const records = { polecatNames: () => Promise.resolve([{ rig: 'shop', name: 'nux' }]) };

let ledger: MemoryLedger;
beforeEach(async () => {
  ledger = new MemoryLedger();
  for (const line of GOLDEN.trim().split('\n')) await ledger.addEvidence(JSON.parse(line) as Evidence);
});

type Disk = ReturnType<SimDisk['mount']>;
/** In short. */
async function all(disk: Disk): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const agent of [NUX, 'shop/refinery', 'shop/witness', 'deacon', 'shop/polecats/ada']) {
    const alone = { check: await noteOf(disk, agent, 'check'), cycle: await noteOf(disk, agent, 'cycle') };
    for (const [what, note] of Object.entries({ ...(await notesOf(disk, agent)), ...alone }))
      if (note) found[`${agent} ${what}`] = `${note.at} ${note.kind}: ${note.text}`;
  }
  for (const of of ['tw-1', 'ada', 'tw-2']) {
    const { begun, handed } = await workOn(disk, { rig: 'shop', of });
    for (const { uuid, branch, start, at } of begun)
      found[`${of} ${at}`] = `${uuid} on ${branch}${start === null ? '' : ', saved'}`;
    for (const { uuid, commit, main, at } of handed)
      found[`${of} ${at}`] = `${uuid} handed over ${commit?.[0]} since ${main?.[0]}`;
  }
  for (const { id, kind, text, at, deadlineAt } of await entriesOf(disk, 'nightly'))
    found[`nightly ${at}`] = `${id} ${kind} ${text}, until ${deadlineAt}`;
  return found;
}

// Rules: law 8.
test('all that counts is taken over, and nothing else', async () => {
  const disk = new SimDisk().mount();
  await takeOlder({ disk, ledger, records });
  expect(await all(disk)).toMatchInlineSnapshot(`
    {
      "ada 55000": "u0 handed over undefined since undefined",
      "deacon cycle": "38000 cycle: life 3",
      "deacon stand_in": "32000 stand_in: it rested",
      "deacon start": "30000 start: it rested",
      "deacon stop": "33000 stop: life",
      "deacon wake": "31000 wake: it rested",
      "nightly 60000": "plugin-nightly-60000 seen , until undefined",
      "nightly 61000": "r1 began sh nightly, until 70000",
      "nightly 62000": "r1 failed exit 1, until undefined",
      "nightly 63000": "r2 began sh nightly, until 80000",
      "nightly 64000": "r2 cut off its runner was killed, until undefined",
      "shop/polecats/ada session": "900 session: u0 dead",
      "shop/polecats/nux check": "19000 failed: cccccccccccccccccccccccccccccccccccccccc
    npm test: exit 1
    output",
      "shop/polecats/nux closed": "7000 closed: text of closed",
      "shop/polecats/nux dirty": "9000 dirty: text of dirty",
      "shop/polecats/nux empty": "6000 empty: text of empty",
      "shop/polecats/nux end": "20000 end: u1",
      "shop/polecats/nux hook-case": "15000 hook: hq-1",
      "shop/polecats/nux hook-exempt": "10000 nudge_working: nudge_working",
      "shop/polecats/nux hook-goes-on": "17000 goes-on: hq-1",
      "shop/polecats/nux hook-nudge": "5000 hook: text of hook",
      "shop/polecats/nux hook-push": "16000 refused: polecat/nux was not pushed",
      "shop/polecats/nux hook-since": "2000 hook: u1 tw-1",
      "shop/polecats/nux nudge": "4000 deadline: text of deadline",
      "shop/polecats/nux red": "8000 red: text of red",
      "shop/polecats/nux session": "2000 session: u1 dead",
      "shop/refinery queue": "12000 queue: text of queue",
      "shop/refinery start": "13000 start: 3 requests wait",
      "shop/refinery stop": "14000 stop: life",
      "shop/refinery wake": "11000 wake: text of wake",
      "shop/witness cycle": "29000 cycle: life 3",
      "shop/witness stand_in": "23000 stand_in: it rested",
      "shop/witness start": "21000 start: it rested",
      "shop/witness stop": "24000 stop: life",
      "shop/witness wake": "22000 wake: it rested",
      "tw-1 50000": "u1 on polecat/nux",
      "tw-1 51000": "u1 on polecat/nux, saved",
      "tw-1 52000": "u2 on polecat/nux-2, saved",
      "tw-1 53000": "u1 handed over d since undefined",
      "tw-1 54000": "u2 handed over c since d",
    }
  `);
});

// Rules: law 8.
test('once: a later note stays', async () => {
  const disk = new SimDisk().mount();
  const later = { kind: 'passed', text: 'd', at: 1 };
  await keepNote(disk, NUX, 'check', later);
  await takeOlder({ disk, ledger, records });
  expect(await noteOf(disk, NUX, 'check')).toEqual(later);
  await keepNote(disk, NUX, 'nudge', later);
  await disk.remove(`${FOLDERS.notes}/gt-shop-witness.json`);
  await takeOlder({ disk, ledger, records });
  expect([await noteOf(disk, NUX, 'nudge'), await notesOf(disk, 'shop/witness')]).toEqual([later, {}]);
});

// Rules: law 8.
test('a kill at any write loses nothing', async () => {
  const whole = new SimDisk().mount();
  await takeOlder({ disk: whole, ledger, records });
  const wanted = await all(whole);
  for (let killAt = 1, isKilled = true; isKilled; killAt += 1) {
    let left = killAt;
    const killed = Promise.withResolvers<boolean>();
    const sim = new SimDisk({
      burn: () => {
        left -= 1;
        if (left !== 0) return;
        killed.resolve(true);
        throw new Error('killed');
      },
    });
    const taking = takeOlder({ disk: sim.mount(), ledger, records });
    isKilled = await Promise.race([killed.promise, taking.then(() => false)]);
    left = Infinity;
    const next = sim.mount();
    await takeOlder({ disk: next, ledger, records });
    expect(await all(next)).toEqual(wanted);
  }
});
