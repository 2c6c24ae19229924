/** No sequence of what people and agents do with git ends in a nuke that destroys content which is nowhere else. */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nuke } from '../../../src/rigs/nuke.ts';
import { EXIT, Failure } from '../../../src/terminal/failure.ts';
import { RigOn } from '../yard.ts';

const FILES = ['file', 'deep/er/file', 'new', 'other/new'];
const REFS = ['main', 'origin/main', 'HEAD~1', 'polecat/nux', 'side'];
const file = fc.constantFrom(...FILES);
const ref = fc.constantFrom(...REFS);

type Act = readonly [what: string, ...words: string[]];

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('write'), file, fc.stringMatching(/^[a-d]{1,3}$/)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('remove'), file) },
  { weight: 3, arbitrary: fc.constant<Act>(['git', 'add', '-A']) },
  { weight: 4, arbitrary: fc.constant<Act>(['git', 'commit', '-qm', 'x']) },
  { weight: 2, arbitrary: fc.constant<Act>(['git', 'push', '-qf', 'origin', 'HEAD']) },
  fc.constant<Act>(['git', 'commit', '-qam', 'y', '--amend']),
  fc.constant<Act>(['git', 'stash', '-q', '-u']),
  fc.constant<Act>(['git', 'stash', 'drop', '-q']),
  fc.constant<Act>(['git', 'stash', 'pop', '-q']),
  fc.constant<Act>(['git', 'switch', '-q', '-c', 'side']),
  fc.constant<Act>(['git', 'push', '-q', 'origin', '--delete', 'polecat/nux']),
  fc.constant<Act>(['git', 'rebase', '--abort']),
  fc.constant<Act>(['git', 'add', '-N', 'new']),
  fc.constant<Act>(['git', 'rm', '-q', '--cached', 'file']),
  fc.constant<Act>(['git', 'clean', '-qfd']),
  fc.constant<Act>(['forget']),
  ...['--detach', '--force'].map((flag) =>
    fc.tuple(fc.constant('git'), fc.constant('checkout'), fc.constant('-q'), fc.constant(flag), ref),
  ),
  ...['--hard', '--soft', '--mixed'].map((how) =>
    fc.tuple(fc.constant('git'), fc.constant('reset'), fc.constant('-q'), fc.constant(how), ref),
  ),
  ...['merge', 'rebase', 'cherry-pick'].map((what) => fc.tuple(fc.constant('git'), fc.constant(what), ref)),
  ...['--assume-unchanged', '--skip-worktree', '--no-skip-worktree'].map((flag) =>
    fc.tuple(fc.constant('git'), fc.constant('update-index'), fc.constant(flag), file),
  ),
  fc.tuple(fc.constant('git'), fc.constant('update-ref'), fc.constant('refs/worktree/own'), ref),
);

/** Half of the histories end as a good worker's do, so that there is something to take away. */
const TIDY: readonly Act[] = [
  ['git', 'update-index', '--no-assume-unchanged', '--no-skip-worktree', 'file', 'deep/er/file'],
  ['git', 'add', '-A'],
  ['git', 'commit', '-qm', 'the rest'],
  ['git', 'stash', 'drop', '-q'],
  ['git', 'push', '-qf', 'origin', 'HEAD', 'polecat/nux'],
];

function perform(rig: RigOn, [what, ...words]: Act): void {
  const [name = '', text = ''] = words;
  const path = join(rig.dirOf(), name);
  try {
    if (what === 'git') rig.gitIn(rig.dirOf(), ...words);
    else if (what === 'remove') rmSync(path, { force: true });
    else if (what === 'forget') rmSync(rig.dirOf(), { recursive: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  } catch {
    // Refused by git, or there is nothing to do it with: a history goes on.
  }
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The worktree's part of the repository; it is there though the worktree may be gone. */
const ownOf = (rig: RigOn): string => {
  const all = join(rig.top, '.git/worktrees');
  return join(all, readdirSync(all)[0] ?? '');
};

/** Every commit and every file's content that the worktree, its index or a reflog holds. */
function contentOf(rig: RigOn): Set<string> {
  const own = ownOf(rig);
  const staged = lines(rig.git('--git-dir', own, 'ls-files', '-s')).map((line) => line.split(' ')[1] ?? '');
  const commits = lines(rig.git('--git-dir', own, 'rev-list', '--all', '--reflog', 'HEAD'));
  const found = new Set([...commits, ...staged]);
  if (!existsSync(rig.dirOf())) return found;
  const files = readdirSync(rig.dirOf(), { recursive: true, encoding: 'utf8' });
  for (const name of files.filter((one) => one !== '.git' && statSync(join(rig.dirOf(), one)).isFile()))
    found.add(rig.git('hash-object', '--no-filters', join(rig.dirOf(), name)).trim());
  // Nothing is lost where nothing is in it: an intent to add has the empty content.
  found.delete('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391');
  return found;
}

/** Everything that a ref, or a reflog that stays, holds in the repository or at its remote. */
function heldBy(rig: RigOn): Set<string> {
  const here = rig.git('rev-list', '--objects', '--all', '--reflog');
  const there = rig.gitIn(rig.origin, 'rev-list', '--objects', '--all');
  return new Set(lines(`${here}\n${there}`).map((line) => line.split(' ')[0] ?? ''));
}

/** All that a refusal must leave as it is. */
function standing(rig: RigOn): unknown {
  const own = ownOf(rig);
  const files = existsSync(rig.dirOf()) ? readdirSync(rig.dirOf(), { recursive: true, encoding: 'utf8' }) : null;
  const contents = files?.map((name) => {
    const path = join(rig.dirOf(), name);
    return [name, statSync(path).isFile() ? readFileSync(path, 'utf8') : null];
  });
  return [
    contents,
    rig.git('for-each-ref'),
    readFileSync(join(own, 'HEAD'), 'utf8'),
    readFileSync(join(own, 'index'), 'hex'),
  ];
}

// Rules: P-6.
test('after any history a nuke takes only what is elsewhere, and a refusal touches nothing', async () => {
  const outcomes = { gone: 0, kept: 0 };
  const histories = fc.tuple(fc.array(act, { minLength: 1, maxLength: 10 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), async ([acts, tidy], pushes) => {
      const rig = new RigOn();
      try {
        const record = await rig.spawn('nux');
        for (const one of [...acts, ...(tidy ? TIDY : [])]) perform(rig, one);
        const [before, content] = [standing(rig), contentOf(rig)];
        try {
          await nuke(rig.at(), record, { pushes });
          outcomes.gone += 1;
          const held = heldBy(rig);
          expect([...content].filter((one) => !held.has(one))).toEqual([]);
        } catch (error) {
          if (!(error instanceof Failure) || error.exit !== EXIT.refused) throw error;
          outcomes.kept += 1;
          if (!pushes) expect(standing(rig)).toEqual(before);
        }
      } finally {
        rig.end();
      }
    }),
    { numRuns: 30 },
  );
  expect(outcomes.gone).toBeGreaterThan(3);
  expect(outcomes.kept).toBeGreaterThan(3);
});
