/** A main that was only written anew by force, and work that came into it as other commits, both between two looks: on real git. */
import { beforeEach, expect, test } from 'vitest';
import { broughtBack } from '../../../src/rigs/returned-commits.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { RigOn } from '../yard.ts';

let it: RigOn;
let began: string;
let work: string;
const commitOf = (name: string): string => it.git('rev-parse', name).trim();
beforeEach(async () => {
  it = new RigOn();
  it.commit('of-main', 'main\n');
  it.git('push', '-q', 'origin', 'main');
  began = commitOf('main');
  await mainOf(it.rig);
  it.git('checkout', '-q', '-b', 'work');
  it.commit('work', 'work\n');
  work = commitOf('work');
  it.git('checkout', '-q', 'main');
});
/** Of the alert after the work was picked onto main as that is now. */
async function told(): Promise<string | null> {
  it.git('cherry-pick', work);
  it.git('push', '-q', '--force', 'origin', 'main');
  return broughtBack(it.rig, await mainOf(it.rig), { commit: work, base: began });
}

// Rules: R-1.
test('a main whose last commit was reworded held all along what the work began with: there is no alert', async () => {
  it.git('commit', '-q', '--amend', '-m', 'the same in other words');
  expect(await told()).toBeNull();
});

// Rules: R-1, law 4.
test.each([
  ['signed anew', () => it.git('commit', '-q', '--amend', '--no-edit', '--date=2001-01-01T00:00:00Z')],
  [
    'without it, where both were picked',
    () => {
      it.git('reset', '-q', '--hard', 'HEAD~1');
      it.commit('other', 'other\n');
      it.git('cherry-pick', began);
    },
  ],
])('a main %s: the alert names no command that takes anything out', async (_, write) => {
  write();
  const text = (await told()) ?? '';
  expect(text).toContain('brought back into main, as other commits');
  expect(text).not.toContain(' revert -');
  const look = text.slice(text.indexOf('log --stat')).split(' ');
  expect(it.git(...look)).toContain('work');
});
