/** No sequence of what people and agents do with git makes work merged of which main never had a part. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inMain } from '../../../src/rigs/in-main.ts';
import { mainOf } from '../../../src/rigs/main-branch.ts';
import { linesIn, LINES, SERVICES, servicesWith, type Lines } from '../blocks.ts';
import { RigOn } from '../yard.ts';

const FILE = 'services.yml';
const service = fc.constantFrom(...SERVICES);
const line = fc.constantFrom(...LINES);

type Act =
  | readonly [what: 'work' | 'person', service: (typeof SERVICES)[number], line: string]
  | readonly [what: 'tries' | 'undoes', ...words: string[]];

const edit = (who: 'work' | 'person'): fc.Arbitrary<Act> => fc.tuple(fc.constant(who), service, line);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: edit('work') },
  { weight: 3, arbitrary: edit('person') },
  fc.constant<Act>(['tries', 'cherry-pick', 'polecat/nux']),
  fc.constant<Act>(['tries', 'cherry-pick', 'polecat/nux~1']),
  fc.constant<Act>(['tries', 'cherry-pick', 'main..polecat/nux']),
  fc.constant<Act>(['tries', 'merge', '--squash', 'polecat/nux']),
  fc.constant<Act>(['tries', 'merge', '--squash', 'polecat/nux~1']),
  fc.constant<Act>(['tries', 'merge', '--no-ff', 'polecat/nux~1']),
  fc.constant<Act>(['undoes', 'revert', 'HEAD']),
  fc.constant<Act>(['undoes', 'reset', '--hard', 'HEAD~1']),
);

/** How a person may merge all of it. */
const WAYS: readonly (readonly string[])[] = [
  ['merge', '--no-ff', 'polecat/nux'],
  ['merge', '--squash', 'polecat/nux'],
  ['cherry-pick', 'main..polecat/nux'],
];

/** A history on real git: what main ever held is known from the files alone. */
class History {
  readonly rig = new RigOn();
  readonly base: string;

  constructor() {
    this.rig.commit(FILE, servicesWith({}));
    this.rig.git('branch', 'polecat/nux');
    this.base = this.rig.git('rev-parse', 'main').trim();
  }

  /** Adds the line to a block, or takes it out of there. */
  toggle(branch: string, name: (typeof SERVICES)[number], text: string): void {
    this.rig.git('checkout', '-q', branch);
    const before = this.linesAt(branch);
    const [had, all] = [before[name] ?? [], LINES];
    const now = all.filter((one) => had.includes(one) !== (one === text));
    this.rig.commit(FILE, servicesWith({ ...before, [name]: now }));
    this.rig.git('checkout', '-q', 'main');
  }

  linesAt(commit: string): Lines {
    return linesIn(this.rig.git('show', `${commit}:${FILE}`));
  }

  /** Whether git did it: a conflict is given up. */
  tries(...words: readonly string[]): boolean {
    const { rig } = this;
    const before = rig.git('rev-parse', 'HEAD');
    try {
      rig.git(...words, ...(words.includes('--squash') || words.includes('reset') ? [] : ['--no-edit']));
      if (words.includes('--squash')) rig.git('commit', '-qm', 'as one');
    } catch {
      for (const begun of ['cherry-pick', 'revert']) rig.git(begun, '--quit');
      rig.git('reset', '-q', '--hard', before.trim());
      return false;
    }
    return true;
  }

  perform([what, ...words]: Act): void {
    const [name = '', text = ''] = words;
    const named = SERVICES.find((one) => one === name);
    if (named !== undefined) this.toggle(what === 'work' ? 'polecat/nux' : 'main', named, text);
    else if (what === 'tries' || this.rig.git('rev-parse', 'main').trim() !== this.base) this.tries(...words);
  }

  /** What the work makes otherwise than it began: `<service> <line> <whether it is there>`. */
  changes(): string[] {
    const [before, after] = [this.partsAt(this.base), this.partsAt('polecat/nux')];
    return after.filter((part) => !before.includes(part));
  }

  partsAt(commit: string): string[] {
    const lines = this.linesAt(commit);
    return SERVICES.flatMap((name) =>
      LINES.map((one) => `${name} ${one} ${String(lines[name]?.includes(one) ?? false)}`),
    );
  }

  async told(): Promise<unknown> {
    const { rig } = this;
    rig.git('push', '-qf', 'origin', 'main');
    const commit = rig.git('rev-parse', 'polecat/nux').trim();
    return (await inMain(rig.rig, await mainOf(rig.rig), [{ commit, base: this.base }])).get(commit);
  }

  /** Of these those that no commit of main ever had. */
  neverHeld(parts: readonly string[]): string[] {
    const commits = this.rig
      .git('rev-list', 'main', `^${this.base}`)
      .split('\n')
      .filter((line) => line !== '');
    const held = new Set(commits.flatMap((commit) => this.partsAt(commit)));
    return parts.filter((part) => !held.has(part));
  }
}

// Rules: P-2, law 4.
test('after any history only work of which main had each part counts as merged, and what was just merged does', async () => {
  const seen = { yes: 0, no: 0, merged: 0 };
  const acts = fc
    .tuple(edit('work'), edit('person'), fc.array(act, { maxLength: 5 }))
    .map(([one, other, more]) => [one, other, ...more]);
  const histories = fc.tuple(acts, fc.constantFrom(...WAYS));
  await fc.assert(
    fc.asyncProperty(histories, async ([history, way]) => {
      const it = new History();
      try {
        for (const one of history) it.perform(one);
        const is = await it.told();
        const changes = it.changes();
        seen[is === 'yes' ? 'yes' : 'no'] += 1;
        if (is === 'yes') expect(it.neverHeld(changes)).toEqual([]);
        if (changes.length === 0 || !it.tries(...way)) return;
        seen.merged += 1;
        expect(await it.told()).toBe('yes');
      } finally {
        it.rig.end();
      }
    }),
    { numRuns: 25 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(2);
});
