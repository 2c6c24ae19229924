/**
 * A rig from its first bead to a convoy that has landed, by the town alone and a person who decides what no table does. Of its
 * polecats one dies, one goes silent, one finishes dirty and one clean, in real tmux and git, and the town is killed in each step.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { BEAD_STATUSES } from '../../../machines/ledger/bead.ts';
import { FOLDERS } from '../../../state/files/layout.ts';
import { PACE, Shop, TOWN } from '../shop.ts';

vi.setConfig({ testTimeout: 600_000 });
/** A hearing lasts for some seconds, and is seen. */
const LOOK_MS = 250;
const PROGRAM = join(import.meta.dirname, '../programs/polecat');

/** Who reports once and then nothing more is given a deadline. */
const NUMBERS = `${PACE}[ledger]
look_every = "500ms"
[dance]
windows = ["1s", "1s", "1s"]
look_every = "100ms"
read_warrants_every = "200ms"
[process]
restart = "100ms"
stable = "1ms"
`;
/** One nudge, and that with a deadline: what a silent terminal shows of the gentle one looks like a question of its own. */
const WITNESS = 'nudge_after = "2s"\ndeadline_after = "2s"\ndeadline = "2s"\n';

/** What the town is killed at, the first time that it is seen: what a patrol did last, or that an agent is heard. */
const STEPS: ReadonlySet<string> = new Set([
  'spawn',
  'reopen',
  'nudge',
  'triage',
  'hearing',
  'wisp',
  'nuke',
  'send',
  'start',
  'close',
  'land',
]);
/** What a patrol does about one thing once. */
const ONCE: ReadonlySet<string> = new Set(['archive', 'nuke', 'reopen', 'close', 'land']);

const WORKS = ['dies', 'silent', 'dirty', 'clean'] as const;
type Work = (typeof WORKS)[number];
/** What a person chooses. */
const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stuck_agent: { silent: 'RESTART' },
  dirty_polecat: { dies: 'DISCARD', silent: 'DISCARD', dirty: 'COMMIT_AND_PUSH' },
};

let town: Shop;

interface Case {
  readonly id: string;
  readonly type: string;
  readonly agent: string;
  readonly state: string;
}

const workOf = (agent: string): string => agent.split('/').at(-1)?.split('-')[0] ?? '';

/** A person looks at what is open; what is refused is chosen again, since the town may be away, or the agent not gone yet. */
async function decide(): Promise<void> {
  for (const { id, type, agent, state } of await town.data<Case[]>('triage', 'list')) {
    const choice = CHOICES[type]?.[workOf(agent)];
    if (choice === undefined) throw new Error(`no case ${type} of ${agent} was expected`);
    if (state === 'open') await town.run('triage', 'resolve', id, choice);
  }
}

/** The town is killed at each step that it comes to for the first time. */
async function strike(struck: Set<string>): Promise<void> {
  const isHeard = town.names(FOLDERS.active).some((name) => name.startsWith('dog-'));
  // A hearing passes; what was done stays in the journal.
  const seen = [...(isHeard ? ['hearing'] : []), ...(await town.deeds()).map(({ act }) => act)];
  const next = seen.find((step) => STEPS.has(step) && !struck.has(step));
  if (next === undefined) return;
  struck.add(next);
  await town.killed();
}

/** Whether a commit that has a name, here or at the remote, or a worktree holds this text. */
function isKept(text: string): boolean {
  const inGit = [town.repo, town.remote].some((at) => {
    const refs = town.git(at, 'for-each-ref', '--format=%(objectname)').split('\n');
    return spawnSync('git', ['-C', at, 'grep', '-qF', text, ...refs]).status === 0;
  });
  const folders = town.names('shop/polecats').map((name) => join(town.root, 'shop/polecats', name));
  return inGit || folders.some((dir) => spawnSync('grep', ['-rqF', text, dir]).status === 0);
}

const notesBy = (author: string): Promise<{ text: string }[]> =>
  town.data('evidence', 'list', '--author', author, '--limit', '500');

const twice = (words: readonly string[]): string[] => words.filter((word, at) => words.indexOf(word) !== at);

async function begin(): Promise<{ readonly ids: Readonly<Record<Work, string>>; readonly convoy: string }> {
  const agent = JSON.stringify(['bash', PROGRAM, ...TOWN]);
  town = new Shop(`${NUMBERS}[rig.shop]\nmax_polecats = 3\nagent = ${agent}\n`);
  const refinery = JSON.stringify([...TOWN, 'refinery']);
  town.write('town.toml', `${town.read('town.toml')}refinery = ${refinery}\n`);
  town.witness(WITNESS);
  await town.open();
  const made = async (...words: string[]): Promise<string> => (await town.data<{ id: string }>(...words)).id;
  const ids = {} as Record<Work, string>;
  for (const work of WORKS) ids[work] = await made('bead', 'create', work, '--rig', 'shop');
  const all = Object.values(ids);
  const convoy = await made('convoy', 'create', 'the day', ...all);
  const swarm = `SwarmID: s-1\nBeads: ${all.join(' ')}\nTotal: ${all.length}`;
  await town.run('mail', 'send', 'shop/witness', '-s', 'SWARM_START s-1', '-m', swarm);
  return { ids, convoy };
}

const UNDONE = BEAD_STATUSES.filter((status) => status !== 'closed').join(',');
/** All that is open, but for what a cycle notes while it acts. */
const open = async (): Promise<string[]> =>
  (await town.data<{ title: string }[]>('bead', 'list', '--all', '--status', UNDONE))
    .map(({ title }) => title)
    .filter((title) => title !== 'patrol of shop');

// Rules: P-2, P-10, W-5.
test('one dies, one goes silent, one finishes dirty, one clean: all of it lands once and nothing is lost, though the town is killed in each step', async () => {
  const { ids, convoy } = await begin();
  const struck = new Set<string>();
  do {
    // Who asks without a pause takes the processor from the town.
    await pause(LOOK_MS);
    await strike(struck);
    await decide();
  } while ((await open()).length > 0 || (await town.subjects('shop/witness')).length > 0);
  for (let before = -1; before < struck.size;) {
    before = struck.size;
    await strike(struck);
  }
  // A kill may take the word of what was done along; what its cycle was at is noted all the same.
  const notes = (await Promise.all(['shop/witness/patrol', 'deacon/patrol'].map(notesBy))).flat();
  const wasAt = (step: string): boolean => notes.some(({ text }) => new RegExp(`\\b${step} `).test(text));
  expect([...STEPS].filter((step) => !struck.has(step) && !wasAt(step))).toEqual([]);

  // Each was tried as often as it has to be: a kill costs no work an attempt.
  const attempts = { dies: 1, silent: 1, dirty: 0, clean: 0 };
  for (const work of WORKS)
    expect(await town.shown(ids[work]), work).toMatchObject({
      status: 'closed',
      ...(attempts[work] > 0 && { attempts: attempts[work] }),
    });
  expect(await town.shown(convoy)).toMatchObject({ status: 'closed' });
  expect(await town.data('triage', 'list')).toEqual([]);

  // Nothing was handled, merged or said twice.
  const deeds = (await town.deeds()).filter(({ act }) => ONCE.has(act)).map(({ act, about }) => `${act} ${about}`);
  expect(twice(deeds)).toEqual([]);
  // A spawn that was cut off leaves its name used: which work it is counts.
  const letters = await town.subjects('shop/refinery', '--all');
  const requests = letters.filter((subject) => subject.startsWith('MERGE_READY '));
  const all = [...WORKS].sort();
  expect(requests.map((subject) => workOf(subject.replace('MERGE_READY ', ''))).sort()).toEqual(all);
  const others = new Set(letters.filter((subject) => !subject.startsWith('MERGE_READY ')));
  expect([...others].filter((subject) => subject !== 'PATROL: Wake up')).toEqual([]);
  const merges = town.git(town.remote, 'log', '--merges', '--format=%s', 'main').split('\n');
  expect(merges.map((subject) => workOf(subject.replace(/: .*/, ''))).sort()).toEqual(all);
  const toMayor = (await town.subjects('mayor', '--all')).filter((subject) => !subject.startsWith('['));
  const recoveries = ['dies', 'dirty', 'silent'].map((work) => `RECOVERY_NEEDED ${work}`);
  const told = toMayor.map((subject) =>
    subject.replace(/^(RECOVERY_NEEDED) (.*)$/, (_, kind: string, of: string) => `${kind} ${workOf(of)}`),
  );
  expect(told.sort()).toEqual([...recoveries, 'SWARM_COMPLETE: s-1']);

  // All that was written is somewhere.
  for (const work of WORKS) expect(isKept(`the whole of ${work}`), work).toBe(true);
  for (const text of ['committed by dies', 'never committed by dies', 'never committed by silent', 'left by dirty'])
    expect(isKept(text), text).toBe(true);
  // What proves that the look finds only what is there.
  expect(isKept('this was never written')).toBe(false);
});
