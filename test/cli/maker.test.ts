/** Law 11, law 3: who made a bead is an agent of one life. The next polecat of the name made none of it; an office goes on over its lives. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newBead, type Bead, type Official } from '../../machines/ledger/bead.ts';
import { openLedger, type SqliteLedger } from '../../state/ledger/sqlite.ts';
import { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/program.ts';
import { escalation } from '../../src/ledger/escalations.ts';
import { tell } from '../../src/terminal/failure.ts';
import { TestTown } from './town.ts';

const NUX = 'shop/polecats/nux';
const SESSION = 'gt-shop-nux';
const AT = new Date(Date.now() - 3_600_000).toISOString();

let town: TestTown;
let ledger: SqliteLedger;
let life: string;
beforeAll(() => {
  town = new TestTown();
  const { spec, incarnation } = town.session(SESSION);
  town.session(SESSION, { spec: { ...spec, tags: ['polecat', 'rig:shop'] } });
  town.session('mayor');
  life = incarnation?.uuid ?? '';
  ledger = openLedger({ root: town.root, wall: Date.now });
});
afterAll(() => {
  ledger.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function exitOf(token: string, words: readonly string[]): Promise<number> {
  vi.stubEnv('TOWN_TOKEN', token);
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true);
  try {
    return await run(new Context({ root: town.root, json: false, rest: words }), words);
  } catch (error) {
    return tell(error).exit;
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
}

let count = 0;
const put = async (by: string, of: string | null, more: Partial<Bead> = {}): Promise<Bead> => {
  const id = `tw-${(count += 1)}`;
  const official: Official = { made: { by, via: 'agent', life: of, at: AT }, resolution: null };
  const given = newBead({ title: 'work', createdBy: by, createdAt: AT, ...more, id });
  return (await ledger.put(given, { expects: 0, write: id, official })).bead!;
};

type Verb = readonly [name: string, more: () => Partial<Bead>, words: (id: string) => string[]];
const VERBS: readonly Verb[] = [
  ['bead update', () => ({}), (id) => ['bead', 'update', id, '--title', 'mine now']],
  ['bd update', () => ({}), (id) => ['bd', 'update', id, '--notes', 'mine now']],
  ['bead close', () => ({}), (id) => ['bead', 'close', id]],
  ['convoy add', () => ({ type: 'convoy' }), (id) => ['convoy', 'add', id, 'tw-1']],
  [
    'ack',
    () => escalation({ title: 'x', severity: 'high', reason: '', by: NUX, at: AT, related: null }),
    (id) => ['ack', id],
  ],
];
const LIVES: readonly (readonly [string, () => string | null, 0 | 5])[] = [
  ['of this life', () => life, 0],
  ['of an earlier life', () => 'an earlier one', 5],
  ['of an unknown life', () => null, 5],
];

// Rules: law 11.
test.each(
  VERBS.flatMap(([name, more, words]) => LIVES.map(([of, uuid, exit]) => [name, of, exit, more, words, uuid] as const)),
)('%s by a polecat, of what its name made, %s: exit %i', async (_, _of, exit, more, words, uuid) => {
  await put('overseer', null);
  const bead = await put(NUX, uuid(), more());
  expect(await exitOf(`token-of-${SESSION}`, words(bead.id))).toBe(exit);
  const [now] = await ledger.beads([bead.id]);
  expect(now?.version === bead.version).toBe(exit !== 0);
});

test('what an earlier polecat of the name made is its successor’s to change on its own hook', async () => {
  const bead = await put(NUX, 'an earlier one', { status: 'hooked', assignee: NUX });
  expect(await exitOf(`token-of-${SESSION}`, ['bead', 'update', bead.id, '--title', 'mine now'])).toBe(0);
});

test('an office changes what its earlier life made', async () => {
  const bead = await put('mayor', 'an earlier one');
  expect(await exitOf('token-of-mayor', ['bead', 'update', bead.id, '--title', 'mine now'])).toBe(0);
});
