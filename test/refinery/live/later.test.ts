/** Commits that come to a branch after its hand-over: main gets what was handed over, and a person learns of the others. Real git. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAIN, until } from '../../cli/town.ts';
import { whenOver } from '../../world/over.ts';
import { RefineryShop } from '../yard.ts';

const BRANCH = 'polecat/late';
interface Reported {
  readonly work: { readonly items: readonly { readonly outcome: string; readonly commit: string }[] };
}

class Late extends RefineryShop {
  readonly clone = join(this.home, 'clone');
  of = '';
  handed = '';
  fix = '';

  /** Work that was handed over; another clone has its branch. */
  async handOver(): Promise<void> {
    whenOver(() => this.killRefinery());
    await this.open();
    this.of = await this.bead('do it late');
    const dir = await this.polecat('late', this.of, 'sleep', '100000');
    this.put(dir, 'work', 'work');
    this.git(dir, 'push', '-q', 'origin', 'HEAD');
    this.handed = this.git(dir, 'rev-parse', 'HEAD');
    await this.ends('late');
    await this.run('mail', 'send', 'shop/witness', '-s', 'POLECAT_DONE late', '-m', `Issue: ${this.of}`);
    await until(
      () => this.cycle().then(() => this.subjects('shop/refinery')),
      (all) => all.includes('MERGE_READY late'),
    );
    this.git(this.home, 'clone', '-q', '-b', BRANCH, this.remote, this.clone);
  }

  put(dir: string, name: string, text: string): void {
    writeFileSync(join(dir, name), `${text}\n`);
    this.git(dir, 'add', '.');
    this.git(dir, 'commit', '-qm', `write ${name}`);
  }

  pushFix(): void {
    this.put(this.clone, 'fix', 'fix');
    this.git(this.clone, 'push', '-q', 'origin', `HEAD:refs/heads/${BRANCH}`);
    this.fix = this.git(this.clone, 'rev-parse', 'HEAD');
  }

  /** What a person is asked about the branch, once its bead is closed. */
  async later(): Promise<string> {
    await until(
      () => this.cycle().then(() => this.shown(this.of)),
      ({ status }) => status === 'closed',
    );
    return (await this.stands()).join('\n');
  }

  /** The line that the text offers behind these words. */
  type(text: string, words: string): void {
    const line = new RegExp(`${words}: (.*?)(?:; to |$)`).exec(text)?.[1] ?? '';
    const town = `town() { '${process.execPath}' '${MAIN}' --root '${this.root}' "$@"; }`;
    execFileSync('sh', ['-c', `${town}\n${line}`], { cwd: this.home, env: this.env(), stdio: 'pipe' });
  }

  onRemote(): string {
    return this.git(this.remote, 'for-each-ref', '--format=%(objectname)', `refs/heads/${BRANCH}`);
  }
}

// Rules, law 7.
test.each(['merge', 'squash', 'rebase'])(
  'by %s: the report names the commit that was merged, and the line of the alert has the later one merged too',
  async (way) => {
    const shop = new Late(`merge = "${way}"\n`);
    await shop.handOver();
    shop.pushFix();
    void shop.refine();
    const text = await shop.later();
    expect(text).toContain(`was merged at ${shop.handed.slice(0, 12)}`);
    expect(text).toContain(`${BRANCH} on origin is at ${shop.fix.slice(0, 12)} by now`);
    const { work } = await shop.data<Reported>('report', '--since', '1h');
    expect(work.items).toMatchObject([{ outcome: 'merged', commit: shop.handed }]);
    expect(() => shop.git(shop.remote, 'show', 'main:fix')).toThrow();
    shop.type(text, 'to have them merged too, type');
    await until(() => shop.onRemote() === '');
    expect(shop.git(shop.remote, 'show', 'main:fix')).toBe('fix');
    expect(await shop.stands()).toEqual([]);
  },
);

// Rules: R-2, law 7.
test('a refinery that was killed between its push and its letter, and a fix that comes after the merge', async () => {
  const shop = new Late('delete_branch = false\n');
  await shop.handOver();
  // What the refinery would have pushed.
  shop.git(shop.clone, 'push', '-q', 'origin', `${shop.handed}:refs/heads/main`);
  expect(await shop.later()).toBe('');
  shop.pushFix();
  // The remote is asked where it is due, or a refinery asks.
  shop.git(shop.repo, 'fetch', '-q', 'origin');
  const text = (await shop.stands()).join('\n');
  expect(text).toContain(`${BRANCH} on origin is at ${shop.fix.slice(0, 12)} by now`);
  shop.type(text, 'to delete the branch');
  expect(shop.onRemote()).toBe('');
  expect(await shop.stands()).toEqual([]);
});
