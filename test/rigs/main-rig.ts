/** A rig whose main branch goes on, and whether it has the work of its polecat. */
import { inMain } from '../../src/rigs/in-main.ts';
import { mainOf } from '../../src/rigs/main-branch.ts';
import { RigOn } from './yard.ts';

export class MainRig extends RigOn {
  override git(...words: string[]): string {
    return super.git(...words).trim();
  }

  /** Another commit on main. */
  onMain(text = 'other'): void {
    this.git('checkout', '-q', 'main');
    this.commit(`main-${text}`, text);
  }

  publish(): string {
    return this.git('push', '-qf', 'origin', 'main');
  }

  /** Whether the published main has this commit; by default the branch of the polecat. */
  async told(commit = this.git('rev-parse', 'polecat/nux'), base: string | null = null): Promise<unknown> {
    this.publish();
    return (await inMain(this.rig, await mainOf(this.rig), [{ commit, base }])).get(commit);
  }
}
